package instincts

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"orihon/internal/capture"
	"orihon/internal/jsonl"
	"orihon/internal/mining"
	"orihon/internal/session"
	"orihon/journal"
	"orihon/memory"
)

// Observations are derived from a session's journal and kept beside it once the
// session is over, compressed: a line that says of which journal they are, then one for
// each thing the person said, with what was done for it.

const observationsNow = 1

type observationsHead struct {
	Version int    `json:"version"`
	Session string `json:"session"`
	Size    int64  `json:"size"` // of the journal when they were made
}

// maxObservations bounds what is read of a file, in bytes.
const maxObservations = 256 << 20

// observe reads what was done in a session: as it was kept, else from its journal.
func (t *Instincts) observe(ctx context.Context, dir string, told map[string]bool) (*mining.Session, error) {
	info, err := journal.Stat(dir)
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(dir, session.ObservationsName)
	s, err := readObservations(kept, info.Size())
	if err != nil {
		id, over := filepath.Base(dir), false
		if state, err := session.LoadHead(dir); err == nil {
			id, over = state.ID, state.Status == session.Ended
		}
		j, err := journal.Open(dir, &journal.Options{Now: t.h.Now, Logger: t.h.Log})
		if err != nil {
			return nil, err
		}
		if s, err = observed(ctx, id, t.h.Project.Root, j); err != nil {
			return nil, err
		}
		if over {
			if err := writeObservations(kept, info.Size(), s); err != nil {
				t.h.Log.Warn("instincts: observations not kept", "session", id, "err", err)
			}
		}
	}
	for i := range s.Turns {
		s.Turns[i].Told = told[fmt.Sprintf("%s/%d", s.ID, s.Turns[i].Seq)]
	}
	return s, nil
}

// observed makes the observations of a journal.
func observed(ctx context.Context, id, root string, j *journal.Journal) (*mining.Session, error) {
	run, err := capture.ReadRun(ctx, j)
	if err != nil {
		return nil, err
	}
	if run.CWD != "" {
		root = run.CWD
	}
	b := mining.NewBuilder(id, root)
	next := 0
	slices.SortStableFunc(run.Prompts, func(a, b capture.Said) int { return capture.Order(a.At, a.Seq, b.At, b.Seq) })
	for _, p := range run.Prompts {
		for ; next < len(run.Actions); next++ {
			if a := &run.Actions[next]; capture.Order(a.At, a.Seq, p.At, p.Seq) > 0 {
				break
			}
			b.Do(&run.Actions[next])
		}
		if text := capture.Typed(p); text != "" {
			b.Say(p.Seq, p.At, text)
		}
	}
	for ; next < len(run.Actions); next++ {
		b.Do(&run.Actions[next])
	}
	return b.Session(), nil
}

// Observations are all uses of tools in a session, by its ID, and what came of them.
func (t *Instincts) Observations(ctx context.Context, id string) ([]mining.Observation, error) {
	dir := t.h.Project.Session(id)
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, memory.ErrNotFound)
	}
	s, err := t.observe(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	return mining.Observations(s), nil
}

// writers compress. Each takes more memory than most sessions have observations.
var writers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a level that there is
	return z
}}

func writeObservations(path string, size int64, s *mining.Session) error {
	var b bytes.Buffer
	z, _ := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	z.Reset(&b)
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	err := e.Encode(observationsHead{observationsNow, s.ID, size})
	for i := range s.Turns {
		if err == nil {
			err = e.Encode(&s.Turns[i])
		}
	}
	if err := errors.Join(err, z.Close()); err != nil {
		return err
	}
	return jsonl.Place(path, b.Bytes())
}

var errStale = errors.New("observations are not those of the journal")

// readObservations reads those that were made of a journal of a size, of any size where
// it is below 0.
func readObservations(path string, size int64) (*mining.Session, error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(io.LimitReader(z, maxObservations))
	var head observationsHead
	if err := d.Decode(&head); err != nil {
		return nil, err
	}
	if head.Version != observationsNow || size >= 0 && head.Size != size {
		return nil, errStale
	}
	s := &mining.Session{ID: head.Session}
	for {
		var t mining.Turn
		switch err := d.Decode(&t); {
		case errors.Is(err, io.EOF):
			return s, nil
		case err != nil:
			return nil, err
		}
		s.Turns = append(s.Turns, t)
	}
}
