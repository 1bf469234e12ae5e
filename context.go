package orihon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/session"
	"orihon/journal"
	"orihon/memory"
	"orihon/window"
)

// Contexts looks at what a model sees of a run, and folds and unfolds it.
type Contexts struct{ m *Memory }

// Context is the part of the handle that looks after contexts.
func (m *Memory) Context() *Contexts { return &Contexts{m} }

// Run is one run of an agent: a session of this project, a transcript in a file,
// or a journal in a folder. It is read once; [Run.Update] reads what was added. It
// is not safe for concurrent use.
type Run struct {
	// Name is the session's ID, or the path of the file or folder.
	Name string
	// File says that the run was named by its path: it can be looked at, and
	// nothing is written to it.
	File bool
	// System is the system prompt, where a transcript has one.
	System string
	// Problems are the places of a transcript that could not be read, as
	// "file:line: what is wrong".
	Problems []string

	m    *Memory
	view *journal.View
}

// Memory is the handle that the run was opened by.
func (r *Run) Memory() *Memory { return r.m }

// Open opens a run by the ID of a session of this project, by the beginning of
// one, or by a path: of a transcript of Claude Code or Gemini CLI, of a list of
// messages, also compressed with gzip, or of a journal, its folder or its file.
// Secrets are taken out of transcripts as they are read. Without a name it is the
// session with the newest event. What is not there is a [memory.ErrNotFound].
func (c *Contexts) Open(ctx context.Context, name string) (*Run, error) {
	id, err := c.find(name)
	if err != nil {
		return nil, err
	}
	if id != "" {
		return c.m.openRun(ctx, id)
	}
	if dir := journal.Folder(name); hasJournal(dir) {
		r, err := c.m.openJournal(ctx, dir)
		if err != nil {
			return nil, err
		}
		r.Name, r.File = name, true
		r.view.ReadOnly()
		return r, nil
	}
	return c.m.openTranscript(ctx, name)
}

// Context opens the run of this session.
func (s *Session) Context(ctx context.Context) (*Run, error) {
	v, err := s.log.View(ctx)
	if err != nil {
		return nil, err
	}
	return &Run{Name: s.start.ID, m: s.m, view: v}, nil
}

func (m *Memory) openRun(ctx context.Context, id string) (*Run, error) {
	r, err := m.openJournal(ctx, m.project.Session(m.cleanID(id)))
	if err != nil {
		return nil, err
	}
	r.Name = id
	return r, nil
}

func (m *Memory) openJournal(ctx context.Context, dir string) (*Run, error) {
	log, err := journal.Open(dir, &journal.Options{Now: m.now, Logger: m.log})
	if err != nil {
		return nil, err
	}
	v, err := log.View(ctx)
	if err != nil {
		return nil, err
	}
	return &Run{m: m, view: v}, nil
}

// fewestOfID is how much of a session's ID names it, in characters.
const fewestOfID = 4

// find returns the ID of the session that a name means; empty for a file.
func (c *Contexts) find(name string) (string, error) {
	if name != "" && hasJournal(c.m.project.Session(c.m.cleanID(name))) {
		return name, nil
	}
	if info, err := os.Stat(name); name != "" && err == nil {
		if info.IsDir() && !hasJournal(name) {
			return "", fmt.Errorf("%w run %s: it is a folder without a journal", memory.ErrInvalid, name)
		}
		return "", nil
	}
	var newest *session.State
	var found []string
	dirs, err := os.ReadDir(c.m.project.Sessions())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, d := range dirs {
		dir := filepath.Join(c.m.project.Sessions(), d.Name())
		if !d.IsDir() || !hasJournal(dir) {
			continue
		}
		st, err := session.Load(dir)
		if err != nil { // imported: there is a journal and no state
			st = &session.State{ID: d.Name()}
		}
		if newest == nil || st.Last.After(newest.Last) {
			newest = st
		}
		if len(name) >= fewestOfID && strings.HasPrefix(st.ID, name) {
			found = append(found, st.ID)
		}
	}
	switch {
	case name == "" && newest == nil:
		return "", fmt.Errorf("session: %w: this project has none yet; name a transcript file", memory.ErrNotFound)
	case name == "":
		return newest.ID, nil
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%w session %q: %d sessions begin with it, give more of it", memory.ErrInvalid, name, len(found))
	}
	return "", fmt.Errorf("session or file %q: %w", name, memory.ErrNotFound)
}

func hasJournal(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "journal.jsonl"))
	return err == nil && info.Mode().IsRegular()
}

// Update reads what was added to the journal since.
func (r *Run) Update(ctx context.Context) error { return r.view.Update(ctx) }

// View is the run itself. What is appended to it is written to the session's
// journal; that of a transcript takes nothing.
func (r *Run) View() *journal.View { return r.view }

// Blocks are the folds of the run, nested ones and those that were opened again
// included, oldest first.
func (r *Run) Blocks() []FoldedBlock {
	var out []FoldedBlock
	at := map[int]int{} // number → its place
	for _, e := range r.view.ByType(journal.Fold, journal.Unfold) {
		var f struct {
			Epoch  int            `json:"epoch"`
			Reason string         `json:"reason"`
			Blocks []window.Block `json:"blocks"`
			Number int            `json:"number"`
		}
		if r.view.Decode(e, &f) != nil {
			continue
		}
		if e.Type == journal.Unfold {
			if i, ok := at[f.Number]; ok {
				out[i].Open = true
			}
			continue
		}
		for _, b := range f.Blocks {
			at[b.Number] = len(out)
			out = append(out, FoldedBlock{Block: b, Epoch: f.Epoch, Reason: f.Reason})
		}
	}
	for _, top := range window.Blocks(r.view) {
		if i, ok := at[top.Number]; ok {
			out[i].Top = true
		}
	}
	slices.SortStableFunc(out, func(a, b FoldedBlock) int { return a.Iterations[0] - b.Iterations[0] })
	return out
}

// FoldedBlock is a fold of a run and how it stands.
type FoldedBlock struct {
	window.Block
	Epoch  int    `json:"epoch"`
	Reason string `json:"reason"` // why its epoch began: "pressure", "periodic", "semantic", "manual", "catch_up"
	Top    bool   `json:"top"`    // shown as a stub: it lies in no other
	Open   bool   `json:"open"`   // unfolded again
}

// copied is a view of the same events that what looks at it may write to. The
// events keep their places.
func (r *Run) copied() (*journal.View, error) {
	events := slices.Clone(r.view.Events())
	for i := range events {
		body, err := r.view.Body(events[i])
		if err != nil {
			return nil, err
		}
		events[i].Payload = body
	}
	return journal.NewView(events...), nil
}

// writable refuses to change what is only a file.
func (r *Run) writable(verb string) error {
	if r.File && r.view.Journal() != nil {
		return fmt.Errorf("%w: a journal that is named by its folder is only read, and %s writes to it: name its session", memory.ErrRefused, verb)
	}
	if r.File {
		return fmt.Errorf("%w: %s is a transcript, and %s writes to a journal: take it in with \"orihon import %s\" and name the session",
			memory.ErrRefused, r.Name, verb, r.Name)
	}
	return nil
}

// Fold folds iterations into one block, which the journal keeps. A range that
// cuts through a fold or would save less than a tenth is a [memory.ErrInvalid];
// a transcript is [memory.ErrRefused].
func (r *Run) Fold(ctx context.Context, from, to int) (window.Block, error) {
	if err := r.writable("fold"); err != nil {
		return window.Block{}, err
	}
	f, err := window.NewFolder(nil)
	if err != nil {
		return window.Block{}, err
	}
	return f.FoldRange(ctx, window.Input{System: r.System, View: r.view}, from, to)
}

// Unfold shows a fold, named F7 or by its id, as it was before.
func (r *Run) Unfold(ctx context.Context, ref string) (window.Block, error) {
	if err := r.writable("unfold"); err != nil {
		return window.Block{}, err
	}
	f, err := window.NewFolder(nil)
	if err != nil {
		return window.Block{}, err
	}
	return f.Unfold(ctx, r.view, ref)
}

// Bookmark keeps an iteration from being folded, and says why.
func (r *Run) Bookmark(ctx context.Context, iteration int, note string) error {
	if err := r.writable("bookmark"); err != nil {
		return err
	}
	if len(r.view.Range(iteration, iteration)) == 0 || iteration <= 0 {
		return fmt.Errorf("%w iteration %d: the run has %s", memory.ErrInvalid, iteration, r.span())
	}
	note = r.m.cleanReason(note)
	e, err := journal.New(journal.Bookmark, "", struct {
		Text      string `json:"text"`
		Iteration int    `json:"iteration"`
	}{note, iteration})
	if err != nil {
		return err
	}
	_, err = r.view.Append(ctx, e)
	return err
}

// span names the iterations of the run, for messages.
func (r *Run) span() string {
	if r.view.LastIteration() == 0 {
		return "none"
	}
	return fmt.Sprintf("%d to %d", r.view.FirstIteration(), r.view.LastIteration())
}

// Shown is what [Run.Messages] and [Run.Simulate] build with.
type Shown struct {
	// Strategy is one of [window.Strategies]; "" is the setting context.strategy,
	// and sliding_window where that is auto.
	Strategy string
	Limit    int    // tokens; 0 is [window.DefaultLimit]
	Task     string // what the run is for; empty when its prompts say it
	// Options tune the strategy; nil means its defaults.
	Options *window.Options
}

func (s Shown) limit() int {
	if s.Limit <= 0 {
		return window.DefaultLimit
	}
	return s.Limit
}

// strategy is the one that builds when s names none.
func (r *Run) strategy(s Shown) string {
	set := r.m.cfg.Context.Strategy
	switch {
	case s.Strategy != "":
		return s.Strategy
	case set != "auto":
		return set
	}
	return window.SlidingWindow
}

// Messages are what a model would get of the run now. Folds that a strategy
// would make on the way stay out of the journal.
func (r *Run) Messages(ctx context.Context, s Shown) ([]window.Message, error) {
	_, messages, err := r.shown(ctx, s)
	if err != nil {
		return nil, err
	}
	return window.Messages(messages), nil
}

// shown builds what a model would get, with the copy of the run it was built on.
func (r *Run) shown(ctx context.Context, s Shown) (*journal.View, []window.Placed, error) {
	v, err := r.copied()
	if err != nil {
		return nil, nil, err
	}
	b, err := window.New(r.strategy(s), s.Options)
	if err != nil {
		return nil, nil, err
	}
	messages, err := window.BuildPlaced(ctx, b, window.Input{System: r.System, Task: s.Task, View: v, Limit: s.limit()})
	if err != nil {
		return nil, nil, err
	}
	return v, messages, failed(b)
}

// failed says that a strategy failed and the default one built in its place: a
// run goes on with that, but whoever looks wants to know.
func failed(b window.Builder) error {
	if err := window.Failure(b); err != nil {
		return fmt.Errorf("the strategy failed, the default would build instead: %w", err)
	}
	return nil
}

// Moment is one iteration on the timeline.
type Moment struct {
	Iteration int       `json:"iteration"`
	At        time.Time `json:"at,omitzero"`
	Tokens    int       `json:"tokens"` // of the iteration, shown in full
	Said      string    `json:"said,omitempty"`
	Prompt    bool      `json:"prompt,omitempty"` // Said is the user's
	Tools     []string  `json:"tools,omitempty"`
	Errors    int       `json:"errors,omitempty"`
	Bookmark  string    `json:"bookmark,omitempty"`
	Fold      string    `json:"fold,omitempty"`  // the stub it is shown in: F7
	Event     string    `json:"event,omitempty"` // "fold", "unfold" or "compaction", when there was one
}

// Timeline tells of each iteration what happened in it.
func (r *Run) Timeline(ctx context.Context) ([]Moment, error) {
	cost, err := r.costs(ctx)
	if err != nil {
		return nil, err
	}
	marks := r.bookmarks()
	blocks := window.Blocks(r.view)
	var out []Moment
	for _, it := range r.view.Iterations(0, 0) {
		m := r.moment(it)
		m.Tokens = cost[it.N]
		if note, ok := marks[it.N]; ok {
			m.Bookmark = orElse(note, "bookmarked")
		}
		for i := range blocks {
			if b := &blocks[i]; b.Iterations[0] <= it.N && it.N <= b.Iterations[1] {
				m.Fold = b.Ref()
			}
		}
		out = append(out, m)
	}
	return out, ctx.Err()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (r *Run) moment(it journal.Iteration) Moment {
	m := Moment{Iteration: it.N, At: it.Events[0].TS}
	for _, e := range it.Events {
		switch e.Type {
		case journal.UserMessage:
			if !m.Prompt {
				m.Said, m.Prompt = r.view.Text(e), true
			}
		case journal.Thought, journal.AssistantMessage:
			var said journal.Message
			if m.Said == "" && r.view.Decode(e, &said) == nil && !said.Reasoning {
				m.Said = said.Text
			}
		case journal.ActionRequest:
			var a journal.Action
			if r.view.Decode(e, &a) == nil {
				m.Tools = append(m.Tools, a.Tool)
			}
		case journal.ActionResult:
			var res journal.Result
			if r.view.Decode(e, &res) == nil && res.Error {
				m.Errors++
			}
		case journal.Fold, journal.Unfold, journal.Compacted:
			m.Event = strings.ToLower(string(e.Type))
		}
	}
	return m
}

// bookmarks are the notes of bookmarked iterations.
func (r *Run) bookmarks() map[int]string {
	out := map[int]string{}
	for _, e := range r.view.ByType(journal.Bookmark) {
		var b struct {
			Text      string `json:"text"`
			Iteration int    `json:"iteration"`
		}
		if r.view.Decode(e, &b) != nil || b.Iteration <= 0 {
			b.Iteration = e.Iter
		}
		out[b.Iteration] = b.Text
	}
	return out
}

// costs are the tokens of each iteration, shown in full.
func (r *Run) costs(ctx context.Context) (map[int]int, error) {
	b, err := window.New(window.SlidingWindow, &window.Options{WindowSize: 1 << 30})
	if err != nil {
		return nil, err
	}
	out := map[int]int{}
	for _, it := range r.view.Iterations(0, 0) {
		events := make([]journal.Event, 0, len(it.Events))
		for _, e := range it.Events {
			body, err := r.view.Body(e)
			if err != nil {
				continue // its body is gone: it shows nothing
			}
			e.Payload = body
			events = append(events, e)
		}
		messages, err := window.Build(ctx, b, window.Input{View: journal.NewView(events...), Limit: 1 << 30})
		if err != nil {
			return nil, fmt.Errorf("iteration %d: %w", it.N, err)
		}
		for _, m := range messages {
			out[it.N] += window.Cost(m, nil)
		}
	}
	return out, nil
}
