package claudecode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"orihon"
)

// told is a desk whose memory knows one thing.
func told(t *testing.T) *desk {
	d := newDesk(t)
	m := d.open(false)
	defer m.Close()
	if _, err := m.Remember(t.Context(), orihon.Statement{Text: "PunchTable is partitioned by month: one index at a time."}); err != nil {
		t.Fatal(err)
	}
	return d
}

func before(tool string, input map[string]any) map[string]any {
	return map[string]any{"hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "t1", "tool_input": input}
}

func TestACommandOfAnySizeIsAnswered(t *testing.T) {
	d := told(t)
	for i, filler := range []string{"x", "(", "/", "a.", "壓 ", "$(", "'", "\x00"} {
		command := "psql -c 'create index on PunchTable' " + strings.Repeat(filler, (1<<20)/len(filler))
		event := before("Bash", map[string]any{"command": command})
		event["session_id"] = fmt.Sprint("s", i)
		if out := d.hook(event); !strings.Contains(out, "PunchTable is partitioned") || len(out) > 2000 {
			t.Errorf("1 MB of %q: %.200q", filler, out)
		}
	}
}

// A call that starts a sub-agent is noted before it runs and once in all.
func TestATaskIsNotedOnce(t *testing.T) {
	d := told(t)
	task := map[string]any{"subagent_type": "builder", "prompt": "Add an index to PunchTable"}
	if out := d.hook(before("Agent", task)); out != "" {
		t.Errorf("the agent itself was told %s", out)
	}
	start := func(kind string) string {
		return d.hook(map[string]any{"hook_event_name": "SubagentStart", "agent_id": "a-" + kind, "agent_type": kind})
	}
	if out := start("reviewer"); out != "" {
		t.Errorf("another sub-agent was told %s", out)
	}
	if out := start("builder"); !strings.Contains(out, "PunchTable is partitioned") {
		t.Errorf("the sub-agent was told %q", out)
	}
	after := before("Agent", task)
	after["hook_event_name"], after["tool_response"] = "PostToolUse", "done"
	d.hook(after)
	events, _ := d.events("s1")
	if got, want := named(events), []string{"ACTION_REQUEST t1", "ACTION_RESULT t1"}; !slices.Equal(got, want) {
		t.Errorf("noted %q, want %q", got, want)
	}
}

// What a response tells as a failure is one, under either event.
func TestAFailureToldByTheResponseIsOne(t *testing.T) {
	d := told(t)
	event := before("mcp__db__run", map[string]any{"query": "x"})
	event["hook_event_name"], event["tool_response"] = "PostToolUse", map[string]any{"isError": true, "content": "lock timeout on PunchTable: index build"}
	if out := d.hook(event); !strings.Contains(out, "PunchTable is partitioned") || !strings.Contains(out, `"hookEventName":"PostToolUse"`) {
		t.Errorf("answered %q", out)
	}
}
