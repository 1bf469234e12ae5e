package follow

import (
	"context"
	"crypto/sha256"
	"fmt"

	"orihon/instincts"
	"orihon/internal/activity"
	"orihon/internal/advice"
	"orihon/internal/learn"
	"orihon/internal/session"
	"orihon/items"
	"orihon/journal"
	"orihon/memory"
)

// Habits that were learned come back where their trigger fits; new ones are looked for
// behind the session.

// enoughUnmined is after how many calls habits are looked for again.
const enoughUnmined = 20

// learnHabits looks for habits in all that was done, in this session and the others.
func (s *Session) learnHabits(ctx context.Context) error {
	if !s.v.Config.Capture.Enabled || !s.v.Config.Capture.Habits {
		return nil
	}
	if s.learned == nil || !*s.learned {
		if _, err := instincts.New(s.v.Home).Learn(ctx); err != nil {
			return err
		}
		if err := s.shareHabits(ctx); err != nil {
			return err
		}
		if s.learned != nil {
			*s.learned = true
		}
	}
	return s.quietly(ctx, func(st *session.State) { st.Unmined = 0 })
}

// habits are those that fit what is asked or done and do not stand in the window yet.
func (s *Session) habits(d *instincts.Doing, agent string) []memory.Habit {
	if !s.v.Config.Capture.Habits {
		return nil
	}
	all, err := instincts.New(s.v.Home).Fitting(d)
	return s.fresh(all, err, agent)
}

// standing habits apply by themselves from a session's beginning.
func (s *Session) standingHabits() []memory.Habit {
	if !s.v.Config.Capture.Habits {
		return nil
	}
	all, err := instincts.New(s.v.Home).Standing()
	return s.fresh(all, err, "")
}

func (s *Session) fresh(all []memory.Habit, err error, agent string) []memory.Habit {
	if err != nil {
		s.v.Log.Warn("session: habits left out", "session", s.start.ID, "err", err)
		return nil
	}
	var out []memory.Habit
	for _, h := range all {
		if !s.state.Seen(session.InWindow(agent, habitID(&h)), journal.Digest(h.Text)) {
			out = append(out, h)
		}
	}
	return out
}

// habitID is what a habit is known by among what stands in the window.
func habitID(h *memory.Habit) string { return "instinct " + h.ID }

// habitHashes are those of habits, as of passages.
func habitHashes(habits []memory.Habit) map[string]string {
	out := make(map[string]string, len(habits))
	for i := range habits {
		out[habitID(&habits[i])] = journal.Digest(habits[i].Text)
	}
	return out
}

// fitting is what a trigger may fit of a call that is about to run, or failed.
func fitting(d *advice.Doing, call *activity.Action) *instincts.Doing {
	out := &instincts.Doing{Commands: d.Commands, Files: d.Files, Error: d.Error}
	if call.Command != "" && len(out.Commands) == 0 {
		for i := range call.Line().Commands {
			out.Commands = append(out.Commands, call.Line().Commands[i].Words)
		}
	}
	return out
}

// What a habit takes to be kept by memory as well, as a procedure.
const (
	procedureFrom = memory.CertainConfidence
	procedureSeen = 10
	habitTag      = "instinct"
)

// noHabit is why a procedure is taken out whose habit is seen no more, or is only a guess.
const noHabit = "the habit is seen no more"

// shareHabits brings memory and habits in line: what is near-certain and was seen often
// is kept as a procedure, too, and is seen again there when it is seen again here; what
// became of the procedure since holds for the habit, and it goes when the habit does.
func (s *Session) shareHabits(ctx context.Context) error {
	known := instincts.New(s.v.Home)
	all, problems, err := known.List()
	if err != nil {
		return err
	}
	if len(problems) == 0 {
		if err := s.dropProcedures(ctx, all); err != nil {
			return err
		}
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = procedureID(all[i].ID)
	}
	procedures, err := items.New(s.v.Home).Some(ctx, ids...)
	if err != nil {
		return err
	}
	var statements []learn.Statement
	for i := range all {
		in := &all[i]
		id := ids[i]
		old, there := procedures[id]
		switch {
		case there && old.Retired && old.Reason == noHabit:
			if in.Confidence < procedureFrom || len(in.Evidence) < procedureSeen {
				continue
			}
			if _, err := items.New(s.v.Home).Restore(ctx, id); err != nil {
				return err
			}
		case there && old.Retired && !old.Archived:
			if _, err := known.Forget(ctx, in.ID); err != nil { // a person forgot it
				return err
			}
			continue
		case there && old.Item.Metadata.Confidence < in.Confidence-memory.SeenAgain && len(in.Evidence) <= len(old.Item.Metadata.Evidence):
			// A person or a contradiction said otherwise: it has to be seen again.
			if err := known.Believe(ctx, in.ID, old.Item.Metadata.Confidence); err != nil {
				return err
			}
			continue
		case there && len(in.Evidence) <= len(old.Item.Metadata.Evidence):
			continue
		case !there && (in.Confidence < procedureFrom || len(in.Evidence) < procedureSeen):
			continue
		}
		st := learn.Statement{
			ID: id, Text: instincts.Sentence(in.Trigger, in.Action), Kind: memory.Procedural, Topic: memory.Procedure, Tags: []string{habitTag},
			Source: memory.FromSystem, Session: s.start.ID, Confidence: in.Confidence,
		}
		for k := range in.Evidence {
			st.Evidence = append(st.Evidence, in.Evidence[k].Place())
		}
		statements = append(statements, st)
	}
	if len(statements) == 0 {
		return nil
	}
	_, err = s.v.RememberAll(ctx, statements)
	return err
}

// dropProcedures takes out the procedures of habits that are seen no more or are only
// guesses: what they quote may be what the user has forgotten since.
func (s *Session) dropProcedures(ctx context.Context, habits []instincts.Instinct) error {
	holds := make(map[string]bool)
	for i := range habits {
		holds[procedureID(habits[i].ID)] = habits[i].Confidence >= memory.InjectConfidence
	}
	known := items.New(s.v.Home)
	all, err := known.List(ctx, memory.Filter{Kinds: []memory.Kind{memory.Procedural}, Tags: []string{habitTag}})
	if err != nil {
		return err
	}
	for i := range all {
		if it := &all[i].Item; it.Metadata.Source == memory.FromSystem && !holds[it.ID] {
			if _, err := known.Forget(ctx, it.ID, noHabit); err != nil {
				return err
			}
		}
	}
	return nil
}

// procedureID names the procedure of a habit.
func procedureID(habit string) string {
	sum := sha256.Sum256([]byte("instinct\x00" + habit))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of one's own making
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
