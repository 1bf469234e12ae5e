package follow

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/capture"
	"orihon/internal/terms"
	"orihon/items"
	"orihon/journal"
	"orihon/memory"
)

// Met is an error that came up before, and what was done about it.
type Met struct {
	Session string    `json:"session"`
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at,omitzero"`
	Request string    `json:"request"` // for which it was
	What    string    `json:"what"`    // what failed
	Said    string    `json:"said"`
	// Helped is what made it succeed; nil where nothing is known to have done so.
	Helped *capture.Fix `json:"helped,omitempty"`
	// Tried are the commands that were run after it for the same request.
	Tried []capture.Ran `json:"tried,omitempty"`
	Open  bool          `json:"open"` // it still failed when the request ended
	// Changed and Gone are those of the files it names that were written since, or
	// are not there any more. Of others nothing is said.
	Changed []string `json:"changed,omitempty"`
	Gone    []string `json:"gone,omitempty"`

	score float64
}

// Fixes are errors of past sessions that are like a text, the most alike first: what
// was run after them, and whether it helped.
func (f *Sessions) Fixes(ctx context.Context, text string, most int) ([]Met, error) {
	const least, wholeLeast = 0.3, 0.7 // a single line of many must hold most of the words
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%w error: empty", memory.ErrInvalid)
	}
	records, err := f.records(ctx)
	if err != nil {
		return nil, err
	}
	words := searched(text)
	out := f.met(records, func(_ *record, failure *capture.Failure) (string, float64) {
		score := alike(words, failure.Said+"\n"+failure.What)
		return failure.Said, floor(score, least)
	})
	if len(out) == 0 {
		// What is noted of an error is the line or two that tell most; others may be asked for.
		outputs := make(map[string]map[int64]string)
		out = f.met(records, func(r *record, failure *capture.Failure) (string, float64) {
			if _, read := outputs[r.Session]; !read {
				outputs[r.Session] = f.outputs(ctx, r.Session)
			}
			line, score := likest(words, outputs[r.Session][failure.Seq])
			return line, floor(score, wholeLeast)
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	slices.SortStableFunc(out, func(a, b Met) int {
		return cmp.Or(cmp.Compare(round(b.score), round(a.score)), compareBool(b.Helped != nil, a.Helped != nil), b.At.Compare(a.At))
	})
	// The same error with the same end is told once.
	seen := make(map[string]bool)
	out = slices.DeleteFunc(out, func(m Met) bool {
		key := m.What + "\x00" + m.Said
		if m.Helped != nil {
			key = m.Helped.Signature() + strings.Join(m.Helped.Edited, " ")
		}
		defer func() { seen[key] = true }()
		return seen[key]
	})
	return out[:min(len(out), most)], nil
}

// floor is a score, 0 below the least that counts.
func floor(score, least float64) float64 {
	if score < least {
		return 0
	}
	return score
}

// likest is the line of an output that holds most of some words.
func likest(words []string, output string) (line string, score float64) {
	const most = 200 // characters that are told of it
	for l := range strings.Lines(output) {
		if s := alike(words, l); s > score {
			line, score = strings.TrimSpace(l), s
		}
	}
	if r := []rune(line); len(r) > most {
		line = string(r[:most]) + "…"
	}
	return line, score
}

// outputs are what the calls of a session brought back that failed, by the place of the
// call in its journal. What cannot be read is left out.
func (f *Sessions) outputs(ctx context.Context, id string) map[int64]string {
	out := make(map[int64]string)
	log, err := journal.Open(f.v.Project.Session(id), &journal.Options{Now: f.v.Now, Logger: f.v.Log})
	if err != nil {
		f.v.Log.Warn("session: left out", "session", id, "err", err)
		return out
	}
	calls := make(map[string]int64)
	for e, err := range log.Events(ctx, 1) {
		if err != nil {
			continue
		}
		switch e.Type {
		case journal.ActionRequest:
			calls[e.ID] = e.Seq
		case journal.ActionResult:
			var r journal.Result
			if log.Decode(e, &r) == nil {
				out[calls[e.ID]], out[e.Seq] = r.Output, r.Output
			}
		}
	}
	return out
}

// met are the failures to which what gives a score above 0, and what they said.
func (f *Sessions) met(records []*record, what func(*record, *capture.Failure) (said string, score float64)) (out []Met) {
	const triedMost = 3
	for _, r := range records {
		for i := range r.Requests {
			q := &r.Requests[i]
			for j := range q.Failures {
				failure := &q.Failures[j]
				said, score := what(r, failure)
				if score == 0 {
					continue
				}
				m := Met{Session: r.Session, Seq: failure.Seq, At: q.At, Request: q.Title, What: failure.What, Said: said, Helped: failure.Mended, Open: failure.Open, score: score}
				for _, c := range q.Commands {
					if c.Seq > failure.Seq && !c.Looks && len(m.Tried) < triedMost {
						m.Tried = append(m.Tried, c)
					}
				}
				if m.Helped != nil {
					m.Changed, m.Gone = f.since(m.Helped.Edited, m.Helped.At)
				}
				out = append(out, m)
			}
		}
	}
	return out
}

// Works is a command that worked here.
type Works struct {
	Command string         `json:"command"`
	Check   activity.Check `json:"check,omitempty"`
	Worked  int            `json:"worked"` // times
	Failed  int            `json:"failed"`
	Last    time.Time      `json:"last,omitzero"` // when it worked last
	Session string         `json:"session"`
	For     string         `json:"for"` // the request it was run for then

	score float64
}

// How are the commands that worked in past sessions and are about something, those
// that fit best and worked most often first.
func (f *Sessions) How(ctx context.Context, what string, most int) ([]Works, error) {
	if strings.TrimSpace(what) == "" {
		return nil, fmt.Errorf("%w text: empty", memory.ErrInvalid)
	}
	records, err := f.records(ctx)
	if err != nil {
		return nil, err
	}
	words := searched(what)
	by := make(map[string]*Works)
	for _, r := range records {
		for i := range r.Requests {
			q := &r.Requests[i]
			for _, c := range q.Commands {
				if c.Looks || c.Result != capture.Passed && c.Result != capture.Failed {
					continue
				}
				w := by[c.About]
				if w == nil {
					w = &Works{Command: c.About, Check: c.Check}
					by[c.About] = w
				}
				if c.Result == capture.Failed {
					w.Failed++
					continue
				}
				w.Worked++
				// Its own words count more than those of whom it was run for.
				w.score = max(w.score, alike(words, c.About+" "+string(c.Check)), 0.6*alike(words, q.Asked))
				if !q.At.Before(w.Last) {
					w.Last, w.Session, w.For = q.At, r.Session, q.Title
				}
			}
		}
	}
	const least = 0.5
	var out []Works
	for _, w := range by {
		if w.Worked > 0 && w.score >= least {
			out = append(out, *w)
		}
	}
	slices.SortFunc(out, func(a, b Works) int {
		return cmp.Or(cmp.Compare(round(b.score), round(a.score)), cmp.Compare(b.Worked, a.Worked), b.Last.Compare(a.Last), cmp.Compare(a.Command, b.Command))
	})
	return out[:min(len(out), most)], nil
}

// Touch is a request that changed a file.
type Touch struct {
	Session string          `json:"session"`
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at,omitzero"`
	Request string          `json:"request"`
	File    string          `json:"file"`
	Times   int             `json:"times"`
	Outcome capture.Outcome `json:"outcome"`
	Commits []string        `json:"commits,omitempty"`
	Decided []string        `json:"decided,omitempty"`
}

// Blamed is what is known of a file.
type Blamed struct {
	Path      string        `json:"path"`
	Touches   []Touch       `json:"touches"` // newest first
	Fixes     []capture.Fix `json:"fixes"`   // that edited it, newest first
	Decisions []memory.Item `json:"decisions"`
	// Gone says that the file is not there any more, Changed that it was written
	// since the last session that is known to have changed it.
	Gone    bool `json:"gone,omitempty"`
	Changed bool `json:"changed,omitempty"`
}

// Blame is what past sessions did to a file, or to those in a folder: which requests
// changed it, what was mended in it, what was decided and names it.
func (f *Sessions) Blame(ctx context.Context, path string, most int) (*Blamed, error) {
	name := activity.Relative(filepath.ToSlash(f.v.Project.Root), filepath.ToSlash(path))
	if name = strings.TrimPrefix(strings.TrimSuffix(name, "/"), "./"); name == "" || name == "." {
		return nil, fmt.Errorf("%w path: empty", memory.ErrInvalid)
	}
	records, err := f.records(ctx)
	if err != nil {
		return nil, err
	}
	out := &Blamed{Path: name, Touches: []Touch{}, Fixes: []capture.Fix{}, Decisions: []memory.Item{}}
	for _, r := range records {
		for i := range r.Requests {
			q := &r.Requests[i]
			for _, c := range q.Changed {
				if within(c.Name, name) {
					out.Touches = append(out.Touches, Touch{Session: r.Session, Seq: q.Seq, At: q.Ended, Request: q.Title, File: c.Name, Times: c.Times, Outcome: q.Outcome, Commits: q.Commits, Decided: q.Decisions})
				}
			}
		}
		for _, x := range r.Fixes {
			if slices.ContainsFunc(x.Edited, func(e string) bool { return within(e, name) }) {
				out.Fixes = append(out.Fixes, x)
			}
		}
	}
	slices.SortStableFunc(out.Touches, func(a, b Touch) int { return b.At.Compare(a.At) })
	slices.SortStableFunc(out.Fixes, func(a, b capture.Fix) int { return b.At.Compare(a.At) })
	if out.Decisions, err = f.deciding(ctx, name); err != nil {
		return nil, err
	}
	if len(out.Touches) > 0 {
		changed, gone := f.since([]string{name}, out.Touches[0].At)
		out.Changed, out.Gone = len(changed) > 0, len(gone) > 0
	}
	out.Touches = out.Touches[:min(len(out.Touches), most)]
	out.Fixes = out.Fixes[:min(len(out.Fixes), most)]
	out.Decisions = out.Decisions[:min(len(out.Decisions), most)]
	return out, nil
}

// deciding are what holds now, guides the work and names a file.
func (f *Sessions) deciding(ctx context.Context, name string) ([]memory.Item, error) {
	all, err := items.New(f.v.Home).List(ctx, memory.Filter{
		Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, AsOf: f.v.Now(), Present: true,
	})
	if err != nil {
		return nil, err
	}
	out := []memory.Item{}
	for i := range all {
		it := &all[i].Item
		if it.FailedAt() == "" && slices.ContainsFunc(strings.FieldsFunc(it.Title+" "+it.Content, func(r rune) bool {
			return strings.ContainsRune(" \t\n`'\"()[]{}<>,;：，。；、「」（）", r)
		}), func(w string) bool { return within(strings.TrimRight(w, ".:"), name) }) {
			out = append(out, *it)
		}
	}
	return out, nil
}

// within reports whether a file is the one of a name, or lies in the folder of it. A
// bare name is one of any folder.
func within(file, name string) bool {
	return file == name || strings.HasPrefix(file, name+"/") || strings.HasSuffix(file, "/"+name)
}

// since tells which files were written after a time, and which are not there any
// more. Of the rest nothing is known: what they say may have changed and changed
// back.
func (f *Sessions) since(files []string, at time.Time) (changed, gone []string) {
	for _, name := range files {
		switch f.v.Fresh(name, at) {
		case memory.FileChanged:
			changed = append(changed, name)
		case memory.FileGone:
			gone = append(gone, name)
		}
	}
	return changed, gone
}

// searched are the words of a text by which another is found.
func searched(text string) []string {
	var out []string
	for _, t := range terms.Query(text) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// alike is the share of some words that a text holds, everyday ones counting little.
func alike(words []string, text string) float64 {
	has := make(map[string]bool)
	for _, t := range terms.Index(text) {
		has[t] = true
	}
	all, same := 0.0, 0.0
	for _, w := range words {
		weight := 1.0
		if terms.Common(w) {
			weight = 0.3
		}
		if all += weight; has[w] {
			same += weight
		}
	}
	if all == 0 {
		return 0
	}
	return same / all
}

// round makes what is about as good the same.
func round(score float64) int { return int(score*10 + 0.5) }

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
