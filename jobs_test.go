package orihon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orihon"
	"orihon/follow"
	"orihon/internal/jsonl"
	isession "orihon/internal/session"
	"orihon/llm/llmtest"
	"orihon/memory"
)

func jobs(t *testing.T, m *orihon.Memory) []follow.Job {
	t.Helper()
	out, err := m.Sessions().Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestJobsNameWhatSessionsLeftAndWhoIsAtIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.prompt(t, "s-1", "p1", "記住：部署用 make ship")
	p.end(t, "s-1")
	m := p.open(t)
	want := []follow.Job{{Kind: "session", Session: "s-1", Work: []string{"use", "log", "notice", "episode", "style", "habits", "sync", "everywhere"}}}
	ignore := cmpopts.IgnoreFields(follow.Job{}, "Since")
	got := jobs(t, m)
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Errorf("jobs (-want +got):\n%s", diff)
	}
	if len(got) == 1 && (got[0].Running() || got[0].Since.Before(start)) {
		t.Errorf("nobody is at it, yet: %+v", got[0])
	}

	// A process of its own would note itself like this, beside the lock.
	note, err := json.Marshal(isession.Identify(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	holder := filepath.Join(m.Project().Session("s-1"), ".work.lock.holder")
	write(t, holder, string(note))
	write(t, filepath.Join(m.Project().Index, "index.db.sync.holder"), string(note))
	want[0].PID = os.Getpid()
	want = append(want, follow.Job{Kind: "sync", Space: "project", Work: []string{"sync"}, PID: os.Getpid()})
	if diff := cmp.Diff(want, jobs(t, m), ignore); diff != "" {
		t.Errorf("jobs under way (-want +got):\n%s", diff)
	}
	// One that died, its note left behind, is not at it.
	write(t, holder, `{"pid":`+"2147483646"+`,"pid_start":"1"}`)
	if got := jobs(t, m); len(got) == 0 || got[0].Running() {
		t.Errorf("a process that is not there is at it: %+v", got)
	}
	write(t, holder, "not a note")
	if got := jobs(t, m); len(got) == 0 || got[0].Running() {
		t.Errorf("nobody can tell who is at it, but: %+v", got)
	}

	p.work(t)
	if got := jobs(t, m); len(got) != 0 {
		t.Errorf("after the work there is left: %+v", got)
	}
	if left := p.holding(t, `"pid_start"`); len(left) != 0 && filepath.Base(left[0]) == ".work.lock.holder" {
		t.Errorf("notes are left behind: %v", left)
	}
}

// What sessions leave while a process rests or works is done by that one; no second
// one gets at it.
func TestOneProcessAttendsToTheWork(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.prompt(t, "s-1", "p1", "記住：部署用 make ship")
	p.end(t, "s-1")
	sessions := p.open(t).Sessions()
	if sessions.Attended() {
		t.Error("somebody is at the work, and nobody was told to be")
	}
	if more, _ := filepath.Glob(filepath.Join(p.open(t).Project().Sessions, ".locks", "*.more")); len(more) > 0 {
		t.Errorf("work was left to a process that is not there: %s", more)
	}
	const rest = 500 * time.Millisecond
	done := make(chan error, 1)
	go func() { done <- sessions.Attend(t.Context(), rest) }()
	for tried := time.Now(); !sessions.Attended(); time.Sleep(time.Millisecond) {
		if time.Since(tried) > 10*time.Second {
			t.Fatal("nobody is at the work")
		}
	}
	other := p.open(t)
	if err := other.Sessions().Attend(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if len(jobs(t, other)) == 0 {
		t.Error("a second process did the work of the first")
	}
	p.prompt(t, "s-2", "p1", "記住：測試用 make check")
	p.end(t, "s-2")
	if !other.Sessions().Attended() {
		t.Error("the work of the second session is left to nobody")
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if left := jobs(t, other); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	if sessions.Attended() {
		t.Error("somebody is at the work that is done")
	}
}

// Whatever the moment at which work is left: either a process that is there does it, or
// the caller is told to start one.
func TestNoWorkIsLeftToAProcessThatGoes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.open(t)
	var wg sync.WaitGroup
	for i := range 12 {
		id := fmt.Sprint("s-", i)
		p.prompt(t, id, "p1", fmt.Sprint("記住：部署用 make ship", i))
		p.end(t, id)
		if !m.Sessions().Attended() {
			wg.Go(func() {
				if err := m.Sessions().Attend(t.Context(), 0); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Duration(i%4) * 3 * time.Millisecond)
	}
	wg.Wait()
	if left := jobs(t, m); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

// Work that fails because something stands in its way is tried once more, and what was left
// meanwhile is not forgotten over it.
func TestWorkThatFailedIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.prompt(t, "s-1", "p1", "記住：部署用 make ship")
	p.end(t, "s-1")
	log := filepath.Join(p.private(t), "memory", start.Format("2006-01-02")+".md")
	if err := os.MkdirAll(log, 0o700); err != nil {
		t.Fatal(err)
	}
	again := 0
	mends := func(o *orihon.Options) {
		o.Logger = slog.New(slog.NewTextHandler(writes(func(line string) {
			if strings.Contains(line, "tried again") {
				again++
				remove(t, log)
			}
		}), nil))
	}
	m := p.open(t, mends)
	if err := m.Sessions().Attend(t.Context(), 0); err != nil {
		t.Error(err)
	}
	if left := jobs(t, m); len(left) != 0 || again != 1 {
		t.Errorf("tried again %d times, left: %+v", again, left)
	}
}

// writes is a writer that is a function.
type writes func(string)

func (w writes) Write(line []byte) (int, error) { w(string(line)); return len(line), nil }

// A process that is done takes its note away, then releases the lock, then looks for
// what was left. Who comes between the first two finds nobody, and the lock taken.
func TestWorkIsLeftToAProcessThatIsAboutToGo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.prompt(t, "s-1", "p1", "記住：部署用 make ship")
	p.end(t, "s-1")
	m := p.open(t)
	lock := filepath.Join(m.Project().Sessions, ".locks", "work")
	unlock, free, err := jsonl.TryLock(lock)
	if err != nil || !free {
		t.Fatal(free, err)
	}
	defer unlock()
	if m.Sessions().Attended() {
		t.Error("somebody is at the work, without a note")
	}
	if err := m.Sessions().Attend(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if len(jobs(t, m)) == 0 {
		t.Error("the work was done beside another process")
	}
	if _, err := os.Lstat(lock + ".more"); err != nil {
		t.Errorf("the one that goes is told of nothing: %v", err)
	}
}

func TestAnEmptyProjectHasNoJobs(t *testing.T) {
	t.Parallel()
	if got := jobs(t, newPlace(t).open(t)); got == nil || len(got) != 0 {
		t.Errorf("jobs = %#v, want an empty list", got)
	}
}

// Nobody tells of the end of a client that was killed. What it left is done all
// the same once it is found.
func TestKilledSessionsLeaveTheirLogAndEpisode(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.prompt(t, "s-1", "p1", "Make Cart.Total round half up, the tests must stay green")
	p.do(t, "s-1", func(ctx context.Context, s *follow.Session) error {
		return s.Action(ctx, follow.Action{ID: "a1", Tool: "Edit", Input: json.RawMessage(`{"file_path":"cart/total.go"}`), Output: "edited"})
	})
	p.do(t, "s-1", func(ctx context.Context, s *follow.Session) error {
		return s.Answer(ctx, "p1", "Cart.Total rounds half up now, and the tests pass.")
	})
	p.work(t)
	if got := list(t, p.open(t), memory.Filter{Kinds: []memory.Kind{memory.Episodic}}); len(got) > 0 {
		t.Fatalf("a session that goes on has an episode: %q", contents(got))
	}
	p.later(25 * time.Hour)
	p.work(t)
	m := p.open(t)
	if got := list(t, m, memory.Filter{Kinds: []memory.Kind{memory.Episodic}}); len(got) != 1 {
		t.Errorf("%d episodes of a killed session, want one", len(got))
	}
	if left := jobs(t, m); len(left) > 0 {
		t.Errorf("work is left: %+v", left)
	}
}

// While a model is asked about one session, what asks none is done for the others, by
// another process: nobody is at that work any more.
func TestWorkThatAsksAModelHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	asks, answer := make(chan bool, 64), make(chan bool)
	server := llmtest.Serve(func(_ int, a llmtest.Asked) llmtest.Reply {
		asks <- true
		<-answer
		return learns(nil)(readAsked(t, a))
	})
	t.Cleanup(server.Close)
	p.config(t, fmt.Sprintf("models:\n  - {type: openai, model: m, url: '%s/v1', timeout: 1m}\n", server.URL))
	p.leaves(t, "s-1")
	m := p.open(t)
	done := make(chan error, 1)
	go func() { done <- m.Sessions().Attend(t.Context(), 0) }()
	select {
	case <-asks:
	case <-time.After(10 * time.Second):
		t.Fatal("no model is asked")
	}
	other := p.open(t)
	if other.Sessions().Attended() {
		t.Error("work is left to a process that waits for a model")
	}
	p.leaves(t, "s-2")
	second := make(chan error, 1)
	go func() { second <- other.Sessions().Attend(t.Context(), 0) }()
	select {
	case <-asks:
	case <-time.After(10 * time.Second):
		t.Error("the second session waits for the model of the first")
	}
	for _, j := range jobs(t, p.open(t)) {
		if slices.Contains(j.Work, "sync") {
			t.Errorf("%+v is left, and it asks no model", j)
		}
	}
	close(answer)
	if err := errors.Join(<-done, <-second); err != nil {
		t.Fatal(err)
	}
	if left := jobs(t, p.open(t)); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}
