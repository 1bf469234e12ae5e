package follow

import (
	"context"
	"fmt"
	"time"

	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/redact"
	"orihon/internal/session"
	"orihon/internal/space"
	"orihon/internal/verbs"
	"orihon/journal"
	"orihon/memory"
)

// UserMessage is a message of the user's, to be looked through for facts.
type UserMessage struct {
	Session string
	Seq     int64 // number of its event in the journal; 0 when it has none
	At      time.Time
	Text    string
}

// evidence names the passage of the message, or its session.
func (h *UserMessage) evidence() string {
	if h.Seq == 0 {
		return h.Session
	}
	return fmt.Sprintf("%s/%d", h.Session, h.Seq)
}

// Decision is what is done with a fact that was noticed.
type Decision string

// The decisions.
const (
	Keep Decision = "keep" // written, or known already
	Ask  Decision = "ask"  // waits for a person: orihon review
	Drop Decision = "drop" // not kept; the trail says why
)

// Noticed is a fact that a message states by the way, and what became of it.
type Noticed struct {
	Text    string       `json:"text"`
	Topic   memory.Topic `json:"topic"`
	Rule    string       `json:"rule"`  // what gave it away, such as "changed"
	Score   float64      `json:"score"` // how sure the rules are
	Verdict Decision     `json:"verdict"`
	Why     string       `json:"why"`
	At      time.Time    `json:"at,omitzero"`
	// Evidence is the message: "<session>/<event>".
	Evidence string       `json:"evidence,omitempty"`
	Action   string       `json:"action,omitempty"`   // what was done with it, as of any statement
	Item     *memory.Item `json:"item,omitempty"`     // as it is now, or would be
	Replaced *memory.Item `json:"replaced,omitempty"` // holds no longer
}

// NoticeOptions tune [Memory.Notice]; nil means the zero value.
type NoticeOptions struct {
	// Mode overrides the setting capture.notice.
	Mode   string
	DryRun bool // write nothing, say what would be done
}

// The modes of noticing, capture.notice.
const (
	NoticeOff  = "off"
	NoticeAsk  = "ask"  // everything waits for a person
	NoticeSure = "sure" // changed values, decisions and preferences are kept, other facts wait
	NoticeAll  = "all"  // facts that give the value of something are kept, too; proposals wait
)

// mostAsked is how many facts of one run a person is asked about.
const mostAsked = 5

// Notice looks through what a user said, in its order, for facts that nobody
// asked to keep, without a model. What is sure is kept as the user's own turns
// are believed, what is likely waits for a person, the rest is dropped; a later
// statement replaces an earlier one that was noticed, never one that the user
// asked to keep. It returns everything that was noticed, with the reasons.
func (f *Sessions) Notice(ctx context.Context, messages []UserMessage, o *NoticeOptions) ([]Noticed, error) {
	if o == nil {
		o = &NoticeOptions{}
	}
	mode := o.Mode
	if mode == "" {
		mode = f.v.Config.Capture.Notice
	}
	if mode == NoticeOff || len(messages) == 0 {
		return nil, nil
	}
	if !o.DryRun {
		if err := f.v.Register(ctx); err != nil {
			return nil, err
		}
	}
	scope := memory.Personal(f.v.User)
	sp, err := f.v.SpaceOf(scope)
	if err != nil {
		return nil, err
	}
	if !o.DryRun {
		unlock, err := sp.Turn(ctx)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	r := router{v: f.v, mode: mode, scope: scope}
	find, err := verbs.LookupNow(ctx, sp, scope)
	if err != nil {
		return nil, err
	}
	r.group = r.learner(sp, find).Noticing()
	for i := range messages {
		if err := r.hear(ctx, &messages[i]); err != nil {
			return r.out, err
		}
	}
	if o.DryRun {
		return r.out, nil
	}
	if err := r.group.Flush(ctx); err != nil {
		return r.out, err
	}
	if err := sp.Follow(ctx, scope); err != nil {
		f.v.Log.Warn("notice: the index lags behind", "err", err)
	}
	return r.out, nil
}

// router decides what is learned of what was noticed.
type router struct {
	v     *verbs.Verbs
	mode  string
	scope memory.Scope
	group *learn.Noticing
	at    time.Time // when what is being learned was said
	asked int
	out   []Noticed
}

// learner is that of the space, with the time at which things were said and the
// real one in the trail.
func (r *router) learner(sp *space.Space, find verbs.Lookup) *learn.Learner {
	o := r.v.Learning(sp, find)
	o.Now = func() time.Time { return r.at }
	o.Audit = func(ctx context.Context, decisions ...memory.AuditRecord) error {
		for i := range decisions {
			decisions[i].TS = r.v.Now()
		}
		return sp.Text.Audit(ctx, decisions...)
	}
	return learn.New(o)
}

func (r *router) hear(ctx context.Context, h *UserMessage) error {
	if r.at = h.At; r.at.IsZero() {
		r.at = r.v.Now()
	}
	text, _ := r.v.Redactor.Text(redact.Private(h.Text))
	noticed := capture.Notice(text)
	if r.v.Config.Capture.Explicit {
		noticed = capture.NotAskedFor(noticed, text)
	}
	for _, n := range noticed {
		found := Noticed{Text: n.Text, Topic: n.Topic, Rule: n.Rule, Score: n.Score, At: h.At, Evidence: h.evidence()}
		if err := r.route(ctx, &found, h); err != nil {
			return err
		}
		r.out = append(r.out, found)
	}
	return nil
}

// route settles one fact.
func (r *router) route(ctx context.Context, n *Noticed, h *UserMessage) error {
	s := learn.Statement{
		Text: n.Text, Topic: n.Topic, Scope: r.scope, Source: memory.FromAgent, Session: h.Session,
		Confidence: memory.SingleConfidence,
	}
	if n.Evidence != "" {
		s.Evidence = []string{n.Evidence}
	}
	sure := n.Score >= capture.NoticedSure || r.mode == NoticeAll && n.Score >= capture.NoticedFact
	switch {
	case n.Score < capture.NoticedLikely:
		return r.drop(n, s, fmt.Sprintf("%s, score %.2f is below %.2f", n.Rule, n.Score, capture.NoticedLikely))
	case r.mode == NoticeAsk:
		sure = false
	}
	if !sure && r.asked >= mostAsked {
		return r.drop(n, s, fmt.Sprintf("%d were asked about already", mostAsked))
	}
	if sure {
		// As far as the turn it was said in.
		s.Confidence = memory.InferredConfidence
	}
	out, err := r.group.Learn(ctx, s, learn.Manner{Sure: sure, Changed: n.Rule == "changed" || n.Rule == "decided", Plain: n.Score < capture.NoticedSure})
	if learn.Refused(err) {
		n.Verdict, n.Why = Drop, err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	n.Action, n.Why, n.Item, n.Replaced = string(out.Action), n.Rule+"; "+out.Why, &out.Item, out.Replaced
	switch out.Action {
	case learn.Asked, learn.Pending:
		n.Verdict = Ask
		r.asked++
	case learn.Skipped:
		n.Verdict = Drop
	default:
		n.Verdict = Keep
	}
	return nil
}

func (r *router) drop(n *Noticed, s learn.Statement, why string) error {
	n.Verdict, n.Why = Drop, why
	r.group.Drop(s, why)
	return nil
}

// notice looks through what the user said since the last time.
func (s *Session) notice(ctx context.Context) error {
	if !s.v.Config.Capture.Enabled || s.v.Config.Capture.Notice == NoticeOff {
		return nil
	}
	turns, next, err := s.log.Turns(ctx, s.state.NoticedOffset)
	if err != nil || len(turns) == 0 {
		return err
	}
	if _, err := s.sessions().Notice(ctx, heardIn(s.start.ID, turns), nil); err != nil {
		return err
	}
	return s.quietly(ctx, func(st *session.State) { st.NoticedOffset = next })
}

// heardIn are the user's messages among turns.
func heardIn(session string, turns []journal.Turn) []UserMessage {
	var out []UserMessage
	for i := range turns {
		if t := &turns[i]; t.Role == journal.RoleUser {
			out = append(out, UserMessage{Session: session, Seq: t.Seq, At: t.TS, Text: t.Text})
		}
	}
	return out
}
