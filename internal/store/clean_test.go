package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/redact"
	"orihon/internal/store"
	"orihon/memory"
)

// A secret that never was one, in halves, so that nothing which looks for
// secrets stumbles over this file.
var token = "ghp_" + "k3Jx9QmZ2vRb7TnW5yLs8HdPc4Fg6AeU1oIr"

// What a hand wrote stays as it is, and nothing that is read from it has a
// secret or a private span in it; lines keep their numbers.
func TestNothingDerivedFromMarkdownHoldsASecret(t *testing.T) {
	key := "-----BEGIN PRIVATE " + "KEY-----\n  MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n  -----END PRIVATE " + "KEY-----"
	tests := []struct {
		name, path, text string
		passages         []string // as line: heading: text
		problems         []string
	}{
		{"a note", "personal/zebra.md", "# Zebra " + token + "\n\nThe key is " + token + ".\n<private>hidden\nwalrus</private> after\n\nLast.\n",
			[]string{"1: Zebra [redacted:github-token]: # Zebra [redacted:github-token]\n\nThe key is [redacted:github-token].\n\n after\n\nLast."},
			[]string{"personal/zebra.md:1: holds a secret (github-token)", "personal/zebra.md:3: holds a secret (github-token)"}},
		{"an atom", "shared/quokka.md", "---\nid: q\ntitle: " + token + "\ntags: [deploy, " + token + "]\n---\n- The key:\n  " + key + "\n- One <private>hidden walrus</private> more\n- <private>hidden walrus</private>\n- Last\n\n<private>hidden walrus</private>\n",
			[]string{"6: [redacted:github-token]: The key:\n[redacted:private-key]", "10: [redacted:github-token]: One  more", "12: [redacted:github-token]: Last"},
			[]string{"shared/quokka.md:3: holds a secret (github-token)", "shared/quokka.md:4: holds a secret (github-token)", "shared/quokka.md:7: holds a secret (private-key)"}},
		{"a core file", "personal/MEMORY.md", "# Core\n\nIntroduction.\n\n- Deploys use " + token + "\n- <private>hidden walrus\n  and more</private>\n- Answer in Chinese\n\n# Rest\n\nMore.\n",
			[]string{"5: Core: Deploys use [redacted:github-token]", "8: Core: Answer in Chinese", "1: Core: # Core\n\nIntroduction.\n\n# Rest\n\nMore."},
			[]string{"personal/MEMORY.md:5: holds a secret (github-token)"}},
		{"somebody else's notes", "docs/x.md", "Use " + token + "\n", []string{"1: : Use [redacted:github-token]"}, []string{"extra/docs/x.md:1: holds a secret (github-token)"}},
		{"a private span that is never closed", "personal/x.md", "One.\n\nTwo <private>hidden walrus\n\nThree.\n",
			[]string{"1: : One.\n\nTwo"}, []string{"personal/x.md:3: <private> is not closed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openSpace(t)
			s.write(tt.path, tt.text)
			b, problems := s.changes(nil, memory.FullLook)
			var got []string
			for _, p := range b.Put {
				got = append(got, fmt.Sprintf("%d: %s: %s", p.Line, p.Heading, p.Item.Content))
			}
			if diff := cmp.Diff(tt.passages, got); diff != "" {
				t.Errorf("passages (-want +got):\n%s", diff)
			}
			for i, p := range problems {
				if strings.Contains(p.String(), token) || i >= len(tt.problems) || !strings.HasPrefix(p.String(), tt.problems[i]) {
					t.Errorf("problem %d: %s; want %q", i, p, tt.problems)
				}
			}
			if len(problems) != len(tt.problems) {
				t.Errorf("%d problems, want %d", len(problems), len(tt.problems))
			}
			core, err := s.Memory(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all := fmt.Sprintf("%+v %s", b.Put, core)
			for it, err := range s.Scan(t.Context()) {
				all += fmt.Sprintf("%+v %v", it, err)
			}
			if it, err := s.Get(t.Context(), "q"); err == nil {
				all += fmt.Sprintf("%+v", it)
			}
			for _, secret := range []string{token, "MIIE", "walrus"} {
				if strings.Contains(all, secret) {
					t.Errorf("%s is derived from the text: %s", secret, all)
				}
			}
			if got := s.read(tt.path); got != tt.text {
				t.Errorf("the file was changed:\n%s", got)
			}
		})
	}
}

// An item that is written back as it was read does not cost its file what was
// taken out for reading.
func TestWritingAnAtomBackLeavesItsTextAsItIs(t *testing.T) {
	const front = "---\nid: q\nkind: semantic\n---\n"
	for _, body := range []string{"The key is " + token + ".\n\n<private>hidden</private>\n", "- The key is " + token + ".\n- <private>hidden</private>\n"} {
		s := openSpace(t)
		s.write("shared/q.md", front+body)
		for it, err := range s.Scan(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			it.Item.Tier = memory.Settled
			if err := s.Put(t.Context(), it.Item); err != nil {
				t.Fatal(err)
			}
			if err := s.Remove(t.Context(), it.Item.ID, "", s.now); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Restore(t.Context(), it.Item.ID); err != nil {
				t.Fatal(err)
			}
		}
		got := s.read("shared/q.md")
		for line := range strings.Lines(body) {
			if line = strings.TrimPrefix(line, "- "); !strings.Contains(got, line) {
				t.Errorf("%q is gone:\n%s", line, got)
			}
		}
		if !strings.Contains(got, "settled") && !strings.Contains(got, "[固]") {
			t.Errorf("the tier was not written:\n%s", got)
		}
	}
}

// Switching a rule off has the files read again, though they are the same.
func TestFilesAreReadAgainWhenTheRulesChange(t *testing.T) {
	s := openSpace(t)
	s.write("personal/x.md", "Pushed with "+token+" on Monday\n")
	b, _ := s.changes(nil, memory.FullLook)
	o := s.options()
	o.Redactor = redact.New([]string{"github-token"})
	var err error
	if s.Store, err = store.Open(o); err != nil {
		t.Fatal(err)
	}
	b, _ = s.changes(b.Files, memory.FullLook)
	if len(b.Put) != 1 || !strings.Contains(b.Put[0].Item.Content, token) {
		t.Errorf("read with the rule still on: %+v", b.Put)
	}
}

// Whatever a file holds, what is derived from it has no secret and no private
// span, and stands where it says.
func FuzzClean(f *testing.F) {
	for _, text := range []string{"- The key is " + token, "# A\n<private>hidden walrus\n- b</private> c\n\n- d <private>hidden walrus</private>\n  " + token + "\n", "t\n- <private>hidden walrus</private>\n"} {
		f.Add([]byte(text))
		f.Add([]byte("---\nid: x\ntitle: " + token + "\n---\n" + text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		texts, places, last, err := store.CleanAtom(raw)
		if err != nil {
			return
		}
		whole, _ := redact.Text(redact.Private(string(raw)))
		for _, text := range texts {
			if strings.Contains(text, token) && !strings.Contains(whole, token) || redact.Private(text) != text {
				t.Errorf("derived: %q", text)
			}
		}
		for _, p := range places {
			if p[0] < 1 || p[1] < p[0] || p[1] > last {
				t.Errorf("a passage stands in lines %v of %d", p, last)
			}
		}
	})
}
