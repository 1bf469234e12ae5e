package orihon_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/follow"
	"orihon/internal/jsonl"
	"orihon/journal"
	"orihon/memory"
)

// everyByte returns the files below a folder that hold a text, in any case and
// in whatever they are packed, with how often.
func everyByte(t tb, text string, dirs ...string) map[string]int {
	t.Helper()
	found := make(map[string]int)
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			n, err := timesIn(path, text)
			if n > 0 {
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

// timesIn counts a text in a file and in what that unpacks to, in capitals or not.
func timesIn(path, text string) (int, error) {
	data, err := os.ReadFile(path)
	data = unpacked(data)
	return max(bytes.Count(data, []byte(text)), bytes.Count(bytes.ToLower(data), bytes.ToLower([]byte(text)))), err
}

// unpacked adds to a file's bytes what it unpacks to.
func unpacked(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	plain, _ := io.ReadAll(z)
	all := append(data, plain...)
	for t := tar.NewReader(bytes.NewReader(plain)); ; {
		if _, err := t.Next(); err != nil {
			return all
		}
		body, _ := io.ReadAll(t)
		all = append(all, unpacked(body)...)
	}
}

func gzipped(t tb, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
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

// What was said of an item in another project goes as well, and nothing else
// does.
func TestAnItemIsPurgedInEveryProject(t *testing.T) {
	const token, text = "qumquatz", "The word of the house is qumquatz"
	p := newPlace(t)
	other := &place{home: p.home, dir: t.TempDir()}
	it := state(t, p.open(t), orihon.Statement{Text: text, Scope: memory.Global})
	remember(t, other.open(t), "The other project deploys with make ship")
	other.prompt(t, "s1", "p1", "Is it true? "+text)
	other.end(t, "s1")
	other.work(t)
	if _, err := p.open(t).Erase().Purge(t.Context(), it.ID); err != nil {
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
		_, err := m.Erase().Purge(context.Background(), it.ID)
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

// The final mark of a sentence is no part of what it says.
func TestAPurgeKnowsASentenceByAnyFinalMark(t *testing.T) {
	for _, tt := range []struct {
		text, token string
		prompts     []string
	}{
		{"The vault opens with lever 42.", "lever 42", []string{"The vault opens with lever 42? really", "so The vault opens with lever 42, right"}},
		{"金庫用把手四十二開。", "把手四十二", []string{"金庫用把手四十二開嗎", "所以金庫用把手四十二開，對吧"}},
		{"金库用把手四十二开！", "把手四十二", []string{"金库用把手四十二开吗", "所以金库用把手四十二开；对吧"}},
	} {
		p := newPlace(t)
		m := p.open(t)
		it := remember(t, m, tt.text)
		if it.Content != tt.text {
			t.Errorf("%q was kept as %q", tt.text, it.Content)
		}
		for i, prompt := range tt.prompts {
			p.prompt(t, "s1", "p"+strconv.Itoa(i), prompt)
		}
		p.end(t, "s1")
		p.work(t)
		if found := everyByte(t, tt.token, p.home); len(found) < 3 { // ledger, journal, index
			t.Errorf("%q was only planted in %v", tt.token, found)
		}
		if _, err := m.Erase().Purge(t.Context(), it.ID); err != nil {
			t.Fatal(err)
		}
		if left := everyByte(t, tt.token, p.home); len(left) > 0 {
			t.Errorf("%q still stands in %v", tt.token, left)
		}
	}
}

// The session in which it was said goes on, and its client tells all of it again.
func TestAPurgeIsNotUndoneByTheTranscript(t *testing.T) {
	for name, tt := range map[string]struct {
		prompt, kept, word, answer string
		id                         string // of the prompt, where the client gives one
		ended                      bool   // the session is over by then
	}{
		"in a running session":         {"remember: the depot key hangs behind the grey door", "The depot key hangs behind the grey door", "grey door", "Noted: the depot key hangs behind the grey door.", "", false},
		"in Chinese":                   {"记住:仓库的钥匙挂在灰色门后面", "仓库的钥匙挂在灰色门后面", "灰色门", "好，仓库的钥匙挂在灰色门后面。", "", false},
		"with names":                   {"remember: the depot key hangs behind the grey door", "The depot key hangs behind the grey door", "grey door", "Noted: the depot key hangs behind the grey door.", "p1", false},
		"of a session that is resumed": {"remember: the depot key hangs behind the grey door", "The depot key hangs behind the grey door", "grey door", "Noted: the depot key hangs behind the grey door.", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			var log bytes.Buffer
			heard := func(o *orihon.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) }
			answer := func(text string) {
				p.do(t, "s1", func(ctx context.Context, s *follow.Session) error { return s.Answer(ctx, tt.id, text) })
				p.work(t)
			}
			p.prompt(t, "s1", tt.id, tt.prompt)
			answer(tt.answer)
			if tt.ended {
				p.end(t, "s1")
				p.work(t)
			}
			m := p.open(t, heard)
			all := list(t, m, memory.Filter{Kinds: []memory.Kind{memory.Semantic, memory.Procedural}})
			if len(all) != 1 {
				t.Fatalf("held: %q", contents(all))
			}
			if _, err := m.Erase().Purge(t.Context(), all[0].Item.ID); err != nil {
				t.Fatal(err)
			}
			m.Close()
			p.begin(t, "s1", "resume")
			p.prompt(t, "s1", "", "sort the table by name")
			answer("Sorted.")
			p.do(t, "s1", func(ctx context.Context, s *follow.Session) error {
				return s.Tell(ctx, follow.TranscriptEntry{User: true, Prompt: tt.id, Text: tt.prompt}, follow.TranscriptEntry{Prompt: tt.id, Text: tt.answer},
					follow.TranscriptEntry{User: true, Text: "sort the table by name"}, follow.TranscriptEntry{Text: "Sorted."})
			}, heard)
			p.end(t, "s1")
			m = p.open(t, heard)
			if err := m.Sessions().Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			m.Close()
			if held := p.held(t); len(held) > 0 && slices.ContainsFunc(held, func(s string) bool { return strings.Contains(s, tt.word) }) {
				t.Errorf("held again: %q", held)
			}
			if found := everyByte(t, tt.word, p.home, p.dir); len(found) > 0 {
				t.Errorf("it stands in %v", found)
			}
			if strings.Contains(log.String(), "passed over") {
				t.Errorf("log: %s", log.String())
			}
			if n := len(p.events(t, "s1")); n == 0 {
				t.Error("the journal is empty")
			}
			// Said again, it is kept again.
			p.prompt(t, "s1", "", tt.prompt)
			if held := p.held(t); !slices.Contains(held, tt.kept) {
				t.Errorf("held: %q", held)
			}
		})
	}
}

// A forked session's transcript begins with all that was said in the other one, under
// an ID that nothing is known of.
func TestAPurgeIsNotUndoneByAFork(t *testing.T) {
	p := newPlace(t)
	const prompt, answer = "remember: the depot key hangs behind the grey door", "Noted: the depot key hangs behind the grey door."
	p.prompt(t, "s1", "p1", prompt)
	said := p.now()
	p.do(t, "s1", func(ctx context.Context, s *follow.Session) error { return s.Answer(ctx, "p1", answer) })
	p.work(t)
	m := p.open(t)
	all := list(t, m, memory.Filter{Kinds: []memory.Kind{memory.Semantic, memory.Procedural}})
	if len(all) != 1 {
		t.Fatalf("held: %q", contents(all))
	}
	if _, err := m.Erase().Purge(t.Context(), all[0].Item.ID); err != nil {
		t.Fatal(err)
	}
	m.Close()

	p.begin(t, "s2", "fork")
	p.prompt(t, "s2", "p2", "sort the table by name")
	told := []follow.TranscriptEntry{
		{At: said, User: true, Prompt: "p1", Text: prompt}, {At: said, Prompt: "p1", Text: "Writing it down.", ID: "m1", Interim: true},
		{At: said, Prompt: "p1", Text: answer},
		{At: p.now(), Prompt: "p2", Text: "Looking at the table.", ID: "m2", Interim: true}, {At: p.now(), Prompt: "p2", Text: "Sorted by name."},
	}
	p.do(t, "s2", func(ctx context.Context, s *follow.Session) error { return s.Hear(ctx, 100, told...) })
	p.do(t, "s2", func(ctx context.Context, s *follow.Session) error { return s.Tell(ctx, told...) })
	p.end(t, "s2")
	p.work(t)
	if held := p.held(t); len(held) > 0 && strings.Contains(strings.Join(held, "\n"), "grey door") {
		t.Errorf("held again: %q", held)
	}
	for _, word := range []string{"grey door", "Writing it down"} {
		if found := everyByte(t, word, p.home, p.dir); len(found) > 0 {
			t.Errorf("%q stands in %v", word, found)
		}
	}
	for _, word := range []string{"Sorted by name", "Looking at the table"} {
		if !slices.ContainsFunc(p.events(t, "s2"), func(e journal.Event) bool { return strings.Contains(string(e.Payload), word) }) {
			t.Errorf("the fork's own %q is not in its journal", word)
		}
	}
}

// What the agent says between its calls is read from the transcript at the end of the
// turn, and a purge may come before.
func TestAPurgeIsNotUndoneByWhatNoHookHasToldYet(t *testing.T) {
	const text = "the depot key hangs behind the grey door"
	for name, late := range map[string]follow.TranscriptEntry{
		"between calls":      {ID: "m1", Interim: true, Text: "First to the depot: " + text + ", then the tests."},
		"nothing else":       {ID: "m1", Interim: true, Text: text},
		"a prompt":           {User: true, Prompt: "p7", Text: "remember: " + text},
		"an answer":          {Prompt: "p2", Text: "Done, and " + text + "."},
		"an action's input":  {Action: &follow.Action{ID: "a1", Tool: "Bash", Input: json.RawMessage(`{"command":"echo ` + text + `"}`)}},
		"an action's output": {Action: &follow.Action{ID: "a1", Tool: "Bash", Input: json.RawMessage(`{"command":"cat notes"}`), Output: text}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.prompt(t, "s1", "p1", "remember: "+text)
			p.prompt(t, "s2", "p2", "now run the tests")
			late.At = p.now()
			m := p.open(t)
			all := list(t, m, memory.Filter{Kinds: []memory.Kind{memory.Semantic, memory.Procedural}})
			if len(all) != 1 {
				t.Fatalf("held: %q", contents(all))
			}
			if _, err := m.Erase().Purge(t.Context(), all[0].Item.ID); err != nil {
				t.Fatal(err)
			}
			m.Close()
			behind := follow.TranscriptEntry{At: p.now(), Prompt: "p2", ID: "m2", Interim: true, Text: "Looking at the table."}
			p.do(t, "s2", func(ctx context.Context, s *follow.Session) error { return s.Hear(ctx, 100, late, behind) })
			p.do(t, "s2", func(ctx context.Context, s *follow.Session) error { return s.Tell(ctx, late, behind) })
			p.end(t, "s2")
			p.work(t)
			if found := everyByte(t, "grey door", p.home, p.dir); len(found) > 0 {
				t.Errorf("it stands in %v", found)
			}
			if !slices.ContainsFunc(p.events(t, "s2"), func(e journal.Event) bool { return strings.Contains(string(e.Payload), "Looking at the table") }) {
				t.Error("what was said behind the purge is not in the journal")
			}
		})
	}
}
