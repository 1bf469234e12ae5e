package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"orihon/internal/mcp"
)

// A line that is no message is answered and passed over.
func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	s, err := mcp.New(&mcp.Options{Memory: newWorld(t).memory(t)})
	if err != nil {
		t.Fatal(err)
	}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), in, out) }()
	lines := bufio.NewReader(receive)
	type answer struct {
		ID     any
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	ask := func(line string) (a answer) {
		t.Helper()
		go io.WriteString(send, line)
		got, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(got, &a)
		}
		if err != nil {
			t.Fatalf("%.60q: %.200s, %v", line, got, err)
		}
		return a
	}
	const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	if a := ask(initialize + "\n"); a.Result == nil {
		t.Fatalf("%+v", a)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, test := range []struct {
		name, line string
		code       int
		id         any
	}{
		{"half a message", `{bad`, -32700, nil},
		{"no JSON", `this is no protocol`, -32700, nil},
		{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32700, 1.0},
		{"bytes", "\xff\xfe\x00", -32700, nil},
		{"two in a line", ping + ping, -32700, nil},
		{"deep", strings.Repeat("[", 100_000), -32700, nil},
		{"an empty list", `[]`, -32600, nil},
		{"a list of messages", "[" + ping + "]", -32600, nil},
		{"a number", `42`, -32600, nil},
		{"null", `null`, -32600, nil},
		{"no version", `{"id":7,"method":"ping"}`, -32600, 7.0},
		{"a method that is none", `{"jsonrpc":"2.0","id":"a","method":3}`, -32600, "a"},
		{"an ID that is none", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, -32600, nil},
		{"nothing in it", `{}`, -32600, nil},
		{"far too long", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 30<<20) + `"}`, -32600, nil},
	} {
		a := ask(test.line + "\n")
		if a.Error == nil || a.Error.Code != test.code || a.ID != test.id {
			t.Errorf("%s: %+v, %+v, want %d for %v", test.name, a, a.Error, test.code, test.id)
		} else if strings.Contains(a.Error.Message, "unmarshal") || len(a.Error.Message) > 200 {
			t.Errorf("%s: %q", test.name, a.Error.Message)
		}
		if a := ask(" \n\r\n" + ping + "\r\n"); a.Result == nil || a.ID != 1.0 {
			t.Errorf("after %s: %+v", test.name, a)
		}
	}
	send.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
