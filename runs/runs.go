// Package runs opens runs of agents: sessions of a project by their ID,
// transcripts that other programs wrote, journals in a folder. A session is also
// folded, unfolded, bookmarked and summed up, and [Run.Brief] writes what an agent
// gets after its context was replaced.
//
// It records no session and knows no client. What a run looks like is told by
// package window/inspect, whose [inspect.Run] each [Run] is.
//
// Start with [New] and [Runs.Open]; a program with a handle of Orihon has
// orihon.Memory.Runs.
package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/session"
	"orihon/journal"
	"orihon/memory"
	"orihon/window"
)

// Runs opens runs: sessions of a project, transcripts and journals.
type Runs struct{ o Options }

// Options say where runs lie and how they are shown.
type Options struct {
	// Sessions is the folder with one folder for each session. Empty is none.
	Sessions string
	// Folder is where the session with an ID lies; nil is its name below Sessions.
	Folder func(id string) string
	// Strategy builds contexts where none is named; "" or "auto" is
	// [window.SlidingWindow].
	Strategy string
	// Build tunes the strategies; nil means their defaults.
	Build *window.Options
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

// New opens runs as the options say; nil is the zero value.
func New(o *Options) *Runs {
	var opt Options
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

// Session is [Runs.Open] for sessions of this project alone: no name of it leads to
// a file.
func (rs *Runs) Session(ctx context.Context, name string) (*Run, error) {
	id, err := rs.session(name)
	if err != nil {
		return nil, err
	}
	return rs.openJournal(ctx, id, rs.o.Folder(id))
}

// fewestOfID is how much of a session's ID names it, in characters.
const fewestOfID = 4

// find returns the ID of the session that a name means; empty for a file.
func (rs *Runs) find(name string) (string, error) {
	if name != "" && rs.o.Sessions != "" && hasJournal(rs.o.Folder(name)) {
		return name, nil
	}
	if info, err := os.Stat(name); name != "" && err == nil {
		if info.IsDir() && !hasJournal(name) {
			return "", fmt.Errorf("%w run %s: it is a folder without a journal", memory.ErrInvalid, name)
		}
		return "", nil
	}
	return rs.session(name)
}

// session returns the ID of the session that a name means: all of it, its
// beginning, or none for the newest one.
func (rs *Runs) session(name string) (string, error) {
	if name != "" && rs.o.Sessions != "" && hasJournal(rs.o.Folder(name)) {
		return name, nil
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
			st = &session.State{Head: session.Head{ID: d.Name()}}
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
	info, err := journal.Stat(dir)
	return err == nil && info.Mode().IsRegular()
}
