package window_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"orihon/journal"
	"orihon/memory"
	"orihon/window"
)

func mainAgent(t testing.TB) window.Main {
	s := &script{t: t}
	s.user("We rewrite the shop. The password of the cellar is owl.")
	s.think("SECRET REASONING about discounts")
	s.answer("SECRET ANSWER about discounts")
	s.user("Now the discounts, 折扣計算.")
	return window.Main{
		Rules: "Never push.", Conventions: "Tabs.", LastError: "FAIL: TestDiscount", View: journal.NewView(s.events...),
		Context: []window.Piece{{Name: "Discounts", Text: "A discount rounds half up. 折扣計算要四捨五入。"}, {Name: "Weather", Text: "It rains."}},
		Files:   []window.Piece{{Name: "cart/discount.go", Text: "computes the discount", Full: "package cart // FULL"}, {Name: "cart/total.go", Text: "sums, after the discount", Full: "package cart // TOTAL"}},
		Agents:  []window.AgentSummary{{Agent: "a1", Text: "Agent one moved the prices."}, {Agent: "a2", Text: "Agent two wrote discount docs."}},
	}
}

func TestAForkSharesWhatTheTaskNeedsAndNothingElse(t *testing.T) {
	main := mainAgent(t)
	a, err := window.Fork(main, window.Task{ID: "t1", Text: "Round the discount in cart/discount.go half up. 修正折扣計算。", DependsOn: []string{"a1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := a.Shared.Text()
	for _, want := range []string{"Round the discount", "Never push.", "Tabs.", "rounds half up", "// FULL", "sums, after the discount", "Agent one", "Now the discounts"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shared", want)
		}
	}
	for _, never := range []string{"SECRET", "owl", "rains", "Agent two", "// TOTAL", "FAIL: TestDiscount"} {
		if strings.Contains(text, never) {
			t.Errorf("%q is shared:\n%s", never, text)
		}
	}
	if len(a.View.Events()) != 0 {
		t.Error("it begins with messages")
	}
	if a, err = window.Fork(main, window.Task{ID: "t1", Text: "Again.", Retry: true}, nil); err != nil || !strings.Contains(a.Shared.Text(), "FAIL: TestDiscount") {
		t.Errorf("a retry does not know the error: %v", err)
	}
	messages := build(t, newBuilder(t, "", nil), a.Input(20_000))
	if !strings.Contains(messages[0].Text, `"status": "success"`) {
		t.Error("it is not asked for a report")
	}
}

// What is shared has no field that can be set, and nothing that leads to the
// main agent's run.
func TestASubAgentCannotReachTheMainAgent(t *testing.T) {
	shared := reflect.TypeFor[window.Shared]()
	for i := range shared.NumField() {
		if shared.Field(i).IsExported() {
			t.Errorf("field %s can be changed", shared.Field(i).Name)
		}
	}
	var holds func(reflect.Type, int) bool
	holds = func(typ reflect.Type, depth int) bool {
		if typ == reflect.TypeFor[journal.View]() || typ.Kind() == reflect.Func || typ.Kind() == reflect.Interface {
			return true
		}
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			return holds(typ.Elem(), depth+1)
		case reflect.Struct:
			for i := range typ.NumField() {
				if holds(typ.Field(i).Type, depth+1) {
					return true
				}
			}
		}
		return false
	}
	if holds(shared, 0) {
		t.Error("what is shared leads to a run")
	}
	if reflect.PointerTo(shared).NumMethod() != shared.NumMethod() {
		t.Error("a method can change what is shared")
	}
}

func TestTheBudgetOfAForkGoesToTheMostRelevant(t *testing.T) {
	main := window.Main{Rules: "Be brief."}
	for i := range 40 {
		main.Context = append(main.Context, window.Piece{Name: fmt.Sprint("p", i), Text: strings.Repeat("word ", 200) + fmt.Sprint(i)})
	}
	relevance := func(_, text string) float64 {
		if strings.HasSuffix(text, " 37") {
			return 0.9
		}
		return 0.1
	}
	a, err := window.Fork(main, window.Task{ID: "t", Text: "x"}, &window.ForkOptions{Budget: 1000, Relevance: relevance})
	if err != nil {
		t.Fatal(err)
	}
	if n := window.Cost(window.Message{Text: a.Shared.Text()}, nil); n > 1000 || a.Shared.Tokens() > 1000 {
		t.Errorf("%d tokens, counted %d", n, a.Shared.Tokens())
	}
	if !strings.Contains(a.Shared.Text(), "p37") || !slices.Contains(a.Shared.LeftOut(), "Project: p39") {
		t.Errorf("left out %v", a.Shared.LeftOut())
	}
	if _, err := window.Fork(window.Main{Rules: strings.Repeat("rule ", 900)}, window.Task{ID: "t", Text: "x"}, &window.ForkOptions{Budget: 100}); !errors.Is(err, window.ErrBudget) {
		t.Errorf("rules over the budget: %v", err)
	}
	for _, id := range []string{"", "../x", "a b"} {
		if _, err := window.Fork(main, window.Task{ID: id, Text: "x"}, nil); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

func TestReportsAreChecked(t *testing.T) {
	for raw, want := range map[string]string{
		`{"status":"success","summary":"Done. 完成。","files_modified":["a.go"],"key_decisions":["x, because y"],"warnings":[],"needs_followup":[]}`: "",
		`{"status":"done","summary":"x"}`:                      "use success, partial or failed",
		`{"status":"failed","summary":" "}`:                    "summary is missing",
		`{"status":"failed","summary":"x","reasoning":"long"}`: "reasoning",
		`{"status":"failed","summary":"x","warnings":"one"}`:   "warnings",
		`{"status":"failed","summary":"x"} and more`:           "follows",
		`no`: "invalid",
		`{"status":"partial","summary":"` + strings.Repeat("word ", 200) + `"}`: "200 words",
		`{"status":"partial","summary":"` + strings.Repeat("字", 400) + `"}`:     "200 words",
	} {
		_, err := window.ParseReport([]byte(raw))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", raw, err, want)
		}
	}
	if !json.Valid(window.ReportSchema()) {
		t.Error("the schema is no JSON")
	}
}

func TestALongReportIsShortenedAndStoredWhole(t *testing.T) {
	decisions, err := json.Marshal(slices.Repeat([]string{strings.Repeat("decision ", 20)}, 400))
	if err != nil {
		t.Fatal(err)
	}
	raw := `{"status":"partial","summary":"` + strings.Repeat("This is one sentence of seven words. ", 60) + `","warnings":["mind the gap"],"key_decisions":` + string(decisions) + `}`
	files := map[string][]byte{}
	store := func(name string, data []byte) error { files[name] = data; return nil }
	r, err := window.StoreReport([]byte(raw), "t1", "a7", store)
	if err != nil {
		t.Fatal(err)
	}
	short, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := window.ParseReport(short)
	if err != nil || again.Status != "partial" || !slices.Equal(again.Warnings, []string{"mind the gap"}) || len(again.Decisions) == 0 {
		t.Errorf("the short report: %v, %.300s", err, short)
	}
	if r.FullOutput != "tasks/t1/agent_a7_full_output.json" || string(files[r.FullOutput]) != raw {
		t.Errorf("the whole output is at %q of %d files", r.FullOutput, len(files))
	}
	if _, err := window.StoreReport([]byte(raw), "../t", "a", store); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a task outside: %v", err)
	}
}

func FuzzParseReport(f *testing.F) {
	f.Add([]byte(`{"status":"success","summary":"x"}`))
	f.Add([]byte(`{"status":"partial","summary":"` + strings.Repeat("好 ", 500) + `","warnings":["a"]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := window.StoreReport(raw, "t", "a", func(string, []byte) error { return nil })
		if err != nil {
			return
		}
		short, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := window.ParseReport(short); err != nil {
			t.Errorf("%q becomes %q: %v", raw, short, err)
		}
	})
}
