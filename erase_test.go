package orihon_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/internal/jsonl"
	"orihon/memory"
)

// everyByte returns the files below a folder that hold a text, in any case,
// compressed ones unpacked, with how often.
func everyByte(t tb, text string, dirs ...string) map[string]int {
	t.Helper()
	found := make(map[string]int)
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if z, zerr := gzip.NewReader(bytes.NewReader(data)); zerr == nil {
				plain, _ := io.ReadAll(z)
				data = append(data, plain...)
			}
			if n := bytes.Count(bytes.ToLower(data), []byte(text)); n > 0 {
				rel, _ := filepath.Rel(dir, path)
				found[filepath.ToSlash(rel)] = n
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// What is purged stands nowhere any more: every byte of every file is read.
func TestNoByteSurvivesAPurge(t *testing.T) {
	const token, first = "qumquatz", `The code <word> of "project" qumquatz-甲 is 4711`
	for _, scope := range []memory.Scope{"", memory.Global, memory.Shared} {
		t.Run(string(scope), func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			for i := range 230 { // enough for a model to be trained
				remember(t, m, fmt.Sprintf("Service %d listens on port %d behind gateway %d", i, 3000+i, i%7))
			}
			it := state(t, m, orihon.Statement{Text: first, Scope: scope})
			second := first + ", said Ann"
			if _, err := m.Items().Edit(t.Context(), it.ID, func(it *memory.Item) error { it.Content = second; return nil }); err != nil {
				t.Fatal(err)
			}
			p.begin(t, "s0", "startup")
			if in := p.prompt(t, "s0", "p0", "the code word of project 4711"); !strings.Contains(in.Text, second) {
				t.Errorf("it was not injected: %q", in.Text)
			}
			if _, err := m.Items().Archive(t.Context(), "because "+first, it.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Items().Restore(t.Context(), it.ID); err != nil {
				t.Fatal(err)
			}
			undo(t, m, orihon.Undo{Last: true})
			if _, err := m.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			// A session that speaks of it, in a prompt, a body of its own, and what follows from both.
			p.begin(t, "s1", "startup")
			p.prompt(t, "s1", "p1", "Tell me: "+second)
			p.do(t, "s1", func(ctx context.Context, s *orihon.Session) error {
				input, err := json.Marshal(map[string]string{"command": "echo " + first})
				if err != nil {
					return err
				}
				return s.Action(ctx, orihon.Action{ID: "a1", Tool: "Bash", Input: input, Output: strings.Repeat("line\n", 10_000) + second})
			})
			p.end(t, "s1")
			p.work(t)
			private := p.private(t)
			day := filepath.Join(private, "memory", "2026-08-01.md")
			write(t, filepath.Join(private, "exports", "all.jsonl"), marshal(t, map[string]string{"content": second})+"\n")
			write(t, filepath.Join(private, "candidates.jsonl"), marshal(t, map[string]any{"v": 1, "item": map[string]string{"content": first}})+"\n")
			write(t, filepath.Join(private, "sessions", "s1", "brief.md"), "# Brief\n"+first+"\n")
			write(t, filepath.Join(private, "sessions", "s1", "hot.json"), marshal(t, []string{first}))
			write(t, filepath.Join(private, "observations.jsonl"), marshal(t, map[string]string{"said": second})+"\n")
			write(t, filepath.Join(private, "memory", "_candidates.md"), "- "+first+"\n")
			write(t, filepath.Join(p.home, "hook.log"), "failed on "+second+"\n")
			write(t, filepath.Join(p.home, "memory", "notes.md"), "She said: "+first+"\n")
			if _, err := m.Corpus().Index(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			planted := everyByte(t, token, p.home, p.dir)
			for _, part := range []string{"memory/archive/", "journal.jsonl", "/io/", "index/", "exports/", "2026-08-01.md", "hook.log"} {
				if scope == memory.Shared && part == "memory/archive/" {
					continue
				}
				if !slices.ContainsFunc(keysOf(planted), func(file string) bool { return strings.Contains(file, part) }) {
					t.Errorf("nothing was planted in %s: %v", part, planted)
				}
			}
			read(t, day)

			if _, err := m.Items().Purge(t.Context(), it.ID); err != nil {
				t.Fatal(err)
			}
			if left := everyByte(t, token, p.home, p.dir); len(left) > 0 {
				t.Errorf("it still stands in %v", left)
			}
			for file := range everyByte(t, it.ID, p.home, p.dir) {
				switch {
				case strings.HasSuffix(file, "audit.jsonl"), strings.HasSuffix(file, "journal.jsonl"): // that it was injected
				case strings.Contains(read(t, existing(p, file)), "[purged:"):
				default:
					t.Errorf("%s still names it", file)
				}
			}
			if problems := examined(t, m); len(problems) > 0 {
				t.Errorf("what was left is broken: %v", problems)
			}
			if !finds(t, m, "which port does service 12 listen on?", "3012") {
				t.Error("other memory was lost")
			}
		})
	}
}

func existing(p *place, file string) string {
	if path := filepath.Join(p.home, filepath.FromSlash(file)); exists(path) {
		return path
	}
	return filepath.Join(p.dir, filepath.FromSlash(file))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func examined(t tb, m *orihon.Memory) []string {
	t.Helper()
	s, err := m.Sync(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Problems
}

func marshal(t tb, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func keysOf(m map[string]int) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

// What was said of a global item in another project goes as well.
func TestAGlobalItemIsPurgedInEveryProject(t *testing.T) {
	const token, text = "qumquatz", "The word of the house is qumquatz"
	p := newPlace(t)
	other := &place{home: p.home, dir: t.TempDir()}
	it := state(t, p.open(t), orihon.Statement{Text: text, Scope: memory.Global})
	remember(t, other.open(t), "The other project deploys with make ship")
	other.prompt(t, "s1", "p1", "Is it true? "+text)
	other.end(t, "s1")
	other.work(t)
	if _, err := p.open(t).Items().Purge(t.Context(), it.ID); err != nil {
		t.Fatal(err)
	}
	if left := everyByte(t, token, p.home); len(left) > 0 {
		t.Errorf("it still stands in %v", left)
	}
	if !finds(t, other.open(t), "how does the other project deploy?", "make ship") {
		t.Error("the other project lost its memory")
	}
}

// A purge waits for another process that syncs, and does not take its index away.
func TestAPurgeWaitsForAnotherSync(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	it := remember(t, m, "The word of the house is qumquatz")
	index := filepath.Join(p.private(t), "index", "index.db")
	before, err := os.Stat(index)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := jsonl.Lock(t.Context(), index+".sync")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := m.Items().Purge(context.Background(), it.ID)
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("the purge did not wait: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(index)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the index was taken away: %v", err)
	}
	if left := everyByte(t, "qumquatz", p.home); len(left) > 0 {
		t.Errorf("it still stands in %v", left)
	}
}
