package habit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/habit"
	"orihon/memory"
)

var day = time.Date(2026, 3, 2, 9, 10, 0, 0, time.UTC)

func pnpm() habit.Instinct {
	return habit.Instinct{
		ID: "prefer-pnpm-3f2a", Trigger: "when installing packages: any", Action: "Use pnpm, not npm.\n\n用 pnpm。", Domain: "packages",
		Kind: habit.Preference, Source: habit.Observed, Confidence: 0.6, Created: day,
		Evidence: []habit.Evidence{
			{At: day, Session: "5d3c", Turn: 14, Text: "pnpm add zod"},
			{At: day.Add(time.Hour), Session: "a/b [c] 日", Turn: 6, Text: "pnpm install"},
		},
		Against: []habit.Evidence{{At: day.Add(2 * time.Hour), Session: "99", Turn: 3, Text: "npm again, please"}},
		Notes:   "## Mine\n\nAsk Lee.",
	}
}

func TestAnInstinctIsReadAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "instincts", "prefer-pnpm-3f2a.md")
	for _, trigger := range []string{"when installing", "yes", "1.5", "a: b # c", `"quoted"`, "- list", "&anchor", "寫測試時", strings.Repeat("long ", 59) + "word"} {
		want := pnpm()
		want.Trigger = trigger
		if err := habit.Write(path, &want); err != nil {
			t.Fatal(err)
		}
		got, err := habit.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", trigger, diff)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestTheFileOfTheDescriptionIsRead(t *testing.T) {
	in, line, err := habit.Parse([]byte("---\nid: a\ntrigger: when x\nconfidence: 0.5\ndomain: git\nsource: observed\ncreated_at: 2026-03-02T09:10:00Z\nevidence_count: 9\n---\r\n## Action\nDo y.\n"))
	if err != nil || in.Action != "Do y." || len(in.Evidence) != 0 {
		t.Errorf("%d: %v %+v", line, err, in)
	}
}

func TestABadFileIsRefusedByLine(t *testing.T) {
	front := "---\nid: a\ntrigger: when x\nconfidence: 0.5\n"
	good := front + "---\n## Action\ndo y\n"
	for name, tt := range map[string]struct {
		text string
		line int
		want string
	}{
		"no front matter":     {"## Action\n", 1, "no front matter"},
		"not closed":          {front, 1, "not closed"},
		"an anchor":           {"---\nid: &a a\ntrigger: *a\nconfidence: 0.5\n---\n", 2, "plain value"},
		"an alias":            {"---\nid: a\ntrigger: [x, y]\nconfidence: 0.5\n---\n", 3, "plain value"},
		"a key twice":         {front + "id: b\n---\n", 5, "twice"},
		"unknown key":         {front + "run: rm\n---\n", 5, "unknown key"},
		"a path as id":        {strings.Replace(good, "id: a", "id: ../../x", 1), 0, "small letters"},
		"a number too large":  {strings.Replace(good, "0.5", "7", 1), 0, "outside 0..1"},
		"no number":           {strings.Replace(good, "0.5", "sure", 1), 4, "want a number"},
		"NaN":                 {strings.Replace(good, "0.5", "NaN", 1), 0, "outside 0..1"},
		"no action":           {front + "---\n", 0, "no action"},
		"a broken time":       {front + "created_at: today\n---\n", 5, "want a time"},
		"broken evidence":     {good + "## Evidence\n- today: x\n", 9, "no evidence"},
		"a turn below zero":   {good + "## Evidence\n- 2026-03-02T09:10:00Z [a/-1] x\n", 9, "no evidence"},
		"no UTF-8":            {good + "\xff", 1, "UTF-8"},
		"a NUL":               {good + "\x00", 7 + 1, "NUL"},
		"too large":           {good + strings.Repeat("x", 1<<20), 1, "larger"},
		"a large front":       {front + "domain: " + strings.Repeat("x", 17<<10) + "\n---\n", 1, "larger"},
		"unknown kind":        {front + "kind: spell\n---\n## Action\nx", 0, "want correction"},
		"too much evidence":   {good + "## Evidence\n" + strings.Repeat("- 2026-03-02T09:10:00Z [a/1] x\n", 201), 1, "more than 200"},
		"a trigger of a page": {strings.Replace(good, "when x", strings.Repeat("x", 301), 1), 0, "longer"},
	} {
		_, line, err := habit.Parse([]byte(tt.text))
		if err == nil || line != tt.line || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: line %d, %v; want line %d, %q", name, line, err, tt.line, tt.want)
		}
	}
}

func TestAStoreListsTheSurestFirstAndForgets(t *testing.T) {
	s := habit.Open(filepath.Join(t.TempDir(), "instincts"))
	if all, problems, err := s.List(); err != nil || len(all)+len(problems) != 0 {
		t.Fatalf("%v %v %v", all, problems, err)
	}
	weak, sure := pnpm(), pnpm()
	sure.ID, sure.Confidence = "prefer-rg", 0.8
	for _, in := range []*habit.Instinct{&weak, &sure} {
		if err := s.Put(in); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(s.Path("broken"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, problems, err := s.List()
	if err != nil || len(all) != 2 || all[0].ID != "prefer-rg" || len(problems) != 1 || !strings.Contains(problems[0].Text, "front matter") {
		t.Fatalf("%v %v %v", all, problems, err)
	}
	if _, err := s.Get("prefer"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("an ambiguous ID gave %v", err)
	}
	if err := s.Forget("prefer-p"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(weak.ID); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("what was forgotten gave %v", err)
	}
	if gone, err := s.Forgotten(); err != nil || len(gone) != 1 || gone[0].ID != weak.ID {
		t.Errorf("forgotten: %v %v", gone, err)
	}
}

func TestEvidenceIsKeptOnce(t *testing.T) {
	in := pnpm()
	early := habit.Evidence{At: day.Add(-time.Hour), Session: "0", Turn: 1, Text: "pnpm i"}
	if n := in.Seen(in.Evidence[0], early, early); n != 1 || in.Evidence[0] != early || len(in.Evidence) != 3 {
		t.Errorf("%d new: %v", n, in.Evidence)
	}
	for i := range 300 {
		in.Seen(habit.Evidence{At: day.Add(time.Duration(i) * time.Minute), Session: "many", Turn: int64(i + 1)})
	}
	if len(in.Evidence) != habit.MaxEvidence || in.Last() != day.Add(299*time.Minute) {
		t.Errorf("%d kept, last %v", len(in.Evidence), in.Last())
	}
}

func FuzzParse(f *testing.F) {
	in := pnpm()
	f.Add([]byte(in.Markdown()))
	f.Add([]byte("---\nid: a\n---\n## Action\n## Evidence\n- "))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, line, err := habit.Parse(data)
		if line < 0 || err != nil {
			return
		}
		again, _, err := habit.Parse([]byte(in.Markdown()))
		if err != nil {
			t.Fatalf("%v:\n%s", err, in.Markdown())
		}
		if a, b := in.Markdown(), again.Markdown(); a != b {
			t.Fatalf("changed:\n%q\n%q", a, b)
		}
	})
}
