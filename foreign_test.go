package orihon_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/memory"
)

// build makes the program, for a test that looks at what it shows.
func build(t *testing.T) (bin string) {
	t.Helper()
	bin = filepath.Join(t.TempDir(), "orihon")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/orihon").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// shown runs the program in a place and returns what it says on stderr.
func (p *place) shown(t *testing.T, bin string, args ...string) (complaints string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, append(args, "--home", p.home, "--project", p.dir, "--user", "ann")...)
	cmd.Env = append(os.Environ(), "ORIHON_HOME=", "ORIHON_USER=")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return errs.String(), cmd.ProcessState.ExitCode()
}

const (
	goodLine = `{"v":1,"id":"hand-written-1","kind":"semantic","topic":"fact","content":"The gateway is called otter 水獺","metadata":{"source":"user","confidence":0.9}}`
	goodAtom = "---\nid: hand-written-2\ntitle: Proxy\n---\n- The proxy is called badger 獾\n"
)

func TestForeignBytesInTextAreNamedAndTheRestWorks(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             string // a problem, "" for none
		found            string // what is recalled all the same
	}{
		{"NUL bytes in a ledger", "semantic.jsonl", "\x00\x00\x00\x00\n" + goodLine + "\n", "semantic.jsonl:1: ", "otter"},
		{"a NUL in an item", "semantic.jsonl", strings.Replace(goodLine, "otter", `ot\u0000ter`, 1) + "\n", "semantic.jsonl:1: ", ""},
		{"no UTF-8 in a ledger", "semantic.jsonl", goodLine + "\n" + `{"v":1,"id":"x","content":"` + "\xff\xfe" + `"}` + "\n", "semantic.jsonl:2: is not valid UTF-8", "otter"},
		{"CRLF and a BOM in a ledger", "semantic.jsonl", "\ufeff" + goodLine + "\r\n\r\n", "", "otter"},
		{"a huge line of garbage", "semantic.jsonl", strings.Repeat("x", 10<<20) + "\n" + goodLine + "\n", "semantic.jsonl:1: ", "otter"},
		{"a torn last line", "semantic.jsonl", goodLine + "\n" + goodLine[:40], "torn last line", "otter"},
		{"a last line without a newline", "semantic.jsonl", goodLine, "", "otter"},
		{"NUL bytes in an atom", "proxy.md", goodAtom + "- zero \x00 zero\n", "proxy.md", ""},
		{"no UTF-8 in an atom", "proxy.md", goodAtom + "- \xff\xfe\n", "proxy.md", ""},
		{"CRLF and a BOM in an atom", "proxy.md", "\ufeff" + strings.ReplaceAll(goodAtom, "\n", "\r\n"), "", "badger"},
		{"broken front matter", "proxy.md", strings.Replace(goodAtom, "title: Proxy", "title: [Proxy", 1), "proxy.md:", "badger"},
		{"front matter that does not end", "proxy.md", strings.Replace(goodAtom, "---\n- ", "- ", 1), "proxy.md:", ""},
		{"a huge line in an atom", "proxy.md", goodAtom + "- " + strings.Repeat("word 字 ", 1<<20) + "\n", "proxy.md:", "badger"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			state(t, m, orihon.Statement{Text: "The staging host is called marmot", Kind: memory.Procedural})
			write(t, filepath.Join(m.Project().Personal, tt.file), tt.text)
			done, err := m.Sync(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if (tt.want == "") != (len(done.Problems) == 0) {
				t.Errorf("problems %q, want %q", done.Problems, tt.want)
			}
			for _, problem := range done.Problems {
				if strings.ContainsAny(problem, "\n\r\x00") || len(problem) > 400 {
					t.Errorf("a problem is not one short line: %.500q", problem)
				}
				if !strings.Contains(problem, tt.want) {
					t.Errorf("the problem %q does not say %q", problem, tt.want)
				}
			}
			if !finds(t, m, "what is the staging host called?", "marmot") {
				t.Error("the rest is not recalled")
			}
			if tt.found != "" && !finds(t, m, "what are the gateway and the proxy called?", tt.found) {
				t.Errorf("%s is not recalled", tt.found)
			}
			remember(t, m, "The queue is called beaver")
			if !finds(t, p.open(t), "what is the queue called?", "beaver") {
				t.Error("what was remembered afterwards is not recalled")
			}
		})
	}
}

func TestTheProgramNamesWhatIsBrokenAndGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	bin := build(t)
	p := &place{home: filepath.Join(t.TempDir(), "我的 家 home"), dir: filepath.Join(t.TempDir(), "我的 專案 (x) #1 %41")}
	write(t, filepath.Join(p.dir, "README"), "a folder with spaces and signs in its name")
	m := p.open(t)
	remember(t, m, "The staging host is called marmot")
	write(t, filepath.Join(m.Project().Personal, "procedural.jsonl"), "\x00garbage\n")
	write(t, filepath.Join(p.home, "config.yaml"), "recall:\n  threshold: high\n\x00\n")
	m.Close()
	said, code := p.shown(t, bin, "recall", "what is the staging host called?")
	if code != 0 || !strings.Contains(said, "procedural.jsonl:1:") || !strings.Contains(said, "config.yaml:") {
		t.Errorf("exit %d, said %q", code, said)
	}
	for line := range strings.Lines(said) {
		if !strings.HasPrefix(line, "orihon: warning: ") {
			t.Errorf("a line of another kind: %q", line)
		}
	}
	if said, code := p.shown(t, bin, "remember", "The queue is called beaver"); code != 0 {
		t.Errorf("remember: exit %d, %q", code, said)
	}
	if !finds(t, p.open(t, at(time.Now())), "what is the queue called?", "beaver") {
		t.Error("what the program remembered is not recalled")
	}
	if err := os.RemoveAll(p.home); err != nil {
		t.Fatal(err)
	}
	write(t, p.home, "a file where the home belongs")
	if said, code := p.shown(t, bin, "remember", "The queue is called beaver"); code == 0 || strings.Count(said, "\n") != 1 || !strings.Contains(said, p.home) {
		t.Errorf("home is a file: exit %d, said %q, want one line that names it", code, said)
	}
}

func TestForeignBytesInAJournalAreNamedAndTheRestIsFound(t *testing.T) {
	p := newPlace(t)
	p.prompt(t, "s1", "a", "the lighthouse keeper is called Wilhelmina")
	m := p.open(t)
	path := filepath.Join(m.Project().Session("s1"), "journal.jsonl")
	write(t, path, read(t, path)+"\x00\x00\n"+"\xff\xfe{}\r\n"+strings.Repeat("y", 10<<20)+"\n"+`{"seq":`)
	p.prompt(t, "s1", "b", "燈塔的看守人住在北岸的小屋")
	var said bytes.Buffer
	m = p.open(t, logTo(&said))
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"journal.jsonl:2:", "journal.jsonl:3:", "journal.jsonl:4:"} {
		if !strings.Contains(said.String(), line) {
			t.Errorf("%s is not named in %.1000q", line, said.String())
		}
	}
	for prompt, text := range map[string]string{"what is the lighthouse keeper called?": "Wilhelmina", "燈塔的看守人住在哪裡？": "北岸"} {
		r, err := m.Recall(t.Context(), memory.Query{Text: prompt, Turns: true})
		if err != nil || !strings.Contains(r.Text, text) {
			t.Errorf("%q: %v, %q, want %s", prompt, err, r.Text, text)
		}
	}
}

func TestNothingIsWrittenOrReadThroughASymlink(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.md")
	write(t, secret, "---\nid: outside\n---\n- The vault opens with 4711\n")
	ledger := filepath.Join(outside, "ledger.jsonl")
	write(t, ledger, goodLine+"\n")
	p := newPlace(t)
	m := p.open(t)
	state(t, m, orihon.Statement{Text: "The staging host is called marmot", Kind: memory.Procedural})
	dir := m.Project().Personal
	for link, target := range map[string]string{"notes.md": secret, "semantic.jsonl": ledger, "deep": outside} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("SKIPPED: this system makes no symlinks: %v", err)
		}
	}
	done, err := m.Sync(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.md", "semantic.jsonl"} {
		if !strings.Contains(strings.Join(done.Problems, "\n"), name+": is a symlink") {
			t.Errorf("%s is not named: %q", name, done.Problems)
		}
	}
	for _, prompt := range []string{"what does the vault open with?", "what is the gateway called?"} {
		if r := recall(t, m, prompt); strings.Contains(r.Text, "4711") || strings.Contains(r.Text, "otter") {
			t.Errorf("read through a link: %q", r.Text)
		}
	}
	if _, err := m.Remember(t.Context(), orihon.Statement{Text: "The queue is called beaver"}); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("a write through a link: %v, want refused", err)
	}
	if got := read(t, ledger); got != goodLine+"\n" {
		t.Errorf("the file outside has become %q", got)
	}
	state(t, m, orihon.Statement{Text: "To ship, call make ship", Kind: memory.Procedural})
	if r := recall(t, m, "what is the staging host called?"); !strings.Contains(r.Text, "marmot") || len(r.Degraded) != 1 {
		t.Errorf("recalled %q, degraded %v; want the rest, and the text that is left out named", r.Text, r.Degraded)
	}
}

func TestCyclesOfRelationsEnd(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	line := func(id, text, supersedes, related string) string {
		return `{"v":1,"id":"` + id + `","kind":"semantic","topic":"fact","content":"` + text + `","metadata":{"source":"user","confidence":0.9},"relations":{"supersedes":"` + supersedes + `","related_to":["` + related + `"]}}` + "\n"
	}
	write(t, filepath.Join(m.Project().Personal, "semantic.jsonl"),
		line("item-a", "The port of heron is 1111", "item-b", "item-b")+
			line("item-b", "The port of heron is 2222", "item-c", "item-a")+
			line("item-c", "The port of heron is 3333", "item-a", "item-c")+
			line("item-d", "蒼鷺的埠是 4444", "item-d", "item-d"))
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	recall(t, m, "which port has heron?") // ends
	if !finds(t, m, "蒼鷺的埠是哪一個？", "4444") {
		t.Error("an item that supersedes itself is not recalled")
	}
	for _, id := range []string{"item-a", "item-b", "item-c"} {
		if _, err := m.Items().Forget(t.Context(), id, ""); err != nil {
			t.Error(err)
		}
		if _, err := m.Items().Restore(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if found, err := m.Health().Examine(t.Context()); err != nil || found.Index != "" {
		t.Errorf("examined: %+v, %v", found, err)
	}
}
