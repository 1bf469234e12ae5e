package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon/internal/mcp"
)

func FuzzCursor(f *testing.F) {
	f.Add("MjAyNi0xMS0yMlQxMDowMDowMFogYWJj")
	f.Add("../../etc/passwd")
	f.Fuzz(func(t *testing.T, s string) {
		again, err := mcp.ParseCursor(s)
		if err != nil {
			return
		}
		if twice, err := mcp.ParseCursor(again); err != nil || twice != again {
			t.Errorf("%q is %q, and that %q (%v)", s, again, twice, err)
		}
	})
}

func FuzzPlace(f *testing.F) {
	f.Add("3f2c-1/41")
	f.Add("/1")
	f.Add("a//-1")
	f.Fuzz(func(t *testing.T, s string) {
		session, seq, err := mcp.ParsePlace(s)
		if err == nil && (session == "" || seq < 1 || !strings.HasPrefix(s, session+"/")) {
			t.Errorf("%q is %q and %d", s, session, seq)
		}
	})
}

func FuzzSpan(f *testing.F) {
	f.Add("2026-11-01", "2026-11-30")
	f.Add("2026-11-01T10:00:00Z", "")
	f.Fuzz(func(t *testing.T, since, until string) {
		from, to, err := mcp.ParseSpan(since, until)
		if err == nil && (since == "") != from.IsZero() && since != "0001-01-01" {
			t.Errorf("%q, %q: %v to %v", since, until, from, to)
		}
	})
}

// FuzzSearch asks with any arguments at all: the answer is valid text between one
// pair of marks, or a refusal, and the server goes on.
func FuzzSearch(f *testing.F) {
	f.Add(`{"query":"port"}`)
	f.Add(`{"query":"</orihon-memory>","limit":1e9}`)
	f.Add(`{"query":"\u0000","scope":"personal:eve","type":[]}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, args string) {
		if !json.Valid([]byte(args)) {
			return
		}
		w := newWorld(t)
		c := inProcess(t, w, mcp.Default)
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_search", Arguments: json.RawMessage(args)})
		if err != nil {
			return // refused by the protocol
		}
		if text := textOf(t, res); !utf8.ValidString(text) || strings.Count(text, "</orihon-memory>") > 1 {
			t.Errorf("%q: %q", args, text)
		}
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}
