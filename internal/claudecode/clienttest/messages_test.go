package clienttest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/claudecode/clienttest"
)

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(out)
}

func TestTheAPIStreamsAndRecords(t *testing.T) {
	api := clienttest.Messages(t, func(r clienttest.Request) clienttest.Reply {
		switch r.N {
		case 0:
			return clienttest.Reply{Text: "嗨", Calls: []clienttest.Call{{Tool: "Read", Input: map[string]any{"file_path": "/a"}}}}
		case 1:
			return clienttest.Reply{Status: 529}
		}
		return clienttest.Reply{}
	})
	_, stream := post(t, api.URL+"/v1/messages?beta=true", `{"model":"m","stream":true,"system":[{"text":"be kind"}],
		"messages":[{"role":"user","content":"問"},{"role":"user","content":[{"type":"tool_result","content":[{"text":"答"}]}]}],"tools":[{"name":"Read"}]}`)
	var kinds []string
	for line := range strings.Lines(stream) {
		if kind, ok := strings.CutPrefix(line, "event: "); ok {
			kinds = append(kinds, strings.TrimSpace(kind))
		}
	}
	block := []string{"content_block_start", "content_block_delta", "content_block_stop"}
	want := append(append(append([]string{"message_start"}, block...), block...), "message_delta", "message_stop")
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for _, part := range []string{`"text":"嗨","type":"text_delta"`, `"partial_json":"{\"file_path\":\"/a\"}"`, `"stop_reason":"tool_use"`} {
		if !strings.Contains(stream, part) {
			t.Errorf("no %s in\n%s", part, stream)
		}
	}
	if status, _ := post(t, api.URL+"/v1/messages", `{"messages":[]}`); status != 529 {
		t.Errorf("status %d, want 529", status)
	}
	if _, message := post(t, api.URL+"/v1/messages", `{"messages":[]}`); !strings.Contains(message, `"text":"ok"`) {
		t.Errorf("without a stream: %s", message)
	}
	if _, count := post(t, api.URL+"/v1/messages/count_tokens", `{}`); !strings.Contains(count, "input_tokens") {
		t.Errorf("count: %s", count)
	}
	if status, _ := post(t, api.URL+"/api/event", `{}`); status != http.StatusNotFound {
		t.Errorf("status %d, want 404", status)
	}

	first := api.Requests()[0]
	first.Body = nil
	if diff := cmp.Diff(clienttest.Request{
		Model: "m", Stream: true, System: "be kind", Tools: []string{"Read"},
		Turns: []clienttest.Turn{{Role: "user", Text: "問"}, {Role: "user", Text: "答"}},
	}, first); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"POST /api/event"}, api.Other()); diff != "" {
		t.Errorf("other calls (-want +got):\n%s", diff)
	}
	if !first.Contains("答") || first.Last("user") != "答" || first.Last("assistant") != "" {
		t.Errorf("request = %+v", first)
	}
}
