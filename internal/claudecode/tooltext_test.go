package claudecode_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/claudecode"
)

func TestToolTextIsReadable(t *testing.T) {
	type texts struct {
		Input, Output string
		Error         bool
	}
	for name, tc := range map[string]struct {
		event string
		want  texts
	}{
		"a command": {
			`"tool_name":"Bash","tool_input":{"command":"make 測試","description":"tests"},"tool_response":{"stdout":"ok\n","stderr":"warning\n","interrupted":false}`,
			texts{"# tests\nmake 測試", "ok\nwarning", false},
		},
		"a failed command": {
			`"tool_name":"Bash","tool_input":{"command":"false"},"error":"Exit code 1\n<system-reminder>x</system-reminder>"`,
			texts{"false", "Exit code 1", true},
		},
		"a new file": {
			`"tool_name":"Write","tool_input":{"file_path":"/a.txt","content":"你好\n"},"tool_response":{"type":"create","filePath":"/a.txt","content":"你好\n","structuredPatch":[]}`,
			texts{"file_path: /a.txt\ncontent: 你好\n", "create /a.txt", false},
		},
		"an edit": {
			`"tool_name":"Edit","tool_input":{"file_path":"/a.go","old_string":"x","new_string":"y","replace_all":false},"tool_response":{"filePath":"/a.go","structuredPatch":[{"oldStart":1,"lines":["-x","+y"]}]}`,
			texts{"file_path: /a.go\nold_string: x\nnew_string: y\nreplace_all: false", "/a.go\n-x\n+y", false},
		},
		"a read": {
			`"tool_name":"Read","tool_input":{"file_path":"/a"},"tool_response":{"type":"text","file":{"filePath":"/a","content":"line one\n"}}`,
			texts{"file_path: /a", "line one\n", false},
		},
		"an MCP result": {
			`"tool_name":"mcp__db__query","tool_input":{"sql":"select 1","args":[1, 2]},"tool_response":{"content":[{"type":"text","text":"1"},{"type":"image","data":"…"}],"isError":true}`,
			texts{"sql: select 1\nargs: [1,2]", "1\n[image]", true},
		},
		"blocks": {
			`"tool_name":"mcp__x","tool_response":[{"type":"text","text":"a<system-reminder>secret</system-reminder>b"},{"type":"text","text":"c<system-reminder>cut"}]`,
			texts{"", "ab\nc", false},
		},
		"a text":        {`"tool_name":"x","tool_input":"raw","tool_response":"plain"`, texts{"raw", "plain", false}},
		"another shape": {`"tool_name":"Glob","tool_input":null,"tool_response":{"filenames":["a","b"],"numFiles":2}`, texts{"", "filenames: [\"a\",\"b\"]\nnumFiles: 2", false}},
		"odd types":     {`"tool_name":"Bash","tool_input":{"command":["ls"]},"tool_response":{"stdout":{"x":1},"content":7}`, texts{"command: [\"ls\"]", "7", false}},
		"nothing":       {`"tool_name":"x"`, texts{}},
	} {
		t.Run(name, func(t *testing.T) {
			event := "PostToolUse"
			if tc.want.Error && strings.Contains(tc.event, `"error"`) {
				event = "PostToolUseFailure"
			}
			e, err := claudecode.Parse(strings.NewReader(`{"hook_event_name":"` + event + `",` + tc.event + `}`))
			if err != nil {
				t.Fatal(err)
			}
			var got texts
			got.Input, got.Output, got.Error = claudecode.ToolText(e)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
