package window_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"orihon/journal"
)

func TestEveryToolCallOfARealTranscriptIsImported(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(benchDir(t), "transcripts", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		lines := transcriptLines(t, file)
		want := map[string]bool{}
		for _, raw := range lines {
			var l struct {
				Type        string
				IsSidechain bool
				Message     struct{ Content []struct{ Type, ID string } }
			}
			if json.Unmarshal(raw, &l) != nil || l.Type != "assistant" || l.IsSidechain {
				continue
			}
			for _, b := range l.Message.Content {
				if b.Type == "tool_use" {
					want[b.ID] = true
				}
			}
		}
		for _, e := range viewOf(t, lines).ByType(journal.ActionRequest) {
			delete(want, e.ID)
		}
		if len(want) > 0 {
			t.Errorf("%s: %d calls are missing: %v", filepath.Base(file), len(want), want)
		}
	}
}
