package orihon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/session"
	"orihon/journal"
	"orihon/memory"
	"orihon/window"
	"orihon/window/inspect"
)

// Contexts looks at what a model sees of a run, and folds and unfolds it.
type Contexts struct{ m *Memory }

// Context is the part of the handle that looks after contexts.
func (m *Memory) Context() *Contexts { return &Contexts{m} }

// Run is one run of an agent: a session of this project, a transcript in a file,
// or a journal in a folder. It is read once; [inspect.Run.Update] reads what was
// added. It is not safe for concurrent use.
type Run struct {
	// Run looks at the run. Its name is the session's ID, or the path of the file
	// or folder; its strategy that of the settings.
	*inspect.Run
	// File says that the run was named by its path: it can be looked at, and
	// nothing is written to it.
	File bool
	// Problems are the places of a transcript that could not be read, as
	// "file:line: what is wrong".
	Problems []string

	m *Memory
}

// run looks at what a view shows.
func (m *Memory) run(name string, v *journal.View) *Run {
	r := &Run{Run: inspect.New(v), m: m}
	r.Name = name
	if set := m.cfg.Context.Strategy; set != "auto" {
		r.Strategy = set
	}
	return r
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
		return c.m.openJournal(ctx, id, c.m.project.Session(c.m.cleanID(id)))
	}
	if dir := journal.Folder(name); hasJournal(dir) {
		r, err := c.m.openJournal(ctx, name, dir)
		if err != nil {
			return nil, err
		}
		r.File = true
		r.View().ReadOnly()
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
	return s.m.run(s.start.ID, v), nil
}

func (m *Memory) openJournal(ctx context.Context, name, dir string) (*Run, error) {
	log, err := journal.Open(dir, &journal.Options{Now: m.now, Logger: m.log})
	if err != nil {
		return nil, err
	}
	v, err := log.View(ctx)
	if err != nil {
		return nil, err
	}
	return m.run(name, v), nil
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

// writable refuses to change what is only a file.
func (r *Run) writable(verb string) error {
	if r.File && r.View().Journal() != nil {
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
	return f.FoldRange(ctx, window.Input{System: r.System, View: r.View()}, from, to)
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
	return f.Unfold(ctx, r.View(), ref)
}

// Bookmark keeps an iteration from being folded, and says why.
func (r *Run) Bookmark(ctx context.Context, iteration int, note string) error {
	if err := r.writable("bookmark"); err != nil {
		return err
	}
	if len(r.View().Range(iteration, iteration)) == 0 || iteration <= 0 {
		return fmt.Errorf("%w iteration %d: the run has %s", memory.ErrInvalid, iteration, r.Span())
	}
	note = r.m.cleanReason(note)
	e, err := journal.New(journal.Bookmark, "", struct {
		Text      string `json:"text"`
		Iteration int    `json:"iteration"`
	}{note, iteration})
	if err != nil {
		return err
	}
	_, err = r.View().Append(ctx, e)
	return err
}

// Expand is [inspect.Run.Expand]. A journal is told that a fold was opened.
func (r *Run) Expand(ctx context.Context, ref, anchor string, page int) (inspect.Page, error) {
	out, err := r.Run.Expand(ctx, ref, anchor, page)
	if err == nil {
		r.noteOpened(ctx, ref)
	}
	return out, err
}

// noteOpened tells a journal that a fold was asked for: it folds later then.
func (r *Run) noteOpened(ctx context.Context, ref string) {
	b := r.Block(ref)
	if _, _, plain := inspect.ParseIterations(ref); plain || b == nil || r.File {
		return
	}
	e, err := journal.New(journal.Recalled, "", struct {
		Folds  []int  `json:"folds"`
		Reason string `json:"reason"`
	}{[]int{b.Number}, "opened"})
	if err == nil {
		if _, err = r.View().Append(ctx, e); err != nil {
			r.m.log.Warn("context: opening not noted", "run", r.Name, "err", err)
		}
	}
}
