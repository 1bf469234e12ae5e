package follow

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"orihon/internal/capture"
	"orihon/items"
	"orihon/memory"
)

// Score is what memory made of a session: what it is made of, and five parts of 0 to
// 1, nil where there is nothing to judge by.
type Score struct {
	Session string    `json:"session"`
	At      time.Time `json:"at,omitzero"`
	Title   string    `json:"title"`

	Captured    int            `json:"captured"`             // statements that it brought, for review or at once
	Known       int            `json:"known"`                // that were known already
	TakenBack   map[string]int `json:"taken_back,omitempty"` // captured ones that were undone or turned down, by reason
	Tokens      int            `json:"tokens"`               // that were said in it
	ModelTokens int64          `json:"model_tokens"`         // that models took for it

	Density   *float64 `json:"density"`   // kept for what was said; one in 1,000 tokens is 0.5
	Precision *float64 `json:"precision"` // share of what was captured that nobody took back
	Novelty   *float64 `json:"novelty"`   // share that was not known
	Cost      *float64 `json:"cost"`      // kept for what models took; one for 2,000 tokens is 0.5
	Trust     *float64 `json:"trust"`     // falls with what was taken back, by its reason
	Quality   float64  `json:"quality"`   // the mean of the parts that are known
}

// Scores is how memory does, session by session, and how work goes.
type Scores struct {
	Sessions []Score      `json:"sessions"` // in which something was asked for, the newest first
	Trend    Trend        `json:"trend"`
	Work     []Experience `json:"work"`
	Advice   []string     `json:"advice"` // where there is evidence enough
}

// Experience is how requests of a kind went.
type Experience struct {
	Kind      string `json:"kind"` // exploration, small fix, change, refactor, migration or incident
	Requests  int    `json:"requests"`
	FirstTry  Rate   `json:"first_try"` // done, and no test, build or lint failed on the way
	Rework    Rate   `json:"rework"`    // a later request of the session changed the same file
	Unchecked Rate   `json:"unchecked"` // nothing was checked behind the last change of code
}

// Rate is how often something happened, and how likely it is the next time.
type Rate struct {
	Times    int     `json:"times"`
	Of       int     `json:"of"`
	Expected float64 `json:"expected"`
}

func rateOf(r capture.Rate) Rate {
	return Rate{r.Times, r.Of, math.Round(100*r.Mean()) / 100}
}

// Trend is how quality changes over sessions that brought something.
type Trend struct {
	Sessions int     `json:"sessions"`
	Now      float64 `json:"now"`    // mean of the last ten
	Before   float64 `json:"before"` // of the ten before
	Swings   int     `json:"swings"` // how often it turned, in those
	// Proposal is a setting that the evidence speaks for; a person changes it.
	Proposal string `json:"proposal,omitempty"`
}

// Scores scores the sessions of the project, from the audit trail and the records of
// what was done. It keeps nothing.
func (f *Sessions) Scores(ctx context.Context) (*Scores, error) {
	records, err := f.records(ctx)
	if err != nil {
		return nil, err
	}
	by, err := f.brought(ctx)
	if err != nil {
		return nil, err
	}
	out := &Scores{Sessions: []Score{}, Work: []Experience{}, Advice: []string{}}
	var requests [][]capture.Request
	for _, r := range records {
		if len(r.Requests) == 0 {
			continue
		}
		requests = append(requests, r.Requests)
		s := Score{Session: r.Session, At: r.Requests[0].At, Title: r.Requests[0].Title, Tokens: r.Tokens}
		calls, err := callsOf(f.v.Project.Session(r.Session), r.Session)
		if err != nil {
			return nil, err
		}
		for i := range calls {
			s.ModelTokens += calls[i].Input + calls[i].Output
		}
		s.judge(by[r.Session])
		out.Sessions = append(out.Sessions, s)
	}
	slices.SortStableFunc(out.Sessions, func(a, b Score) int { return b.At.Compare(a.At) })
	out.Trend = f.trend(out.Sessions)
	work := capture.Experiences(requests)
	for i := range work {
		e := &work[i]
		out.Work = append(out.Work, Experience{string(e.Situation), e.Requests, rateOf(e.FirstTry), rateOf(e.Rework), rateOf(e.Unchecked)})
	}
	out.Advice = append(out.Advice, lessons(work)...)
	return out, nil
}

// brought is what a session brought into memory, by item.
type brought struct {
	captured map[string]bool   // added, or put before a person
	back     map[string]string // of those, taken back: why
	known    map[string]bool   // confirmed
}

// brought is what sessions brought, episodes apart.
func (f *Sessions) brought(ctx context.Context) (map[string]*brought, error) {
	stored := make(map[string]memory.Item)
	out := make(map[string]*brought)
	of := make(map[string]*brought) // by item
	for _, sp := range f.v.Spaces() {
		for s, err := range sp.Text.Scan(ctx) {
			if err != nil {
				return nil, err
			}
			stored[s.Item.ID] = s.Item
		}
		for r, err := range sp.Text.Audits(ctx, nil) {
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil || stored[r.ID].Kind == memory.Episodic:
				continue
			case r.Op == memory.AuditUndo && of[r.ID] != nil && r.Other == "":
				if r.To > 0 { // what was added is there
					delete(of[r.ID].back, r.ID)
				} else {
					of[r.ID].back[r.ID] = cmp.Or(r.Reason, "undone")
				}
			case r.Op == memory.AuditReject && of[r.ID] != nil:
				of[r.ID].back[r.ID] = "rejected"
			}
			if r.Session == "" {
				continue
			}
			b := out[r.Session]
			if b == nil {
				b = &brought{map[string]bool{}, map[string]string{}, map[string]bool{}}
				out[r.Session] = b
			}
			switch r.Op {
			case memory.AuditAdd, memory.AuditAsk, memory.AuditConflict, memory.AuditSupersede:
				if it, ok := stored[r.ID]; of[r.ID] == nil && (!ok || it.Metadata.Session == r.Session) { // else it is weighed again
					b.captured[r.ID], of[r.ID] = true, b
				}
			case memory.AuditConfirm, memory.AuditUpdate, memory.AuditMerge:
				b.known[r.ID] = b.known[r.ID] || !b.captured[r.ID]
			}
		}
	}
	return out, nil
}

// judge makes the five parts.
func (s *Score) judge(b *brought) {
	const tokensOfItem, modelTokensOfItem = 1000, 2000
	if b != nil {
		s.Captured = len(b.captured)
		for id := range b.known {
			if b.known[id] {
				s.Known++
			}
		}
		for _, why := range b.back {
			if s.TakenBack == nil {
				s.TakenBack = make(map[string]int)
			}
			s.TakenBack[why]++
		}
	}
	kept := float64(s.Captured)
	for _, n := range s.TakenBack {
		kept -= float64(n)
	}
	part := func(good, all float64) *float64 {
		if all <= 0 {
			return nil
		}
		v := math.Round(100*good/all) / 100
		return &v
	}
	s.Density = part(kept, kept+float64(s.Tokens)/tokensOfItem)
	s.Precision = part(kept, float64(s.Captured))
	s.Novelty = part(float64(s.Captured), float64(s.Captured+s.Known))
	if s.ModelTokens > 0 {
		s.Cost = part(kept, kept+float64(s.ModelTokens)/modelTokensOfItem)
	}
	if s.Captured > 0 {
		s.Trust = part(items.Trust(s.Captured, s.TakenBack), 1)
	}
	n, sum := 0, 0.0
	for _, v := range []*float64{s.Density, s.Precision, s.Novelty, s.Cost, s.Trust} {
		if v != nil {
			n, sum = n+1, sum+*v
		}
	}
	if n > 0 {
		s.Quality = math.Round(100*sum/float64(n)) / 100
	}
}

// What it takes to propose another setting.
const (
	lately       = 10   // sessions
	leastSeen    = 20   // statements that were captured in them
	tooWrong     = 0.2  // at least this share of them was taken back, with nine chances in ten
	swing        = 0.05 // of quality; less is no change
	mostSwings   = 3
	worthTelling = 0.4 // a rate that is at least so high, with nine chances in ten
)

// trend looks at the last sessions that brought something, given the newest first.
func (f *Sessions) trend(all []Score) Trend {
	all = slices.DeleteFunc(slices.Clone(all), func(s Score) bool { return s.Captured+s.Known == 0 })
	t := Trend{Sessions: len(all)}
	last := all[:min(len(all), lately)]
	t.Now, t.Before = meanQuality(last), meanQuality(all[len(last):min(len(all), 2*lately)])
	up := 0
	for i := range all[:max(0, min(len(all), 2*lately)-1)] {
		step := 0
		switch change := all[i].Quality - all[i+1].Quality; {
		case change >= swing:
			step = 1
		case change <= -swing:
			step = -1
		}
		if step*up < 0 {
			t.Swings++
		}
		if step != 0 {
			up = step
		}
	}
	var wrong capture.Rate
	for i := range last {
		wrong.Of += last[i].Captured
		for _, n := range last[i].TakenBack {
			wrong.Times += n
		}
	}
	switch {
	case t.Swings >= mostSwings:
		// It goes up and down by itself: a change would be judged by chance.
	case wrong.Of >= leastSeen && wrong.AtLeast() >= tooWrong && f.v.Config.Capture.Notice != NoticeAsk:
		t.Proposal = fmt.Sprintf("%d of the last %d statements were taken back: orihon config set capture.notice ask puts each before you first", wrong.Times, wrong.Of)
	}
	return t
}

func meanQuality(all []Score) float64 {
	if len(all) == 0 {
		return 0
	}
	sum := 0.0
	for i := range all {
		sum += all[i].Quality
	}
	return math.Round(100*sum/float64(len(all))) / 100
}

// lessons are what the evidence says of work that is large or risky.
func lessons(work []capture.Experience) (out []string) {
	for i := range work {
		e := &work[i]
		if !e.Situation.Large() {
			continue
		}
		var told []string
		for _, r := range []struct {
			rate  capture.Rate
			words string
		}{
			{e.Unchecked, "%d of %d ended without a test, build or lint behind the last change"},
			{e.Rework, "of %[2]d, %[1]d were changed again in the same session"},
			{capture.Rate{Times: e.FirstTry.Of - e.FirstTry.Times, Of: e.FirstTry.Of}, "%d of %d did not succeed at once"},
		} {
			if r.rate.AtLeast() >= worthTelling {
				told = append(told, fmt.Sprintf(r.words, r.rate.Times, r.rate.Of))
			}
		}
		if len(told) > 0 {
			out = append(out, string(e.Situation)+": "+strings.Join(told, "; "))
		}
	}
	return out
}
