package mcp_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon/internal/mcp"
	"orihon/internal/npmtest"
)

// The inspector, another client than the SDK's.
const (
	inspector       = "@modelcontextprotocol/inspector@2.12.0"
	inspectorScript = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
)

// TestInspector drives every tool of the built program from the inspector's command
// line.
func TestInspector(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the inspector is not run with -short")
	}
	t.Parallel()
	node, err := npmtest.Node(t.Context())
	if err != nil {
		t.Skipf("SKIPPED: no Node can be had here: %v", err)
	}
	modules, err := npmtest.Package(t.Context(), inspector)
	if err != nil {
		t.Skipf("SKIPPED: the inspector cannot be had here: %v", err)
	}
	orihon, err := program()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	said := w.says(t, "The payment service listens on port 8443")
	w.session(t, "session-one", [][2]string{{"which port is it?", "Port 8443, see deploy/values.yaml."}, {"change it", "Done."}, {"and the docs?", "Written."}})

	ask := func(args ...string) (map[string]any, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, node, append([]string{
			filepath.Join(modules, filepath.FromSlash(inspectorScript)), "--cli",
			"-e", "ORIHON_HOME=" + w.home, "-e", "ORIHON_USER=ada", "-e", "HOME=" + w.dir,
			orihon, "mcp", "--profile", mcp.Full, "--format", "json",
		}, args...)...)
		cmd.Dir = w.project
		out, err := cmd.Output()
		var answer struct{ Result map[string]any }
		if jerr := json.Unmarshal(out, &answer); jerr != nil {
			t.Fatalf("%v: %v\n%s", args, jerr, out)
		}
		return answer.Result, err
	}
	listed, err := ask("--method", "tools/list", "--strict") // no schema that some clients do not understand
	if err != nil {
		t.Fatal(err)
	}
	untried := make(map[string]bool)
	for _, tool := range listed["tools"].([]any) {
		untried[tool.(map[string]any)["name"].(string)] = true
	}

	var mine string
	for _, call := range []struct {
		tool, args, want string
		fails            bool
	}{
		{tool: "memory_add", args: `{"content":"The port is set in deploy/values.yaml because the ingress reads it","type":"fact"}`, want: "Remembered"},
		{tool: "memory_search", args: `{"query":"which port does the payment service use"}`, want: "8443"},
		{tool: "memory_get", args: `{"ids":["` + said + `"]}`, want: "8443"},
		{tool: "memory_list", args: `{"limit":1}`, want: "1 of 2 items"},
		{tool: "memory_update", args: `{"id":"$MINE","content":"The port is set in deploy/values.yaml and read from there by the ingress"}`, want: "Changed"},
		{tool: "memory_confirm", args: `{"id":"` + said + `"}`, want: "known already"},
		{tool: "memory_undo", args: `{"id":"` + said + `"}`, want: "own session", fails: true},
		{tool: "memory_review", args: `{}`, want: "Nothing waits"},
		{tool: "memory_delete", args: `{"id":"$MINE"}`, want: "Forgotten"},
		{tool: "history_query", args: `{"query":"values.yaml","session":"session-one"}`, want: "values.yaml"},
		{tool: "context_inspect", args: `{"session":"session-one"}`, want: "iterations"},
		{tool: "context_expand", args: `{"ref":"1-3","session":"session-one"}`, want: "values.yaml"},
		{tool: "context_fold", args: `{"iterations":"1-2","session":"session-one"}`, want: "", fails: true}, // too short to be worth it
		{tool: "context_unfold", args: `{"ref":"F1","session":"session-one"}`, want: "", fails: true},
		{tool: "bookmark", args: `{"iteration":1,"note":"the port","session":"session-one"}`, want: "kept"},
		{tool: "error_fixes", args: `{"query":"no such error was ever met"}`, want: "No error like this"},
		{tool: "commands_that_worked", args: `{"query":"xylophone"}`, want: "No command is known"},
		{tool: "file_history", args: `{"path":"nothing/there.go"}`, want: "Nothing is known"},
		{tool: "session_score", args: `{"session":"none"}`, want: "No such session"},
		{tool: "working_memory", args: `{"command":"view","path":"/memories"}`, want: "overview.md"},
	} {
		res, err := ask("--method", "tools/call", "--tool-name", call.tool, "--tool-args-json", strings.ReplaceAll(call.args, "$MINE", mine))
		delete(untried, call.tool)
		text, _ := json.Marshal(res["content"])
		if failed := err != nil; failed != call.fails || !strings.Contains(strings.ToLower(string(text)), strings.ToLower(call.want)) {
			t.Errorf("%s %s: %v: %s", call.tool, call.args, err, text)
		}
		if call.tool == "memory_add" {
			mine, _ = res["structuredContent"].(map[string]any)["id"].(string)
		}
	}
	for name := range untried {
		t.Errorf("%s was not tried", name)
	}
	if res, err := ask("--method", "resources/read", "--uri", "orihon://item/"+said); err != nil || !strings.Contains(toJSON(res), "8443") {
		t.Errorf("%v: %v", err, res)
	}
	if res, err := ask("--method", "prompts/get", "--prompt-name", "recall", "--prompt-args", "query=payment service port"); err != nil || !strings.Contains(toJSON(res), "8443") {
		t.Errorf("%v: %v", err, res)
	}

	url, token := listening(t, w, mcp.Default)
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(modules, filepath.FromSlash(inspectorScript)), "--cli", url, "--transport", "http",
		"--header", "Authorization: Bearer "+token, "--method", "tools/call", "--tool-name", "memory_search", "--tool-args-json", `{"query":"payment service port"}`, "--format", "json")
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "8443") {
		t.Errorf("over HTTP: %v: %s", err, out)
	}
}

func toJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
