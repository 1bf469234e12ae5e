package erase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/capture"
	"orihon/internal/session"
	"orihon/internal/space"
	"orihon/internal/terms"
	"orihon/journal"
	"orihon/memory"
)

// purgeJournals takes the words out of every journal of a space, and sums up anew
// the sessions that held them, also those that an interrupted purge has not come
// to sum up.
func (e *Eraser) purgeJournals(ctx context.Context, sp *space.Space, p *purge) error {
	mark := purgedMark(p.ID)
	scrub := func(s string) (string, bool) {
		clean := string(p.words.Clean([]byte(s), mark))
		return clean, clean != s
	}
	dirs, err := os.ReadDir(sp.Dir.Sessions())
	if err != nil {
		return nil // no sessions
	}
	for _, d := range dirs {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		dir := filepath.Join(sp.Dir.Sessions(), d.Name())
		said, marked, err := p.inSession(ctx, dir)
		if err != nil {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
		if !said && !marked {
			continue
		}
		p.heldBy(dir)
		if err := os.Remove(filepath.Join(dir, session.HotName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
		j, err := journal.Open(dir, &journal.Options{Now: e.h.Now, Logger: e.h.Log})
		if err != nil {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
		n := 0
		if said {
			if n, err = e.purgeJournal(ctx, j, scrub); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("purge %s: %w", p.ID, err)
			}
			if err := e.purgeSubAgents(ctx, dir, p, scrub); err != nil {
				return fmt.Errorf("purge %s: %w", p.ID, err)
			}
		}
		if n > 0 || marked && p.again {
			if err := e.resum(ctx, sp, j); err != nil {
				return fmt.Errorf("purge %s: %w", p.ID, err)
			}
		}
	}
	return nil
}

// purgeJournal takes the words out of a session's journal, of which the session knows how
// far it was read.
func (e *Eraser) purgeJournal(ctx context.Context, j *journal.Journal, scrub func(string) (string, bool)) (n int, err error) {
	if _, err := session.Load(j.Dir()); err != nil {
		return j.Purge(ctx, scrub)
	}
	_, failed := session.Update(ctx, j.Dir(), &session.Options{Now: e.h.Now, Logger: e.h.Log}, func(st *session.State) error {
		n, err = j.Purge(ctx, scrub, &st.LoggedOffset, &st.NoticedOffset)
		return err
	})
	return n, failed
}

// purgeSubAgents takes the words out of the runs of the sub-agents of one in a
// folder, of their journals and of what lies beside those.
func (e *Eraser) purgeSubAgents(ctx context.Context, dir string, p *purge, scrub func(string) (string, bool)) error {
	below := filepath.Join(dir, "io", "sub_agents")
	dirs, err := os.ReadDir(below)
	if err != nil {
		return nil // it has none
	}
	for _, d := range dirs {
		run := filepath.Join(below, d.Name())
		if !d.IsDir() {
			continue
		}
		j, err := journal.Open(run, &journal.Options{Now: e.h.Now, Logger: e.h.Log})
		if err != nil {
			return err
		}
		if _, err := j.Purge(ctx, scrub); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if _, err := e.purgeFolder(ctx, run, p, func(path string) bool { return filepath.Base(path) == "io" }); err != nil {
			return err
		}
		if err := e.purgeSubAgents(ctx, run, p, scrub); err != nil {
			return err
		}
	}
	return nil
}

// inSession reports whether anything in the folder of a session may hold the
// words, and whether anything bears the mark of their purge.
func (p *purge) inSession(ctx context.Context, dir string) (said, marked bool, err error) {
	mark := []byte(purgedMark(p.ID))
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || said && marked {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := contents(path)
		said = said || p.words.May(data)
		marked = marked || bytes.Contains(data, mark)
		return err
	})
	return said, marked, err
}

// heldBy notes that a session held the words, or that its client's transcript may.
func (p *purge) heldBy(dir string) {
	if p.sessions == nil {
		p.sessions = make(map[string]bool)
	}
	p.sessions[filepath.Base(dir)] = true
	if state, err := session.Load(dir); err == nil && state.ID != "" {
		p.sessions[state.ID] = true
	}
}

// resum replaces the episodes of a session whose journal was purged by those of what
// is left; their older versions are erased. What was derived from the journal goes.
func (e *Eraser) resum(ctx context.Context, sp *space.Space, j *journal.Journal) error {
	for _, name := range []string{session.RecordName, session.PageName, session.ObservationsName} {
		if err := os.Remove(filepath.Join(j.Dir(), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	state, err := session.Load(j.Dir())
	if err != nil || state.EpisodeID == "" && len(state.Episodes) == 0 {
		return nil // nothing was summed up
	}
	run, err := capture.ReadRun(ctx, j)
	if err != nil {
		return err
	}
	run.Language, run.Script = e.h.Language(""), state.Script
	requests, _ := capture.Requests(&run)
	of := maps.Clone(state.Episodes)
	if len(of) == 0 && len(requests) > 0 {
		of = map[int64]session.Episode{requests[0].Seq: {ID: state.EpisodeID}}
	}
	for seq, told := range of {
		old, err := sp.Text.Get(ctx, told.ID)
		if errors.Is(err, memory.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := sp.Text.Purge(ctx, old.ID); err != nil {
			return err
		}
		at := slices.IndexFunc(requests, func(q capture.Request) bool { return q.Seq == seq })
		if at < 0 {
			continue
		}
		sum, worth := capture.Episode(&requests[at])
		if !worth {
			continue
		}
		old.Title, old.Content = sum.Title, sum.Text
		if err := sp.Text.Put(context.WithoutCancel(ctx), old); err != nil { // it is nowhere at this moment
			return err
		}
	}
	return nil
}

// purgeStates takes the item out of what sessions know: that it stands in their
// window, what they asked about in its words, and what the guardian saw of it. It notes
// when that was in those whose transcripts may tell the words again.
func (e *Eraser) purgeStates(ctx context.Context, sp *space.Space, p *purge) error {
	words := make(map[string]bool)
	for _, text := range p.texts {
		for _, w := range append(terms.Index(text), terms.Query(text)...) {
			words[w] = true
		}
	}
	tells := func(topic string) bool {
		return slices.ContainsFunc(strings.Fields(topic), func(w string) bool { return words[w] })
	}
	dirs, err := os.ReadDir(sp.Dir.Sessions())
	if err != nil {
		return nil // no sessions
	}
	for _, d := range dirs {
		dir := filepath.Join(sp.Dir.Sessions(), d.Name())
		state, err := session.Load(dir)
		if !d.IsDir() || err != nil {
			continue
		}
		if state.Status != session.Ended {
			p.heldBy(dir) // its client's transcript may, before a hook tells of it
		}
		told := p.sessions[d.Name()]
		if !told && !slices.ContainsFunc(state.BlindTopics, tells) && !slices.ContainsFunc(slices.Collect(maps.Keys(state.Injected)), p.mine) && !p.words.May(state.Guard) {
			continue
		}
		if _, err := session.Update(ctx, dir, &session.Options{Now: e.h.Now, Logger: e.h.Log}, func(st *session.State) error {
			st.BlindTopics = slices.DeleteFunc(st.BlindTopics, tells)
			maps.DeleteFunc(st.Injected, func(id, _ string) bool { return p.mine(id) })
			if told {
				st.Purged = e.h.Now().UTC()
			}
			if p.words.May(st.Guard) {
				st.Guard = nil // what the guardian saw begins afresh
			}
			return nil
		}); err != nil {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
	}
	return nil
}
