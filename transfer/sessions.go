package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/home"
	"orihon/internal/importer"
	"orihon/internal/redact"
	"orihon/internal/session"
	"orihon/internal/wording"
	"orihon/journal"
	"orihon/memory"
)

// inflow writes the events of imported sessions to their journals. Events have
// the identities that hooks give to the same things, so that a session which
// was followed and is imported, too, has everything once.
type inflow struct {
	h        *home.Home
	dry      bool
	client   bool     // the files are a client's own, and their sessions its sessions
	again    bool     // sessions that have no journal were taken away by a person
	work     []string // that sessions leave to be done
	gone     map[string]bool
	others   map[string]bool // whether a folder is another project's; nil takes what was said in any
	away     map[string]bool // sessions of a file that went to such a folder and did not come back yet
	open     map[string]*incoming
	order    []string // of open, the least recently used first
	known    map[string]bool
	count    ImportedSessions
	redacted map[string]int
}

func newInflow(h *home.Home, dry bool) *inflow {
	return &inflow{h: h, dry: dry, gone: make(map[string]bool), open: make(map[string]*incoming), known: make(map[string]bool), redacted: make(map[string]int)}
}

// incoming is a session under way.
type incoming struct {
	id, client, cwd, branch string

	log         *journal.Journal
	held        map[string]bool  // what the journal of the client's session holds, by name
	theirs      *journal.Telling // names what stands there
	telling     *journal.Telling
	followed    bool // by hooks: its compactions are known without their names
	seen        map[string]bool
	times       map[string]int // how often an identity came up
	waiting     []journal.Event
	bytes       int
	first, last time.Time
	prompts     int
	asked       bool            // a person asked for something
	shows       map[string]bool // calls that show a file that holds credentials
	grown       bool            // something was written
}

// Bounds of what waits to be written.
const (
	mostOpen    = 8
	mostWaiting = 1000
	mostBytes   = 4 << 20
)

func (f *inflow) take(ctx context.Context, e *importer.Event) error {
	if e.Session == "" {
		return fmt.Errorf("%w session: no id", memory.ErrInvalid)
	}
	client := f.h.CleanID(e.Session)
	e.Session = client
	if !f.client {
		e.Session = home.ImportedSession(client)
	}
	if f.gone[e.Session] || f.saidElsewhere(e) {
		return nil
	}
	s, err := f.session(ctx, client, e)
	if s == nil || err != nil {
		return err
	}
	if e.Type == journal.Compacted && s.followed {
		f.count.Known++
		return nil
	}
	ev, err := f.event(s, e)
	if err != nil {
		return err
	}
	if ev.Type == "" {
		return nil // nothing was left of it
	}
	ev = home.Withhold(f.h.CleanEvents([]journal.Event{ev}))[0]
	if s.theirs != nil {
		there := ev
		if s.theirs.Name(&there); s.held[name(there.Type, there.ID)] {
			f.count.Known++
			return nil
		}
	}
	s.telling.Name(&ev)
	if f.dry {
		f.tally(s, ev)
		return nil
	}
	s.waiting = append(s.waiting, ev)
	s.bytes += len(ev.Payload)
	if len(s.waiting) >= mostWaiting || s.bytes >= mostBytes {
		return f.write(ctx, s)
	}
	return nil
}

// saidElsewhere reports whether an event is another project's. What answers a prompt
// is where that was given.
func (f *inflow) saidElsewhere(e *importer.Event) bool {
	if f.others == nil {
		return false
	}
	if _, asked := f.others[e.CWD]; !asked && e.CWD != "" {
		f.others[e.CWD] = f.h.Elsewhere(e.CWD)
	}
	switch {
	case f.others[e.CWD]:
		f.away[e.Session] = true
	case e.Type == journal.UserMessage && e.Speaker == "":
		delete(f.away, e.Session)
	}
	return f.away[e.Session]
}

// session finds the session of an event, or begins with it; nil when a person took
// it away. client is the session's name in the client that may have followed it.
func (f *inflow) session(ctx context.Context, client string, e *importer.Event) (*incoming, error) {
	if s := f.open[e.Session]; s != nil {
		if n := len(f.order); f.order[n-1] != e.Session {
			f.leave(e.Session)
			f.order = append(f.order, e.Session)
		}
		s.notice(e)
		return s, nil
	}
	if len(f.order) >= mostOpen {
		if err := f.finish(ctx, f.order[0]); err != nil {
			return nil, err
		}
	}
	s := &incoming{id: e.Session, client: e.Client, times: make(map[string]int), shows: make(map[string]bool)}
	s.notice(e)
	var err error
	if s.log, err = f.journal(e.Session); err != nil {
		return nil, err
	}
	if s.seen, s.followed, err = look(ctx, s.log, f.dry); err != nil {
		return nil, err
	}
	if !f.client {
		theirs, err := f.journal(client)
		if err != nil {
			return nil, err
		}
		if s.held, s.followed, err = look(ctx, theirs, true); err != nil {
			return nil, err
		}
		if s.theirs, err = theirs.Telling(ctx); err != nil {
			return nil, err
		}
	}
	if s.telling, err = s.log.Telling(ctx); err != nil {
		return nil, err
	}
	seq, _ := s.log.Last()
	if seq == 0 && f.again {
		f.gone[e.Session] = true
		return nil, nil
	}
	if !f.known[e.Session] {
		f.known[e.Session] = true
		f.count.Sessions++
	}
	f.open[e.Session], f.order = s, append(f.order, e.Session)
	if f.dry || len(s.held) > 0 { // which may be all of it
		return s, nil
	}
	return s, f.begin(ctx, s)
}

func (f *inflow) journal(session string) (*journal.Journal, error) {
	return journal.Open(f.h.Project.Session(session), &journal.Options{Now: f.h.Now, Logger: f.h.Log})
}

// begin writes the first event of a journal that has none.
func (f *inflow) begin(ctx context.Context, s *incoming) error {
	if seq, _ := s.log.Last(); seq > 0 {
		return nil
	}
	started, err := journal.New(journal.RunStarted, "import:"+s.id, journal.Run{Source: journal.SourceImport, CWD: s.cwd, Branch: s.branch, Client: s.client})
	if err != nil {
		return err
	}
	started.TS = s.first
	_, err = s.log.AppendExact(ctx, f.h.CleanEvents([]journal.Event{started})...)
	return err
}

func (f *inflow) leave(id string) {
	f.order = slices.DeleteFunc(f.order, func(open string) bool { return open == id })
}

// look learns whether hooks wrote a journal and, where all is wanted, the names of
// what it holds. Nobody followed one that is empty or not there.
func look(ctx context.Context, log *journal.Journal, all bool) (held map[string]bool, followed bool, err error) {
	held = make(map[string]bool)
	first := true
	for e, err := range log.Events(ctx, 1) {
		if err != nil {
			if ctx.Err() != nil {
				return nil, false, ctx.Err()
			}
			continue // told by doctor, and no matter here
		}
		if first {
			var run journal.Run
			followed = log.Decode(e, &run) != nil || run.Source != journal.SourceImport
			if first = false; !all {
				return nil, followed, nil
			}
		}
		held[name(e.Type, e.ID)] = true
	}
	return held, followed, nil
}

// name is what tells an event from the others of its journal.
func name(t journal.Type, id string) string { return string(t) + "\x00" + id }

func (s *incoming) notice(e *importer.Event) {
	if e.CWD != "" {
		s.cwd = e.CWD
	}
	if e.Branch != "" {
		s.branch = e.Branch
	}
	if !e.At.IsZero() && (s.first.IsZero() || e.At.Before(s.first)) {
		s.first = e.At
	}
	if e.At.After(s.last) {
		s.last = e.At
	}
}

// event makes an event of the journal, clean and with its identity.
func (f *inflow) event(s *incoming, e *importer.Event) (journal.Event, error) {
	text := f.clean(e.Text)
	id, named := e.ID, e.ID != ""
	var payload any
	switch e.Type {
	case journal.ActionRequest:
		if shows := redact.ShowsCredentials(e.Input); shows && id != "" {
			s.shows[id] = true
		}
		payload = journal.Action{Tool: e.Tool, Input: f.input(e.Input)}
	case journal.ActionResult:
		if s.shows[id] {
			var found []redact.Finding
			text, found = f.h.Redactor.Settings(text)
			f.note(found)
		}
		payload = journal.Result{Tool: e.Tool, Output: text, Error: e.IsError}
	case journal.Compacted:
		payload = journal.Compaction{Trigger: e.Trigger, Summary: text}
	default:
		if text == "" {
			return journal.Event{}, nil
		}
		msg := journal.Message{Role: journal.RoleAssistant, Text: text, Speaker: e.Speaker, Model: e.Model}
		switch {
		case e.Type == journal.UserMessage:
			msg.Role = journal.RoleUser
			s.prompts++
			s.asked = s.asked || e.Speaker == ""
			id = cmp.Or(id, e.Prompt)
		case id == "" && e.Prompt != "":
			id = journal.AnswerID(e.Prompt, text)
		}
		payload = msg
	}
	if id == "" && e.Type != journal.UserMessage && e.Type != journal.AssistantMessage {
		id = fmt.Sprintf("import:%s:%s", e.At.UTC().Format(time.RFC3339Nano), journal.Digest(e.Tool+"\x00"+text+"\x00"+string(e.Input)))
	}
	if !named && id != "" {
		// The same words may be said twice.
		name := name(e.Type, id)
		s.times[name]++
		id = journal.NthID(id, s.times[name])
	}
	ev, err := journal.New(e.Type, id, payload)
	ev.TS = e.At
	return ev, err
}

// clean takes out secrets, private spans and what this program put before an
// agent.
func (f *inflow) clean(text string) string {
	text, found := f.h.Redactor.Text(redact.Private(wording.WithoutInjected(text)))
	f.note(found)
	return strings.TrimSpace(text)
}

func (f *inflow) input(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || !json.Valid(raw) {
		return nil
	}
	clean, found := f.h.Redactor.Call(raw)
	f.note(found)
	return clean
}

func (f *inflow) note(found []redact.Finding) {
	for _, x := range found {
		f.redacted[x.Rule] += x.Count
	}
}

func (f *inflow) tally(s *incoming, e journal.Event) {
	if name := name(e.Type, e.ID); s.seen[name] {
		f.count.Known++
	} else {
		s.seen[name] = true
		f.count.New++
	}
}

func (f *inflow) write(ctx context.Context, s *incoming) error {
	if len(s.waiting) == 0 {
		return nil
	}
	if err := f.begin(ctx, s); err != nil {
		return err
	}
	written, err := s.log.AppendExact(ctx, s.waiting...)
	if err != nil {
		return fmt.Errorf("session %s: %w", s.id, err)
	}
	f.count.New += len(written)
	f.count.Known += len(s.waiting) - len(written)
	s.grown = s.grown || len(written) > 0
	s.waiting, s.bytes = nil, 0
	return nil
}

// finish writes what is left of a session and its state, unless it is followed:
// who does so knows more.
func (f *inflow) finish(ctx context.Context, id string) error {
	s := f.open[id]
	delete(f.open, id)
	f.leave(id)
	if f.dry {
		return nil
	}
	if err := f.write(ctx, s); err != nil {
		return err
	}
	if seq, _ := s.log.Last(); seq == 0 {
		return nil // the client's journal holds all of it
	}
	if err := s.log.Sync(); err != nil {
		return err
	}
	dir := f.h.Project.Session(id)
	if _, err := session.Load(dir); err == nil && (f.client && s.followed || !s.grown) {
		return nil
	}
	if s.first.IsZero() { // its source has no times, and its events have that of now
		s.first, s.last = f.h.Now(), f.h.Now()
	}
	_, err := session.Update(ctx, dir, &session.Options{Now: f.h.Now, Logger: f.h.Log}, func(st *session.State) error {
		st.ID, st.Client, st.CWD, st.Branch = s.id, s.client, f.h.CleanName(s.cwd), f.h.CleanName(s.branch)
		st.Created, st.Last, st.Status, st.Prompts = s.first.UTC(), s.last.UTC(), session.Ended, s.prompts
		if s.asked {
			st.Later(f.work...)
		}
		return nil
	})
	return err
}

func (f *inflow) close(ctx context.Context) error {
	for len(f.order) > 0 {
		if err := f.finish(ctx, f.order[0]); err != nil {
			return err
		}
	}
	return nil
}
