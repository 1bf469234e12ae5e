package orihon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/redact"
	"orihon/internal/session"
	"orihon/journal"
	"orihon/memory"
	"orihon/window"
	"orihon/window/inspect"
)

// Runs opens runs: sessions of a project, transcripts and journals.
type Runs struct{ o runOptions }

// runOptions say where runs lie and how they are shown.
type runOptions struct {
	// Sessions is the folder with one folder for each session. Empty is none.
	Sessions string
	// Folder is where the session with an ID lies; nil is its name below Sessions.
	Folder func(id string) string
	// Strategy builds contexts where none is named; "" or "auto" is
	// [window.SlidingWindow].
	Strategy string
	// Language is that of briefs; "" or "auto" tells it from what was asked.
	Language string
	// HookChars is what a hook may inject, in characters, of which a brief takes a
	// part; 0 sets no bound.
	HookChars int
	// RedactOff are the rules by which no secrets are taken out, of those of the
	// setting redact.off.
	RedactOff []string

	Now    func() time.Time // of what is written; nil is [time.Now]
	Logger *slog.Logger     // nil discards
}

// newRuns opens runs as the options say.
func newRuns(o *runOptions) *Runs {
	var opt runOptions
	if o != nil {
		opt = *o
	}
	if opt.Folder == nil {
		opt.Folder = func(id string) string { return filepath.Join(opt.Sessions, filepath.Base(id)) }
	}
	if opt.Strategy == "auto" {
		opt.Strategy = ""
	}
	if opt.Language == "auto" {
		opt.Language = ""
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &Runs{opt}
}

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

	o *runOptions
}

// Of is the run that a view shows, as a session's when the view is of a journal.
func (rs *Runs) Of(name string, v *journal.View) *Run {
	r := &Run{Run: inspect.New(v), o: &rs.o}
	r.Name, r.Strategy = name, rs.o.Strategy
	return r
}

// Open opens a run by the ID of a session of this project, by the beginning of
// one, or by a path: of a transcript of Claude Code or Gemini CLI, of a list of
// messages, also compressed with gzip, or of a journal, its folder or its file.
// Secrets are taken out of transcripts as they are read. Without a name it is the
// session with the newest event. What is not there is a [memory.ErrNotFound].
func (rs *Runs) Open(ctx context.Context, name string) (*Run, error) {
	id, err := rs.find(name)
	if err != nil {
		return nil, err
	}
	if id != "" {
		return rs.openJournal(ctx, id, rs.o.Folder(id))
	}
	if dir := journal.Folder(name); hasJournal(dir) {
		r, err := rs.openJournal(ctx, name, dir)
		if err != nil {
			return nil, err
		}
		r.File = true
		r.View().ReadOnly()
		return r, nil
	}
	return rs.openTranscript(ctx, name)
}

func (rs *Runs) openJournal(ctx context.Context, name, dir string) (*Run, error) {
	log, err := journal.Open(dir, &journal.Options{Now: rs.o.Now, Logger: rs.o.Logger})
	if err != nil {
		return nil, err
	}
	v, err := log.View(ctx)
	if err != nil {
		return nil, err
	}
	return rs.Of(name, v), nil
}

// fewestOfID is how much of a session's ID names it, in characters.
const fewestOfID = 4

// find returns the ID of the session that a name means; empty for a file.
func (rs *Runs) find(name string) (string, error) {
	if name != "" && hasJournal(rs.o.Folder(name)) {
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
	dirs, err := os.ReadDir(rs.o.Sessions)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, d := range dirs {
		dir := filepath.Join(rs.o.Sessions, d.Name())
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
	kept := r.View().Journal() != nil
	if r.File && kept {
		return fmt.Errorf("%w: a journal that is named by its folder is only read, and %s writes to it: name its session", memory.ErrRefused, verb)
	}
	if !kept {
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

// clean takes secrets out of a text.
func (r *Run) clean(text string) string {
	text, _ = redact.New(r.o.RedactOff).Text(text)
	return text
}

// Bookmark keeps an iteration from being folded, and says why.
func (r *Run) Bookmark(ctx context.Context, iteration int, note string) error {
	if err := r.writable("bookmark"); err != nil {
		return err
	}
	if len(r.View().Range(iteration, iteration)) == 0 || iteration <= 0 {
		return fmt.Errorf("%w iteration %d: the run has %s", memory.ErrInvalid, iteration, r.Span())
	}
	note = strings.TrimSpace(r.clean(redact.Private(note)))
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
			r.o.Logger.Warn("context: opening not noted", "run", r.Name, "err", err)
		}
	}
}
