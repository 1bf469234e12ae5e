package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon/internal/mcp"
	"orihon/memory"
)

func TestOnlyThisMachineMayCall(t *testing.T) {
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.168.1.7:0", "example.com:80", "localhost.example.com:80", "[fe80::1%lo]:0", "127.0.0.1.example.com:0"} {
		if l, err := mcp.Listen(t.Context(), address); !errors.Is(err, memory.ErrRefused) {
			t.Errorf("%s: %v, %v", address, l, err)
		}
	}
	for _, address := range []string{"", "127.0.0.1", "localhost", "localhost:70000", "127.0.0.1:http", "127.0.0.1:-1"} {
		if l, err := mcp.Listen(t.Context(), address); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%q: %v, %v", address, l, err)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.8.8.8:0"} {
		l, err := mcp.Listen(t.Context(), address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if !strings.HasPrefix(l.Addr().String(), "127.") {
			t.Errorf("%s listens at %s", address, l.Addr())
		}
		l.Close()
	}
}

func TestWhatARequestMustBring(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at, token := listening(t, w, mcp.Default)
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, test := range []struct {
		name   string
		change func(*http.Request)
		body   string
		want   int
	}{
		{"all that is wanted", func(*http.Request) {}, initialize, http.StatusOK},
		{"by the other name of this machine", func(r *http.Request) { r.Host = "localhost:" + u.Port() }, initialize, http.StatusOK},
		{"from a page that this address serves", func(r *http.Request) { r.Header.Set("Origin", "http://"+u.Host) }, initialize, http.StatusOK},
		{"the scheme in small letters", func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }, initialize, http.StatusOK},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, initialize, http.StatusUnauthorized},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+mcp.Token()) }, initialize, http.StatusUnauthorized},
		{"the token in another way", func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) }, initialize, http.StatusUnauthorized},
		{"an empty token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, initialize, http.StatusUnauthorized},
		{"another host", func(r *http.Request) { r.Host = "evil.example.com" }, initialize, http.StatusForbidden},
		{"a host that begins alike", func(r *http.Request) { r.Host = "127.0.0.1.evil.example.com:" + u.Port() }, initialize, http.StatusForbidden},
		{"no host", func(r *http.Request) { r.Host = "_" }, initialize, http.StatusForbidden},
		{"a page of another origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example.com") }, initialize, http.StatusForbidden},
		{"a page of another port", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, initialize, http.StatusForbidden},
		{"a page without an origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, initialize, http.StatusForbidden},
		{"two origins", func(r *http.Request) { r.Header["Origin"] = []string{"http://" + u.Host, "https://evil.example.com"} }, initialize, http.StatusForbidden},
		{"another path", func(r *http.Request) { r.URL.Path = "/" }, initialize, http.StatusNotFound},
		{"a path that leads there", func(r *http.Request) { r.URL.Path = "/x/../mcp" }, initialize, http.StatusNotFound},
		{"too much", func(*http.Request) {}, strings.Repeat("x", 10<<20), http.StatusRequestEntityTooLarge},
		{"no JSON", func(*http.Request) {}, "GET / HTTP/1.1", http.StatusBadRequest},
		{"a number", func(*http.Request) {}, "42", http.StatusBadRequest},
		{"no message", func(*http.Request) {}, `{"id":1}`, http.StatusBadRequest},
		{"no revision that there is", func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "1999-01-01") }, initialize, http.StatusBadRequest},
		{"a revision to come", func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "2999-01-01") }, initialize, http.StatusBadRequest},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", "Bearer "+token)
			test.change(r)
			res, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != test.want {
				t.Errorf("status %d, want %d: %.200s", res.StatusCode, test.want, body)
			}
			if bytes.Contains(body, []byte(token)) || bytes.Contains(body, []byte("unmarshal")) {
				t.Errorf("the answer holds the token, or words of ours: %.200s", body)
			}
		})
	}
}

// A body that does not come in time is not waited for.
func TestALateBodyEndsItsRequest(t *testing.T) {
	t.Parallel()
	s, err := mcp.New(&mcp.Options{Memory: newWorld(t).memory(t)})
	if err != nil {
		t.Fatal(err)
	}
	s.Impatient()
	at, token := serving(t, s)
	body, held := io.Pipe()
	defer held.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestTimeout {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestACallThatIsCancelledEnds(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]func(*testing.T, *world, string) *sdk.ClientSession{
		"in process": inProcess, "http": overHTTP("2026-07-28"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.says(t, "The payment service listens on port 8443")
			c := &talk{t, w, connect(t, w, mcp.Default)}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "memory_search", Arguments: map[string]any{"query": "payment port"}}); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, %v", res, err)
			}
			if out := c.call("memory_search", map[string]any{"query": "payment port"}); !strings.Contains(out.text(), "8443") {
				t.Errorf("afterwards: %s", out.text())
			}
		})
	}
}
