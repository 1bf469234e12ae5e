package follow

import (
	"context"

	"orihon/instincts"
	"orihon/internal/activity"
	"orihon/internal/recall"
	"orihon/internal/session"
	"orihon/journal"
	"orihon/memory"
)

// Habits that were learned come back where their trigger fits; new ones are looked for
// behind the session.

// enoughUnmined is after how many calls habits are looked for again.
const enoughUnmined = 20

// learnHabits looks for habits in all that was done.
func (s *Session) learnHabits(ctx context.Context) error {
	if !s.v.Config.Capture.Enabled || !s.v.Config.Capture.Habits {
		return nil
	}
	if _, err := instincts.New(s.v.Home).Learn(ctx); err != nil {
		return err
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
func fitting(d *recall.Doing, call *activity.Action) *instincts.Doing {
	out := &instincts.Doing{Commands: d.Commands, Files: d.Files, Error: d.Error}
	if call.Command != "" && len(out.Commands) == 0 {
		for i := range call.Line().Commands {
			out.Commands = append(out.Commands, call.Line().Commands[i].Words)
		}
	}
	return out
}
