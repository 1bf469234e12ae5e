package journal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/copies"
	"orihon/journal"
	"orihon/memory"
)

func TestTurnsJoinTheAnswersBetweenTwoPrompts(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	mustAppend(t, j,
		event(journal.RunStarted, "", journal.Run{Source: "startup"}),
		user("p1", "修正登入錯誤"),
		event(journal.Thought, "t", journal.Message{Text: "hm"}),
		assistant("a1", "I look."),
		event(journal.ActionRequest, "x", journal.Action{Tool: "Read"}),
		event(journal.ActionResult, "x", journal.Result{Output: "…"}),
		assistant("a2", "  "),
		assistant("a3", strings.Repeat("好", 20_000)),
		user("p2", "再来一次"), user("p3", "thanks"),
	)
	turns, next, err := j.Turns(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []journal.Turn{
		{Seq: 2, TS: start.Add(1e9), Role: "user", Text: "修正登入錯誤", ID: "p1"},
		{Seq: 4, TS: start.Add(3e9), Role: "assistant", Text: "I look.\n\n" + strings.Repeat("好", 20_000), ID: "a1"},
		{Seq: 9, TS: start.Add(8e9), Role: "user", Text: "再来一次", ID: "p2"},
		{Seq: 10, TS: start.Add(9e9), Role: "user", Text: "thanks", ID: "p3"},
	}
	if diff := cmp.Diff(want, turns); diff != "" {
		t.Error(diff)
	}
	mustAppend(t, j, assistant("a4", "welcome"))
	turns, _, err = j.Turns(context.Background(), next)
	if err != nil || len(turns) != 1 || turns[0].ID != "a4" {
		t.Errorf("from %d: %+v, %v", next, turns, err)
	}
	if turns, next, err := open(t, t.TempDir()).Turns(context.Background(), 0); turns != nil || next != 0 || err != nil {
		t.Errorf("an absent journal has %v, %d, %v", turns, next, err)
	}
}

// index is the least of an index: what batches leave behind.
type index struct {
	files    map[string]memory.File
	passages map[string]memory.Passage
}

func newIndex() *index {
	return &index{map[string]memory.File{}, map[string]memory.Passage{}}
}

func (x *index) apply(b memory.Batch) {
	for _, path := range slices.Concat(b.Gone, b.Replace) {
		maps.DeleteFunc(x.passages, func(_ string, p memory.Passage) bool { return p.Source == path })
	}
	for _, path := range b.Gone {
		delete(x.files, path)
	}
	for _, p := range b.Put {
		x.passages[p.ID] = p
	}
	for _, f := range b.Files {
		x.files[f.Path] = f
	}
}

func (x *index) sync(t *testing.T, dir string) memory.Batch {
	t.Helper()
	b, err := journal.Changes(context.Background(), dir, x.files, &journal.ChangesOptions{User: "ming", Scope: memory.Personal("ming")})
	if err != nil {
		t.Fatal(err)
	}
	x.apply(b)
	return b
}

func TestIncrementalChangesEqualAFullRead(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 2))
	for round := range 12 {
		sessions := t.TempDir()
		inc := newIndex()
		for step := range 14 {
			name := fmt.Sprintf("s%d", rng.IntN(2))
			j := open(t, filepath.Join(sessions, name))
			if err := os.MkdirAll(j.Dir(), 0o700); err != nil {
				t.Fatal(err)
			}
			for range rng.IntN(4) {
				id := fmt.Sprintf("m%d", rng.IntN(400))
				text := strings.Repeat("登入 login error ", 1+rng.IntN(60))
				switch rng.IntN(7) {
				case 6:
					mustAppend(t, j, event(journal.Thought, id, journal.Message{Text: text, Reasoning: rng.IntN(2) == 0}))
				case 0, 1:
					mustAppend(t, j, user(id, text))
				case 2:
					mustAppend(t, j, assistant(id, strings.Repeat(text, 1+rng.IntN(6))))
				case 3:
					mustAppend(t, j, assistant(id, "短"))
				case 4:
					mustAppend(t, j, event(journal.ActionResult, id, journal.Result{Output: strings.Repeat(text, 20)}))
				case 5:
					appendRaw(t, j.Path(), []string{"broken\n", "\n", "torn"}[rng.IntN(3)])
				}
			}
			if step == 9 && rng.IntN(2) == 0 {
				if _, err := j.Purge(context.Background(), replacer("login", "LOGIN")); err != nil {
					t.Fatal(err)
				}
			}
			inc.sync(t, sessions)
			full := newIndex()
			full.sync(t, sessions)
			if diff := cmp.Diff(full.passages, inc.passages); diff != "" {
				t.Fatalf("seed %d, round %d, step %d (-full +incremental):\n%s", seed, round, step, diff)
			}
		}
	}
}

func TestPassagesCarryTheirTurn(t *testing.T) {
	sessions := t.TempDir()
	j := open(t, filepath.Join(sessions, "s1"))
	long := strings.Repeat("one sentence of ten words that fills the page now. ", 30)
	mustAppend(t, j, user("1", "why does the login fail"), assistant("2", long), user("3", "继续"), user("4", "/compact"), user("5", "部署到測試環境"))
	x := newIndex()
	b := x.sync(t, sessions)
	var got []string
	for _, p := range b.Put {
		got = append(got, p.ID)
		if err := p.Item.Validate(); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"s1/1", "s1/2", "s1/2.2", "s1/5"}, got); diff != "" {
		t.Fatal(diff)
	}
	want := memory.Passage{
		ID: "s1/5",
		Item: memory.Item{
			ID: "s1/5", Kind: memory.Note, Scope: "personal:ming", Content: "部署到測試環境",
			Metadata: memory.Metadata{CreatedAt: start.Add(4e9), UpdatedAt: start.Add(4e9), Source: memory.FromUser, Confidence: 0.6, Session: "s1"},
		},
		Near:   []memory.Neighbour{{Text: "/compact", Distance: 1}, {Text: "继续", Distance: 2}},
		Source: "sessions/s1/journal.jsonl", Line: 5, EndLine: 5, Speaker: "ming", Population: memory.UserTurns,
	}
	if diff := cmp.Diff(want, x.passages["s1/5"]); diff != "" {
		t.Error(diff)
	}
	a := x.passages["s1/2.2"]
	if a.Speaker != "assistant" || a.Population != memory.AgentTurns || a.Item.Metadata.Confidence != 0.5 || a.Item.Metadata.Source != memory.FromAgent {
		t.Errorf("assistant's passage: %+v", a)
	}
	if n := len([]rune(x.passages["s1/1"].Near[0].Text)); n > 400 {
		t.Errorf("near text of %d characters, want at most 400", n)
	}
	f := x.files["sessions/s1/journal.jsonl"]
	if info, err := os.Stat(j.Path()); err != nil || f.Size != info.Size() || f.Offset != f.Size || !f.MTime.Equal(info.ModTime()) || f.Kind != "journal" {
		t.Errorf("file %+v", f)
	}
}

func TestWhatIsSaidOnTheWayIsFoundAndIsNoAnswer(t *testing.T) {
	sessions := t.TempDir()
	j := open(t, filepath.Join(sessions, "s1"))
	cause := "The worker reads the schedule in local time while the queue writes it in UTC, which explains why nights are skipped."
	mustAppend(t, j, user("1", "why are night runs skipped"),
		event(journal.Thought, "2", journal.Message{Text: cause}),
		event(journal.Thought, "3", journal.Message{Text: "Let me run the tests."}),
		event(journal.Thought, "thinking:4", journal.Message{Text: cause}),
		event(journal.Thought, "5", journal.Message{Text: cause, Reasoning: true}),
		assistant("6", "Mended, both use UTC now."))
	x := newIndex()
	x.sync(t, sessions)
	if diff := cmp.Diff([]string{"s1/1", "s1/2", "s1/6"}, slices.Sorted(maps.Keys(x.passages))); diff != "" {
		t.Fatal(diff)
	}
	way, answer := x.passages["s1/2"], x.passages["s1/6"]
	if !way.Interim() || way.Item.Content != cause || len(way.Near) > 0 || answer.Interim() {
		t.Errorf("%+v\n%+v", way, answer)
	}
	if diff := cmp.Diff([]memory.Neighbour{{Text: "why are night runs skipped", Distance: 1}}, answer.Near); diff != "" {
		t.Error(diff)
	}
	if turns, _, err := j.Turns(t.Context(), 0); err != nil || len(turns) != 2 {
		t.Errorf("%+v, %v", turns, err)
	}
}

func TestUnchangedJournalsAreNotOpenedAndGoneOnesNamed(t *testing.T) {
	sessions := t.TempDir()
	a, b := open(t, filepath.Join(sessions, "a")), open(t, filepath.Join(sessions, "b"))
	mustAppend(t, a, user("1", "the first of them"))
	mustAppend(t, b, user("1", "the second of them"))
	x := newIndex()
	x.files["MEMORY.md"] = memory.File{Path: "MEMORY.md", Kind: "note"}
	x.sync(t, sessions)

	// Other bytes of the same size and time: whoever opened it would see.
	info, err := os.Stat(a.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.Path(), []byte(strings.Repeat("x", int(info.Size()))), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(a.Path(), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(b.Dir()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(memory.Batch{Gone: []string{"sessions/b/journal.jsonl"}}, x.sync(t, sessions)); diff != "" {
		t.Error(diff)
	}
	if b := x.sync(t, filepath.Join(sessions, "absent")); len(b.Gone) != 1 {
		t.Errorf("an absent folder gives %+v", b)
	}
}

func TestOnlyTheEndOfAGrownJournalIsPutAgain(t *testing.T) {
	sessions := t.TempDir()
	j := open(t, filepath.Join(sessions, "s"))
	for i := range 20 {
		mustAppend(t, j, user(fmt.Sprint("u", i), fmt.Sprint("please do thing number ", i)), assistant(fmt.Sprint("a", i), "did it"))
	}
	x := newIndex()
	x.sync(t, sessions)
	mustAppend(t, j, user("last", "and now the last"))
	if b := x.sync(t, sessions); len(b.Put) != 4 || len(b.Replace) != 0 {
		t.Errorf("%d passages put, %v replaced; want the new one and three before it", len(b.Put), b.Replace)
	}
	mustAppend(t, j, event(journal.ActionResult, "r", journal.Result{Output: "no turn"}))
	if b := x.sync(t, sessions); len(b.Put) != 0 || len(b.Files) != 1 {
		t.Errorf("without new turns: %d passages, %d files", len(b.Put), len(b.Files))
	}
	if err := os.Chtimes(j.Path(), start, start); err != nil {
		t.Fatal(err)
	}
	if b := x.sync(t, sessions); len(b.Replace) != 1 || len(b.Put) != 41 {
		t.Errorf("touched: %d passages, %v replaced; want all", len(b.Put), b.Replace)
	}
}

func TestSymlinkedJournalsAreNotFollowed(t *testing.T) {
	sessions, outside := t.TempDir(), t.TempDir()
	j := open(t, outside)
	mustAppend(t, j, user("1", "not part of this home"))
	if err := os.Symlink(outside, filepath.Join(sessions, "folder")); err != nil {
		t.Skip("SKIPPED: no symlinks here:", err)
	}
	if err := os.Mkdir(filepath.Join(sessions, "file"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(j.Path(), filepath.Join(sessions, "file", "journal.jsonl")); err != nil {
		t.Fatal(err)
	}
	if b := newIndex().sync(t, sessions); !b.Empty() {
		t.Errorf("batch %+v, want none", b)
	}
}

func TestSmallPromptsSayTooLittle(t *testing.T) {
	for prompt, want := range map[string]bool{
		"ok": true, "go on": true, "繼續": true, "好的,继续": true, "/compact": true, "/model opus\nplease": true, "/mcp__x:y a b c": true, "👍": true, "": true,
		"<task-notification>\n<summary>the agent is done with it</summary>": true, "<bash-input>make all of it</bash-input>": true,
		"<div> does not centre its child": false, "a < b-c > d is wrong here": false,
		"fix the login": false, "修正登入錯誤": false, "/etc/hosts is not read": false, "don't do that": false, "部署 to staging": false, "// is a comment": false,
	} {
		if got := journal.TooSmall(prompt); got != want {
			t.Errorf("%q: %v, want %v", prompt, got, want)
		}
	}
}

func FuzzChunksKeepEveryWord(f *testing.F) {
	f.Add("one. two\n\n三。四", 3000)
	f.Add("無標點", 5000)
	f.Add(" \xff", 4001)
	f.Fuzz(func(t *testing.T, unit string, n int) {
		if len(unit) > 50 {
			return
		}
		s := strings.Repeat(unit, min(max(n, 0), 6000))
		out := journal.Chunks(s)
		for _, c := range out {
			if len([]rune(c)) > 4000 || c == "" {
				t.Errorf("a chunk of %d characters", len([]rune(c)))
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(strings.Join(out, "")) != squeeze(s) {
			t.Error("the chunks are not the text")
		}
	})
}

func replacer(old, new string) func(string) (string, bool) {
	return func(s string) (string, bool) {
		return strings.ReplaceAll(s, old, new), strings.Contains(s, old)
	}
}

func TestPurgeErasesEverywhereAndKeepsTheRest(t *testing.T) {
	const secret = "祕密 hunter2"
	dir := t.TempDir()
	j := open(t, dir)
	written := mustAppend(t, j,
		user("u1", "my password is "+secret),
		user("u2", "nothing < here"),
		event(journal.ActionRequest, "t1", journal.Action{Tool: "Bash", Input: json.RawMessage(`{ "` + secret + `": [1, "x \u7955密 hunter2 y"],  "keep" : "&" }`)}),
		event(journal.ActionResult, "t1", journal.Result{Output: secret + strings.Repeat("x", 50_000)}),
		event(journal.ActionResult, "t2", journal.Result{Output: strings.Repeat("y", 50_000)}),
	)
	appendRaw(t, j.Path(), "broken "+secret+"\n{\"torn\": \""+secret)
	appendRaw(t, filepath.Join(dir, ".journal.jsonl.tmp-1"), secret)

	n, err := j.Purge(context.Background(), replacer(secret, "[gone]"))
	if err != nil || n != 6 {
		t.Errorf("%d strings replaced (%v), want 6", n, err)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "hunter2") {
			t.Errorf("%s still holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	events, _ := replay(t, j, 1)
	if len(events) != len(written) {
		t.Fatalf("%d events, want %d", len(events), len(written))
	}
	for i, e := range events {
		want := written[i]
		if e.Seq != want.Seq || e.ID != want.ID || e.Type != want.Type || !e.TS.Equal(want.TS) || e.Iter != want.Iter {
			t.Errorf("event %+v became %+v", want, e)
		}
		if body, err := j.Body(e); err != nil || !json.Valid(body) {
			t.Errorf("event %d: body invalid (%v)", e.Seq, err)
		}
	}
	if string(events[1].Payload) != string(written[1].Payload) {
		t.Errorf("an innocent payload became %s", events[1].Payload)
	}
	if got, want := string(events[2].Payload), `{"tool":"Bash","input":{ "[gone]": [1, "x [gone] y"],  "keep" : "&" }}`; got != want {
		t.Errorf("payload %s, want %s", got, want)
	}
	if files := bodyFiles(t, dir); len(files) != 2 {
		t.Errorf("io/ holds %v, want two bodies", files)
	}
	if n, err := j.Purge(context.Background(), replacer(secret, "")); n != 0 || err != nil {
		t.Errorf("a second purge replaced %d (%v)", n, err)
	}
	if got := mustAppend(t, j, user("u1", "a twin"), user("u9", "next")); len(got) != 1 || got[0].Seq != 6 {
		t.Errorf("after the purge came %+v, want seq 6", got)
	}
}

func TestPurgeOfAnAbsentJournalDoesNothing(t *testing.T) {
	j := open(t, t.TempDir())
	if n, err := j.Purge(context.Background(), replacer("a", "b")); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if events, _ := replay(t, j, 1); events != nil {
		t.Errorf("events %v", events)
	}
}

func FuzzScrubbedJSONStaysJSON(f *testing.F) {
	for _, seed := range []string{`{"a":"b\"a","a":["a",1]}`, `"\u0061\\"`, `"`, `{"k":"\ud800a"}`, "\"a\xff\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, n := copies.Strings(raw, replacer("a", "<\"換\n"))
		if n == 0 && string(out) != string(raw) {
			t.Errorf("unchanged %q became %q", raw, out)
		}
		if !json.Valid(raw) {
			return
		}
		if !json.Valid(out) {
			t.Fatalf("%q became %q", raw, out)
		}
		if again, n := copies.Strings(out, replacer("a", "")); n != 0 {
			t.Errorf("%q still holds it: %q", out, again)
		}
	})
}

func TestATwinBeyondTheTailIsNoSecondTurn(t *testing.T) {
	sessions := t.TempDir()
	dir := filepath.Join(sessions, "s")
	twin := user("u1", "why does it fail")
	mustAppend(t, open(t, dir), twin)
	for i := range 6 {
		mustAppend(t, open(t, dir), user(fmt.Sprint("next", i), "and then what happened"))
	}
	mustAppend(t, open(t, dir), filler(3)...)
	x := newIndex()
	x.sync(t, sessions)
	if got := mustAppend(t, open(t, dir), twin); len(got) != 1 {
		t.Fatal("the twin was not written: this test needs a longer filler")
	}
	x.sync(t, sessions)
	turns, _, err := open(t, dir).Turns(context.Background(), 0)
	if err != nil || len(turns) != 7 || len(x.passages) != 7 {
		t.Errorf("%d turns, %d passages (%v), want 7 and 7", len(turns), len(x.passages), err)
	}
}
