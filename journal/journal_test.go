package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/memory"
)

func TestIterationsBeginWithPromptsAndAfterResults(t *testing.T) {
	j := open(t, t.TempDir())
	type step struct {
		Type journal.Type
		Iter int
	}
	want := []step{
		{journal.RunStarted, 1}, {journal.UserMessage, 2}, {journal.Thought, 2},
		{journal.ActionRequest, 2}, {journal.ActionRequest, 2}, {journal.ActionResult, 2}, {journal.ActionResult, 2},
		{journal.Thought, 3}, {journal.ActionRequest, 3}, {journal.ActionResult, 3}, {journal.AssistantMessage, 3},
		{journal.UserMessage, 4}, {journal.ActionRequest, 4}, {journal.RunEnded, 4},
	}
	var events []journal.Event
	for _, s := range want {
		events = append(events, journal.Event{Type: s.Type})
	}
	var got []step
	for _, e := range mustAppend(t, j, events...) {
		got = append(got, step{e.Type, e.Iter})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e := mustAppend(t, open(t, t.TempDir()), user("p", "hello")); e[0].Iter != 1 || e[0].Seq != 1 {
		t.Errorf("a first prompt has seq %d and iteration %d, want 1 and 1", e[0].Seq, e[0].Iter)
	}
}

func TestColdHandlesNumberLikeAWarmOne(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	types := []journal.Type{journal.UserMessage, journal.Thought, journal.ActionRequest, journal.ActionRequest, journal.ActionResult}
	warmDir, coldDir := t.TempDir(), t.TempDir()
	warm := open(t, warmDir)
	for i := range 150 {
		text := strings.Repeat("長", rng.IntN(10_000)) // a few fill the tail
		e := event(types[rng.IntN(len(types))], fmt.Sprint("id", i), journal.Message{Text: text})
		e.TS = start
		mustAppend(t, warm, e)
		mustAppend(t, open(t, coldDir), e)
	}
	a, err := os.ReadFile(filepath.Join(warmDir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(coldDir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("seed %d: journals differ", seed)
	}
}

func TestOneThingToldTwiceIsOneEvent(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	request := event(journal.ActionRequest, "toolu_1", journal.Action{Tool: "Read"})
	result := event(journal.ActionResult, "toolu_1", journal.Result{Tool: "Read"})
	if got := mustAppend(t, j, request, request, result); len(got) != 2 {
		t.Errorf("%d events written, want request and result", len(got))
	}
	if got := mustAppend(t, open(t, dir), request, result, user("", "再一次"), user("", "再一次")); len(got) != 2 {
		t.Errorf("%d events written, want the two without identity", len(got))
	}

	// Out of the tail's sight a cold handle writes a twin, which a replay and
	// an exact append do not fall for.
	mustAppend(t, j, filler(3)...)
	if got := mustAppend(t, open(t, dir), request); len(got) != 1 {
		t.Errorf("the twin was found beyond the tail: this test needs a longer filler")
	}
	if got := mustAppend(t, j, request); len(got) != 0 {
		t.Error("a handle forgot what it had appended")
	}
	got, err := open(t, dir).AppendExact(context.Background(), result, user("new", "新的"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"new"}, ids(got)); diff != "" {
		t.Error(diff)
	}
	events, _ := replay(t, open(t, dir), 1)
	twins := 0
	for _, e := range events {
		if e.Type == journal.ActionRequest && e.ID == "toolu_1" {
			twins++
		}
	}
	if twins != 1 {
		t.Errorf("a replay tells %d times of one request", twins)
	}
}

// filler is n events that fill about 30 KiB each.
func filler(n int) (out []journal.Event) {
	for i := range n {
		out = append(out, event(journal.ActionResult, fmt.Sprintf("filler-%d", i), journal.Result{Output: strings.Repeat("x", 30<<10)}))
	}
	return out
}

func TestPayloadsComeBackByteForByte(t *testing.T) {
	j := open(t, t.TempDir())
	input := json.RawMessage(`{ "b":1,"a" : "<&>\u003c \/ 記憶","n":1.50e0 }`)
	e := event(journal.ActionRequest, "t1", journal.Action{Tool: "Edit", Input: input, Files: []string{"a.go"}})
	e.TS = start
	mustAppend(t, j, e, journal.Event{Type: "FUTURE_TYPE", ID: "é\"\\\n", Payload: json.RawMessage("{\n \"x\": 1\n}")})
	events, problems := replay(t, j, 1)
	if len(events) != 2 || problems != nil {
		t.Fatalf("%d events, problems %v", len(events), problems)
	}
	if !bytes.Equal(events[0].Payload, e.Payload) || !bytes.Contains(e.Payload, input) {
		t.Errorf("payload became %s", events[0].Payload)
	}
	var a journal.Action
	if err := j.Decode(events[0], &a); err != nil || a.Tool != "Edit" || len(a.Files) != 1 {
		t.Errorf("decoded %+v, %v", a, err)
	}
	if got := string(events[1].Payload); got != `{"x":1}` || events[1].ID != "é\"\\\n" {
		t.Errorf("id %q, payload %s", events[1].ID, got)
	}
}

func TestInvalidEventsAreRefusedAsAWhole(t *testing.T) {
	j := open(t, t.TempDir())
	for _, bad := range []journal.Event{{ID: "no type"}, {Type: journal.Thought, Payload: json.RawMessage(`{`)}} {
		if _, err := j.Append(context.Background(), user("ok", "fine"), bad); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", bad, err)
		}
	}
	if _, err := journal.New(journal.ActionRequest, "x", journal.Action{Input: json.RawMessage(`{`)}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("broken input: %v, want ErrInvalid", err)
	}
	if _, err := os.Stat(j.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

func TestJournalCutAtEveryByteReopensCleanly(t *testing.T) {
	whole := t.TempDir()
	j := open(t, whole)
	mustAppend(t, j, user("u1", "修好登入"), assistant("a1", "done"), event(journal.ActionResult, "t1", journal.Result{Output: "通过"}))
	raw, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	for at := 0; at <= len(raw); at++ {
		dir := filepath.Join(base, fmt.Sprint(at))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), raw[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		cut := open(t, dir)
		if _, problems := replay(t, cut, 1); (at > 0 && raw[at-1] != '\n') != (len(problems) == 1) {
			t.Fatalf("cut at byte %d: problems %v", at, problems)
		}
		mustAppend(t, cut, user("new", "go on"))
		events, problems := replay(t, cut, 1)
		kept := bytes.Count(raw[:at], []byte{'\n'})
		if at < len(raw) && raw[at] == '\n' {
			kept++ // only the newline was lost
		}
		want := append([]string{"u1", "a1", "t1"}[:kept:kept], "new")
		if diff := cmp.Diff(want, ids(events)); diff != "" || problems != nil {
			t.Fatalf("cut at byte %d: %s, problems %v", at, diff, problems)
		}
		if last := events[len(events)-1]; last.Seq != int64(len(want)) {
			t.Fatalf("cut at byte %d: the new event has seq %d, want %d", at, last.Seq, len(want))
		}
	}
}

func TestBrokenLinesAreNamedAndPassedOver(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	mustAppend(t, j, user("u1", "one"))
	for _, junk := range []string{"not json\n", "{}\n", "\x00\x00\n", "\n", `{"seq":9,"ts":"2026-08-01T09:00:00Z","iter":1,"type":"THOUGHT","payload":{"text":"a}` + "\n"} {
		appendRaw(t, j.Path(), junk)
	}
	mustAppend(t, open(t, dir), user("u2", "兩"))
	appendRaw(t, j.Path(), `{"seq":3,"ts"`)

	events, problems := replay(t, open(t, dir), 1)
	if diff := cmp.Diff([]string{"u1", "u2"}, ids(events)); diff != "" {
		t.Error(diff)
	}
	var at []string
	for _, p := range problems {
		at = append(at, strings.TrimPrefix(p[:strings.Index(p, ": ")], j.Path()))
	}
	if diff := cmp.Diff([]string{":2", ":3", ":4", ":6", ":8"}, at); diff != "" {
		t.Error(diff)
	}
}

func appendRaw(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestReplayGoesOnWhereItEnded(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	mustAppend(t, j, user("u1", "a"), user("u2", "b"), user("u3", "c"))
	appendRaw(t, j.Path(), "junk\n")
	for e := range j.Events(context.Background(), 1) {
		if e.ID == "u2" {
			break
		}
	}
	events, problems := replay(t, j, 3)
	if diff := cmp.Diff([]string{"u3"}, ids(events)); diff != "" || len(problems) != 1 {
		t.Error(diff, problems)
	}
	mustAppend(t, open(t, dir), user("u1", "a twin"), user("u4", "d"))
	appendRaw(t, j.Path(), "more junk\n")
	events, problems = replay(t, j, 4)
	if diff := cmp.Diff([]string{"u4"}, ids(events)); diff != "" || len(problems) != 1 {
		t.Errorf("%s: only the new problem should come, got %v", diff, problems)
	}
	if len(problems) == 1 && !strings.Contains(problems[0], j.Path()+":6: ") {
		t.Errorf("problem %q, want line 6", problems[0])
	}
	if events, _ := replay(t, j, 1); len(events) != 4 {
		t.Errorf("from the start: %d events, want 4", len(events))
	}
	if events, problems := replay(t, open(t, t.TempDir()), 1); events != nil || problems != nil {
		t.Errorf("an absent journal has %v, %v", events, problems)
	}
}

func TestCancelledReplayEndsWithTheContextsError(t *testing.T) {
	j := open(t, t.TempDir())
	mustAppend(t, j, user("u1", "a"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range j.Events(ctx, 1) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	}
}

func TestFailedAppendUsesUpNothing(t *testing.T) {
	full := errors.New("no space left")
	j, err := journal.Open(t.TempDir(), journal.FailWrites(journal.Options{}, &full))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(context.Background(), user("u1", "a")); !errors.Is(err, full) {
		t.Fatalf("error %v, want the disk's", err)
	}
	full = nil
	if got := mustAppend(t, j, user("u1", "a")); len(got) != 1 || got[0].Seq != 1 || got[0].Iter != 1 {
		t.Errorf("after a failure the same event gave %+v", got)
	}
}

func TestFilesAndFoldersInTheWayAreNamed(t *testing.T) {
	dir := t.TempDir()
	appendRaw(t, filepath.Join(dir, "io"), "a file")
	j := open(t, dir)
	if _, err := j.Append(context.Background(), event(journal.ActionResult, "t", journal.Result{Output: strings.Repeat("x", 40<<10)})); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "io")) {
		t.Errorf("error %v does not name io", err)
	}
	if got := mustAppend(t, j, user("u", "small ones go on")); got[0].Seq != 1 {
		t.Errorf("seq %d was used up", got[0].Seq)
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "journal.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(dir, nil); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v does not name the folder", err)
	}
}

func TestEightProcessesNumberWithoutGapsOrTwins(t *testing.T) {
	dir := t.TempDir()
	var procs []*exec.Cmd
	for w := range 8 {
		c := exec.Command(os.Args[0], fmt.Sprintf("w%d", w))
		c.Env = append(os.Environ(), writerEnv+"="+dir)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		procs = append(procs, c)
	}
	for _, c := range procs {
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	events, problems := replay(t, open(t, dir), 1)
	if problems != nil {
		t.Fatal(problems)
	}
	if want := 8*eventsPerWriter + eventsPerWriter; len(events) != want {
		t.Errorf("%d events, want %d", len(events), want)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has seq %d", i+1, e.Seq)
		}
	}
}

func TestLargePayloadsAreStoredOnceByHash(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	big := event(journal.ActionResult, "t1", journal.Result{Tool: "Bash", Output: strings.Repeat("輸出 ", 20_000)})
	twin := big
	twin.ID = "t2"
	got := mustAppend(t, j, big, twin)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	files := bodyFiles(t, dir)
	if len(files) != 1 {
		t.Fatalf("io/ holds %v, want one body", files)
	}
	var ref struct {
		Ref  string
		Size int
		Head string
	}
	if err := json.Unmarshal(got[0].Payload, &ref); err != nil {
		t.Fatal(err)
	}
	if ref.Ref != "io/"+files[0] || ref.Size != len(big.Payload) || !strings.HasPrefix(string(big.Payload), ref.Head) || len(ref.Head) > 2048 {
		t.Errorf("reference %+v to %s", ref, files[0])
	}
	path := filepath.Join(dir, "io", files[0])
	if info, err := os.Stat(path); err != nil || (runtime.GOOS != "windows" && info.Mode() != 0o600) {
		t.Errorf("body has mode %v (%v)", info.Mode(), err)
	}
	events, _ := replay(t, j, 1)
	for _, e := range events {
		if body, err := j.Body(e); err != nil || !bytes.Equal(body, big.Payload) {
			t.Errorf("body of %s differs (%v)", e.ID, err)
		}
	}
	if err := os.WriteFile(path, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Body(events[0]); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), path) {
		t.Errorf("changed body: %v, want ErrInvalid naming the file", err)
	}
	third := big
	third.ID = "t3"
	mustAppend(t, j, third)
	if body, err := j.Body(events[0]); err != nil || !bytes.Equal(body, big.Payload) {
		t.Errorf("a broken body was not written again (%v)", err)
	}
}

func TestForgedReferencesAreOnlyText(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	mustAppend(t, j, event(journal.ActionResult, "real", journal.Result{Output: strings.Repeat("secret", 10_000)}))
	forged := journal.Event{Type: journal.ActionResult, ID: "forged", Payload: json.RawMessage(`{"ref":"io/` + bodyFiles(t, dir)[0] + `"}`)}
	escape := journal.Event{Type: journal.ActionResult, ID: "escape", Payload: json.RawMessage(`{"ref":"io/../../etc/passwd"}`)}
	for _, want := range []journal.Event{forged, escape} {
		got := mustAppend(t, j, want)
		if body, err := j.Body(got[0]); err != nil || !bytes.Equal(body, want.Payload) {
			t.Errorf("%s: body %s (%v)", want.ID, body, err)
		}
	}
}

func bodyFiles(t testing.TB, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "io"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out
}

func FuzzEventsOfForeignFile(f *testing.F) {
	f.Add([]byte(`{"seq":1,"ts":"2026-08-01T09:00:00Z","iter":1,"type":"USER_MESSAGE","id":"a","payload":{"text":"記"}}` + "\n"))
	f.Add([]byte("{}\nnull\n[]\n\x00\n"))
	f.Add([]byte(`{"seq":9223372036854775807,"ts":"2026-08-01T09:00:00Z","iter":-1,"type":"X"}` + "\n{"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		j := open(t, dir)
		before, _ := replay(t, j, 0)
		if _, _, err := j.Turns(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		e := user("", "new")
		e.TS = start
		got, err := j.Append(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		after, _ := replay(t, open(t, dir), -1<<63)
		if len(after) < len(before)+1 || !bytes.Equal(after[len(after)-1].Payload, got[0].Payload) {
			t.Errorf("%d events became %d", len(before), len(after))
		}
	})
}

func FuzzFastParserAgreesWithTheDecoder(f *testing.F) {
	f.Add([]byte(`{"seq":1,"ts":"2026-08-01T09:00:00.5+08:00","iter":1,"type":"USER_MESSAGE","id":"a","payload":{"text":"記"}}`))
	f.Add([]byte(`{"seq":1,"ts":"2026-08-01T09:00:00Z","iter":1,"type":"X"}`))
	f.Add([]byte(`{"seq":1,"ts":"2026-08-01T09:00:00Z","iter":1,"type":"X","payload":1,"id":"b"}`))
	f.Add([]byte(`{"seq":+1,"ts":"2026-08-01T09:00:00Z","iter":01,"type":"X"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		fast, payload, ok := journal.ParseHead(line)
		if !ok || (payload != nil && !json.Valid(payload)) {
			return
		}
		var slow journal.Event
		if err := json.Unmarshal(line, &slow); err != nil {
			t.Fatalf("the fast parser takes %q: %v", line, err)
		}
		fast.Payload = payload
		if !fast.TS.Equal(slow.TS) {
			t.Errorf("times %v and %v", fast.TS, slow.TS)
		}
		fast.TS = slow.TS
		if string(bytes.TrimSpace(fast.Payload)) != string(slow.Payload) {
			t.Errorf("payloads %q and %q", fast.Payload, slow.Payload)
		}
		fast.Payload = slow.Payload
		if diff := cmp.Diff(slow, fast); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkColdAppendToHundredMegabytes(b *testing.B) {
	dir := b.TempDir()
	j := open(b, dir)
	for i := range 100 {
		var events []journal.Event
		for k := range 1000 {
			events = append(events, event(journal.ActionResult, fmt.Sprint(i, "-", k), journal.Result{Output: strings.Repeat("x", 1000)}))
		}
		mustAppend(b, j, events...)
	}
	i := 0
	for b.Loop() {
		i++
		mustAppend(b, open(b, dir), event(journal.Thought, fmt.Sprint("new", i), journal.Message{Text: "cold"}))
	}
}

func BenchmarkReplayHundredThousandEvents(b *testing.B) {
	j := open(b, b.TempDir())
	for i := range 100 {
		var events []journal.Event
		for k := range 1000 {
			events = append(events, event(journal.ActionResult, fmt.Sprint(i, "-", k), journal.Result{Output: strings.Repeat("x", 300)}))
		}
		mustAppend(b, j, events...)
	}
	for b.Loop() {
		n := 0
		for range j.Events(b.Context(), 1) {
			n++
		}
		if n != 100_000 {
			b.Fatal(n)
		}
	}
}
