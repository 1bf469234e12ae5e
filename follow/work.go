package follow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/home"
	"orihon/internal/jsonl"
	"orihon/internal/memoryindex"
	"orihon/internal/session"
	"orihon/internal/store"
	"orihon/internal/wording"
	"orihon/items"
	"orihon/journal"
	"orihon/memory"
	"orihon/runs"
)

// workLockPath is the lock of whoever does what a session has left for later.
func workLockPath(session string) string { return filepath.Join(session, ".work.lock") }

// ImportedWork is what a session leaves that another program kept: its facts are
// old and may hold no longer, so that it is summed up and no more. Habits are looked for
// in all sessions at once: behind the last of many is enough.
func ImportedWork(last bool) []string {
	if !last {
		return []string{workEpisode}
	}
	return []string{workEpisode, workHabits}
}

// Pending lists the work left for [Session.Work].
func (s *Session) Pending() []string { return s.state.Pending }

// TranscriptEntry is something a transcript tells that a hook may have told before.
type TranscriptEntry struct {
	At     time.Time
	Prompt string // the client's name for the prompt it belongs to
	ID     string // the client's name for the message
	User   bool   // said by the user, else by the agent
	Text   string
	// Interim is said between tool calls and is no answer.
	Interim bool
	// Action is a tool call; the fields above but At are then unused.
	Action *Action
	Open   bool // nothing is known of what came of the action
}

// Elsewhere reports whether a folder is there and belongs to another project than
// the session's: what was said in it is not this project's to know.
func (s *Session) Elsewhere(folder string) bool { return s.v.Elsewhere(folder) }

// Tell notes what a transcript tells; what the journal knows already, by
// whatever way, is passed over.
func (s *Session) Tell(ctx context.Context, told ...TranscriptEntry) error {
	if !s.v.Config.Capture.Enabled {
		return nil
	}
	told, err := s.newly(ctx, told)
	if err != nil {
		return err
	}
	var events []journal.Event
	add := func(at time.Time, t journal.Type, id string, payload any) error {
		e, err := journal.New(t, id, payload)
		e.TS = at
		events = append(events, e)
		return err
	}
	last, _ := s.log.Last()
	before := s.said(ctx, 1, last+1, mostBefore)
	for _, t := range told {
		var err error
		text := wording.WithoutInjected(t.Text)
		if t.User {
			text = s.cleanBehind(text, before...)
		} else {
			text = s.clean(text)
		}
		if text != "" {
			before = append(before, text)[max(0, len(before)+1-mostBefore):]
		}
		switch {
		case t.Action != nil:
			a := *t.Action
			a.Output = s.output(&a)
			a.Input, _ = s.v.Redactor.Call(a.Input)
			err = add(t.At, journal.ActionRequest, a.ID, journal.Action{Tool: a.Tool, Input: a.Input})
			if !t.Open {
				err = errors.Join(err, add(t.At, journal.ActionResult, a.ID, journal.Result{Tool: a.Tool, Output: a.Output, Error: a.Error}))
			}
		case text == "":
		case t.User:
			err = add(t.At, journal.UserMessage, t.Prompt, journal.Message{Role: journal.RoleUser, Text: text})
		case t.Interim:
			err = add(t.At, journal.Thought, t.ID, journal.Message{Role: journal.RoleAssistant, Text: text})
		default:
			id := "" // the words name it
			if t.Prompt != "" {
				id = journal.AnswerID(t.Prompt, text)
			}
			err = add(t.At, journal.AssistantMessage, id, journal.Message{Role: journal.RoleAssistant, Text: text})
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", s.start.ID, err)
		}
	}
	events = home.Withhold(s.v.CleanEvents(events))
	telling, err := s.log.Telling(ctx)
	if err != nil {
		return err
	}
	for i := range events {
		telling.Name(&events[i])
	}
	appended, err := s.log.AppendExact(ctx, events...)
	if err != nil || len(appended) == 0 {
		return err
	}
	// Another process may have done the end's work before this was told.
	return s.quietly(ctx, func(st *session.State) {
		if st.Status == session.Ended {
			st.Later(s.sessions().endWork()...)
		}
	})
}

// newly leaves out what a transcript tells of the time before the session was forked or
// something was purged: hooks have told it, and some of it may be what was purged.
func (s *Session) newly(ctx context.Context, told []TranscriptEntry) ([]TranscriptEntry, error) {
	state, err := session.Load(s.dir)
	if err != nil {
		return nil, err
	}
	since := state.Purged
	for e, err := range s.log.Events(ctx, 1) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var run journal.Run
		if err != nil || e.Type != journal.RunStarted || s.log.Decode(e, &run) != nil {
			continue // doctor tells of what is broken
		}
		if run.Source == "fork" && e.TS.After(since) {
			since = e.TS
		}
		break
	}
	return slices.DeleteFunc(slices.Clone(told), func(t TranscriptEntry) bool { return !t.At.IsZero() && t.At.Before(since) }), nil
}

// Heard is how far the client's transcript was read for [Session.Hear], in bytes.
func (s *Session) Heard() int64 { return s.state.HeardOffset }

// Hear notes what the agent said between its calls, which no hook tells, before the
// answer behind them is noted; what else is told is passed over. The transcript is read
// up to an offset by then.
func (s *Session) Hear(ctx context.Context, upTo int64, told ...TranscriptEntry) error {
	if !s.v.Config.Capture.Enabled {
		return nil
	}
	told, err := s.newly(ctx, told)
	if err != nil {
		return err
	}
	var events []journal.Event
	for _, t := range told {
		text := s.clean(wording.WithoutInjected(t.Text))
		if !t.Interim || text == "" {
			continue
		}
		e, err := journal.New(journal.Thought, t.ID, journal.Message{Role: journal.RoleAssistant, Text: text})
		if err != nil {
			return err
		}
		e.TS = t.At
		events = append(events, e)
	}
	if err := s.record(ctx, events...); err != nil {
		return err
	}
	return s.quietly(ctx, func(st *session.State) { st.HeardOffset = upTo })
}

// Sweep ends the sessions that nobody will end, since their process is gone, and
// removes those in which nothing is.
func (f *Sessions) Sweep(ctx context.Context) (ended, removed []string, err error) {
	swept, err := session.Sweep(ctx, f.v.Project.Sessions(), f.options())
	return swept.Ended, swept.Removed, err
}

// Work does what the sessions of this project have left for later. Those that
// nobody will end, since their process was killed, are ended first.
func (f *Sessions) Work(ctx context.Context) error {
	_, _, err := f.work(ctx, allWork, false)
	return err
}

// work does the named work of all sessions. With waits, it waits for processes that are
// at it, instead of leaving it to them. It reports whether any was there to do and
// whether the last that was done is a sync.
func (f *Sessions) work(ctx context.Context, named []string, waits bool) (did, synced bool, _ error) {
	_, _, failed := f.Sweep(ctx)
	dirs, err := os.ReadDir(f.v.Project.Sessions())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, false, err
	}
	learned := false
	for _, d := range dirs {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		dir := filepath.Join(f.v.Project.Sessions(), d.Name())
		state, err := session.LoadHead(dir)
		if err != nil || !slices.ContainsFunc(state.Pending, func(w string) bool { return slices.Contains(named, w) }) {
			continue
		}
		s, err := f.Open(ctx, state.ID, Client{Name: state.Client, CWD: state.CWD, Branch: state.Branch})
		if err == nil {
			s.learned = &learned
			var any bool
			any, err = s.work(ctx, named, waits)
			did, synced = did || any, s.synced
		}
		if _, gone := session.LoadHead(dir); err != nil && errors.Is(gone, memory.ErrNotFound) {
			continue // another process has removed it meanwhile, with what it left
		}
		failed = errors.Join(failed, err)
	}
	failed = errors.Join(failed, f.compress(ctx), items.New(f.v.Home).SweepDue(ctx))
	if f.v.Config.MemoryIndex.Auto {
		changed, err := memoryindex.Update(ctx, f.v, false)
		failed = errors.Join(failed, err)
		synced = synced && len(changed) == 0
	}
	return did, synced && failed == nil, failed
}

// Work does what the session left for later: the daily log, the episode, habits, the
// sync. Another process that is at it makes Work return at once. What fails is
// left for the next time.
func (s *Session) Work(ctx context.Context) error {
	_, err := s.work(ctx, allWork, false)
	return err
}

// work does what of the named work the session left, and reports whether any was there.
func (s *Session) work(ctx context.Context, named []string, waits bool) (did bool, _ error) {
	for {
		var unlock func()
		var err error
		free := true
		if waits {
			unlock, err = jsonl.Lock(ctx, workLockPath(s.dir))
		} else {
			unlock, free, err = jsonl.TryLock(workLockPath(s.dir))
		}
		if err != nil || !free {
			return did, err
		}
		release := session.Hold(workLockPath(s.dir))
		more, err := s.workLocked(ctx, named)
		release()
		unlock()
		s.learned = nil // what was left since then was not looked at
		// Who left more work after the last step may have found the lock taken
		// and gone away: it is looked for again once the lock is free.
		did = did || more
		if err != nil || !more {
			return did, err
		}
	}
}

// Flush keeps what a session that goes on has said and done so far, before its window
// loses it: what was stated, an episode of each request, and what failed.
func (s *Session) Flush(ctx context.Context) error {
	if err := s.update(ctx, func(st *session.State) { st.Later(s.sessions().flushWork()...) }); err != nil {
		return err
	}
	return s.Work(ctx)
}

// workLocked does what is pending of the named work once, and reports whether anything
// was.
func (s *Session) workLocked(ctx context.Context, named []string) (did bool, err error) {
	if s.state, err = session.Load(s.dir); err != nil {
		return false, err
	}
	var failed error
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{workUse, s.judge},
		{workLog, s.writeLog},
		{workNotice, func(ctx context.Context) error { _, err := s.notice(ctx, 0); return err }},
		{workEpisode, s.sumUp},
		{workStyle, s.learnStyle},
		{workHabits, s.learnHabits},
		{workSync, func(ctx context.Context) error {
			_, err := s.v.Sync(ctx)
			return errors.Join(err, s.sessions().nameDocuments(ctx))
		}},
		{workExtract, s.extract},
		{workPhrases, s.phraseOwn},
		{workEverywhere, s.proposeEverywhere},
	} {
		if !slices.Contains(s.state.Pending, step.name) || !slices.Contains(named, step.name) {
			continue
		}
		did, s.synced = true, step.name == workSync
		before := s.size()
		if err := step.do(ctx); err != nil {
			failed = errors.Join(failed, fmt.Errorf("session %s: %s: %w", s.start.ID, step.name, err))
			continue
		}
		if err := s.quietly(ctx, func(st *session.State) {
			if st.Status == session.Ended && s.size() != before {
				return // more was told of it meanwhile, and nobody comes after the end
			}
			st.Pending = slices.DeleteFunc(st.Pending, func(w string) bool { return w == step.name })
		}); err != nil {
			return did, errors.Join(failed, err)
		}
	}
	if did && s.state.Status != session.Ended {
		if err := s.onRun(ctx, (*runs.Run).PrepareFolds); err != nil {
			s.v.Log.Warn("session: no folds prepared", "session", s.start.ID, "err", err)
		}
	}
	if did && s.keepsOverview() {
		if err := s.onRun(ctx, func(r *runs.Run, ctx context.Context) error { return s.tellMessages(ctx, r) }); err != nil {
			s.v.Log.Warn("session: messages not told", "session", s.start.ID, "err", err)
		}
	}
	return did, failed
}

// size is that of the journal, in bytes; 0 when it cannot be told.
func (s *Session) size() int64 {
	info, err := journal.Stat(s.dir)
	if err != nil {
		return 0
	}
	return info.Size()
}

// writeLog adds what was said since the last time to the daily log.
func (s *Session) writeLog(ctx context.Context) error {
	if !s.v.Config.Capture.Enabled || !s.v.Config.Capture.DailyLog {
		return nil
	}
	turns, next, err := s.log.Turns(ctx, s.state.LoggedOffset)
	if err != nil || len(turns) == 0 {
		return err
	}
	log := make([]store.LogTurn, len(turns))
	for i, t := range turns {
		log[i] = store.LogTurn{User: t.Role == journal.RoleUser, Text: t.Text}
	}
	at := turns[0].TS.In(s.v.Now().Location())
	if err := s.v.Personal.Text.AppendLog(ctx, at, s.start.ID, log); err != nil {
		return err
	}
	return s.quietly(ctx, func(st *session.State) { st.LoggedOffset = next })
}
