package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"orihon/llm/llmtest"
)

// Workers are killed anywhere, while hooks go on, and hooks with work behind them before
// they are told again. Afterwards everything is there once and nothing is left to do.
func killsLoseNothing(t *testing.T, program string) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: workers are found in /proc")
	}
	rounds := 1
	if !brief() {
		rounds = 20
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	all := readLabelled(t, "plain.json")
	answer := perfect(all)
	slow := func(q inquiry) llmtest.Reply {
		r := answer(q)
		r.Delay = 50 * time.Millisecond
		return r
	}
	killed := 0
	for range rounds {
		w := teach(t, program, "openai", "", slow)
		for i, s := range all {
			id := fmt.Sprint("s", i)
			for j, turn := range s.Turns {
				prompt := fmt.Sprint(id, "-", j)
				w.turn(id, prompt, turn.User, turn.Agent)
				stop := map[string]any{"hook_event_name": "Stop", "session_id": id, "prompt_id": prompt, "last_assistant_message": turn.Agent}
				w.hookKilled(stop, random.IntN(60))
				w.hook(stop)
			}
			w.hookKilled(map[string]any{"hook_event_name": "SessionEnd", "session_id": id, "reason": "other"}, random.IntN(60))
			w.end(id)
			time.Sleep(time.Duration(random.IntN(600)) * time.Millisecond)
			for _, pid := range w.workers() {
				if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
					killed++
				}
			}
		}
		// What a killed process had begun is done by the next that comes, as a later
		// session's start would.
		w.until("the work is done", func() bool {
			w.run(nil, "jobs", "--run")
			var jobs []struct{}
			w.run(&jobs, "jobs")
			return len(jobs) == 0
		})
		items, waiting := w.kept()
		for _, s := range all {
			for i := range s.Facts {
				w.once(&s.Facts[i], items, waiting)
			}
		}
	}
	if killed == 0 {
		t.Error("nobody was killed")
	}
	t.Logf("%d workers killed in %d sessions", killed, rounds*len(all))
}

// hookKilled tells of an event and kills the hook some milliseconds later.
func (w *teaching) hookKilled(event map[string]any, after int) {
	w.t.Helper()
	event["cwd"] = w.project
	in, err := json.Marshal(event)
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := w.command("hook")
	cmd.Stdin = bytes.NewReader(in)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(time.Duration(after) * time.Millisecond)
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// While a model is slow, hooks of the same session start no second worker for it, no
// question is asked twice, and the work stands in orihon jobs with who is at it. The
// client is long gone.
func workDoesNotPileUp(t *testing.T, program string) {
	t.Parallel()
	open := make(chan struct{})
	all := readLabelled(t, "plain.json")
	answer := perfect(all)
	w := teach(t, program, "anthropic", "", func(q inquiry) llmtest.Reply {
		<-open
		return answer(q)
	})
	w.configure(fmt.Sprintf("models: [{name: m, type: anthropic, model: m1, url: '%s', key_env: TEACH_KEY, timeout: 60s}]\n", w.server.URL))
	s := &all[0]
	for range 3 {
		for i, turn := range s.Turns {
			w.turn("s1", fmt.Sprint("p", i), turn.User, turn.Agent)
		}
	}
	w.until("a question is asked", func() bool { return len(w.questions()) > 0 })
	w.until("the others have found it at it", func() bool { return len(w.workers()) <= 1 })
	type job struct {
		Session string
		Work    []string
		PID     int
	}
	var jobs []job
	w.run(&jobs, "jobs")
	jobs = slices.DeleteFunc(jobs, func(j job) bool { return j.Session == "" }) // its sync
	at := w.workers()
	if len(jobs) != 1 || jobs[0].Session != "s1" || !slices.Contains(jobs[0].Work, "extract") || runtime.GOOS == "linux" && !slices.Equal(at, []int{jobs[0].PID}) {
		t.Errorf("jobs %+v, workers %v", jobs, at)
	}
	if n := len(w.questions()); n != 1 {
		t.Errorf("%d questions at once", n)
	}
	close(open)
	w.end("s1")
	w.settle()
	asked := w.questions()
	for i, q := range asked {
		// Streams differ in their model alone, and the end reads what is new: the same
		// question comes from quick, turns and deep at most.
		if n := len(slices.DeleteFunc(slices.Clone(asked), func(o inquiry) bool { return o != q })); n > 3 {
			t.Errorf("question %d was asked %d times: %s", i, n, q.data)
		}
	}
	items, waiting := w.kept()
	for i := range s.Facts {
		w.once(&s.Facts[i], items, waiting)
	}
}
