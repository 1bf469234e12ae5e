package follow

import (
	"fmt"
	"strings"
	"time"

	"orihon/internal/capture"
)

// Lines tell of an error and what was done about it, as plain text.
func (m *Met) Lines() []string {
	out := []string{fmt.Sprintf("%s: %s", m.What, m.Said)}
	switch {
	case m.Helped != nil:
		out = append(out, "  helped: "+remedy(m.Helped))
		if m.Helped.Change != "" {
			out = append(out, "  change: "+m.Helped.Change)
		}
	case m.Open:
		out = append(out, "  nothing helped before its request ended")
	default:
		out = append(out, "  it passed later; what helped is not known")
	}
	for _, c := range m.Tried {
		out = append(out, fmt.Sprintf("  run after it: `%s`: %s", c.About, c.Result))
	}
	if s := staleness(m.Changed, m.Gone); s != "" {
		out = append(out, "  "+s)
	}
	return append(out, "  "+origin(m.At, m.Request, m.Session))
}

func remedy(f *capture.Fix) string {
	switch f.How {
	case capture.ByEdit:
		return "editing " + strings.Join(f.Edited, ", ")
	case capture.ByRewrite:
		return "writing it as `" + strings.Join(f.Ran, "`, `") + "`"
	}
	return "running `" + strings.Join(f.Ran, "`, `") + "`"
}

func staleness(changed, gone []string) string {
	var out []string
	if len(changed) > 0 {
		out = append(out, "written since: "+strings.Join(changed, ", "))
	}
	if len(gone) > 0 {
		out = append(out, "not there now: "+strings.Join(gone, ", "))
	}
	return strings.Join(out, "; ")
}

func origin(at time.Time, request, session string) string {
	text := "session " + session
	if !at.IsZero() {
		text = at.Local().Format(time.DateOnly) + ", " + text
	}
	if request != "" {
		text += ": " + request
	}
	return text
}

// Lines tell of a command that worked, as plain text.
func (w *Works) Lines() []string {
	count := fmt.Sprintf("worked %s", times(w.Worked))
	if w.Failed > 0 {
		count += fmt.Sprintf(", failed %s", times(w.Failed))
	}
	return []string{w.Command, "  " + count + "; last " + origin(w.Last, w.For, w.Session)}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Lines tell what is known of a file, as plain text.
func (b *Blamed) Lines() []string {
	var out []string
	switch {
	case b.Gone:
		out = append(out, b.Path+" is not there now")
	case b.Changed:
		out = append(out, b.Path+" was written since the last of these")
	}
	for _, t := range b.Touches {
		out = append(out, fmt.Sprintf("%s (%s, edited %s)", origin(t.At, t.Request, t.Session), t.Outcome, times(t.Times)))
		if t.File != b.Path {
			out = append(out, "  file: "+t.File)
		}
		for _, c := range t.Commits {
			out = append(out, "  committed: "+c)
		}
		for _, d := range t.Decided {
			out = append(out, "  decided: "+d)
		}
	}
	for i := range b.Fixes {
		f := &b.Fixes[i]
		out = append(out, fmt.Sprintf("fixed: `%s`: %s; by %s", f.Failed, f.Said, remedy(f)))
	}
	for i := range b.Decisions {
		out = append(out, "known: "+strings.Join(strings.Fields(b.Decisions[i].Content), " "))
	}
	return out
}

// Lines tell of a score, as plain text; of a part that is not known, nothing.
func (s *Score) Lines() []string {
	out := fmt.Sprintf("quality %.2f", s.Quality)
	for _, p := range []struct {
		name  string
		value *float64
	}{{"density", s.Density}, {"precision", s.Precision}, {"novelty", s.Novelty}, {"cost", s.Cost}, {"trust", s.Trust}} {
		if p.value != nil {
			out += fmt.Sprintf(", %s %.2f", p.name, *p.value)
		}
	}
	return []string{out, fmt.Sprintf("  captured %d, known already %d", s.Captured, s.Known), "  " + origin(s.At, s.Title, s.Session)}
}
