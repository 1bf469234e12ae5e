package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orihon/llm"
	"orihon/llm/gateway"
	"orihon/llm/llmtest"
	"orihon/llm/provider"
)

// worker makes this program spend until the day is spent: DIR URL.
const worker = "ORIHON_TEST_SPENDS"

func TestMain(m *testing.M) {
	if what := os.Getenv(worker); what != "" {
		spendAll(what)
		return
	}
	os.Exit(m.Run())
}

const (
	limit      = 30_000
	callInput  = 90
	callOutput = 40
)

func spendAll(what string) {
	dir, url, _ := strings.Cut(what, " ")
	g := gateway.New(gateway.Options{Dir: dir, Limits: gateway.Limits{DailyTokens: limit}, Backends: []gateway.Backend{{
		Name: "a", Identity: "a", Open: func() (llm.Model, error) {
			return provider.NewOpenAI(provider.Options{Model: "m", URL: url})
		},
	}}})
	m := g.Model(gateway.Purpose{Feature: "capture"})
	for {
		_, err := m.Generate(context.Background(), llm.Request{MaxTokens: callOutput, Messages: []llm.Message{{Role: llm.User, Text: "hello"}}})
		if errors.Is(err, llm.ErrSpent) {
			fmt.Println("spent")
			return
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// served counts what a server was paid, in tokens.
func serve(t *testing.T) (url string, served *atomic.Int64) {
	served = new(atomic.Int64)
	s := llmtest.Serve(func(int, llmtest.Asked) llmtest.Reply {
		served.Add(callInput + callOutput)
		return llmtest.Reply{Text: "ok", Usage: llm.Usage{Input: callInput, Output: callOutput}}
	})
	t.Cleanup(s.Close)
	return s.URL, served
}

func spender(t *testing.T, dir, url string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), worker+"="+dir+" "+url)
	return cmd
}

func TestEightProcessesHoldOneBudget(t *testing.T) {
	dir := t.TempDir()
	url, served := serve(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if out, err := spender(t, dir, url).CombinedOutput(); err != nil || string(out) != "spent\n" {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	// Every call reserves some 560 tokens: that much may be left over.
	if n := served.Load(); n > limit || n < limit-1000 {
		t.Errorf("%d tokens were served, want at most %d and not much less", n, limit)
	}
	spent, err := gateway.New(gateway.Options{Dir: dir}).Spent("")
	if err != nil || len(spent) != 1 || spent[0].Input+spent[0].Output != served.Load() {
		t.Errorf("%+v, %v; served %d", spent, err, served.Load())
	}
}

// Processes that are killed in the middle never make the account smaller than what
// was served, and leave files that can be read.
func TestKilledProcessesAreCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: nothing is killed with -short")
	}
	dir := t.TempDir()
	url, served := serve(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 40 {
		cmd := spender(t, dir, url)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		today, err := gateway.New(gateway.Options{Dir: dir}).Today()
		if err != nil {
			t.Fatal(err)
		}
		if today.Tokens < served.Load() || today.Tokens > limit {
			t.Fatalf("%d tokens are counted, and %d were served", today.Tokens, served.Load())
		}
	}
	// When their time is over, reservations of the dead are spent.
	before, err := gateway.New(gateway.Options{Dir: dir}).Today()
	if err != nil {
		t.Fatal(err)
	}
	later := gateway.New(gateway.Options{Dir: dir, Now: func() time.Time { return time.Now().Add(4 * time.Minute) }, Backends: []gateway.Backend{backendOf("b", &fake{})}})
	if time.Now().Add(4*time.Minute).Day() != time.Now().Day() {
		t.Skip("SKIPPED: it is nearly midnight")
	}
	if _, err := ask(t, later); err != nil {
		t.Fatal(err)
	}
	after, err := later.Today()
	if err != nil || after.Tokens < before.Tokens {
		t.Errorf("%+v, before %+v, %v", after, before, err)
	}
}

// An account cut anywhere is either whole or stops calls; a cut health file only
// makes a backend be asked again.
func TestFilesCutAtEveryByte(t *testing.T) {
	dir, c := t.TempDir(), morning()
	f := &fake{err: down}
	g := open(t, dir, c, gateway.Limits{DailyTokens: 5000}, backendOf("a", f), backendOf("b", &fake{usage: llm.Usage{Input: 10, Output: 10}}))
	ask(t, g)
	ask(t, g)
	for _, name := range []string{"2026-11-22.json", "health.json"} {
		whole, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(whole) {
			if err := os.WriteFile(filepath.Join(dir, name), whole[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ask(t, g)
			switch {
			case name == "health.json" && err != nil:
				t.Fatalf("%s cut at %d: %v", name, n, err)
			case name != "health.json" && n < len(whole)-1 && (err == nil || errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), name)):
				t.Fatalf("%s cut at %d: %v", name, n, err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if aside, _ := filepath.Glob(filepath.Join(dir, "health.json.aside-*")); len(aside) == 0 {
		t.Error("a damaged file was thrown away")
	}
}

func TestWhatStandsInTheWayStopsCallsAndNothingElse(t *testing.T) {
	for name, block := range map[string]func(dir string) error{
		"a folder in place of the day":  func(dir string) error { return os.MkdirAll(filepath.Join(dir, "2026-11-22.json", "x"), 0o700) },
		"a file in place of the folder": func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"a newer version": func(dir string) error {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "2026-11-22.json"), []byte(`{"v":9}`), 0o600)
		},
	} {
		dir := filepath.Join(t.TempDir(), "calls")
		if err := block(dir); err != nil {
			t.Fatal(err)
		}
		f := &fake{}
		g := open(t, dir, morning(), gateway.Limits{}, backendOf("a", f))
		if _, err := ask(t, g); err == nil || len(f.asked) > 0 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if s := g.States(); len(s) != 1 {
			t.Errorf("%s: %v", name, s)
		}
	}
}

func TestFilesArePrivateAndHoldNoWords(t *testing.T) {
	dir, c := t.TempDir(), morning()
	loud := &llm.Failure{Why: "answered 500", Err: errors.New("the server repeats MARKER-7")}
	g := open(t, dir, c, gateway.Limits{}, backendOf("a", &fake{err: loud}), backendOf("b", &fake{text: "MARKER-7"}))
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "MARKER-7"}}}
	if _, err := g.Model(gateway.Purpose{Feature: "f"}).Generate(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 3 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || strings.Contains(string(data), "MARKER") || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s %s %v: %s", e.Name(), strconv.FormatUint(uint64(info.Mode()), 8), err, data)
		}
		if strings.HasSuffix(e.Name(), ".json") && !json.Valid(data) {
			t.Errorf("%s: %s", e.Name(), data)
		}
	}
}
