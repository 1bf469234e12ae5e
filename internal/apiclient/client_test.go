package apiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"orihon/internal/apiclient"
	"orihon/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type echo struct {
	Text string `json:"text"`
}

// serve runs a server whose n-th request, from 0, is answered by fn.
func serve(t *testing.T, fn func(n int, w http.ResponseWriter, r *http.Request)) (base string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fn(int(requests.Add(1))-1, w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func client(t *testing.T, o apiclient.Options) *apiclient.Client {
	t.Helper()
	if o.Backoff == 0 {
		o.Backoff = time.Millisecond
	}
	c, err := apiclient.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestPostSendsJSONAndReadsTheAnswer(t *testing.T) {
	base, _ := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		var in echo
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		if r.Method != http.MethodPost || r.URL.Path != "/v1/echo" || r.Header.Get("Content-Type") != "application/json" ||
			r.Header.Get("Authorization") != "Bearer k-1" || r.Header.Get("X-Org") != "mine" {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
		}
		io.WriteString(w, `{"text":"`+in.Text+`!"}`)
	})
	c := client(t, apiclient.Options{Base: base + "/v1/", Key: "k-1", Header: map[string]string{"X-Org": "mine"}})
	var out echo
	if err := c.Post(t.Context(), "/echo", echo{"你好"}, &out); err != nil || out.Text != "你好!" {
		t.Errorf("got %q, %v", out.Text, err)
	}
}

func TestRefusalsAreOneLineThatAPersonCanActOn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		header map[string]string
		want   string // after the host
	}{
		{"a text", 404, `{"error":"model \"x\" not found"}`, nil, ` answered 404: model "x" not found`},
		{"an object", 401, `{"error":{"message":"Incorrect API key provided: sk-secret","type":"x"}}`, nil, " answered 401: Incorrect API key provided: [key]"},
		{"a message", 400, `{"message":"input\n  too\tlong"}`, nil, " answered 400: input too long"},
		{"a detail", 422, `{"detail":"bad"}`, nil, " answered 422: bad"},
		{"a list of details", 422, `{"detail":[{"loc":["x"]}]}`, nil, ` answered 422: {"detail":[{"loc":["x"]}]}`},
		{"a page", 502, "<!DOCTYPE html><html><head><title>Bad gateway\n</title></head><body>nginx</body></html>", nil, " answered 502: a web page, Bad gateway"},
		{"a page without title", 502, "<html>no</html>", nil, " answered 502: a web page"},
		{"nothing", 503, "", nil, " answered 503: service unavailable"},
		{"control characters", 500, "a\x1b[31mb\x00c\xff", nil, " answered 500: a[31mbc"},
		{"a page that claims to be fine", 200, "<html><title>Log in</title></html>", nil, ": the answer is not the JSON that was expected: a web page, Log in"},
		{"half of an answer", 200, `{"text":"a`, nil, `: the answer is not the JSON that was expected: {"text":"a`},
		{"another type", 200, `{"text":7}`, nil, `: the answer is not the JSON that was expected: {"text":7}`},
		{"a redirect", 307, "", map[string]string{"Location": "https://evil.example/v1"}, " answered 307: it points to https://evil.example/v1; write that address into the configuration if it is right"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, requests := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				for k, v := range tt.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			c := client(t, apiclient.Options{Base: base, Key: "sk-secret"})
			err := c.Post(t.Context(), "x", echo{}, &echo{})
			if want := strings.TrimPrefix(base, "http://") + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if e, ok := errors.AsType[*apiclient.Error](err); !ok || e.Status != tt.status {
				t.Errorf("%T is no *Error of status %d", err, tt.status)
			}
			if requests.Load() != 1 {
				t.Errorf("%d requests", requests.Load())
			}
		})
	}
}

func TestLongRefusalsAreCut(t *testing.T) {
	base, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, strings.Repeat("很", 5000))
	})
	err := client(t, apiclient.Options{Base: base}).Post(t.Context(), "x", echo{}, &echo{})
	if err == nil || len([]rune(err.Error())) > 300 || !strings.HasSuffix(err.Error(), "很…") {
		t.Errorf("got %v", err)
	}
}

func TestWhatMaySucceedLaterIsRepeated(t *testing.T) {
	for _, tt := range []struct {
		name string
		bad  func(w http.ResponseWriter)
		max  time.Duration
		want int32 // requests
		ok   bool
	}{
		{"a failing server", func(w http.ResponseWriter) { w.WriteHeader(500) }, 0, 3, true},
		{"one that is busy", func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(429) }, 0, 3, true},
		{"a connection that is cut", func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }, 0, 3, true},
		{"an answer that is cut", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"te`)
		}, 0, 3, true},
		{"one that asks for more patience than there is", func(w http.ResponseWriter) { w.Header().Set("Retry-After", "3600"); w.WriteHeader(429) }, time.Second, 1, false},
		{"one that refuses", func(w http.ResponseWriter) { w.WriteHeader(400) }, 0, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, requests := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n < 2 {
					tt.bad(w)
					return
				}
				io.WriteString(w, `{"text":"ok"}`)
			})
			var out echo
			err := client(t, apiclient.Options{Base: base, Retries: 2, MaxWait: tt.max}).Post(t.Context(), "x", echo{}, &out)
			if (err == nil) != tt.ok || requests.Load() != tt.want {
				t.Errorf("%v after %d requests, want %d", err, requests.Load(), tt.want)
			}
		})
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	for name, header := range map[string]map[string]string{
		"seconds": {"Retry-After": "1"},
		"a date":  {"Retry-After": "Sun, 06 Nov 1994 08:49:38 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var first time.Time
			base, _ := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n == 0 {
					first = time.Now()
					for k, v := range header {
						w.Header().Set(k, v)
					}
					w.WriteHeader(429)
					return
				}
				if d := time.Since(first); d < time.Second {
					t.Errorf("came again after %s", d)
				}
				io.WriteString(w, `{}`)
			})
			if err := client(t, apiclient.Options{Base: base, Retries: 1}).Post(t.Context(), "x", echo{}, &echo{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestASlowServerIsLeft(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	base, requests := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { <-release })
	c := client(t, apiclient.Options{Base: base, Retries: 5})
	err := c.Within(20*time.Millisecond).Post(t.Context(), "x", echo{}, &echo{})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 20ms") || requests.Load() != 1 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if err := c.Post(ctx, "x", echo{}, &echo{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestAHugeAnswerIsNotReadToTheEnd(t *testing.T) {
	base, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"text":"`+strings.Repeat("a", 1<<20))
	})
	err := client(t, apiclient.Options{Base: base, MaxAnswer: 1000}).Post(t.Context(), "x", echo{}, &echo{})
	if err == nil || !strings.HasSuffix(err.Error(), ": the answer is too large: more than 1000 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestNothingFollowsARedirect(t *testing.T) {
	other, elsewhere := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{}`) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		base, _ := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, status) })
		if err := client(t, apiclient.Options{Base: base, Key: "k"}).Post(t.Context(), "x", echo{"secret"}, &echo{}); err == nil {
			t.Errorf("%d was followed", status)
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests reached the other host", n)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for _, tt := range []struct {
		base, key string
		want      error
	}{
		{"http://127.0.0.1:11434", "k", nil},
		{"http://localhost:1/v1/", "k", nil},
		{"http://[::1]:1", "k", nil},
		{"http://192.168.1.7:8000/v1", "k", nil},
		{"http://models.example.com", "", nil},
		{"https://models.example.com/v1", "k", nil},
		{"http://models.example.com/v1", "k", memory.ErrRefused},
		{"http://8.8.8.8/v1", "k", memory.ErrRefused},
		{"https://x/v1", "k\r\nX-Evil: 1", memory.ErrInvalid},
		{"", "", memory.ErrInvalid},
		{"localhost:11434", "", memory.ErrInvalid},
		{"ftp://x", "", memory.ErrInvalid},
		{"file:///etc/passwd", "", memory.ErrInvalid},
		{"https://me:hunter2@x/v1", "", memory.ErrInvalid},
		{"https://x/v1?key=hunter2", "", memory.ErrInvalid},
		{"http://[::1", "", memory.ErrInvalid},
	} {
		c, err := apiclient.New(apiclient.Options{Base: tt.base, Key: tt.key})
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%q gave %v, want %v", tt.base, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q is told with its password: %v", tt.base, err)
		}
		if c != nil {
			c.Close()
		}
	}
}

func TestDownload(t *testing.T) {
	content := strings.Repeat("0123456789", 50_000)
	base, _ := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			io.WriteString(w, content)
		case "/moved":
			http.Redirect(w, r, "/file", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "http://example.com/file", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/cut":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "abc")
		case "/denied":
			w.WriteHeader(403)
			io.WriteString(w, `{"error":"gated model"}`)
		default:
			w.WriteHeader(404)
		}
	})
	for _, tt := range []struct{ path, want string }{
		{"/file", ""}, {"/moved", ""},
		{"/none", "not found: HOST has no /none"},
		{"/denied", "HOST answered 403: gated model"},
		{"/away", "HOST: refused: example.com is not fetched over http: write https"},
		{"/round", "HOST: it is redirected too often"},
		{"/cut", "HOST: unexpected EOF"},
	} {
		var got strings.Builder
		var told int64
		err := apiclient.Download(t.Context(), base+tt.path, &got, 1<<20, func(done, _ int64) { told = done })
		if tt.want == "" {
			if err != nil || got.String() != content || told != int64(len(content)) {
				t.Errorf("%s: %d bytes, told %d, %v", tt.path, got.Len(), told, err)
			}
			continue
		}
		if want := strings.ReplaceAll(tt.want, "HOST", strings.TrimPrefix(base, "http://")); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", tt.path, err, want)
		}
	}
	if err := apiclient.Download(t.Context(), base+"/file", io.Discard, 1000, nil); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("too large: %v", err)
	}
	if err := apiclient.Download(t.Context(), "http://192.168.0.1/file", io.Discard, 1000, nil); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("http beyond this machine: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := apiclient.Download(ctx, base+"/file", io.Discard, 1<<20, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
