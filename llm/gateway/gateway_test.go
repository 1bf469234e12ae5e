package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/llm"
	"orihon/llm/gateway"
	"orihon/llm/llmtest"
)

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// zone has a whole number of hours besides, so that local time matters.
var zone = time.FixedZone("test", 8*3600)

func morning() *clock { return &clock{at: time.Date(2026, 11, 22, 9, 30, 0, 0, zone)} }

// fake answers or fails as it is told.
type fake struct {
	err   error
	usage llm.Usage
	text  string
	asked []llm.Request
}

func (f *fake) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	f.asked = append(f.asked, r)
	if f.err != nil {
		return llm.Response{}, f.err
	}
	return llm.Response{Message: llm.Message{Role: llm.Assistant, Text: f.text}, Usage: f.usage}, nil
}

func backendOf(name string, m llm.Model) gateway.Backend {
	return gateway.Backend{Name: name, Identity: "fake " + name, Open: func() (llm.Model, error) { return m, nil }}
}

func open(t *testing.T, dir string, c *clock, limits gateway.Limits, backends ...gateway.Backend) *gateway.Gateway {
	t.Helper()
	g := gateway.New(gateway.Options{Backends: backends, Dir: dir, Limits: limits, Now: c.now})
	t.Cleanup(func() { g.Close() })
	return g
}

func ask(t *testing.T, g *gateway.Gateway) (string, error) {
	t.Helper()
	r, err := g.Model(gateway.Purpose{Feature: "capture"}).Generate(t.Context(), llm.Request{MaxTokens: 100, Messages: []llm.Message{{Role: llm.User, Text: "hello"}}})
	return r.Backend, err
}

var down = &llm.Failure{Why: "answered 503", Err: errors.New("it says no"), Worked: false}

func TestNoBackendIsNoModelAndTouchesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "calls")
	g := gateway.New(gateway.Options{Dir: dir})
	if m := g.Model(gateway.Purpose{}); m != nil {
		t.Errorf("%v", m)
	}
	off := backendOf("a", nil)
	off.Off = "switched off"
	if m := gateway.New(gateway.Options{Dir: dir, Backends: []gateway.Backend{off}}).Model(gateway.Purpose{}); m != nil {
		t.Errorf("%v", m)
	}
	if s, err := g.Spent(""); len(s) > 0 || err != nil {
		t.Errorf("%v, %v", s, err)
	}
	if q, err := g.Ask(t.Context()); len(q) > 0 || err != nil {
		t.Errorf("%v, %v", q, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made")
	}
}

// The contract of fail-over, step by step, each step in a gateway of its own: the
// state is in the file.
func TestTwoFailuresRestAMinuteAndTwoRestsAQuarterOfADay(t *testing.T) {
	dir, c := t.TempDir(), morning()
	first, second := &fake{err: down}, &fake{}
	step := func(what string, wantAsked int, wantUntil string, wantLong bool) {
		t.Helper()
		g := open(t, dir, c, gateway.Limits{}, backendOf("first", first), backendOf("second", second))
		before := len(first.asked)
		if by, err := ask(t, g); err != nil || by != "second" && first.err != nil {
			t.Fatalf("%s: %q, %v", what, by, err)
		}
		if n := len(first.asked) - before; n != wantAsked {
			t.Errorf("%s: the first was asked %d times, want %d", what, n, wantAsked)
		}
		s := g.States()[0]
		until := ""
		if !s.Until.IsZero() {
			until = s.Until.Format("15:04:05")
		}
		if until != wantUntil || s.Long != wantLong {
			t.Errorf("%s: %+v, want until %s", what, s, wantUntil)
		}
	}
	step("one failure is none yet", 1, "", false)
	step("two are", 1, "09:31:00", false)
	step("it is left alone", 0, "09:31:00", false)
	c.pass(61 * time.Second)
	step("a minute later it is asked", 1, "", false)
	first.err = nil
	step("an answer ends the row", 1, "", false)
	first.err = down
	step("one", 1, "", false)
	step("two, the second time in ten minutes", 1, "12:00:00", true)
	c.pass(2 * time.Hour)
	step("still", 0, "12:00:00", true)
	c.pass(30 * time.Minute)
	step("noon", 1, "", false)
	step("noon, again", 1, "12:02:01", false)
	c.pass(11 * time.Minute)
	step("later", 1, "", false)
	step("later than ten minutes begins anew", 1, "12:13:01", false)
	// A clock that is set back does not switch anything off for years.
	c.pass(-1000 * time.Hour)
	step("a clock set back", 1, "", false)
}

func TestThePersonIsAskedOnceAboutALongRest(t *testing.T) {
	dir, c := t.TempDir(), morning()
	f := &fake{err: down}
	for range 4 {
		ask(t, open(t, dir, c, gateway.Limits{}, backendOf("a", f)))
		c.pass(61 * time.Second)
	}
	for i, want := range []int{1, 0} {
		g := open(t, dir, c, gateway.Limits{}, backendOf("a", f))
		if q, err := g.Ask(t.Context()); len(q) != want || err != nil {
			t.Errorf("time %d: %v, %v", i, q, err)
		}
	}
	// Another address is another backend.
	b := backendOf("a", f)
	b.Identity = "elsewhere"
	if s := open(t, dir, c, gateway.Limits{}, b).States()[0]; s.Long || s.Why != "" {
		t.Errorf("%+v", s)
	}
}

func TestRetryAfterIsKeptWithinReason(t *testing.T) {
	for after, want := range map[time.Duration]string{5 * time.Minute: "09:35:00", 100 * time.Hour: "12:00:00"} {
		dir, c := t.TempDir(), morning()
		busy := *down
		busy.RetryAfter = after
		f := &fake{err: &busy}
		g := open(t, dir, c, gateway.Limits{}, backendOf("a", f))
		_, err := ask(t, g)
		if !errors.Is(err, llm.ErrUnavailable) {
			t.Error(err)
		}
		if _, err := ask(t, g); !errors.Is(err, llm.ErrUnavailable) || len(f.asked) != 1 {
			t.Errorf("%v, asked %d times", err, len(f.asked))
		}
		if s := g.States()[0]; s.Until.Format("15:04:05") != want || s.Long {
			t.Errorf("%+v", s)
		}
	}
}

func TestWhatARequestAsksIsNoSignOfHealth(t *testing.T) {
	refused := &llm.Failure{Why: "answered 400", Err: errors.New("no"), Request: true}
	g := open(t, t.TempDir(), morning(), gateway.Limits{}, backendOf("a", &fake{err: refused}))
	for range 5 {
		ask(t, g)
	}
	if s := g.States()[0]; s.Failures != 0 || !s.Until.IsZero() {
		t.Errorf("%+v", s)
	}
}

func TestSizesChooseBackends(t *testing.T) {
	small, large := &fake{}, &fake{}
	a, b := backendOf("small", small), backendOf("large", large)
	a.Size, b.Size = gateway.Small, gateway.Large
	g := open(t, t.TempDir(), morning(), gateway.Limits{}, a, b)
	for size, want := range map[string]string{"": "small", gateway.Small: "small", gateway.Large: "large"} {
		r, err := g.Model(gateway.Purpose{Feature: "f", Size: size}).Generate(t.Context(), llm.Request{})
		if err != nil || r.Backend != want {
			t.Errorf("%q: %q, %v", size, r.Backend, err)
		}
	}
	if r, err := open(t, t.TempDir(), morning(), gateway.Limits{}, a).Model(gateway.Purpose{Size: gateway.Large}).Generate(t.Context(), llm.Request{}); err != nil || r.Backend != "small" {
		t.Errorf("%q, %v", r.Backend, err)
	}
}

func TestSecretsAreTakenOutBeforeAnythingIsSent(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	f := &fake{}
	g := open(t, t.TempDir(), morning(), gateway.Limits{}, backendOf("a", f))
	input, _ := json.Marshal(map[string]string{"token": secret})
	r := llm.Request{Messages: []llm.Message{
		{Role: llm.System, Text: "key " + secret}, {Role: llm.User, Text: "key " + secret},
		{Role: llm.Assistant, Calls: []llm.Call{{ID: "1", Tool: "t", Input: input}}},
		{Role: llm.Tool, Result: &llm.Result{ID: "1", Text: "key " + secret}},
	}}
	if _, err := g.Model(gateway.Purpose{Feature: "f"}).Generate(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	sent, _ := json.Marshal(f.asked[0])
	if strings.Contains(string(sent), secret) || strings.Count(string(sent), "redacted") < 4 {
		t.Errorf("%s", sent)
	}
	if r.Messages[3].Result.Text != "key "+secret {
		t.Error("the caller's request was changed")
	}
}

func TestTheAccountSaysWhatWasSpentAndByWhom(t *testing.T) {
	dir, c := t.TempDir(), morning()
	b := backendOf("a", &fake{usage: llm.Usage{Input: 1000, Output: 100, CacheRead: 600, CacheWrite: 200}})
	b.Price = gateway.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	silent := backendOf("silent", &fake{text: "four words of text", usage: llm.Usage{Estimated: true}})
	g := open(t, dir, c, gateway.Limits{}, b)
	for _, feature := range []string{"capture", "capture", "summaries"} {
		if _, err := g.Model(gateway.Purpose{Feature: feature}).Generate(t.Context(), llm.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	c.pass(24 * time.Hour)
	if _, err := ask(t, open(t, dir, c, gateway.Limits{}, silent)); err != nil {
		t.Fatal(err)
	}
	got, err := g.Spent("")
	if err != nil {
		t.Fatal(err)
	}
	want := []gateway.Spent{
		{Day: "2026-11-22", Feature: "capture", Backend: "a", Calls: 2, Input: 2000, Output: 200, CacheRead: 1200, CacheWrite: 400, Cost: 2 * 0.00303},
		{Day: "2026-11-22", Feature: "summaries", Backend: "a", Calls: 1, Input: 1000, Output: 100, CacheRead: 600, CacheWrite: 200, Cost: 0.00303},
		{Day: "2026-11-23", Feature: "capture", Backend: "silent", Calls: 1, Input: 6, Output: 5, Estimated: 1},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(x, y float64) bool { return x-y < 1e-9 && y-x < 1e-9 })); diff != "" {
		t.Error(diff)
	}
	if late, _ := g.Spent("2026-11-23"); len(late) != 1 {
		t.Errorf("%v", late)
	}
}

// What a backend tells beyond all reason does not end the day.
func TestWhatABackendTellsIsBounded(t *testing.T) {
	b := backendOf("a", &fake{text: "hello", usage: llm.Usage{Input: 1 << 32, Output: 1 << 32, CacheRead: 1 << 32}})
	b.Price = gateway.Price{Input: 1, Output: 5}
	g := open(t, t.TempDir(), morning(), gateway.Limits{}, b)
	r, err := g.Model(gateway.Purpose{Feature: "capture"}).Generate(t.Context(), llm.Request{MaxTokens: 4096, Messages: []llm.Message{{Role: llm.User, Text: "hello"}}})
	if err != nil || r.Usage.Output != 4096 || r.Usage.Input > 250_000 || r.Usage.CacheRead > r.Usage.Input || !r.Usage.Estimated || r.Cost > 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if got, err := g.Spent(""); err != nil || len(got) != 1 || got[0].Output > 4096 || got[0].Input > 250_000 || got[0].Estimated != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	failed := &llm.Failure{Why: "broke off", Err: errors.New("cut"), Worked: true, Usage: llm.Usage{Input: 10, Output: 1 << 32}}
	g = open(t, t.TempDir(), morning(), gateway.Limits{}, backendOf("b", &fake{err: failed}))
	ask(t, g)
	if got, err := g.Spent(""); err != nil || len(got) != 1 || got[0].Output != 100 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestASpentDayStopsEverythingAndOtherBackendsAreNoWayRound(t *testing.T) {
	c := morning()
	first, second := &fake{usage: llm.Usage{Input: 900, Output: 50}}, &fake{}
	g := open(t, t.TempDir(), c, gateway.Limits{DailyTokens: 1500}, backendOf("first", first), backendOf("second", second))
	if _, err := ask(t, g); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, g); !errors.Is(err, llm.ErrSpent) || len(second.asked) > 0 || len(first.asked) != 1 {
		t.Errorf("%v; asked %d and %d times", err, len(first.asked), len(second.asked))
	} else if !strings.Contains(err.Error(), "950 of 1500") {
		t.Error(err)
	}
	c.pass(24 * time.Hour)
	if _, err := ask(t, g); err != nil {
		t.Errorf("the next day: %v", err)
	}
	// The same in money.
	b := backendOf("first", first)
	b.Price = gateway.Price{Input: 1000, Output: 1000}
	g = open(t, t.TempDir(), c, gateway.Limits{DailyCost: 1.5}, b)
	if _, err := ask(t, g); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, g); !errors.Is(err, llm.ErrSpent) {
		t.Error(err)
	}
}

func TestAPromptIsCapped(t *testing.T) {
	f := &fake{}
	g := open(t, t.TempDir(), morning(), gateway.Limits{CallTokens: 50}, backendOf("a", f))
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("word ", 100)}}}
	if _, err := g.Model(gateway.Purpose{}).Generate(t.Context(), r); !errors.Is(err, llm.ErrTooLong) || len(f.asked) > 0 {
		t.Errorf("%v, asked %d times", err, len(f.asked))
	}
}

// A call of unknown outcome counts what it may have taken.
func TestWhatMayHaveBeenWorkedOnIsCounted(t *testing.T) {
	lost := &llm.Failure{Why: "did not answer in time", Err: errors.New("late"), Worked: true}
	g := open(t, t.TempDir(), morning(), gateway.Limits{}, backendOf("lost", &fake{err: lost}), backendOf("refuses", &fake{err: down}))
	ask(t, g)
	got, err := g.Spent("")
	if err != nil || len(got) != 2 || got[0].Output != 100 || got[0].Input == 0 || got[0].Failed != 1 || got[1].Input+got[1].Output != 0 || got[1].Calls != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAStreamThatHasBegunIsNotBegunElsewhere(t *testing.T) {
	second := &fake{text: "from the second"}
	tells := streaming{func(tell func(llm.Delta)) (llm.Response, error) {
		tell(llm.Delta{Text: "half"})
		return llm.Response{}, down
	}}
	g := open(t, t.TempDir(), morning(), gateway.Limits{}, backendOf("first", tells), backendOf("second", second))
	var told []string
	tell := func(d llm.Delta) { told = append(told, d.Text) }
	if _, err := g.Model(gateway.Purpose{}).Stream(t.Context(), llm.Request{}, tell); !errors.Is(err, down.Err) || len(second.asked) > 0 {
		t.Errorf("%v, %q", err, told)
	}
	silent := streaming{func(func(llm.Delta)) (llm.Response, error) { return llm.Response{}, down }}
	told = nil
	g = open(t, t.TempDir(), morning(), gateway.Limits{}, backendOf("first", silent), backendOf("second", second))
	if _, err := g.Model(gateway.Purpose{}).Stream(t.Context(), llm.Request{}, tell); err != nil || fmt.Sprint(told) != "[from the second]" {
		t.Errorf("%v, %q", err, told)
	}
}

type streaming struct {
	do func(func(llm.Delta)) (llm.Response, error)
}

func (s streaming) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, llmtest.ErrEnd
}

func (s streaming) Stream(_ context.Context, _ llm.Request, tell func(llm.Delta)) (llm.Response, error) {
	return s.do(tell)
}

func TestATestAsksWhateverTheHealth(t *testing.T) {
	f := &fake{err: down}
	g := open(t, t.TempDir(), morning(), gateway.Limits{}, backendOf("a", f))
	ask(t, g)
	ask(t, g)
	f.err = nil
	if _, err := g.Test(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if _, err := g.Test(t.Context(), "b"); !errors.Is(err, llm.ErrUnavailable) {
		t.Error(err)
	}
}

func TestAnAnswerOrThePersonEndsARest(t *testing.T) {
	for name, wake := range map[string]func(*gateway.Gateway) error{
		"a test that is answered": func(g *gateway.Gateway) error { _, err := g.Test(t.Context(), "a"); return err },
		"the person":              func(g *gateway.Gateway) error { return g.Wake(t.Context(), "a") },
	} {
		t.Run(name, func(t *testing.T) {
			dir, c := t.TempDir(), morning()
			f := &fake{err: down}
			for range 4 {
				ask(t, open(t, dir, c, gateway.Limits{}, backendOf("a", f)))
				c.pass(61 * time.Second)
			}
			g := open(t, dir, c, gateway.Limits{}, backendOf("a", f))
			if s := g.States()[0]; !s.Long {
				t.Fatalf("not left alone: %+v", s)
			}
			f.err = nil
			if err := wake(g); err != nil {
				t.Fatal(err)
			}
			if s := g.States()[0]; s.Long || !s.Until.IsZero() {
				t.Errorf("still left alone: %+v", s)
			}
			before := len(f.asked)
			ask(t, g)
			if len(f.asked) == before {
				t.Error("not asked")
			}
			// One that nothing is known of is no error.
			if err := g.Wake(t.Context(), "b"); err != nil {
				t.Error(err)
			}
		})
	}
}
