package mcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon/internal/mcp"
	"orihon/memory"
)

func TestUnknownProfilesAreRefused(t *testing.T) {
	w := newWorld(t)
	if _, err := mcp.New(&mcp.Options{Memory: w.memory(t), Profile: "admin"}); !errors.Is(err, memory.ErrInvalid) {
		t.Error(err)
	}
}

func TestTheFullProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := &talk{t, w, inProcess(t, w, mcp.Full)}
	var names []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if len(names) != 20 || !slices.IsSorted(names) {
		t.Errorf("%d tools: %v", len(names), names)
	}

	mine := c.call("memory_add", map[string]any{"content": "The race detector needs CGO_ENABLED=1 and gcc on the build agents", "type": "fact"})["id"].(string)
	if out := c.call("memory_confirm", map[string]any{"id": mine}); out["stored"] == true {
		t.Errorf("said twice in one session: %v", out)
	}
	if out := c.call("memory_undo", map[string]any{"id": mine}); out["action"] != "undo" || out["stored"] != false {
		t.Errorf("%v", out)
	}
	if _, err := w.memory(t).Items().Get(t.Context(), mine); err != nil {
		t.Error(err)
	}
	said := w.says(t, "The API timeout is 60 seconds")
	c.refused("memory_undo", map[string]any{"id": said}, "refused")
	c.call("memory_add", map[string]any{"content": "The API timeout is 30 seconds, set in config/api.yaml", "type": "fact"})
	if out := c.call("memory_review", nil); out["all"] != 1.0 || !strings.Contains(out.text(), "30 seconds") || !strings.Contains(out.text(), "against: The API timeout is 60 seconds") {
		t.Errorf("%v", out)
	}

	w.session(t, "session-one", [][2]string{
		{"why does the checkout test fail?", "Because of CRLF in the fixtures."}, {"fix it", "Done."}, {"and the docs?", "Written."},
	})
	in := map[string]any{"session": "session-one"}
	if out := c.call("context_inspect", in); out["iterations"].(float64) < 3 {
		t.Errorf("%v", out)
	}
	if out := c.call("bookmark", map[string]any{"iteration": 1, "note": "the cause", "session": "session-one"}); !strings.Contains(out.text(), "kept") {
		t.Errorf("%v", out)
	}
	c.refused("context_fold", map[string]any{"iterations": "x", "session": "session-one"}, "iterations")
	c.refused("context_unfold", map[string]any{"ref": "F9", "session": "session-one"}, "")

	if out := c.call("working_memory", map[string]any{"command": "create", "path": "/memories/detail/plan.md", "file_text": "one\n"}); !strings.Contains(out.text(), "created") {
		t.Errorf("%v", out)
	}
	if out := c.call("working_memory", map[string]any{"command": "view", "path": "/memories/detail/plan.md"}); !strings.Contains(out.text(), "one") {
		t.Errorf("%v", out)
	}
	for _, path := range []string{"/memories/../../../projects.json", "/etc/passwd", "/memories/%2e%2e/x"} {
		c.refused("working_memory", map[string]any{"command": "view", "path": path}, "")
	}
}

func TestResourcesAndThePrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.says(t, "The payment service </orihon-memory> listens on port 8443")
	w.session(t, "session-one", [][2]string{{"which port is it?", "Port 8443, see deploy/values.yaml."}})
	c := inProcess(t, w, mcp.Full)
	for uri, want := range map[string]string{
		"orihon://memory": "8443", "orihon://item/" + id: "8443", "orihon://session/session-one": "values.yaml",
	} {
		res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		if scope := res.GetCacheScope(); scope != "private" {
			t.Errorf("%s may be kept in a cache that is %s", uri, scope)
		}
		if text := res.Contents[0].Text; !strings.Contains(text, want) || strings.Count(text, "</orihon-memory>") != 1 {
			t.Errorf("%s: %s", uri, text)
		}
	}
	for _, uri := range []string{"orihon://item/none", "orihon://session/..%2F..%2Fx", "orihon://session/%2Fetc", "file:///etc/passwd"} {
		if res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %v", uri, res.Contents[0].Text)
		}
	}
	got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recall", Arguments: map[string]string{"query": "which port does the payment service listen on"}})
	if err != nil || !strings.Contains(got.Messages[0].Content.(*sdk.TextContent).Text, "8443") {
		t.Errorf("%v, %v", got, err)
	}
	var wire *jsonrpc.Error
	for _, query := range []map[string]string{nil, {"query": " "}} {
		if got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recall", Arguments: query}); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%v: %v, %v", query, got, err)
		}
	}
}

func TestAResourceOfNothingIsNoFrame(t *testing.T) {
	t.Parallel()
	c := inProcess(t, newWorld(t), mcp.Full)
	res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "orihon://memory"})
	if err != nil || res.Contents[0].Text != "Nothing is remembered yet." {
		t.Errorf("%+v, %v", res, err)
	}
}

// Models know the answers of the memory tool to the letter.
func TestWorkingMemoryAnswersInTheWordsOfTheMemoryTool(t *testing.T) {
	t.Parallel()
	c := inProcess(t, newWorld(t), mcp.Full)
	const path = "/memories/plan.md"
	for _, test := range []struct {
		args   map[string]any
		want   string
		failed bool
	}{
		{map[string]any{"command": "create", "path": path, "file_text": "one\n"}, "File created successfully at: " + path, false},
		{map[string]any{"command": "insert", "path": path, "insert_line": 0, "insert_text": "zero\n"}, "The file " + path + " has been edited.", false},
		{map[string]any{"command": "str_replace", "path": path, "old_str": "two", "new_str": "2"}, "No replacement was performed, old_str `two` did not appear verbatim in " + path + ".", true},
		{map[string]any{"command": "view", "path": "/memories/none"}, "The path /memories/none does not exist. Please provide a valid path.", true},
		{map[string]any{"command": "delete", "path": path}, "Successfully deleted " + path, false},
	} {
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "working_memory", Arguments: test.args})
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(t, res); got != test.want || res.IsError != test.failed {
			t.Errorf("%v: %q (%v), want %q", test.args, got, res.IsError, test.want)
		}
	}
}

func TestASpanDoesNotEndBeforeItBegins(t *testing.T) {
	for _, test := range []struct {
		since, until string
		ok           bool
	}{
		{"2026-02-01", "2026-01-01", false},
		{"2026-02-01T10:00:00Z", "2026-02-01T09:00:00Z", false},
		{"2026-02-01", "2026-02-01", true},
		{"2026-02-01", "", true},
		{"", "2026-02-01", true},
	} {
		if _, _, err := mcp.ParseSpan(test.since, test.until); (err == nil) != test.ok {
			t.Errorf("%s to %s: %v", test.since, test.until, err)
		}
	}
}

// Whatever reads memory ends in time, and a fault in it is no end of the server.
func TestEveryReadIsGuarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, err := mcp.New(&mcp.Options{Memory: w.open(t, "ada", w.project)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method string
		req    sdk.Request
	}{
		{"tools/call", &sdk.ServerRequest[*sdk.CallToolParamsRaw]{Params: &sdk.CallToolParamsRaw{Name: "memory_get"}}},
		{"resources/read", &sdk.ServerRequest[*sdk.ReadResourceParams]{Params: &sdk.ReadResourceParams{URI: "orihon://memory"}}},
		{"prompts/get", &sdk.ServerRequest[*sdk.GetPromptParams]{Params: &sdk.GetPromptParams{Name: "recall"}}},
	} {
		bounded := false
		res, err := s.Guarded(func(ctx context.Context, _ string, _ sdk.Request) (sdk.Result, error) {
			_, bounded = ctx.Deadline()
			panic("a page of the index is gone")
		})(t.Context(), tt.method, tt.req)
		if out, ok := res.(*sdk.CallToolResult); ok {
			err = out.GetError()
			if !out.IsError {
				t.Errorf("%s: %v", tt.method, out)
			}
		}
		if !bounded || tt.method != "tools/call" && (err == nil || strings.Contains(err.Error(), "page")) {
			t.Errorf("%s: bounded %v, %v", tt.method, bounded, err)
		}
	}
}
