package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon/memory"
)

// Path is where the protocol is spoken.
const Path = "/mcp"

// Bounds of the transport.
const (
	mostBody   = 1 << 20          // bytes of a request
	idle       = 30 * time.Minute // after which a session is forgotten
	toRead     = 10 * time.Second // the headers, and then the body
	toShutdown = 3 * time.Second
)

// Token makes the secret that callers of a server send.
func Token() string { return rand.Text() }

// Listen opens an address for [Server.ServeHTTP]. Only this machine may call: any
// other address is refused with [memory.ErrRefused].
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return nil, fmt.Errorf("%w address %q: want HOST:PORT, as in 127.0.0.1:3849, and a port up to 65535", memory.ErrInvalid, address)
	}
	if !loopback(host) {
		return nil, fmt.Errorf("address %q: %w: only this machine may call: want 127.0.0.1, [::1] or localhost", address, memory.ErrRefused)
	}
	if host == "localhost" {
		address = net.JoinHostPort("127.0.0.1", address[len("localhost:"):])
	}
	var l net.ListenConfig
	return l.Listen(ctx, "tcp", address)
}

// loopback reports whether a host is this machine by its very name.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() && ip.Zone() == ""
}

// ServeHTTP answers those who send the token, until ctx ends, and returns nil then.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	if token == "" {
		return fmt.Errorf("%w token: it is empty", memory.ErrInvalid)
	}
	h := handler(s.server, s.o.Logger)
	h.toRead = s.toRead
	h.token = sha256.Sum256([]byte(token))
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: toRead, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), toShutdown)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close() // streams that are still open
}

// gate is what an HTTP request passes before the protocol sees it.
type gate struct {
	open                bool // whoever calls needs no token
	token               [sha256.Size]byte
	toRead              time.Duration // a body
	stateful, stateless http.Handler
}

// handler serves both revisions of the protocol at one address: until 2025-11-25
// with sessions, from 2026-07-28 on without.
func handler(server *sdk.Server, log *slog.Logger) *gate {
	one := func(*http.Request) *sdk.Server { return server }
	return &gate{
		stateful:  sdk.NewStreamableHTTPHandler(one, &sdk.StreamableHTTPOptions{Logger: log, SessionTimeout: idle, MaxRequestBodyBytes: mostBody}),
		stateless: sdk.NewStreamableHTTPHandler(one, &sdk.StreamableHTTPOptions{Logger: log, Stateless: true, MaxRequestBodyBytes: mostBody, PropagateRequestCancellation: true}),
	}
}

// ServeHTTP lets through who calls this machine by its name, from no page of
// another origin, and knows the token.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	case !loopback(hostOf(r.Host)):
		http.Error(w, "this server is called by the name of this machine", http.StatusForbidden)
	case !g.sameOrigin(r):
		http.Error(w, "pages of another origin may not call", http.StatusForbidden)
	case r.URL.Path != Path:
		http.NotFound(w, r)
	case !g.open && !g.knows(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "a token is needed: orihon mcp printed it when it began", http.StatusUnauthorized)
	default:
		g.serve(w, r)
	}
}

// serve reads the body, and has the handler of the request's revision answer it.
func (g *gate) serve(w http.ResponseWriter, r *http.Request) {
	var body []byte
	if r.Method == http.MethodPost {
		var err error
		if body, err = g.body(w, r); errors.Is(err, os.ErrDeadlineExceeded) {
			w.Header().Set("Connection", "close")
			http.Error(w, "the body took too long", http.StatusRequestTimeout)
			return
		}
		// The oldest revisions send lists of messages.
		if line := bytes.TrimSpace(body); err == nil && !bytes.HasPrefix(line, []byte("[")) {
			if why := check(line, false); why != nil {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write(refused(line, why)) // who has gone reads nothing
				return
			}
		}
		rest := io.Reader(bytes.NewReader(body))
		if err != nil { // the protocol's handler fails in the same way
			rest = io.MultiReader(rest, failing{err})
		}
		r.Body = io.NopCloser(rest)
	}
	if sessionless(r, body) {
		g.stateless.ServeHTTP(w, r)
		return
	}
	g.stateful.ServeHTTP(w, r)
}

// body reads the body of a request in time. What is sent back may take longer.
func (g *gate) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	c := http.NewResponseController(w)
	if g.toRead != 0 {
		if err := c.SetReadDeadline(time.Now().Add(g.toRead)); err != nil {
			return nil, err
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err == nil && g.toRead != 0 {
		err = c.SetReadDeadline(time.Time{})
	}
	return body, err
}

// hostOf is the host of an address with or without a port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
}

// sameOrigin reports whether no page asks, or one that this machine serves at the
// address that is called.
func (g *gate) sameOrigin(r *http.Request) bool {
	all := r.Header.Values("Origin")
	if len(all) == 0 {
		return true
	}
	origin, err := url.Parse(all[0])
	return len(all) == 1 && err == nil && origin.Scheme == "http" && strings.EqualFold(origin.Host, r.Host)
}

func (g *gate) knows(r *http.Request) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	hash := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(hash[:], g.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// The revision without sessions, the header that names the one a request is of, and
// the member of its body that does.
const (
	withoutSessions = "2026-07-28"
	versionHeader   = "Mcp-Protocol-Version"
	versionMember   = `"io.modelcontextprotocol/protocolVersion"`
)

// sessionless reports whether a request is of a revision without sessions. One that
// names it in the body alone is, too: its server says what is wrong with that.
func sessionless(r *http.Request, body []byte) bool {
	if version := r.Header.Get(versionHeader); version != "" {
		return version >= withoutSessions
	}
	if r.Method != http.MethodPost || r.Header.Get("Mcp-Session-Id") != "" {
		return false
	}
	return bytes.Contains(body, []byte(versionMember))
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
