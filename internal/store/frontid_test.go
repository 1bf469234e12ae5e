package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orihon/internal/store"
	"orihon/memory"
)

// onlyAnID reports whether after is before with something put in, in the place
// of nothing or of an empty value.
func onlyAnID(before, after []byte) bool {
	n := 0
	for n < len(before) && n < len(after) && before[n] == after[n] {
		n++
	}
	before, after = before[n:], after[n:]
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return len(after) > 0 && bytes.Count(after, []byte("\n")) <= 1 &&
		slices.Contains([]string{"", "~", `""`, "''", "null", "Null", "NULL"}, string(before))
}

// An ID joins the front matter as somebody wrote it: with it, every key says
// what it said, and no other byte has changed.
func TestAnIDChangesNothingElseInTheFrontMatter(t *testing.T) {
	for _, c := range []struct{ name, front, want string }{
		{"flat", "kind: semantic\n", "id: ID\nkind: semantic\n"},
		{"all indented", "  kind: semantic\n  title: Two\n", "  id: ID\n  kind: semantic\n  title: Two\n"},
		{"indented below a comment", "# head\n\n    kind: semantic # c\n    title: |\n      id:\n", "    id: ID\n# head\n\n    kind: semantic # c\n    title: |\n      id:\n"},
		{"an id within a block", "kind: semantic\ntitle: >-\n  a\n  id:\n  b\n", "id: ID\nkind: semantic\ntitle: >-\n  a\n  id:\n  b\n"},
		{"an id within a map", "kind: semantic\nby:\n  id:\n  x: y\n", "id: ID\nkind: semantic\nby:\n  id:\n  x: y\n"},
		{"flow", "{kind: semantic, title: flow}\n", "{id: ID, kind: semantic, title: flow}\n"},
		{"flow over lines", "{\n  kind: semantic\n}\n", "{id: ID, \n  kind: semantic\n}\n"},
		{"a tag before the keys", "!!map\n  kind: semantic\n", "!!map\n  id: ID\n  kind: semantic\n"},
		{"an anchor before the keys", "&all\nkind: semantic\ntags: &t [a]\naliases: *t\n", "&all\nid: ID\nkind: semantic\ntags: &t [a]\naliases: *t\n"},
		{"a key with a question mark", "? kind\n: semantic\n", "id: ID\n? kind\n: semantic\n"},
		{"quoted keys", "\"kind\": semantic\n'title': T\n", "id: ID\n\"kind\": semantic\n'title': T\n"},
		{"an empty id", "kind: semantic\nid:\n", "kind: semantic\nid: ID\n"},
		{"an empty id with blanks", "  kind: semantic\n  id:  \t\n", "  kind: semantic\n  id: ID  \t\n"},
		{"an empty id with a comment", "id: # later\nkind: semantic\n", "id: ID # later\nkind: semantic\n"},
		{"a null id", "kind: semantic\nid: ~ # later\n", "kind: semantic\nid: ID # later\n"},
		{"a quoted empty id", "kind: semantic\n\"id\": ''\n", "kind: semantic\n\"id\": ID\n"},
		{"an id with a tab", "kind: semantic\nid:\t\"\"\n", "kind: semantic\nid:\tID\n"},
		// Nothing can be added without saying something else.
		{"an empty block", "kind: semantic\nid: |\n", ""},
		{"a list for an id", "kind: semantic\nid: [a]\n", ""},
		{"a tag for an id", "kind: semantic\nid: !!str\n", ""},
	} {
		for how, form := range map[string]func(string) string{
			"as it is": func(s string) string { return s },
			"crlf":     func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			"bom":      func(s string) string { return "\ufeff" + s },
			"dots":     func(s string) string { return strings.Replace(s, "---\n-", "...\n-", 1) },
		} {
			t.Run(c.name+"/"+how, func(t *testing.T) {
				text := func(front string) string { return form("---\n" + front + "---\n- Ravens nest here.\n") }
				before := text(c.front)
				s := openSpace(t)
				s.write("shared/x.md", before)
				x := newIndex()
				problems := s.sync(x, memory.FullLook)
				after, want := s.read("shared/x.md"), before
				if c.want != "" {
					want = text(strings.Replace(c.want, "ID", "new-1", 1))
				}
				if after != want {
					t.Errorf("the file is now\n%q, want\n%q", after, want)
				}
				// Its item works, and has one name at all times.
				if len(x.passages) != 1 {
					t.Errorf("passages = %v, want one", x.ids())
				}
				for it, err := range s.Scan(t.Context()) {
					if err != nil || x.passages[it.Item.ID].ID == "" {
						t.Errorf("%s is not in the index: %v, %v", it.Item.ID, x.ids(), err)
					}
				}
				if c.want != "" && len(problems) > 0 {
					t.Errorf("problems = %v, want none", problems)
				}
				if c.want == "" && !slices.ContainsFunc(problems, func(p memory.Problem) bool {
					return strings.HasPrefix(p.String(), "shared/x.md:2: cannot be given an id")
				}) {
					t.Errorf("problems = %v, want the file named with what to do", problems)
				}
				// It is said once.
				if problems := s.sync(x, memory.FullLook); len(problems) > 0 {
					t.Errorf("the next sync says %v again", problems)
				}
			})
		}
	}
}

// frontMatter draws YAML as people and other programs write it.
func frontMatter(t *rapid.T) string {
	indent := strings.Repeat(" ", rapid.SampledFrom([]int{0, 0, 1, 2, 4}).Draw(t, "indent"))
	key := func(k string) string {
		return rapid.SampledFrom([]string{k, k, `"` + k + `"`, "'" + k + "'"}).Draw(t, "key")
	}
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "", "# note: id: x\n", "\n", "!!map\n", "&top\n"}).Draw(t, "head"))
	n := rapid.IntRange(0, 5).Draw(t, "keys")
	at := rapid.IntRange(0, n).Draw(t, "kind at")
	for i := range n + 1 {
		if i == at {
			fmt.Fprintf(&b, "%s%s: semantic%s\n", indent, key("kind"), rapid.SampledFrom([]string{"", " # id:", "  "}).Draw(t, "tail"))
			continue
		}
		b.WriteString(indent + key(fmt.Sprintf("k%d", i)) + ":")
		b.WriteString(rapid.SampledFrom([]string{
			" v\n", "\n", " 'it''s'\n", " \"a: \\\"b\\\"\"\n", " [a, {id: b}]\n", " &a x\n", " plain\n" + indent + "  goes on\n",
			" |\n" + indent + "  id:\n\n" + indent + "    deeper\n", " >+\n" + indent + "  folded\n\n\n", "\n" + indent + "  id:\n" + indent + "  x: 1\n",
			"\n" + indent + "- a\n" + indent + "- id: b\n", " [\n a,\nb ]\n", " # id: c\n", " 2026-01-01\n", " \"wide 字\"\n", "\t\tx\n",
		}).Draw(t, "value"))
		b.WriteString(rapid.SampledFrom([]string{"", "", "\n", indent + "# c\n", "# id:\n"}).Draw(t, "gap"))
	}
	if rapid.IntRange(0, 3).Draw(t, "with id") == 0 {
		b.WriteString(indent + key("id") + ":" + rapid.SampledFrom([]string{"", " ", " ~", ` ""`, " # c", " null"}).Draw(t, "no id") + "\n")
	}
	return b.String()
}

func TestAnIDChangesNothingElseInAnyFrontMatter(t *testing.T) {
	given, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		raw := "---\n" + frontMatter(t) + rapid.SampledFrom([]string{"---", "...", "--- "}).Draw(t, "end") + "\n- Ravens.\n"
		if rapid.Bool().Draw(t, "crlf") {
			raw = strings.ReplaceAll(raw, "\n", "\r\n")
		}
		texts, _, isAtom, with, err := store.ParseAtom([]byte(raw))
		if !isAtom {
			return // not YAML: the file is not touched
		}
		if all++; err != nil {
			return // refused
		}
		given++
		again, _, still, more, err := store.ParseAtom(with)
		if !onlyAnID([]byte(raw), with) || err != nil || !still || more != nil || !slices.Equal(texts, again) {
			t.Fatalf("%q\nbecame\n%q, %v", raw, with, err)
		}
	})
	if given == 0 || given < all*9/10 {
		t.Errorf("%d of %d were given an id, want nearly all", given, all)
	}
}
