package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/llm/gateway"
	"orihon/memory"
)

// Staging holds what one session leaves to the next: continuation prompts and
// drafts. It lies in the private memory and is neither indexed nor shared.

// Staged is a continuation prompt.
type Staged struct {
	Path    string    `json:"path"`
	Session string    `json:"session"`
	At      time.Time `json:"at"`
	Text    string    `json:"text"`
	// Taken says that a session was given it.
	Taken bool `json:"taken"`
	// Unworded is why no model worded it though there is one; it is not kept.
	Unworded error `json:"-"`
}

func (f *Sessions) staging() string { return filepath.Join(f.v.Project.PersonalMemory(), "_staging") }

// Of the names of continuation prompts: the time, the session, and what says that
// it waits or was taken.
const (
	stagedForm   = "20060102T150405Z"
	stagedWaits  = ".handoff.md"
	stagedTaken  = ".taken.md"
	mostStaged   = 20 // the oldest go
	mostHandover = 1 << 20
)

// HandoffOptions of [Sessions.Handoff].
type HandoffOptions struct {
	// Session is an ID, or the beginning of one. Empty is that of the client that
	// started this process, else the newest in which the user said something.
	Session string
	Tokens  int  // at most; 0 is the default
	Plain   bool // ask no model
}

// Handoff writes a continuation prompt from a session, with a model where there is
// one.
func (f *Sessions) Handoff(ctx context.Context, o HandoffOptions) (Staged, error) {
	r, err := f.v.Runs().Session(ctx, cmp.Or(o.Session, f.Calling(), f.Before()))
	if err != nil {
		return Staged{}, err
	}
	if r.Over, err = f.over(ctx, r.Name); err != nil {
		return Staged{}, err
	}
	text, unworded := "", error(nil)
	if m := f.v.Models().Model(gateway.Purpose{Feature: "handoff", Size: gateway.Large}); m != nil && !o.Plain {
		text, unworded = r.HandoffBy(ctx, m, o.Tokens)
	}
	if text == "" {
		text = r.Handoff(o.Tokens)
	}
	if text == "" {
		return Staged{}, fmt.Errorf("session %s: %w: nothing was said or done in it", r.Name, memory.ErrNotFound)
	}
	if err := f.v.Project.LocalStillClean(); err != nil {
		return Staged{}, err
	}
	if err := os.MkdirAll(f.staging(), 0o700); err != nil {
		return Staged{}, err
	}
	at := f.v.Now().UTC().Truncate(time.Second)
	s := Staged{Session: r.Name, At: at, Text: text, Unworded: unworded, Path: filepath.Join(f.staging(), at.Format(stagedForm)+"-"+f.v.CleanID(safeName(r.Name))+stagedWaits)}
	if err := jsonl.WriteFile(s.Path, []byte(text+"\n")); err != nil {
		return Staged{}, err
	}
	return s, f.trimStaging()
}

// safeName is as much of a session's ID as a file's name takes.
func safeName(id string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '_'
	}, id[:min(len(id), 64)])
}

// Resume gives the newest continuation prompt that no session was given yet, and
// notes that it is given: the next call has another one or none, which is a
// [memory.ErrNotFound].
func (f *Sessions) Resume(ctx context.Context) (Staged, error) {
	unlock, err := jsonl.Lock(ctx, filepath.Join(f.v.Project.Private().Index(), "staging.lock"))
	if err != nil {
		return Staged{}, err
	}
	defer unlock()
	all, err := f.Staged()
	if err != nil {
		return Staged{}, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		if s.Taken {
			continue
		}
		taken := strings.TrimSuffix(s.Path, stagedWaits) + stagedTaken
		if err := jsonl.Rename(s.Path, taken); err != nil {
			return Staged{}, err
		}
		s.Path, s.Taken = taken, true
		return s, nil
	}
	return Staged{}, fmt.Errorf("continuation prompt: %w: orihon handoff writes one", memory.ErrNotFound)
}

// Staged lists the continuation prompts, oldest first.
func (f *Sessions) Staged() ([]Staged, error) {
	entries, err := os.ReadDir(f.staging())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Staged
	for _, e := range entries {
		name, waits := strings.CutSuffix(e.Name(), stagedWaits)
		name, taken := strings.CutSuffix(name, stagedTaken)
		at, session, _ := strings.Cut(name, "-")
		when, err := time.Parse(stagedForm, at)
		if !waits && !taken || err != nil || !e.Type().IsRegular() {
			continue // a draft of somebody's
		}
		info, err := e.Info()
		if err != nil || info.Size() > mostHandover {
			continue
		}
		path := filepath.Join(f.staging(), e.Name())
		text, err := jsonl.ReadFile(path)
		if err != nil {
			continue
		}
		out = append(out, Staged{Path: path, Session: session, At: when, Text: strings.TrimSpace(string(text)), Taken: taken})
	}
	slices.SortStableFunc(out, func(a, b Staged) int { return a.At.Compare(b.At) })
	return out, nil
}

// trimStaging removes the oldest continuation prompts that were given.
func (f *Sessions) trimStaging() error {
	all, err := f.Staged()
	if err != nil {
		return err
	}
	for i := 0; len(all)-i > mostStaged; i++ {
		if all[i].Taken {
			err = errors.Join(err, os.Remove(all[i].Path))
		}
	}
	return err
}

// waits is one line about a continuation prompt that nobody has been given.
func (f *Sessions) waits() string {
	all, err := f.Staged()
	if err != nil || len(all) == 0 || all[len(all)-1].Taken {
		return ""
	}
	s := all[len(all)-1]
	at := s.At.In(f.v.Now().Location()).Format("2006-01-02 15:04")
	return "orihon: a hand-over of " + at + " waits for whoever goes on with that work: orihon resume gives it"
}
