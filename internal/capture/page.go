package capture

import (
	"fmt"
	"strings"
	"time"
)

// Page tells a session as Markdown for people to read: each request with all that
// was done for it. It is in English, as far as it is ours.
func Page(r *Run, all []Request) string {
	var b strings.Builder
	b.WriteString("# What was done")
	if !r.Started.IsZero() {
		b.WriteString(" on " + r.Started.Local().Format(time.DateOnly))
	}
	b.WriteString("\n\n")
	if r.CWD != "" {
		fmt.Fprintf(&b, "Folder: %s", code(r.CWD))
		if r.Branch != "" {
			fmt.Fprintf(&b, ", branch %s", code(r.Branch))
		}
		b.WriteString("\n\n")
	}
	for i := range all {
		all[i].page(&b, i+1)
	}
	return b.String()
}

func (q *Request) page(b *strings.Builder, n int) {
	fmt.Fprintf(b, "## %d. %s\n\n", n, escaped(q.Title))
	if !q.At.IsZero() {
		fmt.Fprintf(b, "%s, %s\n\n", q.At.Local().Format("15:04"), outcomes[q.Outcome])
	}
	fmt.Fprintf(b, "> %s\n\n", escaped(q.Asked))
	section(b, "Changed", touchedLines(q.Changed))
	section(b, "Read", touchedLines(q.Read))
	section(b, "Asked version control", codes(q.VCS))
	var ran []string
	for _, c := range q.Commands {
		if c.Looks {
			continue
		}
		line := code(c.About) + ": " + string(c.Result)
		if c.Check != "" {
			line = string(c.Check) + " " + line
		}
		ran = append(ran, line)
	}
	section(b, "Ran", ran)
	var failed []string
	for i := range q.Failures {
		f := &q.Failures[i]
		line := escaped(f.What)
		if f.Said != "" {
			line += ": " + code(f.Said)
		}
		switch {
		case f.Open:
			line += ", still failing at the end"
		case f.Mended != nil:
			line += ", mended by " + f.Mended.remedy(wordsFor("en"))
		}
		failed = append(failed, line)
	}
	section(b, "Failed", failed)
	section(b, "Committed", escapedAll(q.Commits))
	section(b, "Decided", escapedAll(q.Decisions))
	section(b, "Watch out", escapedAll(q.Warnings))
	if q.Answer != "" {
		b.WriteString("Answer:\n\n")
		for line := range strings.SplitSeq(strings.TrimSpace(q.Answer), "\n") {
			b.WriteString(strings.TrimRight("> "+strings.TrimRight(line, "\r"), " ") + "\n")
		}
		b.WriteString("\n")
	}
}

// outcomes are the outcomes in words.
var outcomes = map[Outcome]string{Done: "done", Answered: "answered, nothing changed", Failing: "something was left failing", Stopped: "broken off"}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n\n", title)
	for _, l := range lines {
		b.WriteString("- " + l + "\n")
	}
	b.WriteString("\n")
}

func touchedLines(files []FileTouched) []string {
	var out []string
	for _, f := range files {
		line := code(f.Name)
		if f.Times > 1 {
			line += fmt.Sprintf(" (%d times)", f.Times)
		}
		out = append(out, line)
	}
	return out
}

// code sets a text as code, however many backticks are in it.
func code(s string) string {
	s = oneLine(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

func codes(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, code(s))
	}
	return out
}

// escaped is a text on one line in which nothing is HTML or a heading.
func escaped(s string) string {
	return strings.NewReplacer("<", "&lt;", "\n", " ").Replace(oneLine(s))
}

func escapedAll(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, escaped(s))
	}
	return out
}
