package capture_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon/internal/activity"
	"orihon/internal/capture"
	"orihon/internal/planted"
	"orihon/journal"
)

var (
	pairsTo   = flag.String("pairs", "", "write the pairs of a failure and what mended it into this folder, for people to judge")
	pairsOf   = flag.String("pairs-of", "", "the journals they are from, as a pattern: HOME/.orihon/projects/*/sessions/*")
	pairsIn   = flag.String("pairs-planted", "../planted/testdata/open", "a folder of sessions in which habits are planted")
	pairsEach = flag.Int("pairs-each", 1, "of the planted ones, take every n-th pair")
)

// TestPairsToJudge lists every pair of a failure and what mended it, with the turns
// around it, so that somebody who knows no code can say of each whether it is right.
// The sessions are those of -pairs-of and those in which habits are planted.
func TestPairsToJudge(t *testing.T) {
	if *pairsTo == "" {
		t.Skip("SKIPPED: without -pairs nothing is listed")
	}
	var all []string
	dirs, err := filepath.Glob(*pairsOf)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		j, err := journal.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := capture.ReadRun(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pairs(filepath.Base(dir), &r)...)
	}
	authors, err := planted.Read(*pairsIn)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, a := range authors {
		for i := range a.Sessions {
			r := plantedRun(&a.Sessions[i])
			for _, p := range pairs(a.Name+"-"+a.Sessions[i].Name, &r) {
				if n++; n%*pairsEach == 0 {
					all = append(all, p)
				}
			}
		}
	}
	if err := os.MkdirAll(*pairsTo, 0o700); err != nil {
		t.Fatal(err)
	}
	const perFile = 20
	for i := 0; i < len(all); i += perFile {
		var b strings.Builder
		for n, p := range all[i:min(i+perFile, len(all))] {
			fmt.Fprintf(&b, "## Pair %d: %s\n", i+n+1, p)
		}
		if err := os.WriteFile(filepath.Join(*pairsTo, fmt.Sprintf("list-%d.md", i/perFile+1)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d pairs", len(all))
}

// plantedRun is a planted session as its journal would tell it. Places are lines of
// its file.
func plantedRun(s *planted.Session) capture.Run {
	r := capture.Run{CWD: s.Project, Branch: s.Branch}
	for i := range s.Lines {
		l := &s.Lines[i]
		switch seq := int64(l.Number); {
		case l.User != "":
			r.Prompts = append(r.Prompts, capture.Said{Seq: seq, Text: l.User})
		case l.Agent != "":
			r.Answers = append(r.Answers, capture.Said{Seq: seq, Text: l.Agent})
		default:
			a := activity.New(l.Tool, l.Input, nil)
			a.Seq, a.Output, a.Done, a.Failed = seq, l.Out, true, !l.OK
			if l.Tool == "Bash" && !l.OK {
				a.Output = "Exit code 1\n" + l.Out
			}
			r.Actions = append(r.Actions, a)
		}
	}
	return r
}

// pairs are those of a run, each with what the program says of it and an excerpt.
func pairs(name string, r *capture.Run) []string {
	all, fixes := capture.Requests(r)
	var out []string
	for i := range fixes {
		f := &fixes[i]
		var b strings.Builder
		fmt.Fprintf(&b, "%s, %d-%d\n\nThe program says: %s\n\n", name, f.Seq, f.Until, f.Pitfall("en"))
		fmt.Fprintf(&b, "- failed: `%s`\n- error: `%s`\n", f.Failed, f.Said)
		fmt.Fprintf(&b, "- mended by %s: `%s`\n", f.How, strings.Join(append(slices.Clone(f.Edited), f.Ran...), "`, `"))
		if f.Change != "" {
			fmt.Fprintf(&b, "- change: `%s`\n", f.Change)
		}
		asked := ""
		for j := range all {
			if all[j].Seq <= f.Seq {
				asked = all[j].Asked
			}
		}
		fmt.Fprintf(&b, "\n```text\nUSER  %s\n", inLines(asked, 1, 220))
		excerpt(&b, r, f)
		b.WriteString("```\n")
		out = append(out, b.String())
	}
	return out
}

// excerpt tells what was done from shortly before a failure to what passed: both whole,
// as far as there is room, and in between edits before other calls.
func excerpt(b *strings.Builder, r *capture.Run, f *capture.Fix) {
	const before, most, room = 2, 40, 22
	from, to := 0, len(r.Actions)
	for i := range r.Actions {
		switch r.Actions[i].Seq {
		case f.Seq:
			from = i
		case f.Until:
			to = i
		}
	}
	between := to - from - 1
	lines := 0
	for i := max(0, from-before); i <= min(to, len(r.Actions)-1); i++ {
		a := &r.Actions[i]
		mark, shown, width := "     ", 1, 160
		switch {
		case i == from:
			mark, shown, width = "FAIL ", 12, 200
		case i == to:
			mark, shown, width = "PASS ", 6, 200
		case i > from && a.Effect() == activity.Editing:
			mark, shown = "edit ", max(2, min(8, room/max(1, between)))
		case between > room && i > from+3 && i < to-room/2:
			continue
		}
		text := told(a, shown, width)
		if lines += strings.Count(text, "\n") + 1; lines > most && i != to {
			continue
		}
		failed := ""
		if a.Failed {
			failed = " (it failed)"
		}
		fmt.Fprintf(b, "%s#%d %s%s\n", mark, a.Seq, text, failed)
	}
}

// told is a call and what came of it, each in some lines.
func told(a *activity.Action, lines, width int) string {
	output := "\n        > " + strings.ReplaceAll(inLines(a.Output, lines, width), "\n", "\n        > ")
	if lines == 1 {
		output = "  => " + inLines(a.Output, 1, 70)
	}
	switch {
	case a.Command != "":
		return "$ " + strings.ReplaceAll(inLines(a.Command, max(1, lines/3), width), "\n", "\n        ") + output
	case a.Effect() == activity.Editing:
		text := a.Tool + " " + strings.Join(a.Files, " ")
		for i, s := range []string{a.Replaced(), a.Written()} {
			if strings.TrimSpace(s) != "" {
				sign := "\n        " + "-+"[i:i+1] + " "
				text += sign + strings.ReplaceAll(inLines(s, lines, width), "\n", sign)
			}
		}
		return text
	case len(a.Files) > 0:
		return a.Tool + " " + strings.Join(a.Files, " ")
	}
	return a.Tool + " " + inLines(a.Telling(), 1, width) + output
}

// inLines is a text in at most some lines of some width: of more, the first and the last.
func inLines(s string, most, width int) string {
	all := strings.Split(strings.TrimSpace(s), "\n")
	if most == 1 {
		all = []string{strings.Join(strings.Fields(s), " ")}
	}
	if len(all) > most {
		head := (most + 1) / 2
		all = append(append(all[:head:head], "…"), all[len(all)-(most-head):]...)
	}
	for i, l := range all {
		if runes := []rune(strings.ToValidUTF8(strings.TrimRight(l, "\r"), "")); len(runes) > width {
			l = string(runes[:width]) + "…"
		}
		all[i] = strings.ReplaceAll(l, "```", "'''")
	}
	return strings.Join(all, "\n")
}
