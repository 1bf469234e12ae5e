package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/llm/llmtest"
)

// BenchmarkPending times what a client waits for at the end of a turn and of a session
// while a worker has capture to do and waits for a model that never answers. It counts
// the workers that are there at once, and those that still are when nothing is left to
// do but to wait: one for a session at most. A turn takes a client some seconds; a
// pause of none is the worst case, in which the prompt's worker is still starting.
func BenchmarkPending(b *testing.B) {
	for _, items := range []int{10_000, 100_000} {
		for _, pause := range []time.Duration{0, 2 * time.Second} {
			b.Run(fmt.Sprintf("items=%d/turn=%s", items, pause), func(b *testing.B) { benchPending(b, items, pause) })
		}
	}
}

func benchPending(b *testing.B, items int, turn time.Duration) {
	const sessions = 4
	home, project, m := benchHome(b, items)
	if err := m.Close(); err != nil {
		b.Fatal(err)
	}
	server := llmtest.Serve(func(int, llmtest.Asked) llmtest.Reply { return llmtest.Reply{Fault: llmtest.Silent} })
	config := fmt.Sprintf("models: [{name: slow, type: openai, model: m1, url: '%s'}]\n", server.URL)
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	program := build(b, ".", "orihon")
	b.Cleanup(func() {
		server.Close() // the workers' calls fail, and they end
		for range 1200 {
			if workers(program) == 0 {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		b.Error("workers are still there")
	})
	hook := func(e map[string]any) float64 {
		e["cwd"] = project
		data, err := json.Marshal(e)
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(program, "hook", "--home", home)
		cmd.Env = append(os.Environ(), "ORIHON_USER=ada", "ORIHON_HOOKS_DETACH=true", "ORIHON_HOME="+home)
		return run(b, cmd, data).Seconds() * 1000
	}
	answer := strings.Repeat("The invoices worker now retries webhooks five times and parks the rest. ", 15)
	var stops, ends []float64
	most, i := 0, 0
	for b.Loop() {
		id := fmt.Sprint("s", i%sessions)
		prompt := fmt.Sprint("p", i)
		hook(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": id, "prompt_id": prompt, "prompt": fmt.Sprintf("We park webhooks of queue %d after five retries, so that Noor can look at them. Go on.", i)})
		time.Sleep(turn)
		stops = append(stops, hook(map[string]any{"hook_event_name": "Stop", "session_id": id, "prompt_id": prompt, "last_assistant_message": fmt.Sprint(i, " ", answer)}))
		ends = append(ends, hook(map[string]any{"hook_event_name": "SessionEnd", "session_id": id, "reason": "other"}))
		most = max(most, workers(program))
		i++
	}
	if log, err := os.ReadFile(filepath.Join(home, "hook.log")); err == nil && strings.Contains(string(log), "panic") {
		b.Fatalf("the hook logged: %s", log)
	}
	for range 3000 {
		if workers(program) <= sessions {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	waiting := workers(program)
	if waiting > sessions {
		b.Errorf("%d workers for %d sessions", waiting, sessions)
	}
	report := func(name string, took []float64) {
		slices.Sort(took)
		b.ReportMetric(took[len(took)/2], name+"-ms")
		b.ReportMetric(took[min(len(took)-1, len(took)*95/100)], name+"-p95-ms")
	}
	report("stop", stops)
	report("end", ends)
	b.ReportMetric(float64(most), "workers")
	b.ReportMetric(float64(waiting), "waiting")
	b.ReportMetric(float64(len(server.Asked())), "asked")
	b.ReportMetric(0, "ns/op")
}

// workers counts the processes of a program that do what sessions left; 0 where the
// system does not tell.
func workers(program string) int {
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0
	}
	n := 0
	for _, f := range found {
		line, err := os.ReadFile(f)
		if err == nil && strings.HasPrefix(string(line), program+"\x00") && strings.Contains(string(line), "\x00work") {
			n++
		}
	}
	return n
}
