package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/internal/eval"
	"orihon/memory"
)

// benchHome is a home with n items in it, its index built.
func benchHome(b *testing.B, n int) (home, project string, m *orihon.Memory) {
	b.Helper()
	dir := b.TempDir()
	home, project = filepath.Join(dir, "home"), filepath.Join(dir, "shop")
	if err := os.MkdirAll(project, 0o700); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	m, err := orihon.Open(ctx, &orihon.Options{Home: home, Dir: project, User: "ada"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	if err := eval.Fill(ctx, m, n); err != nil {
		b.Fatal(err)
	}
	if _, err := m.Sync(ctx); err != nil {
		b.Fatal(err)
	}
	return home, project, m
}

// build makes the program under its own name, as users run it.
func build(b *testing.B, pkg, name string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), name)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return path
}

// BenchmarkHook times whole cold processes of the built program, and beside
// each a bare process that opens the same index and runs one full-text query.
func BenchmarkHook(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("UserPromptSubmit/items=%d", n), func(b *testing.B) {
			home, project, _ := benchHome(b, n)
			prompts := eval.Prompts(64)
			i := 0
			benchProcesses(b, home, project, n, func() map[string]any {
				i++
				return map[string]any{"hook_event_name": "UserPromptSubmit", "prompt_id": fmt.Sprint("p", i), "prompt": prompts[i%len(prompts)]}
			})
		})
	}
	b.Run("PostToolUse", func(b *testing.B) {
		const n = 10_000
		home, project, _ := benchHome(b, n)
		i := 0
		benchProcesses(b, home, project, n, func() map[string]any {
			i++
			return map[string]any{
				"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_use_id": fmt.Sprint("t", i),
				"tool_input": map[string]any{"file_path": filepath.Join(project, "main.go")}, "tool_response": map[string]any{"file": strings.Repeat("some source text\n", 200)},
			}
		})
	})
}

func benchProcesses(b *testing.B, home, project string, n int, event func() map[string]any) {
	program, bare := build(b, ".", "orihon"), build(b, "./testdata/bare", "bare")
	plain := filepath.Join(b.TempDir(), "plain.db")
	run(b, exec.Command(bare, "build", plain), []byte(strings.Join(eval.Statements(n), "\n")+"\n"))
	hook := func(e map[string]any) time.Duration {
		e["session_id"], e["cwd"] = "bench", project
		data, err := json.Marshal(e)
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(program, "hook", "--home", home)
		cmd.Env = append(os.Environ(), "ORIHON_USER=ada", "ORIHON_HOOKS_DETACH=true")
		return run(b, cmd, data)
	}
	for range 3 {
		hook(event())
	}
	// Three words of middling frequency.
	match := strings.Join([]string{eval.Word(40), eval.Word(90), eval.Word(200)}, " OR ")
	var hooks, bares []float64
	for b.Loop() {
		bares = append(bares, run(b, exec.Command(bare, "query", plain, match), nil).Seconds()*1000)
		hooks = append(hooks, hook(event()).Seconds()*1000)
	}
	if log, err := os.ReadFile(filepath.Join(home, "hook.log")); err == nil && len(log) > 0 {
		b.Fatalf("the hook logged: %s", log)
	}
	b.ReportMetric(median(hooks), "hook-ms")
	b.ReportMetric(median(bares), "bare-ms")
	b.ReportMetric(median(hooks)/median(bares), "ratio")
	b.ReportMetric(0, "ns/op")
}

func run(b *testing.B, cmd *exec.Cmd, in []byte) time.Duration {
	cmd.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	start := time.Now()
	if _, err := cmd.Output(); err != nil {
		b.Fatalf("%v: %s", err, errs.Bytes())
	}
	return time.Since(start)
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkRecall times recall within one process.
func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("items=%d", n), func(b *testing.B) {
			_, _, m := benchHome(b, n)
			prompts := eval.Prompts(64)
			var took []float64
			i := 0
			for b.Loop() {
				start := time.Now()
				if _, err := m.Recall(context.Background(), memory.Query{Text: prompts[i%len(prompts)]}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start).Seconds()*1000)
				i++
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "p50-ms")
			b.ReportMetric(took[len(took)*95/100], "p95-ms")
		})
	}
}
