package claudecode_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/internal/claudecode"
)

// BenchmarkPreCompact is the hook before a compaction, on a session of 100,000
// events whose transcript tells nothing new but its last prompt.
func BenchmarkPreCompact(b *testing.B) {
	dir := b.TempDir()
	project := filepath.Join(dir, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		b.Fatal(err)
	}
	open := func(ctx context.Context, _ string) (*orihon.Memory, error) {
		return orihon.Open(ctx, &orihon.Options{
			Home: filepath.Join(dir, "home"), Dir: project, User: "ann", GitConfig: []string{}, Settings: map[string]string{"hooks.timeout_ms": "60000"},
		})
	}
	m, err := open(b.Context(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	s, err := m.Session(b.Context(), "s1", follow.Client{})
	if err != nil {
		b.Fatal(err)
	}
	var told []follow.TranscriptEntry
	for i := range 49_000 {
		if i%25 == 0 {
			told = append(told, follow.TranscriptEntry{User: true, Prompt: fmt.Sprint("p", i), Text: fmt.Sprintf("Round step %d half up.", i)})
		}
		told = append(told, follow.TranscriptEntry{Action: &follow.Action{
			ID: fmt.Sprint("t", i), Tool: "Edit", Output: strings.Repeat("ok ", 60), Error: i%97 == 0,
			Input: fmt.Appendf(nil, `{"file_path":"/home/dev/shop/f%d.go","new_string":"func roundStep%d() int"}`, i%400, i),
		}})
	}
	if err := s.Tell(b.Context(), told...); err != nil {
		b.Fatal(err)
	}
	h := claudecode.Handler{Open: open}
	run := func(event string) {
		if err := h.Run(b.Context(), strings.NewReader(event), new(strings.Builder)); err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		run(fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt_id":"n%d","prompt":"go on"}`, i))
		b.StartTimer()
		run(`{"hook_event_name":"PreCompact","session_id":"s1","trigger":"auto"}`)
	}
}
