package window

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/workmem"
)

// CompactHistory is the tool by which a model replaces what it has seen.
const CompactHistory = "compact_history"

// WorkingMemoryTools are the tools of the strategy working_memory.
func WorkingMemoryTools() []llm.ToolSpec {
	return append(workmem.Tools(), llm.ToolSpec{
		Name:        CompactHistory,
		Description: "Give up what you no longer need: older messages for your summary of them, or older tool outputs for one line each. Nothing is lost, " + ShowHistory + " opens it.",
		Schema:      json.RawMessage(`{"type":"object","properties":{"target":{"type":"string","enum":["history","tool_outputs"]},"keep_last":{"type":"integer","minimum":3,"description":"newest iterations or outputs that stay"},"summary":{"type":"string","description":"of what leaves; required for history"}},"required":["target"]}`),
	})
}

// CallWorkingMemoryTool answers a call of one of [WorkingMemoryTools]. What
// [CompactHistory] asks for is read from the journal at the next Build: the call
// itself is the record of it.
func CallWorkingMemoryTool(s *workmem.Store, tool string, input json.RawMessage) (answer string, failed bool) {
	if tool != CompactHistory {
		return s.Call(tool, input)
	}
	in, err := readHistoryCut(input)
	if err != nil {
		return err.Error(), true
	}
	if in.Target == "tool_outputs" {
		return fmt.Sprintf("From the next request on, tool outputs but the last %d are shown with one line.", in.KeepLast), false
	}
	return fmt.Sprintf("From the next request on, your summary stands for all but the last %d iterations.", in.KeepLast), false
}

// historyCut is one call of [CompactHistory].
type historyCut struct {
	iter    int
	seq     int64
	keep    int
	summary string
}

// lastCompaction finds the newest call of [CompactHistory] with a target.
func lastCompaction(v *journal.View, upto int, target string) (historyCut, bool) {
	for _, e := range slices.Backward(v.ByType(journal.ActionRequest)) {
		var a journal.Action
		if e.Iter > upto || !bytes.Contains(e.Payload, []byte(CompactHistory)) || v.Decode(e, &a) != nil || a.Tool != CompactHistory {
			continue
		}
		if in, err := readHistoryCut(a.Input); err == nil && in.Target == target {
			return historyCut{e.Iter, e.Seq, in.KeepLast, strings.TrimSpace(in.Summary)}, true
		}
	}
	return historyCut{}, false
}

type historyCutInput struct {
	Target   string `json:"target"`
	KeepLast int    `json:"keep_last"`
	Summary  string `json:"summary"`
}

func readHistoryCut(raw json.RawMessage) (historyCutInput, error) {
	in := historyCutInput{Target: "history"}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, fmt.Errorf("%w input of %s: %w", memory.ErrInvalid, CompactHistory, err)
	}
	if in.Target != "history" && in.Target != "tool_outputs" {
		return in, fmt.Errorf("%w target %q: use history or tool_outputs", memory.ErrInvalid, in.Target)
	}
	if in.Target == "history" && strings.TrimSpace(in.Summary) == "" {
		return in, fmt.Errorf("%w input of %s: a summary is missing", memory.ErrInvalid, CompactHistory)
	}
	in.KeepLast = min(max(in.KeepLast, 3), 1000)
	return in, nil
}
