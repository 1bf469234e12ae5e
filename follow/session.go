package follow

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"orihon/guard"
	"orihon/instincts"
	"orihon/internal/home"
	"orihon/internal/inert"
	"orihon/internal/opening"
	"orihon/internal/recall"
	"orihon/internal/session"
	"orihon/internal/terms"
	"orihon/internal/verbs"
	"orihon/internal/wording"
	"orihon/journal"
	"orihon/memory"
	"orihon/runs"
)

// Session follows one run of an agent: what is said and done goes into its
// journal, what bears on it comes back from memory. Its methods may be called
// by many processes, one event each, in any order and more than once.
type Session struct {
	v     *verbs.Verbs
	start session.Start
	dir   string
	state *session.State
	log   *journal.Journal
	tool  string // see [Client]

	reminders []string      // of the guardian, not told yet
	synced    bool          // the last work that was done is a sync
	learned   *bool         // habits were looked for already, in all sessions; nil where each looks for itself
	before    func() string // see [Session.scriptBefore]; looked up once
	// used is what the client's window holds, in tokens; nil where nobody knows.
	used func() int
}

// searchTool is the tool that searches memory, where nobody knows by what name its
// server goes in the client.
const searchTool = "memory_search"

// Client says whose run a session is.
type Client struct {
	Name   string // "claude-code"
	CWD    string // empty is the project's folder
	Branch string // empty is the project's
	// Tool is what its agent calls to search memory by itself; empty where that is not
	// known, or there is none. Its other tools are named alike.
	Tool string
}

// Injection is what a session gives the agent at one event.
type Injection struct {
	Text   string // to put before the agent; empty for nothing
	Tokens int    // estimate for Text
	Notice string // one line for the user, not for the agent
	// Refuse says why a call must not run; empty when it may.
	Refuse string
}

// Open opens the session with a client's ID; it begins when its first event
// is recorded. The error wraps [memory.ErrInvalid] without an ID.
func (f *Sessions) Open(ctx context.Context, id string, c Client) (*Session, error) {
	if id == "" {
		return nil, fmt.Errorf("%w session: no id", memory.ErrInvalid)
	}
	if c.CWD == "" {
		c.CWD = f.v.Project.Root
	}
	if c.Branch == "" {
		c.Branch = f.v.Project.Branch
	}
	id = strings.ToValidUTF8(id, "\ufffd") // as it comes back from the state
	s := &Session{v: f.v, tool: c.Tool, start: session.Start{ID: f.v.CleanID(id), Client: f.v.CleanName(c.Name), CWD: f.v.CleanName(c.CWD), Branch: f.v.CleanName(c.Branch)}}
	s.before = sync.OnceValue(s.scriptBefore)
	return s, s.open(ctx)
}

// open finds the session's folder and state. A known session costs one read;
// a new one is looked for among those it may take over.
func (s *Session) open(ctx context.Context) error {
	if err := s.v.CheckSession(s.start.ID); err != nil {
		return err
	}
	s.dir = s.v.Project.Session(s.start.ID)
	state, err := session.Load(s.dir)
	if err != nil {
		if err := s.v.Register(ctx); err != nil {
			return err
		}
		s.start.Process = session.Caller()
		s.dir, state, err = session.Open(ctx, s.v.Project.Sessions(), s.sessions().options(), s.start)
		if err != nil {
			return err
		}
	}
	s.state = state
	if s.tool == "" && session.Served(s.v.Project.Sessions(), state.Process) {
		s.tool = searchTool
	}
	s.log, err = journal.Open(s.dir, &journal.Options{Now: s.v.Now, Logger: s.v.Log})
	return err
}

// list puts the session among the latest, which the next one to start looks at.
func (s *Session) list(ctx context.Context) {
	if err := session.Latest(ctx, s.dir); err != nil {
		s.v.Log.Warn("session: not listed among the latest", "session", s.start.ID, "err", err)
	}
}

// Begin notes that a session starts or goes on, and says what it should know
// from the first: what always applies, the core file, notices. source is the
// client's word for why: "compact" also brings back where the session stands,
// once for each compaction.
func (s *Session) Begin(ctx context.Context, source string) (Injection, error) {
	compacted := source == "compact"
	s.list(ctx)
	if compacted {
		if err := s.Compact(ctx, "", ""); err != nil {
			return Injection{}, err
		}
	} else if err := s.note(ctx, journal.RunStarted, "", journal.Run{Source: source, CWD: s.start.CWD, Branch: s.start.Branch, Client: s.start.Client}); err != nil {
		return Injection{}, err
	}
	if compacted || source == "clear" {
		first := true
		if err := s.update(ctx, func(st *session.State) {
			if compacted {
				first = st.Answer()
				return
			}
			seq, _ := s.log.Last()
			st.Compacted(seq)
		}); err != nil || !first {
			return Injection{}, err
		}
	}
	c := &s.v.Config.Recall
	o := opening.Options{
		Viewer: s.v.Viewer(), Language: s.v.Language(""), Work: s.start.Branch, Tool: s.tool,
		MaxTokens: c.StartTokens, KnownTokens: cmp.Or(c.StartTokens, -1), MaxChars: c.HookChars,
	}
	core, err := s.v.Core(ctx)
	if err != nil {
		s.v.Log.Warn("session: core file left out", "err", err)
	}
	o.Core, o.Stands = s.opened(ctx, core)
	rest := o.Core
	if compacted {
		if err := s.brief(ctx, &o); err != nil {
			s.v.Log.Warn("session: brief left out", "err", err)
		}
	}
	if source == "resume" {
		// What the session began with is replayed by its client.
		o.Seen = s.state.Seen
		if s.state.Seen(corePassage, journal.Digest(core)) {
			o.Core = ""
		}
	}
	o.Notes, o.Habits = s.sessions().notices(ctx), s.standingHabits()
	if o.Heard, err = s.heard(ctx); err != nil {
		s.v.Log.Warn("session: what waits left out", "err", err)
	}
	opened, err := opening.Begin(ctx, s.v.Engine(ctx), o)
	if err != nil {
		return Injection{}, err
	}
	stands := hashes(opened.Standing)
	maps.Copy(stands, habitHashes(opened.Habits))
	for i := range opened.Heard {
		for _, turn := range opened.Heard[i].Metadata.Evidence {
			stands[turn] = session.AnyText
		}
	}
	if core != "" {
		stands[corePassage] = journal.Digest(core)
	}
	if rest == "" || o.Core != "" && strings.Contains(opened.Text, inert.Text(o.Core)) {
		stands[coreWhole] = journal.Digest(core)
	}
	spent := session.Spent{Passages: stands, Tokens: opened.Tokens}
	heed := func() (guard.Decision, error) { return guard.Decision{}, nil }
	if !compacted {
		var judge func(*session.State)
		judge, heed = s.watching(ctx, s.began(ctx, source))
		spent.Besides = func(st *session.State) {
			st.Later(workSync)
			judge(st)
		}
	}
	if _, err = s.spend(ctx, opened.Applied, spent, ""); err != nil {
		return Injection{}, err
	}
	_, err = heed()
	s.unharmed(err)
	return s.remind(s.besides(ctx, Injection{Text: opened.Text, Tokens: opened.Tokens}, "")), nil
}

// corePassage stands for the core file among what is in the window.
const corePassage = "MEMORY.md"

// coreWhole stands for it where nothing of it was cut off.
const coreWhole = "MEMORY.md, all of it"

// Prompt notes what the user says, keeps what they ask to remember, and
// recalls what bears on it. id is the client's name for the prompt.
func (s *Session) Prompt(ctx context.Context, id, text string) (Injection, error) {
	last, _ := s.log.Last()
	text = s.cleanBehind(wording.WithoutInjected(text), s.said(ctx, 1, last+1, mostBefore)...)
	if id == "" {
		var err error
		if id, err = s.unnamed(ctx, journal.UserMessage, journal.Digest(text)); err != nil {
			return Injection{}, err
		}
	}
	said, withheld := text, home.Withholds(text)
	if withheld {
		said = home.Withheld
	}
	if err := s.note(ctx, journal.UserMessage, id, journal.Message{Role: journal.RoleUser, Text: said}); err != nil {
		return Injection{}, err
	}
	seq, _ := s.log.Last()
	var kept map[string]bool
	var news []memory.Item
	var noticed []Noticed
	says := wording.NoticesIn(s.language(ctx, text))
	notices := []string{"orihon: " + says.Withheld}
	if withheld {
		noticed = s.unkept(ctx, text, seq)
		for i := range noticed {
			notices = append(notices, noticed[i].announce(says))
		}
	} else {
		kept, news, noticed, notices = s.keep(ctx, text, says)
	}
	script := s.scriptOf(ctx, text)
	told := func(st *session.State) {
		st.Script = script
		for i := range news {
			st.Keep(session.Change{Item: news[i].ID, Seq: seq, At: s.v.Now().UTC()})
			// The window holds it in the user's own words.
			st.Inject(map[string]string{news[i].ID: recall.Hash(&memory.Passage{ID: news[i].ID, Item: news[i]})}, 0)
		}
	}
	var in Injection
	judge, heed := s.watching(ctx, s.asked(ctx, text))
	if strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "/") {
		r, err := s.recall(ctx, text, kept)
		if err != nil {
			return in, err
		}
		in.Text, in.Tokens = r.Text, r.Tokens
		if withheld {
			r.Terms = nil // they would be noted
		}
		besides := func(st *session.State) {
			judge(st)
			told(st)
			if !withheld {
				st.Prompted(session.Prompted{Seq: seq, At: s.v.Now().UTC()})
			}
		}
		blind, err := s.prompted(ctx, text, r, session.Spent{Tokens: in.Tokens, Besides: besides})
		if err != nil {
			return in, err
		}
		in.Text = cmp.Or(blind, in.Text)
		hot, err := s.hot(ctx, text)
		if err != nil {
			s.v.Log.Warn("session: hot cache left out", "session", s.start.ID, "err", err)
		}
		in = in.with(hot).with(s.wanted(ctx, news))
		if withheld {
			dropped, _ := s.dropped(ctx, text, seq, noticed)
			in = in.with(dropped)
		} else {
			notices = append(notices, s.contradicted(ctx, text, seq, r.Near, kept, noticed, says)...)
			in = in.with(s.revised(ctx, text, seq, r.Near, kept, news, noticed)).with(s.doubted(ctx, text, seq, noticed))
		}
	} else if err := s.update(ctx, func(st *session.State) { st.Prompts++; judge(st); told(st) }); err != nil {
		return in, err
	}
	in.Notice = strings.Join(append(notices, s.unsettled(noticed, seq, says)...), "\n")
	_, err := heed()
	s.unharmed(err)
	return s.remind(s.besides(ctx, in, text)), nil
}

// recall asks memory for a prompt of this session, within what the session may
// still spend.
func (s *Session) recall(ctx context.Context, text string, kept map[string]bool) (*memory.Recollection, error) {
	left := s.v.Config.Recall.SessionTokens - s.state.InjectedTokens
	if left <= 0 {
		return &memory.Recollection{}, nil
	}
	standing := s.standing(ctx)
	q := memory.Query{
		Text: text, Session: s.start.ID, Around: []string{s.start.Branch},
		Seen: func(id, hash string) bool { return kept[id] || s.state.Seen(id, hash) || standing(id) },
	}
	past := s.sessions().settle(&q, s.state.Prompts == 0)
	q.Language = s.language(ctx, text)
	if s.state.Prompts > 0 && !past {
		// What past sessions did is for the first prompt of this one.
		q.Kinds = []memory.Kind{memory.Semantic, memory.Procedural, memory.Note}
	}
	q.Habits = s.habits(&instincts.Doing{Prompt: text}, "")
	if s.state.Prompts > 0 && len(terms.Query(text)) > 0 {
		q.Recent = s.recent(ctx)
	}
	r, err := s.v.RecallAs(ctx, q)
	if err == nil && r.Tokens > left {
		return &memory.Recollection{}, nil
	}
	return r, err
}

// settle gives a query what the settings want for prompts of a session, and reports
// whether it asks about the past. first says that it is the first of one.
func (f *Sessions) settle(q *memory.Query, first bool) (past bool) {
	c := &f.v.Config.Recall
	past = recall.Classify(q.Text) == recall.Recalling
	switch recall.LooksBack(q.Text, f.v.Now()) {
	case recall.Earlier:
		past = true
	case recall.Resuming:
		past = first
	}
	q.MaxChars, q.Language = c.HookChars, f.v.Language("")
	q.Told = !q.Turns && c.Turns == "auto" && !past
	q.Turns = q.Turns || c.Turns != "never"
	q.Documents = q.Documents || f.v.Config.RAG.Hooks
	return past
}

// Ask answers a question as the first prompt of a session is answered whose window
// holds nothing yet. It notes nothing. What the query asks for beyond that is added,
// and documents where the settings want them, with a budget that holds some.
func (f *Sessions) Ask(ctx context.Context, q memory.Query) (*memory.Recollection, error) {
	f.settle(&q, true)
	q.Around = append(q.Around, f.v.Project.Branch)
	if f.v.Config.RAG.Hooks {
		return f.v.RecallAs(ctx, q) // a hook shows documents too, within its budget
	}
	return f.v.Recall(ctx, q)
}

// recent are the last messages before the prompt that was just noted, oldest
// first, since the window was emptied last.
func (s *Session) recent(ctx context.Context) []string {
	const most = 5
	last, _ := s.log.Last()
	return s.said(ctx, s.state.Boundary+1, last, most)
}

// said are the last messages of a part of the journal, oldest first; to is no part of it.
// It looks back a little.
func (s *Session) said(ctx context.Context, from, to int64, most int) []string {
	const looked = 200 // events
	var out []string
	for e, err := range s.log.Events(ctx, max(1, from, to-looked)) {
		if err != nil || e.Seq >= to || e.Type != journal.UserMessage && e.Type != journal.AssistantMessage {
			continue
		}
		var m journal.Message
		if s.log.Decode(e, &m) == nil {
			out = append(out, m.Text)
		}
	}
	return out[max(0, len(out)-most):]
}

// prompted notes the prompt and what it brought in. Where that is news, blind says that
// nothing is known.
func (s *Session) prompted(ctx context.Context, text string, r *memory.Recollection, sp session.Spent) (blind string, err error) {
	const topical = 3 // words
	var unknown []string
	if r.Blind && s.v.Config.Recall.BlindSpot && len(r.Degraded) == 0 {
		unknown = recall.Unknown(text, r.Unheard)
	}
	sp.Blind = len(unknown) > 0 && s.sessions().knows(ctx)
	topic := strings.Join(r.Terms[:min(len(r.Terms), topical)], " ")
	passages := make([]memory.Passage, len(r.Hits))
	for i := range r.Hits {
		passages[i] = r.Hits[i].Passage
	}
	sp.Passages, sp.Prompt, sp.Topic = habitHashes(r.Habits), true, topic
	news, err := s.spend(ctx, passages, sp, journal.Digest(topic))
	if news {
		blind = wording.BlindText(r.Language, unknown)
	}
	return blind, err
}

// knows reports whether memory holds so much, conversations apart, that it is
// news when it holds nothing on a matter: one that is small and new has more
// blind spots than others.
func (f *Sessions) knows(ctx context.Context) bool {
	const few = 20
	const young = 14 * 24 * time.Hour
	all := 0
	for _, sp := range f.v.Spaces() {
		n, old := sp.Statements(ctx, f.v.Viewer().Scopes(), f.v.Now().Add(-young))
		if all += n; old || all >= few {
			return true
		}
	}
	return false
}

// hashes are those of the texts of passages, by ID.
func hashes(passages []memory.Passage) map[string]string {
	out := make(map[string]string, len(passages))
	for i := range passages {
		out[passages[i].ID] = recall.Hash(&passages[i])
	}
	return out
}

// spend notes what entered the window, beside what it spends already, and what
// it cost. It reports whether it is news that nothing is known of its topic.
func (s *Session) spend(ctx context.Context, passages []memory.Passage, sp session.Spent, query string) (news bool, err error) {
	entered := hashes(passages)
	maps.Copy(entered, sp.Passages)
	sp.Passages = entered
	state, news, err := session.Spend(ctx, s.dir, s.sessions().options(), sp)
	if err != nil {
		return false, err
	}
	s.state = state
	if len(passages) == 0 {
		return news, nil
	}
	ids := make([]string, len(passages))
	for i := range passages {
		ids[i] = passages[i].ID
	}
	use := memory.Usage{TS: s.v.Now().UTC(), Op: memory.UsageInjected, IDs: ids, Session: s.start.ID, Tokens: sp.Tokens}
	if query == "" {
		use.IDs = nil // every session begins with them: it says nothing of each
	}
	if err := s.v.Personal.Text.Use(ctx, use); err != nil {
		s.v.Log.Warn("session: use not noted", "err", err)
	}
	return news, s.note(ctx, journal.Recalled, "", journal.Recall{Query: query, Passages: ids, Tokens: sp.Tokens})
}

// Answer notes the agent's answer to the last prompt and puts the journal on
// disk.
func (s *Session) Answer(ctx context.Context, prompt, text string) error {
	text = s.clean(wording.WithoutInjected(text))
	if strings.TrimSpace(text) != "" {
		id := journal.AnswerID(prompt, text)
		if prompt == "" {
			var err error
			if id, err = s.unnamed(ctx, journal.AssistantMessage, id); err != nil {
				return err
			}
		}
		if err := s.note(ctx, journal.AssistantMessage, id, journal.Message{Role: journal.RoleAssistant, Text: text}); err != nil {
			return err
		}
	}
	if err := s.log.Sync(); err != nil {
		return err
	}
	return s.update(ctx, func(st *session.State) {
		st.Later(s.sessions().turnWork()...)
		if st.Unmined >= enoughUnmined {
			st.Later(workHabits)
		}
	})
}

// Report notes what a sub-agent brought back.
func (s *Session) Report(ctx context.Context, id, kind, text string) error {
	text = s.clean(wording.WithoutInjected(text))
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if err := s.note(ctx, journal.Report, id, journal.Message{Role: journal.RoleAssistant, Speaker: kind, Text: text}); err != nil {
		return err
	}
	return s.update(ctx, func(*session.State) {})
}

// Compact notes that the client is about to replace its context, or has done
// so: what stood in the window may be injected again. Clients tell of one
// compaction several times; it counts once.
func (s *Session) Compact(ctx context.Context, trigger, summary string) error {
	last, again := s.lastWasCompaction(ctx)
	if !again {
		if err := s.note(ctx, journal.Compacted, "", journal.Compaction{Trigger: trigger, Summary: s.clean(summary)}); err != nil {
			return err
		}
		last, _ = s.log.Last()
		if err := s.onRun(ctx, (*runs.Run).FoldAway); err != nil {
			s.v.Log.Warn("session: nothing folded", "session", s.start.ID, "err", err)
		}
		if err := s.log.Sync(); err != nil {
			return err
		}
	}
	return s.update(ctx, func(st *session.State) {
		st.Compacted(last)
		if !again { // memory keeps now what the window loses, not only at the session's end
			st.Later(s.sessions().flushWork()...)
		}
	})
}

// lastWasCompaction reports whether nothing has happened since the last
// compaction, and where the journal stands.
func (s *Session) lastWasCompaction(ctx context.Context) (seq int64, again bool) {
	seq, _ = s.log.Last()
	const looked = 16 // events that come with a compaction, its folds among them, may stand behind it
	for e, err := range s.log.Events(ctx, max(1, seq-looked)) {
		if err != nil {
			continue
		}
		switch e.Type {
		case journal.Compacted:
			seq, again = e.Seq, true
		case journal.UserMessage, journal.AssistantMessage, journal.ActionRequest, journal.ActionResult:
			again = false
		}
	}
	return seq, again
}

// End notes that the run is over and leaves the rest (daily log, episode,
// sync) to [Session.Work].
func (s *Session) End(ctx context.Context, reason string) error {
	if err := s.note(ctx, journal.RunEnded, "", journal.Run{Reason: reason}); err != nil {
		return err
	}
	if err := s.log.Sync(); err != nil {
		return err
	}
	s.list(ctx)
	return s.update(ctx, func(st *session.State) {
		st.Status = session.Ended
		st.Later(s.sessions().endWork()...)
	})
}
