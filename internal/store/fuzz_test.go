package store_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"orihon/internal/store"
)

func FuzzLedgerLine(f *testing.F) {
	for _, seed := range []string{
		`{"v":1,"id":"a","content":"記憶","metadata":{"confidence":0.9}}`, `{"v":1,"op":"retire","id":"a","at":"2026-01-01T00:00:00Z"}`,
		`{"id":"a","id":"b","content":"x"}`, `{"v":9}`, `{`, `[]`, `"\u0000"`, `{"id":"a","content":"\ud800"}`, `{"metadata":{"confidence":1e999}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if id, err := store.ParseLine(line); err == nil && id == "" {
			t.Errorf("%q was taken without an id", line)
		} else if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error of more than one line: %q", err)
		}
	})
}

func FuzzArchivedLine(f *testing.F) {
	for _, seed := range []string{
		`{"v":1,"id":"a","content":"記憶","metadata":{"confidence":0.9},"archived":{"at":"2026-01-01T00:00:00Z","why":"idle","from":"personal/semantic.jsonl","model":"m","vector":"XwCB"}}`,
		`{"id":"a","content":"x"}`, `{"v":9,"id":"a","content":"x"}`, `{"id":"a","content":"x","archived":7}`, `{"id":"a","content":"x","archived":{"vector":"gICA"}}`, `{`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := store.ParseArchived(line)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of more than one line: %q", err)
			}
			return
		}
		if a.Item.Validate() != nil {
			t.Errorf("%q was taken for %+v", line, a.Item)
		}
		var length float64
		for _, x := range a.Vector.Values {
			length += float64(x) * float64(x)
		}
		if len(a.Vector.Values) > 0 && (length < 0.999 || length > 1.001) {
			t.Errorf("%q has a vector of length² %g", line, length)
		}
	})
}

func FuzzAtom(f *testing.F) {
	if raw, err := os.ReadFile("testdata/handwritten.md"); err == nil {
		f.Add(raw)
	}
	for _, seed := range []string{
		"", "---", "---\n---\n", "---\r\nid:\r\nkind: semantic\r\n---\r\n- 一\r\n", "\ufeff---\nid: x\n---\n# T\n\n1) a\n   b\n\n\tc\n",
		"---\nid: *a\n---\n", "---\n? [a]: b\nid: &x y\n---\n- [固]\n- [觀] x", "~~~\n- x\n", "<!--\n- x", "<<<<<<< a\n- x\n||||||| b\n=======\n>>>>>>> c\n", "T\n=\n- -\n",
		"---\n  kind: semantic\n  title: |\n    id:\n...\n- x\n", "---\n{kind: semantic, x: [*a]}\n---\n- x\n", "---\n!!map\n ? kind\n : &a semantic\n---\n- x\n", "---\nkind: semantic\n\"id\": '' # no\n---\n- x\n",
		"---\nkind: semantic\nretired_facts: [{fact: x}]\n...\n* [ ] todo\n", strings.Repeat("很長的一行", 400),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		texts, ids, isAtom, withID, err := store.ParseAtom(raw)
		if err != nil {
			return
		}
		seen := make(map[string]bool)
		for i, text := range texts {
			if strings.TrimSpace(text) == "" || !utf8.ValidString(text) {
				t.Errorf("passage %s says %q", ids[i], text)
			}
			if seen[ids[i]] {
				t.Errorf("two passages have the id %s", ids[i])
			}
			seen[ids[i]] = true
		}
		if withID == nil {
			return
		}
		if !onlyAnID(raw, withID) {
			t.Errorf("giving an id changed more than that: %q became %q", raw, withID)
		}
		again, _, still, more, err := store.ParseAtom(withID)
		if err != nil || !isAtom || !still || more != nil || len(again) != len(texts) {
			t.Errorf("with its id the atom reads otherwise: %q, %v", withID, err)
		}
	})
}
