package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/store"
	"orihon/memory"
)

// repeat writes n numbered pieces.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// What costs more than its size is worth is left out, named with its file, its
// line and the limit, and what it stands beside is read.
func TestWhatIsTooMuchIsLeftOutAndNamed(t *testing.T) {
	const head = "---\nid: x\ntitle: T\n"
	lists := func(n int, bullets int) string {
		return head + "triggers: [" + repeat(n, "t%d, ") + "]\n---\n" + repeat(bullets, "- Raven %d.\n")
	}
	for _, c := range []struct {
		name, path, text string
		problem          string
		passages         int // of the file, at most; 0 is any number
		bytes            int // of all that its passages say, at most
	}{
		{"300,000 triggers", "shared/x.md", lists(300_000, 1), "larger than 2048 KB", -1, 0},
		{"200,000 triggers", "shared/x.md", lists(200_000, 1), "shared/x.md:6: has 200000 triggers: only the first 1000 count", 1, 50 << 10},
		{"1,000 triggers of 10,000 bullets", "shared/x.md", lists(1000, 10_000), "shared/x.md:6: has 1000 triggers: only the first 2", 10_000, 20 << 20},
		{"an atom of 3 MB", "shared/x.md", head + "---\n" + repeat(60_000, "Paragraph %d says that ravens are black.\n\n"), "what follows is not read: of an atom the first 1024 KB are", 0, 2 << 20},
		{"100,000 bullets", "shared/x.md", head + "---\n" + repeat(100_000, "- b%d\n"), "shared/x.md:20004: is the last of 20000 list items", 20_000, 4 << 20},
		{"a line of 3 MB", "shared/x.md", head + "---\n- " + strings.Repeat("raven ", 500_000) + "\n", "shared/x.md:5: says more than 64 KB in one piece", 1, 66 << 10},
		{"a line of 3 MB without a blank", "shared/x.md", head + "---\n" + strings.Repeat("x", 3<<20) + "\n", "what follows is not read", 0, 2 << 20},
		{"a title of 1 MB", "shared/x.md", "---\nid: x\ntitle: " + strings.Repeat("head ", 200_000) + "\n---\n" + repeat(1000, "- b%d\n"), "has a title of more than 500 characters", 1000, 4 << 20},
		{"a heading of 1 MB", "shared/x.md", head + "---\n# " + strings.Repeat("head ", 190_000) + "\n" + repeat(1000, "- b%d\n"), "", 1000, 4 << 20},
		{"front matter of 1 MB", "shared/x.md", head + repeat(30_000, "key%d: some value that is here\n") + "---\n- Raven.\n", "", 1, 1 << 10},
		{"front matter of 5 MB", "shared/x.md", head + repeat(150_000, "key%d: some value that is here\n") + "---\n- Raven.\n", "shared/x.md: cannot be read: invalid text: its front matter is larger than 2048 KB", -1, 0},
		{"a million lines", "docs/x.md", strings.Repeat("\n", 1_000_000) + "Raven.\n", "extra/docs/x.md:400001: what follows is not read", -1, 0},
		{"deep YAML", "shared/x.md", head + "x: " + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "\n---\n- Raven.\n", "shared/x.md:", 1, 1 << 20},
		{"an alias bomb", "shared/x.md", head + "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + strings.Join(bomb(12), "") + "triggers: *a12\n---\n- Raven.\n", "triggers: want a list", 1, 1 << 10},
		{"a statement of 3 MB", "personal/semantic.jsonl", fmt.Sprintf(`{"v":1,"id":"x","content":%q}`+"\n", strings.Repeat("raven ", 500_000)), "personal/semantic.jsonl:1: says more than 64 KB", 1, 66 << 10},
		{"300,000 triggers of a statement", "personal/semantic.jsonl", `{"v":1,"id":"x","content":"Raven.","triggers":[` + strings.TrimSuffix(repeat(300_000, `"t%d",`), ",") + "]}\n", "personal/semantic.jsonl:1: has 300000 triggers: only the first 1000 count", 1, 50 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openSpace(t)
			s.write("docs/good.md", "Still here, 仍在。\n")
			s.write(c.path, c.text)
			b, problems := s.changes(nil, memory.FullLook)
			n, size, good := 0, 0, false
			for _, p := range b.Put {
				if p.Source == "extra/docs/good.md" {
					good = true
					continue
				}
				n++
				size += len(p.Item.Content) + len(p.Item.Title) + len(p.Heading)
				for _, l := range [][]string{p.Item.Triggers, p.Item.Aliases, p.Item.Metadata.Tags} {
					size += len(strings.Join(l, " "))
				}
			}
			if !good {
				t.Error("the file beside it is not read")
			}
			if c.passages > 0 && (n == 0 || n > c.passages) || c.passages < 0 && n > 0 || size > c.bytes {
				t.Errorf("%d passages that say %d bytes, want at most %d and %d", n, size, c.passages, c.bytes)
			}
			named := false
			for _, p := range problems {
				named = named || strings.Contains(p.String(), c.problem)
				if len(p.String()) > 400 || strings.Contains(p.String(), "\n") {
					t.Errorf("not one short line: %.500q", p.String())
				}
			}
			if c.problem != "" && !named {
				t.Errorf("problems = %.600q, want %q", fmt.Sprint(problems), c.problem)
			}
		})
	}
}

func bomb(n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), i))
	}
	return lines
}

// A sync gives so many files an ID, says how many are left, and the next one
// goes on; meanwhile all of them work.
func TestManyFilesGetTheirIDsByAndBy(t *testing.T) {
	s := openSpace(t)
	const n = 2*store.MaxNewIDs + 1
	for i := range n {
		s.write(fmt.Sprintf("shared/n%d.md", i), "---\nkind: semantic\n---\n- Raven.\n")
	}
	x := newIndex()
	with := func() (given int) {
		files, _ := filepath.Glob(filepath.Join(s.dir, "shared", "*.md"))
		for _, f := range files {
			if strings.Contains(s.read("shared/"+filepath.Base(f)), "\nid: ") || strings.HasPrefix(s.read("shared/"+filepath.Base(f)), "---\nid: ") {
				given++
			}
		}
		return given
	}
	for round, want := range []int{store.MaxNewIDs, 2 * store.MaxNewIDs, n, n} {
		problems := s.sync(x, memory.FullLook)
		if got := with(); got != want {
			t.Errorf("sync %d: %d files have an id, want %d", round, got, want)
		}
		if len(x.passages) != n {
			t.Errorf("sync %d: %d passages, want %d", round, len(x.passages), n)
		}
		if left := n - want; left > 0 != (len(problems) == 1 && strings.Contains(problems[0].Text, fmt.Sprint(left, " files have no id yet"))) {
			t.Errorf("sync %d: problems %v", round, problems)
		}
	}
}

// A prompt does not wait for a ledger that has grown beyond measure: the latest
// of it is searched, what is indexed stays, and the next sync reads it all.
func TestQuickReadsTheLatestOfALongLedger(t *testing.T) {
	line := func(i int) string {
		return fmt.Sprintf(`{"v":1,"id":"i%d","content":"Raven number %d nests here.","metadata":{"confidence":0.9}}`+"\n", i, i)
	}
	for _, rewritten := range []bool{false, true} {
		s := openSpace(t)
		s.write("personal/semantic.jsonl", line(0))
		x := newIndex()
		s.sync(x, memory.FullLook)
		var b strings.Builder
		for i := range 50_000 {
			if i > 0 || !rewritten {
				b.WriteString(line(i))
			}
		}
		s.write("personal/semantic.jsonl", b.String())
		got, problems := s.changes(x.known(), memory.QuickLook)
		if len(got.Put) == 0 || len(got.Put) > 10_000 || got.Put[len(got.Put)-1].ID != "i49999" {
			t.Errorf("%d passages, want the latest", len(got.Put))
		}
		if len(got.Gone)+len(got.Replace)+len(got.Files) > 0 {
			t.Errorf("gone %v, replaced %v, read %v: what is indexed is given up", got.Gone, got.Replace, got.Files)
		}
		if len(problems) != 1 || !problems[0].Later || !strings.HasPrefix(problems[0].String(), "personal/semantic.jsonl: has grown by more than 512 KB") {
			t.Errorf("problems = %v", problems)
		}
		if b, _ := s.changes(x.known(), memory.FullLook); len(b.Put) < 49_999 {
			t.Errorf("a full look puts %d", len(b.Put))
		}
	}
}
