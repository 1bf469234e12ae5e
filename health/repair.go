package health

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
	"orihon/internal/space"
	"orihon/memory"
)

// Repair mends what can be mended without touching what anybody wrote, and
// says what it did, one line each: torn last lines are moved aside, an index
// that is damaged or does not agree with its text is built anew, sessions that
// nobody will end are ended and empty ones removed, work left is done. What
// fails does not keep the rest.
func (x *Health) Repair(ctx context.Context) (did []string, err error) {
	say := func(format string, v ...any) { did = append(did, fmt.Sprintf(format, v...)) }
	for _, file := range x.lineFiles() {
		aside, rerr := jsonl.Repair(file)
		err = errors.Join(err, rerr)
		if aside != "" {
			say("moved the torn last line of %s to %s", file, filepath.Base(aside))
		}
	}
	for _, sp := range x.h.Spaces() {
		why, rerr := mend(ctx, sp)
		err = errors.Join(err, rerr)
		if why != "" && rerr == nil {
			say("built the index of the %s memory anew: %s", sp.Name, why)
		}
	}
	ended, removed, serr := x.sessions.Sweep(ctx)
	left, jerr := x.sessions.Jobs(ctx)
	err = errors.Join(err, jerr, serr)
	for _, id := range removed {
		say("removed the empty session %s", id)
	}
	for _, id := range ended {
		say("ended session %s, whose process is gone", id)
	}
	if len(left) == 0 {
		return did, err
	}
	err = errors.Join(err, x.sessions.Work(ctx))
	after, jerr := x.sessions.Jobs(ctx)
	if n := len(left) - len(after); n > 0 {
		say("did the work that %d sessions had left", n)
	}
	return did, errors.Join(err, jerr)
}

// lineFiles are the append-only files of both spaces.
func (x *Health) lineFiles() (files []string) {
	for _, sp := range x.h.Spaces() {
		files = append(files, glob(sp.Dir.Memory(), "*.jsonl")...)
		files = append(files, existing(sp.Dir.Audit(), sp.Dir.Usage())...)
		files = append(files, glob(sp.Dir.Sessions(), "*", "journal.jsonl")...)
	}
	return files
}

// mend builds the index anew if anything is wrong with it, and says what.
func mend(ctx context.Context, sp *space.Space) (why string, err error) {
	if sp.Empty() {
		return "", nil
	}
	if _, err := os.Lstat(sp.IndexPath()); errors.Is(err, fs.ErrNotExist) {
		return "", nil // no fault; the next sync builds it
	}
	st, err := status(ctx, sp)
	if err != nil {
		return "", err
	}
	if why = st.Stale; why == "" {
		b, _, err := sp.Text.Changes(ctx, nil, memory.FullLook)
		if err != nil {
			return "", err
		}
		if err := compare(ctx, sp, live(b.Put), new(Examined)); err != nil {
			why = err.Error()
		}
	}
	if why == "" {
		return "", nil
	}
	return why, sp.Rebuild(ctx)
}
