package memory_test

import (
	"testing"

	"orihon/memory"
)

func TestABatchIsEmptyOnlyWhenItChangesNothing(t *testing.T) {
	if b := (memory.Batch{}); !b.Empty() {
		t.Error("the zero batch is not empty")
	}
	for name, b := range map[string]memory.Batch{
		"files":   {Files: make([]memory.File, 1)},
		"replace": {Replace: []string{"a.md"}},
		"gone":    {Gone: []string{"a.md"}},
		"remove":  {Remove: []string{"a"}},
		"put":     {Put: make([]memory.Passage, 1)},
		"uses":    {Uses: []memory.Use{{ID: "a", At: now}}},
	} {
		if b.Empty() {
			t.Errorf("a batch with %s is empty", name)
		}
	}
}
