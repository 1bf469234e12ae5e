package orihon_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"orihon"
	"orihon/erase"
	"orihon/internal/copies"
	"orihon/journal"
	"orihon/memory"
)

// copied are ways in which a text gets into another file.
var copied = map[string]func(r *rand.Rand, s string) string{
	"plain": func(_ *rand.Rand, s string) string { return "said: " + s + "\n" },
	"shell": func(_ *rand.Rand, s string) string {
		return "git commit -m '" + strings.ReplaceAll(s, "'", `'\''`) + "' && make\n"
	},
	"shell, double quotes": func(_ *rand.Rand, s string) string {
		return `echo "` + regexp.MustCompile("[\"\\\\$`]").ReplaceAllString(s, `\$0`) + "\"\n"
	},
	"ASCII": func(_ *rand.Rand, s string) string { return "msg=" + strconv.QuoteToASCII(s) + "\n" },
	"HTML":  func(_ *rand.Rand, s string) string { return "<td>" + html.EscapeString(s) + "</td>\n" },
	"URL":   func(_ *rand.Rand, s string) string { return "/find?q=" + url.QueryEscape(s) + "\n" },
	"Markdown": func(_ *rand.Rand, s string) string {
		return "- " + regexp.MustCompile("[*_`#<>()\\[\\]!.+-]").ReplaceAllString(s, `\$0`) + "\n"
	},
	"NFD": func(_ *rand.Rand, s string) string { return norm.NFD.String(s) + "\n" },
	"wrapped": func(r *rand.Rand, s string) string {
		prefix := []string{"", "> ", "    ", "# "}[r.IntN(4)]
		return prefix + strings.ReplaceAll(s, " ", [...]string{" ", "\n" + prefix, "\r\n" + prefix}[r.IntN(3)]) + "\n"
	},
	"JSON in text": func(_ *rand.Rand, s string) string {
		inner, _ := json.Marshal(map[string]string{"command": s})
		outer, _ := json.Marshal(string(inner))
		return "tool: " + string(outer) + "\n"
	},
}

// sown are the places that a copy is put into; dir is the project's private space.
var sown = map[string]func(t *testing.T, g *sowing, s string){
	"log":       func(t *testing.T, g *sowing, s string) { g.add(t, filepath.Join(g.home, "hook.log"), s) },
	"export":    func(t *testing.T, g *sowing, s string) { g.add(t, filepath.Join(g.home, "exports", "all.md"), s) },
	"page":      func(t *testing.T, g *sowing, s string) { g.add(t, filepath.Join(g.dir, "exports", "run.html"), s) },
	"note":      func(t *testing.T, g *sowing, s string) { g.add(t, filepath.Join(g.home, "memory", "notes.md"), s) },
	"daily log": func(t *testing.T, g *sowing, s string) { g.add(t, filepath.Join(g.dir, "memory", "2026-08-01.md"), s) },
	"summary": func(t *testing.T, g *sowing, s string) {
		g.line(t, filepath.Join(g.session, "summaries", "a.json"), map[string]any{"content": s})
	},
	"observations": func(t *testing.T, g *sowing, s string) {
		g.line(t, filepath.Join(g.dir, "observations.jsonl"), map[string]any{"a": []string{"x", s}})
	},
	"candidates": func(t *testing.T, g *sowing, s string) {
		g.line(t, filepath.Join(g.dir, "candidates.jsonl"), map[string]any{"v": 1, "why": s})
	},
	"audit": func(t *testing.T, g *sowing, s string) {
		g.line(t, filepath.Join(g.dir, "audit.jsonl"), map[string]any{"v": 1, "ts": start, "op": "skip", "id": "x", "why": s})
	},
	"episode": func(t *testing.T, g *sowing, s string) {
		g.line(t, filepath.Join(g.dir, "memory", "episodic.jsonl"), map[string]any{
			"v": 1, "id": fmt.Sprint("episode-", g.n), "kind": "episodic", "title": "Session", "content": "It went well. " + s, "scope": "personal:ann",
			"metadata": map[string]any{"created_at": start, "updated_at": start, "source": "system", "confidence": 0.6},
		})
	},
	"prompt": func(t *testing.T, g *sowing, s string) { g.event(t, journal.UserMessage, map[string]any{"text": s}) },
	"tool": func(t *testing.T, g *sowing, s string) {
		g.event(t, journal.ActionRequest, map[string]any{"tool": "Bash", "input": map[string]any{"command": s}})
	},
	"body": func(t *testing.T, g *sowing, s string) {
		g.event(t, journal.ActionResult, map[string]any{"output": strings.Repeat("line\n", 9_000) + s})
	},
	"fold": func(t *testing.T, g *sowing, s string) {
		g.event(t, journal.Fold, map[string]any{"epoch": 1, "digest": s, "blocks": []any{map[string]any{"number": 100 + g.n, "iterations": []int{1, 1}, "summary": map[string]any{"title": s}}}})
	},
	"compressed": func(t *testing.T, g *sowing, s string) {
		write(t, filepath.Join(g.home, "exports", fmt.Sprint(g.n, ".txt.gz")), gzipped(t, s))
	},
	"old home": func(t *testing.T, g *sowing, s string) {
		g.add(t, filepath.Join(g.home+".before-20260101-000000", "projects", "0123456789ab", "memory", "notes.md"), s)
	},
}

// sowing is a home in which copies of texts are put.
type sowing struct {
	home, dir, session string
	n                  int
}

func (g *sowing) add(t *testing.T, path, text string) {
	t.Helper()
	g.n++
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func (g *sowing) line(t *testing.T, path string, v any) { g.add(t, path, marshal(t, v)+"\n") }

func (g *sowing) event(t *testing.T, kind journal.Type, payload any) {
	t.Helper()
	g.n++
	j, err := journal.Open(g.session, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(t.Context(), journal.Event{Type: kind, ID: fmt.Sprint("e", g.n), Payload: json.RawMessage(marshal(t, payload))}); err != nil {
		t.Fatal(err)
	}
}

// statement is a text of random words.
func statement(r *rand.Rand) string {
	words := strings.Fields(`walrus harbour gate "quoted" it's Ann's key=value naïve Zürich über <tag> a&b C:\temp\new 50% #7 $HOME x/y/z ship; (often) rosebud`)
	han := []rune("海象專案的通關密語放在北邊倉庫第三個抽屜裡，。「」每週五部署到測試叢集")
	var b strings.Builder
	fmt.Fprintf(&b, "Statement %x ", r.Uint64())
	for range 4 + r.IntN(14) {
		switch r.IntN(6) {
		case 0:
			for range 3 + r.IntN(12) {
				b.WriteRune(han[r.IntN(len(han))])
			}
		case 1:
			fmt.Fprintf(&b, "%x ", r.Uint64())
		default:
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
	}
	return strings.TrimSpace(b.String())
}

// cut is a piece of a text, as a program cuts one.
func cut(r *rand.Rand, s string) string {
	runes := []rune(s)
	a, b := r.IntN(len(runes)+1), r.IntN(len(runes)+1)
	a, b = min(a, b), max(a, b)
	switch r.IntN(5) {
	case 0:
		return s
	case 1:
		return string(runes[:b]) + "…"
	case 2:
		return "..." + string(runes[a:])
	case 3:
		return string(runes[:a]) + " [… cut …] " + string(runes[b:])
	}
	return string(runes[a:b])
}

// Random texts, cut and quoted at random, in every place: no run of 24 characters,
// or of 12 Chinese ones, stands anywhere afterwards, and other texts stay.
func TestNoPieceOfAPurgedTextIsLeft(t *testing.T) {
	seeds := uint64(2)
	if thorough() {
		seeds = 8
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		p := newPlace(t)
		m := p.open(t)
		g := &sowing{home: p.home, dir: m.Project().Private}
		g.session = filepath.Join(g.dir, "sessions", "s1")
		p.begin(t, "s1", "startup")
		other := statement(r)
		remember(t, m, other)
		text := statement(r)
		it := remember(t, m, text)
		text = it.Content
		for _, place := range slices.Sorted(maps.Keys(sown)) {
			for _, how := range slices.Sorted(maps.Keys(copied)) {
				sown[place](t, g, copied[how](r, cut(r, text)))
				if r.IntN(4) == 0 {
					sown[place](t, g, copied[how](r, other))
				}
			}
		}
		kept := everyByte(t, "Statement "+strings.Fields(other)[1], filepath.Dir(p.home))
		left, err := m.Erase().Purge(t.Context(), it.ID)
		if err != nil || len(left) > 0 {
			t.Fatalf("seed %d: left %v, %v", seed, left, err)
		}
		w := copies.New(text)
		w.Keep(other)
		err = filepath.WalkDir(filepath.Dir(p.home), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			data = unpacked(data)
			if run := runOf(text, norm.NFC.Bytes(data)); run != "" && w.In(run) { // else the other text has it, too
				t.Errorf("seed %d: of %q\nthere is %q\nin %s", seed, text, run, path)
			}
			for _, mark := range []string{"…", "...", `\u2026`} { // next to what is another text, these prove nothing
				data = bytes.ReplaceAll(data, []byte(mark), []byte("|"))
			}
			if clean := w.Clean(data, "[]"); !bytes.Equal(clean, data) && !strings.Contains(path, "index") { // as raw bytes, names of columns run into it
				t.Errorf("seed %d: of %q\nthere is a copy in %s", seed, text, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for file := range kept {
			if strings.Contains(file, "index/") || strings.HasSuffix(file, "jsonl") && strings.Contains(file, "/io/") {
				continue
			}
			if now := everyByte(t, "Statement "+strings.Fields(other)[1], filepath.Dir(p.home)); now[file] != kept[file] && !strings.Contains(file, "/io/") {
				t.Errorf("seed %d: %s held the other text %d times and holds it %d times", seed, file, kept[file], now[file])
			}
		}
		if problems := examined(t, m); len(problems) > 0 {
			t.Errorf("seed %d: what was left is broken: %v", seed, problems)
		}
		m.Close()
	}
}

// runOf is a run of a text of 24 characters, wide ones counting two, that stands
// in other text.
func runOf(text string, in []byte) string {
	runes := []rune(norm.NFC.String(text))
	for i := range runes {
		size, letters := 0, 0
		for j := i; j < len(runes) && size < 24; j++ {
			if size++; runes[j] >= 0x2e80 {
				size++
			}
			if strings.ContainsRune("\"'<>&%#$;()\\/=- ，。「」", runes[j]) {
				letters--
			}
			if letters++; size >= 24 && letters >= 6 && bytes.Contains(in, []byte(string(runes[i:j+1]))) {
				return string(runes[i : j+1])
			}
		}
	}
	return ""
}

// What merely shares words with a purged text stays, wherever it stands.
func TestNearMissesStay(t *testing.T) {
	for _, tt := range []struct{ name, purged, stays string }{
		{"another subject", "The frontend deploys to the staging cluster every night", "The backend deploys to the staging cluster every night"},
		{"another number", "The gateway listens on port 3012 behind the north wall of the office", "The gateway listens on port 3013 behind the north wall of the office"},
		{"another version", "We build the installer with compiler 12.3 on the old machine", "We build the installer with compiler 1.23 on the old machine"},
		{"the longer one", "The harbour master keeps the spare key", "The harbour master keeps the spare key to the gate in the second drawer"},
		{"the shorter one", "The harbour master keeps the spare key to the gate in the second drawer", "The harbour master keeps the spare key"},
		{"Chinese", "前端服務每天凌晨三點會自動部署到測試叢集", "後端服務每天凌晨四點會自動部署到測試叢集"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			gone := state(t, m, orihon.Statement{Text: tt.purged, Kind: "semantic", Topic: "fact"})
			kept := state(t, m, orihon.Statement{Text: tt.stays, Kind: "semantic", Topic: "fact", Evidence: nil})
			if gone.ID == kept.ID {
				t.Fatal("both are one item")
			}
			p.prompt(t, "s1", "p1", "Is it true? "+tt.stays)
			p.end(t, "s1")
			p.work(t)
			write(t, filepath.Join(p.home, "exports", "x.md"), "- "+tt.stays+"\n")
			if _, err := m.Erase().Purge(t.Context(), gone.ID); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(tt.stays, tt.purged) {
				return // it is named, and the text goes from all else
			}
			if s, err := m.Items().Get(t.Context(), kept.ID); err != nil || s.Item.Content != tt.stays {
				t.Errorf("the other item is %q, %v", s.Item.Content, err)
			}
			if got := read(t, filepath.Join(p.home, "exports", "x.md")); got != "- "+tt.stays+"\n" {
				t.Errorf("the export says %q", got)
			}
			if n := len(everyByte(t, tt.stays, filepath.Join(p.private(t), "sessions"))); n == 0 {
				t.Error("the journal lost it")
			}
		})
	}
}

// Items that a machine made of a cut text go, and those that a person stated are
// named with file and line.
func TestCutCopiesAmongItems(t *testing.T) {
	const text = "The harbour master keeps the spare key to the gate in the second drawer"
	p := newPlace(t)
	m := p.open(t)
	it := remember(t, m, text)
	lines := ""
	for i, l := range []struct{ source, content string }{
		{"agent", "The harbour master keeps the spare key to the ga…"},
		{"user", "keeps the spare key to the gate in the second drawer"},
		{"agent", "Ann asks whether the harbour master keeps the spare key at all"},
	} {
		lines += marshal(t, map[string]any{
			"v": 1, "id": fmt.Sprint("other-", i), "kind": "semantic", "content": l.content, "scope": "personal:ann",
			"metadata": map[string]any{"created_at": start, "updated_at": start, "source": l.source, "confidence": 0.6},
		}) + "\n"
	}
	ledger := filepath.Join(p.private(t), "memory", "semantic.jsonl")
	before := strings.Count(read(t, ledger), "\n")
	write(t, ledger, read(t, ledger)+lines)
	left, err := m.Erase().Purge(t.Context(), it.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := []erase.Survivor{{Path: ledger, Line: before + 2, Item: "other-1", Why: "item other-1 says it, too: orihon forget --purge other-1 erases that"}}
	if !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
	for id, lives := range map[string]bool{"other-0": false, "other-1": true, "other-2": true} {
		if _, err := m.Items().Get(t.Context(), id); (err == nil) != lives {
			t.Errorf("%s lives: %v, want %v", id, err == nil, lives)
		}
	}
}

// What a purge may not write is named: what was written outside of the home, a
// client's record of the session, and what git carries.
func TestAPurgeNamesWhatLiesElsewhere(t *testing.T) {
	const text = "The vault code of the lighthouse is quokka-1917"
	p := newPlace(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=ann", "-c", "user.email=ann@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: no git")
	}
	git("init", "-q")
	m := p.open(t)
	it := state(t, m, orihon.Statement{Text: text, Scope: memory.Shared})
	p.begin(t, "s1", "startup")
	p.prompt(t, "s1", "p1", "Is it so? "+text)
	p.begin(t, "s2", "startup")
	p.prompt(t, "s2", "p1", "How are you?")
	p.end(t, "s2")
	p.begin(t, "s4", "startup") // runs still: no hook has told all that its transcript has
	git("add", ".orihon/memory")
	git("commit", "-qm", "memory")
	atoms, err := filepath.Glob(filepath.Join(m.Project().Shared, "*.md"))
	if err != nil || len(atoms) != 1 {
		t.Fatal(atoms, err)
	}
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.md": "# A\n\n- " + text + "\n", "gone.md": text, "clean.md": "nothing", "old/deep/x.json": `{"a":"\"` + text + `"}`} {
		write(t, filepath.Join(elsewhere, name), content)
	}
	write(t, filepath.Join(elsewhere, "b.gz"), gzipped(t, text))
	for _, name := range []string{"a.md", "gone.md", "clean.md", "old", "b.gz", "a.md"} {
		if err := m.Erase().WroteOutside(t.Context(), "export", filepath.Join(elsewhere, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Erase().WroteOutside(t.Context(), "export", filepath.Join(p.home, "inside.md")); err != nil {
		t.Fatal(err)
	}
	if list := read(t, filepath.Join(p.home, "outside.jsonl")); strings.Contains(list, "inside") {
		t.Errorf("the list of what lies outside names the home: %s", list)
	}
	if err := os.Remove(filepath.Join(elsewhere, "gone.md")); err != nil {
		t.Fatal(err)
	}
	client := t.TempDir()
	told := `{"type":"user","message":"hello"}` + "\n" + `{"type":"user","message":` + marshal(t, "echo '"+text[:40]+"…'") + "}\n"
	for _, name := range []string{"-p/s1.jsonl", "-p/s1/subagents/agent-1.jsonl", "-p/s2.jsonl", "-p/s3.jsonl", "-p/s4.jsonl"} {
		write(t, filepath.Join(client, name), told)
	}
	left, err := m.Erase().Purge(t.Context(), it.ID, client, filepath.Join(client, "absent"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range left {
		got = append(got, fmt.Sprintf("%s:%d", s.Path, s.Line))
	}
	want := []string{
		atoms[0] + ":0", filepath.Join(elsewhere, "a.md") + ":3", filepath.Join(elsewhere, "b.gz") + ":0", filepath.Join(elsewhere, "old/deep/x.json") + ":1",
		filepath.Join(client, "-p/s1.jsonl") + ":2", filepath.Join(client, "-p/s1/subagents/agent-1.jsonl") + ":2",
		filepath.Join(client, "-p/s4.jsonl") + ":2",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("left\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(read(t, filepath.Join(client, "-p/s1.jsonl")), "lighthouse") || !strings.Contains(read(t, filepath.Join(elsewhere, "a.md")), "lighthouse") {
		t.Error("what is not ours was changed")
	}
}

// The time of a purge in a home of many sessions.
func BenchmarkPurge(b *testing.B) {
	const sessions, events = 1000, 100
	home, dir := b.TempDir(), b.TempDir()
	p := &place{home: home, dir: dir}
	m := p.open(b)
	remember(b, m, "We deploy with make ship")
	private := m.Project().Private
	for s := range sessions {
		j, err := journal.Open(filepath.Join(private, "sessions", fmt.Sprint("s", s)), nil)
		if err != nil {
			b.Fatal(err)
		}
		var list []journal.Event
		for e := range events {
			payload := marshal(b, map[string]string{"text": fmt.Sprintf("step %d of %d: %s", e, s, strings.Repeat("look at the build log and mend what is broken; ", 12))})
			list = append(list, journal.Event{Type: journal.UserMessage, ID: fmt.Sprint(s, "-", e), Payload: json.RawMessage(payload)})
		}
		if _, err := j.Append(b.Context(), list...); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		it := remember(b, m, fmt.Sprintf("The vault code of lighthouse %d is quokka-%d, and only Ann and the harbour master know it", n, 1917*n))
		j, err := journal.Open(filepath.Join(private, "sessions", "s7"), nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := j.Append(b.Context(), journal.Event{Type: journal.UserMessage, ID: fmt.Sprint("x", n), Payload: json.RawMessage(marshal(b, map[string]string{"text": it.Content}))}); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		b.StartTimer()
		if _, err := m.Erase().Purge(b.Context(), it.ID); err != nil {
			b.Fatal(err)
		}
		b.Logf("%v", time.Since(began))
	}
}
