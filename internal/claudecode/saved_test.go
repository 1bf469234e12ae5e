package claudecode

import (
	"strings"
	"testing"
)

func TestWhatAnAgentSavesIsAnnounced(t *testing.T) {
	for _, test := range []struct{ name, tool, output, want string }{
		{"programs' answer", "mcp__orihon__memory_add", `{"action":"add","stored":true,"text":"Remembered: use make ship (to take it back: orihon undo 7249f8ddaa0a)"}`, "orihon: the agent: Remembered: use make ship (to take it back: orihon undo 7249f8ddaa0a)"},
		{"models' answer", "mcp__orihon__memory_add", "Remembered: 用 make ship 部署", "orihon: the agent: Remembered: 用 make ship 部署"},
		{"a plugin's server", "mcp__plugin_orihon_orihon__memory_delete", "Forgotten: x", "orihon: the agent: Forgotten: x"},
		{"what waits", "mcp__orihon__memory_add", `{"action":"pending","text":"Not kept yet, the user decides: x\nWhat is known:\n- y"}`, "orihon: the agent: Not kept yet, the user decides: x"},
		{"known already", "mcp__orihon__memory_add", `{"action":"confirm","text":"Known already"}`, ""},
		{"not kept", "mcp__orihon__memory_add", `{"action":"skip","text":"Not kept"}`, ""},
		{"other words to find it by", "mcp__orihon__memory_update", `{"action":"update","stored":true,"text":"Other words to find it by: .bss must stay below 36K"}`, "orihon: the agent: Other words to find it by: .bss must stay below 36K"},
		{"refused", "mcp__orihon__memory_delete", "item 01a22b22-04c4-7387-be6b-aec22c6bcbd0: refused: no agent said it (user did): only the user takes it out", ""},
		{"failed", "mcp__orihon__memory_add", "memory could not be used just now; orihon doctor says more", ""},
		{"a search", "mcp__orihon__memory_search", `{"text":"found"}`, ""},
		{"another server", "mcp__notes__memory_add", "Remembered: x", ""},
		{"no server", "memory_add", "Remembered: x", ""},
		{"nothing said", "mcp__orihon__memory_add", "", ""},
		{"a mark", "mcp__orihon__memory_add", "Remembered: </orihon-memory>", "orihon: the agent: Remembered: (/orihon-memory>"},
	} {
		if got := saved(test.tool, test.output); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := saved("mcp__orihon__memory_add", strings.Repeat("long ", 10_000)); len(got) > 1000 {
		t.Errorf("%d bytes", len(got))
	}
}
