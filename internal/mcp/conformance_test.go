package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/npmtest"
)

// The official suite, in both its lines.
const (
	withSessions    = "@modelcontextprotocol/conformance@0.1.16"
	withoutSessions = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
	suiteScript     = "@modelcontextprotocol/conformance/dist/index.js"
)

// everything is the SDK's own example server, which has the fixtures that the suite
// asks for; its folder in the module.
const everything = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// TestConformance runs the official suite against the SDK's example server as it is,
// and against the same fixtures served by our wiring: ours must be as good.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the suite is not run with -short")
	}
	t.Parallel()
	node, err := npmtest.Node(t.Context())
	if err != nil {
		t.Skipf("SKIPPED: no Node can be had here: %v", err)
	}
	theirs, ours := exampleServers(t)
	for _, test := range []struct {
		suite string
		mode  string   // in which the example server serves that revision
		args  []string // of the suite
		least int      // checks that it has
	}{
		{withSessions, "-stateless=false", nil, 40},
		{withoutSessions, "-stateless=true", []string{"--spec-version", "2026-07-28"}, 42},
	} {
		t.Run(test.suite, func(t *testing.T) {
			t.Parallel()
			modules, err := npmtest.Package(t.Context(), test.suite)
			if err != nil {
				t.Skipf("SKIPPED: the suite cannot be had here: %v", err)
			}
			run := func(server string, args ...string) []string {
				url := serve(t, server, args...)
				return checks(t, node, append([]string{filepath.Join(modules, filepath.FromSlash(suiteScript)), "server", "--url", url}, test.args...)...)
			}
			want, got := run(theirs, test.mode), run(ours)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the SDK's own server and ours (-theirs +ours):\n%s", diff)
			}
			total := got[len(got)-1]
			m := regexp.MustCompile(`^Total: (\d+) passed, 0 failed`).FindStringSubmatch(total)
			if m == nil {
				t.Fatal(strings.Join(got, "\n"))
			}
			if n, err := strconv.Atoi(m[1]); err != nil || n < test.least {
				t.Errorf("%s, at least %d wanted", total, test.least)
			}
		})
	}
}

// exampleServers builds the SDK's example server twice: as it is, and with its
// handler replaced by ours, which two files that only the compiler sees hand it.
func exampleServers(t *testing.T) (theirs, ours string) {
	t.Helper()
	dir := t.TempDir()
	goTool := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		out, err := cmd.Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				err = errors.New(string(exit.Stderr))
			}
			t.Fatalf("go %s: %v", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out))
	}
	source, err := os.ReadFile(filepath.Join(goTool("list", "-f", "{{.Dir}}", everything), "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	handler := regexp.MustCompile(`(?s)mcp\.NewStreamableHTTPHandler\(.*?&mcp\.StreamableHTTPOptions\{[^}]*\}\)`)
	if n := len(handler.FindAll(source, -1)); n != 1 {
		t.Fatalf("the example server makes %d handlers, want one", n)
	}
	source = handler.ReplaceAll(source, []byte("wiring.Wired(server)"))
	source = append(bytes.Replace(source, []byte("import ("), []byte("import (\n\twiring \"orihon/internal/mcp\""), 1), "\nvar _ = stateless\n"...)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replace := make(map[string]string)
	for name, text := range map[string]string{
		"internal/everything/main.go": string(source),
		"wired.go": `package mcp

import (
	"log/slog"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func Wired(s *sdk.Server) http.Handler {
	h := handler(s, slog.New(slog.DiscardHandler))
	h.open = true
	return h
}
`,
	} {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(here, filepath.FromSlash(name))] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	layer := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(layer, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program := func(name string) string {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		return filepath.Join(dir, name)
	}
	theirs, ours = program("theirs"), program("ours")
	goTool("build", "-buildvcs=false", "-o", theirs, everything)
	goTool("build", "-buildvcs=false", "-overlay", layer, "-o", ours, "./internal/everything")
	return theirs, ours
}

// serve starts an example server and returns where it answers.
func serve(t *testing.T, program string, args ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, append(args, "-http="+address)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() }) // it is killed
	url := "http://" + address + "/mcp"
	for range 100 {
		if res, err := http.Get(url); err == nil {
			res.Body.Close()
			return url
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s did not begin to listen", program)
	return ""
}

// checks runs the suite and returns its verdicts, one line a scenario, the sum last.
func checks(t *testing.T, node string, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append(args, "-o", t.TempDir())...)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	var verdicts []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, " failed") || strings.Contains(line, " failed,") {
			verdicts = append(verdicts, line)
		}
	}
	if len(verdicts) == 0 {
		t.Fatalf("the suite gave no verdicts: %v\n%s", err, out)
	}
	sum := verdicts[len(verdicts)-1]
	slices.Sort(verdicts[:len(verdicts)-1])
	if !strings.HasPrefix(sum, "Total:") {
		t.Fatalf("the suite ends with %q", sum)
	}
	return verdicts
}
