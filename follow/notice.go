package follow

import (
	"context"
	"fmt"
	"slices"
	"time"

	"orihon/internal/asks"
	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/reader"
	"orihon/internal/redact"
	"orihon/internal/session"
	"orihon/internal/space"
	"orihon/internal/verbs"
	"orihon/internal/wording"
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
	// maybe is what is too unlikely to ask a person about.
	maybe Decision = "maybe"
)

// Noticed is something that a message states by the way, and what became of it.
type Noticed struct {
	Text    string       `json:"text"`
	Topic   memory.Topic `json:"topic"`
	Kind    string       `json:"kind"`  // as the reader has it: decision, fact, forget …
	Score   float64      `json:"score"` // how likely it is worth keeping and whole, 0..1
	Verdict Decision     `json:"verdict"`
	Why     string       `json:"why"`
	At      time.Time    `json:"at,omitzero"`
	// Evidence is the message: "<session>/<event>".
	Evidence string       `json:"evidence,omitempty"`
	Action   string       `json:"action,omitempty"`   // what was done with it, as of any statement
	Item     *memory.Item `json:"item,omitempty"`     // as it is now, or would be
	Replaced *memory.Item `json:"replaced,omitempty"` // holds no longer
	Against  string       `json:"against,omitempty"`  // what the user asked to keep otherwise, and stays

	choices  string // what a request to forget may mean, with the commands
	question string // the ID of what it asks to forget where that was never kept
	against  string // the ID of what Against says
	withheld bool   // it stands in a prompt that is not to be kept

	beside []learn.Conflict // what other scopes hold otherwise
}

// NoticeOptions tune [Memory.Notice]; nil means the zero value.
type NoticeOptions struct {
	// Mode overrides the setting capture.notice.
	Mode   string
	DryRun bool // write nothing, say what would be done
	// Models lets language models settle what is only likely, if there are any; a dry
	// run asks none.
	Models bool

	part    part
	session *Session // whose budget and record of calls it is; nil for none
	maybe   bool     // tell also what is too unlikely to ask a person about
}

// part is which of the statements are looked at.
type part int

const (
	partAll      part = iota
	partClear         // but those that models are asked about later
	partDoubtful      // those alone
)

// The modes of noticing, capture.notice.
const (
	NoticeOff  = "off"
	NoticeAsk  = "ask"  // everything waits for a person
	NoticeSure = "sure" // what is sure is kept, what is likely waits
	NoticeAll  = "all"  // what is likely is kept, too, and believed less
)

// mostAsked is how many statements of one run a person is asked about.
const mostAsked = 5

// Notice looks through what a user said, in its order, for what is worth keeping
// although nobody asked for it, without a language model. What is sure is kept,
// what is likely waits for a person; a later statement replaces an earlier one that
// was noticed, and waits when it is at odds with one that the user asked to keep. A
// request to forget ends what it clearly means. It returns everything that was
// noticed, with the reasons.
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
	r := router{v: f.v, mode: mode, dryRun: o.DryRun}
	said := r.read(messages)
	for i := range said {
		if n := said[i].noticed(); o.maybe && said[i].unlikely() && !said[i].Redacted() {
			n.Verdict = maybe
			r.out = append(r.out, n)
		}
	}
	said = o.of(said)
	if len(said) == 0 {
		return r.out, nil
	}
	if o.Models && !o.DryRun && mode != NoticeAll && f.consults() {
		r.models = f.consultation(o.session)
		r.models.settle(ctx, said)
	}
	if !o.DryRun {
		if err := f.v.Register(ctx); err != nil {
			return nil, err
		}
	}
	for _, scope := range []memory.Scope{memory.Personal(f.v.User), memory.Global} {
		in := slices.DeleteFunc(slices.Clone(said), func(s statement) bool { return s.everywhere() != (scope == memory.Global) })
		if len(in) == 0 {
			continue
		}
		r.scope = scope
		if err := r.learn(ctx, in); err != nil {
			return r.out, err
		}
	}
	for i := range r.out {
		if n := &r.out[i]; n.Kind == reader.Forget.String() && n.Verdict == "" {
			if err := forget(ctx, f.v, n, o.DryRun || mode == NoticeAsk); err != nil {
				return r.out, err
			}
		}
	}
	return r.out, nil
}

// learn takes messages through the steps, all but requests to forget.
func (r *router) learn(ctx context.Context, said []statement) error {
	sp, err := r.v.SpaceOf(r.scope)
	if err != nil {
		return err
	}
	var related relations
	if r.models != nil {
		// Before the turn: others wait for it, and a model takes its time.
		related = r.models.relate(ctx, sp, r.statements(said))
	}
	if !r.dryRun {
		unlock, err := sp.Turn(ctx)
		if err != nil {
			return err
		}
		defer unlock()
	}
	find, err := verbs.LookupNow(ctx, sp, r.scope)
	if err != nil {
		return err
	}
	r.group = r.learner(sp, find, related).Noticing()
	for i := range said {
		if err := r.hear(ctx, &said[i]); err != nil {
			return err
		}
	}
	if r.dryRun {
		return nil
	}
	if err := r.group.Flush(ctx); err != nil {
		return err
	}
	if err := sp.Follow(ctx, r.scope); err != nil {
		r.v.Log.Warn("notice: the index lags behind", "err", err)
	}
	return nil
}

// router decides what is learned of what was noticed.
type router struct {
	v      *verbs.Verbs
	mode   string
	dryRun bool
	scope  memory.Scope
	models *consultation // nil when none are asked
	group  *learn.Noticing
	at     time.Time // when what is being learned was said
	asked  int
	out    []Noticed
}

// learner is that of the space, with the time at which things were said and the
// real one in the trail.
func (r *router) learner(sp *space.Space, find verbs.Lookup, related relations) *learn.Learner {
	o := r.v.Learning(sp, find)
	o.Related = related.of
	o.Now = func() time.Time { return r.at }
	o.Audit = func(ctx context.Context, decisions ...memory.AuditRecord) error {
		for i := range decisions {
			decisions[i].TS = r.v.Now()
		}
		return sp.Text.Audit(ctx, decisions...)
	}
	return learn.New(o)
}

// of are the statements that the options want looked at.
func (o *NoticeOptions) of(said []statement) []statement {
	return slices.DeleteFunc(said, func(s statement) bool {
		return s.unlikely() || o.part == partClear && s.doubtful() || o.part == partDoubtful && !s.doubtful()
	})
}

// read reads messages.
func (r *router) read(messages []UserMessage) (out []statement) {
	for i := range messages {
		h := &messages[i]
		at := h.At
		if at.IsZero() {
			at = r.v.Now()
		}
		text, _ := r.v.Redactor.Text(redact.Private(capture.Typed(capture.Said{Text: h.Text})))
		for _, s := range capture.State(text, at) {
			if !idle(&s) {
				out = append(out, statement{Stated: s, in: h, at: at})
			}
		}
	}
	return out
}

// idle reports whether what was read as a statement is none: a question, unless it is one
// that asks to forget something, what holds on one occasion, or a few words that do not
// surely say anything.
func idle(s *capture.Stated) bool {
	if asks.Only(s.Text) {
		return s.Kind != reader.Forget || s.P < capture.ForgetLikely
	}
	return s.Kind != reader.Forget && (asks.Once(s.Text) || !s.Sure() && asks.Brief(s.Text))
}

func (r *router) hear(ctx context.Context, s *statement) (err error) {
	r.at = s.at
	found := s.noticed()
	if s.Kind != reader.Forget {
		err = r.route(ctx, &found, s)
	}
	if err == nil {
		r.out = append(r.out, found)
	}
	return err
}

// noticed is a statement of which nothing has become yet.
func (s *statement) noticed() Noticed {
	return Noticed{Text: s.Text, Topic: s.Topic, Kind: s.Kind.String(), Score: s.P, At: s.in.At, Evidence: s.in.evidence()}
}

// route settles one statement.
func (r *router) route(ctx context.Context, n *Noticed, said *statement) error {
	s, how := r.statement(n, said)
	switch {
	case said.Redacted():
		return r.drop(n, s, "a secret was taken out of it")
	case said.models.refuses() != "":
		return r.drop(n, s, said.models.refuses())
	case r.mode == NoticeAsk:
		how.Sure = false
	case how.Sure:
		s.Confidence = memory.InferredConfidence // as far as the turn it was said in
	case r.mode == NoticeAll:
		how.Sure = true
		s.Confidence = memory.ImportedConfidence // found when asked for, and no standing rule
	}
	if !how.Sure && r.asked >= mostAsked {
		return r.drop(n, s, fmt.Sprintf("%d were asked about already", mostAsked))
	}
	out, err := r.group.Learn(ctx, s, how)
	if learn.Refused(err) {
		n.Verdict, n.Why = Drop, err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	n.Action, n.Why, n.Item, n.Replaced = string(out.Action), out.Why, &out.Item, out.Replaced
	switch out.Action {
	case learn.Asked, learn.Pending:
		n.Verdict = Ask
		r.asked++
		if len(out.Conflicts) > 0 {
			n.Against, n.against = out.Conflicts[0].Content, out.Conflicts[0].ID
		}
	case learn.Skipped:
		n.Verdict = Drop
	default:
		n.Verdict, n.beside = Keep, out.Conflicts
	}
	return nil
}

// statement is what is to be learned of one, in the words of whoever knows it best.
func (r *router) statement(n *Noticed, said *statement) (learn.Statement, learn.Manner) {
	s := learn.Statement{
		Text: n.Text, Topic: n.Topic, Scope: r.scope, Source: memory.FromAgent, Session: said.in.Session,
		Confidence: memory.SingleConfidence,
	}
	if n.Evidence != "" {
		s.Evidence = []string{n.Evidence}
	}
	how := learn.Manner{P: n.Score, Sure: said.Sure()}
	if m := said.models; m.words() {
		n.Text, n.Score = m.Text, m.Confidence
		s.Text, s.Triggers, how = m.Text, m.Triggers, learn.Manner{P: m.Confidence, Sure: m.sure()}
	}
	return s, how
}

// statements are those that are about to be learned.
func (r *router) statements(said []statement) []learn.Statement {
	var out []learn.Statement
	for i := range said {
		if st := &said[i]; st.Kind != reader.Forget && st.models.refuses() == "" {
			n := st.noticed()
			s, _ := r.statement(&n, st)
			out = append(out, s)
		}
	}
	return out
}

func (r *router) drop(n *Noticed, s learn.Statement, why string) error {
	n.Verdict, n.Why = Drop, why
	r.group.Drop(s, why)
	return nil
}

// notice looks through what the user said since the last time, unless it is more
// than so many messages, if most is not 0.
func (s *Session) notice(ctx context.Context, most int) (noticed []Noticed, err error) {
	if !s.v.Config.Capture.Enabled || s.v.Config.Capture.Notice == NoticeOff {
		return nil, nil
	}
	turns, next, err := s.log.Turns(ctx, s.state.NoticedOffset)
	if err != nil || len(turns) == 0 {
		return nil, err
	}
	said := heardIn(s.start.ID, turns)
	if most > 0 && len(said) > most {
		return nil, nil
	}
	o := &NoticeOptions{maybe: most > 0}
	if s.sessions().consults() {
		o.part = partClear
	}
	noticed, err = s.sessions().Notice(ctx, said, o)
	if err != nil {
		return noticed, err
	}
	return noticed, s.quietly(ctx, func(st *session.State) { st.NoticedOffset = next })
}

// inItsWords reports whether memory has it now as the message says it.
func (n *Noticed) inItsWords() bool {
	switch learn.Action(n.Action) {
	case learn.Added, learn.Updated, learn.Superseded:
		return n.Item != nil
	case learn.Merged:
		return n.Item != nil && n.Item.Content == n.Text
	}
	return false
}

// announce is the line that tells the user of it. What waits is told of when a
// session begins, but for what contradicts the user's own words: who corrects
// something wants to know at once that the earlier word still holds.
func (n *Noticed) announce(says *wording.Notices) string {
	switch {
	case n.Kind == reader.Forget.String() && n.Verdict == Ask:
		return "orihon: " + fmt.Sprintf(says.IfForgotten, n.choices)
	case n.Kind == reader.Forget.String() && n.Verdict == Drop && n.Score >= capture.ForgetSure:
		return "orihon: " + says.NothingLike
	case n.question != "":
		return "orihon: " + fmt.Sprintf(says.OnlySaid, n.Item.Content) + says.Open + fmt.Sprintf(says.BringBack, n.question) + says.Close
	case n.Action == "forget":
		return "orihon: " + fmt.Sprintf(says.Forgotten, n.Item.Content) + says.Open + fmt.Sprintf(says.BringBack, memory.ShortID(n.Item.ID)) + says.Close
	case n.Against != "":
		return n.stands(says)
	case n.Replaced != nil:
		return noted(n.Item, n.Replaced, says)
	case n.Verdict == Keep && n.Action == string(learn.Added):
		return noted(n.Item, nil, says)
	}
	return ""
}

// stands tells what holds until the user decides.
func (n *Noticed) stands(says *wording.Notices) string {
	return "orihon: " + fmt.Sprintf(says.Holds, n.Against)
}

// noted tells of an item that was kept without being asked for, with the command
// that takes it back.
func noted(it, replaced *memory.Item, says *wording.Notices) string {
	line := "orihon: " + fmt.Sprintf(says.Noted, it.Content) + says.Open
	if replaced != nil {
		line += fmt.Sprintf(says.Replaces, replaced.Content) + says.Between
	}
	return line + fmt.Sprintf(says.TakeBack, memory.ShortID(it.ID)) + says.Close
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
