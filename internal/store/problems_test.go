package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"orihon/internal/store"
	"orihon/memory"
)

// Whatever is wrong with one file is said in one line that names it, and the
// good item beside it is still read.
func TestBrokenTextIsReportedAndTheRestGoesOn(t *testing.T) {
	line := func(id, content string) string {
		return fmt.Sprintf(`{"v":1,"id":%q,"kind":"semantic","content":%q,"metadata":{"confidence":0.9}}`, id, content)
	}
	ledger := func(lines ...string) map[string]string {
		return map[string]string{"personal/episodic.jsonl": strings.Join(lines, "\n") + "\n"}
	}
	for _, c := range []struct {
		name    string
		files   map[string]string
		problem string // "" wants none
		ids     []string
	}{
		{"a line that is no JSON", ledger(line("a", "A."), "{broken", line("b", "B.")), "personal/episodic.jsonl:2: is not a line of a ledger", []string{"a", "b"}},
		{"a time that does not parse", ledger(`{"v":1,"id":"x","content":"X.","valid_from":"soon"}`), "personal/episodic.jsonl:1:", nil},
		{"an item that is not valid", ledger(`{"v":1,"id":"x","content":"","metadata":{"confidence":0.9}}`, line("b", "B.")), "personal/episodic.jsonl:1: invalid item x", []string{"b"}},
		{"a key that stands twice", ledger(`{"v":1,"id":"x","id":"y","content":"Y."}`), `has the key "id" twice`, []string{"y"}},
		{"a line of a newer format", ledger(`{"v":2,"id":"x","content":"X."}`), "newer version", nil},
		{"an op nobody knows", ledger(`{"v":1,"op":"explode","id":"x"}`), `op "explode"`, nil},
		{"a raw NUL", ledger(line("a", "A."), "{\"v\":1,\"id\":\"x\",\"content\":\"a\x00b\"}"), "episodic.jsonl:2:", []string{"a"}},
		{"an escaped NUL", ledger(`{"v":1,"id":"x","content":"a\u0000b"}`), "NUL", nil},
		{"a ledger that is not UTF-8", ledger("{\"v\":1,\"id\":\"x\",\"content\":\"caf\xe9\"}"), "not valid UTF-8", []string{"x"}},
		{"CRLF and a BOM", map[string]string{"personal/episodic.jsonl": "\ufeff" + line("a", "A.") + "\r\n\r\n" + line("b", "B.") + "\r\n"}, "", []string{"a", "b"}},
		{"a line of ten megabytes", ledger(line("a", strings.Repeat("很長 ", 1<<20)), line("b", "B.")), "episodic.jsonl:1: says more than 64 KB in one piece", []string{"a", "b"}},
		{"a torn last line", map[string]string{"personal/episodic.jsonl": line("a", "A.") + "\n" + `{"v":1,"id":"to`}, "torn last line", []string{"a"}},
		{"a last line without its newline", map[string]string{"personal/episodic.jsonl": line("a", "A.") + "\n" + line("b", "B.")}, "", []string{"a", "b"}},
		{"a retirement of nothing", ledger(`{"v":1,"op":"retire","id":"x"}`, line("a", "A.")), "", []string{"a"}},
		{"front matter that is not closed", map[string]string{"shared/x.md": "---\nid: x\nNo end.\n"}, "shared/x.md:1: front matter is not closed", []string{"shared/x.md#1"}},
		{"front matter that is no YAML", map[string]string{"shared/x.md": "---\nid: x\ntitle: [a\n---\nText.\n"}, "shared/x.md:", []string{"shared/x.md#1"}},
		{"front matter that is a list", map[string]string{"shared/x.md": "---\n- a\n---\nText.\n"}, "shared/x.md:2: front matter: is not a list of keys", []string{"shared/x.md#1"}},
		{"a field of the wrong kind", map[string]string{"shared/x.md": "---\nid: x\nkind: rumour\n---\nText.\n"}, "shared/x.md:3: front matter: kind:", []string{"x"}},
		{"an atom that says nothing", map[string]string{"shared/x.md": "---\nid: x\n---\n"}, "says nothing", nil},
		{"Markdown with a NUL", map[string]string{"shared/x.md": "Text\n\x00\n"}, "holds a NUL in line 2", nil},
		{"Markdown that is not UTF-8", map[string]string{"shared/x.md": "caf\xe9\n"}, "not valid UTF-8", []string{"shared/x.md#1"}},
		{"a merge conflict", map[string]string{"shared/x.md": "Text.\n\n<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> main\n"}, "shared/x.md:3: merge conflict: nothing of the file is read", nil},
		{"a merge conflict in front matter", map[string]string{"shared/x.md": "---\nid: x\n<<<<<<< HEAD\nupdated_at: 2026-11-20\n=======\nupdated_at: 2026-11-21\n>>>>>>> main\n---\n\n- Port 80.\n"}, "shared/x.md:3: merge conflict: nothing of the file is read", nil},
		{"a merge conflict around the fence", map[string]string{"shared/x.md": "---\nid: x\n<<<<<<< HEAD\ntopic: fact\n---\nOurs.\n=======\ntopic: pitfall\n---\nTheirs.\n>>>>>>> main\n"}, "shared/x.md:3: merge conflict: nothing of the file is read", nil},
		{"a merge conflict of whole files", map[string]string{"shared/x.md": "<<<<<<< HEAD\n---\nid: x\n---\nOurs.\n=======\n---\nid: y\n---\nTheirs.\n>>>>>>> main\n"}, "shared/x.md:1: merge conflict: nothing of the file is read", nil},
		{"working files", map[string]string{
			"shared/_roles.md": "x", "shared/.x.md": "x", "shared/_pending_review/x.md": "x", "shared/archive/x.md": "x",
			"personal/_staging/x.md": "x", "personal/_rejected/x.md": "x", "shared/x.txt": "x", "personal/semantic.jsonl.torn-9": "{",
		}, "", nil},
		{"a file where a folder belongs", map[string]string{"role/art": "x"}, "role/art: is a file where a folder belongs", nil},
		{"a folder where a ledger belongs", map[string]string{"personal/procedural.jsonl/x": "x"}, "personal/procedural.jsonl: is a folder", nil},
		{"a folder where MEMORY.md belongs", map[string]string{"shared/MEMORY.md/x": "x"}, "shared/MEMORY.md: is a folder", nil},
		{"an item in two ledgers", map[string]string{"personal/semantic.jsonl": line("a", "A.") + "\n", "personal/episodic.jsonl": line("a", "Other.") + "\n"}, "item a stands in personal/semantic.jsonl too", []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openSpace(t)
			s.write("docs/good.md", "Still here, 仍在。\n")
			for path, text := range c.files {
				s.write(path, text)
			}
			x := newIndex()
			problems := s.sync(x, memory.FullLook)
			want := append([]string{"extra/docs/good.md#1"}, c.ids...)
			for _, id := range want {
				if _, ok := x.passages[id]; !ok {
					t.Errorf("passage %s is missing in %v", id, x.ids())
				}
			}
			if len(x.passages) != len(want) {
				t.Errorf("passages = %v, want %v", x.ids(), want)
			}
			if c.problem == "" && len(problems) > 0 {
				t.Errorf("problems = %v, want none", problems)
			}
			if c.problem != "" && (len(problems) != 1 || !strings.Contains(problems[0].String(), c.problem) || strings.Contains(problems[0].String(), "\n")) {
				t.Errorf("problems = %v, want one line with %q", problems, c.problem)
			}
			// The verbs work beside it as well.
			for _, err := range s.Scan(t.Context()) {
				if err != nil {
					t.Errorf("scan: %v", err)
				}
			}
			if err := s.Put(t.Context(), fact("new one", "New.")); err != nil {
				t.Errorf("put: %v", err)
			}
		})
	}
}

func TestSymlinksOutOfARootAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: creating symlinks needs a privilege on Windows")
	}
	s := openSpace(t)
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte("---\nid: secret\n---\nA secret.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.write("shared/real.md", "Real.\n")
	for link, target := range map[string]string{
		"shared/out.md": secret, "shared/dir.md": filepath.Dir(secret), "shared/loop.md": "loop.md",
		"shared/again.md": "real.md", "personal/semantic.jsonl": secret,
	} {
		file := filepath.Join(s.dir, link)
		_ = os.MkdirAll(filepath.Dir(file), 0o700)
		if err := os.Symlink(target, file); err != nil {
			t.Fatal(err)
		}
	}
	b, problems := s.changes(nil, memory.FullLook)
	if len(b.Put) != 1 || b.Put[0].ID != "shared/real.md#1" {
		t.Errorf("passages = %+v, want only the real file's", b.Put)
	}
	if len(problems) != 4 {
		t.Errorf("problems = %v, want 4", problems)
	}
	if err := s.Put(t.Context(), fact("a", "A.")); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("put through a symlink = %v, want ErrRefused", err)
	}
	if raw, _ := os.ReadFile(secret); !strings.HasSuffix(string(raw), "A secret.\n") {
		t.Errorf("the file behind the symlink is now %q", raw)
	}

	// A repository must not bring a root that leads out of it.
	repo := t.TempDir()
	if err := os.Symlink(filepath.Dir(secret), filepath.Join(repo, "shared")); err != nil {
		t.Fatal(err)
	}
	evil, err := store.Open(&store.Options{State: t.TempDir(), Roots: []store.Root{{Name: "shared", Dir: filepath.Join(repo, "shared"), Scope: memory.Shared, Within: repo}}})
	if err != nil {
		t.Fatal(err)
	}
	it := fact("a", "A.")
	it.Scope = memory.Shared
	if err := evil.Put(t.Context(), it); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("put into a root that leads out of the repository = %v, want ErrRefused", err)
	}
	if b, problems, err := evil.Changes(t.Context(), nil, memory.FullLook); err != nil || len(b.Put) > 0 || len(problems) != 1 {
		t.Errorf("changes = %+v, %v, %v; want one problem", b.Put, problems, err)
	}
}

func TestAFailingDiskLosesNothingThatWasAcknowledged(t *testing.T) {
	full := errors.New("no space left on device")
	s := openSpace(t)
	shared := fact("atom", "One.")
	shared.Scope = memory.Shared
	put(t, s, fact("a", "A."), shared)

	s.FailAppends(full)
	if err := s.Put(t.Context(), fact("b", "B.")); !errors.Is(err, full) {
		t.Errorf("put = %v, want the disk's error", err)
	}
	if err := s.Remove(t.Context(), "a", "", s.now); !errors.Is(err, full) {
		t.Errorf("remove = %v, want the disk's error", err)
	}
	if err := s.Audit(t.Context(), memory.AuditRecord{Op: "add"}); !errors.Is(err, full) {
		t.Errorf("audit = %v, want the disk's error", err)
	}
	s.FailAppends(nil)
	s.FailReplaces(0, full)
	changed := shared
	changed.Content = "Two."
	if err := s.Put(t.Context(), changed); !errors.Is(err, full) {
		t.Errorf("put of an atom = %v, want the disk's error", err)
	}
	if err := s.AppendLog(t.Context(), s.now, "s", nil); !errors.Is(err, full) {
		t.Errorf("daily log = %v, want the disk's error", err)
	}
	s.write("shared/noid.md", "---\nkind: semantic\n---\nText.\n")
	x := newIndex()
	if problems := s.sync(x, memory.FullLook); len(problems) != 1 || !strings.Contains(problems[0].Text, "cannot be given an id") {
		t.Errorf("problems = %v, want one about the id", problems)
	}
	s.FailReplaces(0, nil)
	for id, want := range map[string]string{"a": "A.", "atom": "One."} {
		if it, err := s.Get(t.Context(), id); err != nil || it.Content != want {
			t.Errorf("%s = %q, %v; want %q", id, it.Content, err, want)
		}
	}
	if _, err := s.Get(t.Context(), "b"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("an item that was not acknowledged: %v", err)
	}
}

// Cutting a ledger at any byte costs at most the line that was cut.
func TestALedgerCutAtEveryByteReopens(t *testing.T) {
	whole := openSpace(t)
	put(t, whole, fact("a", "甲。"), fact("b", "Beta."))
	text := whole.read("personal/semantic.jsonl")
	for n := range len(text) {
		s := openSpace(t)
		s.write("personal/semantic.jsonl", text[:n])
		x := newIndex()
		s.sync(x, memory.FullLook)
		lines := strings.Count(text[:n], "\n")
		if n > 0 && text[n] == '\n' {
			lines++ // only the newline is missing
		}
		if len(x.passages) != lines {
			t.Fatalf("cut at %d: %d passages, want %d", n, len(x.passages), lines)
		}
		if n%16 == 0 {
			put(t, s, fact("c", "Gamma."))
			if it, err := s.Get(t.Context(), "c"); err != nil || it.Content != "Gamma." {
				t.Fatalf("cut at %d: put after the cut: %v", n, err)
			}
		}
	}
}
