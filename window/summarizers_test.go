package window_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/llm"
	"orihon/llm/llmtest"
	"orihon/memory"
	"orihon/window"
)

func summarize(t testing.TB, name string, v *journal.View, r window.SummaryRequest, o *window.SummarizerOptions) window.SummaryResult {
	t.Helper()
	s, err := window.SummarizeView(context.Background(), name, v, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheStandardSummarizers(t *testing.T) {
	s := &script{t: t, events: coding(t, 5)}
	s.calls = 900
	s.call("Bash", m{"command": "make ship"}, "Exit code 2\nmake: *** No rule to make target 'ship'.  Stop.", true)
	v := journal.NewView(s.events...)
	var page strings.Builder
	for _, name := range window.Summarizers() {
		raw, err := json.MarshalIndent(summarize(t, name, v, window.SummaryRequest{Query: "iterations:8-40"}, nil), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		page.WriteString(string(raw) + "\n")
	}
	golden(t, "summarizers.golden", page.String())
}

func TestASummaryGoesOnFromItsParent(t *testing.T) {
	v := journal.NewView(coding(t, 12)...)
	for _, name := range window.Summarizers() {
		first := summarize(t, name, v, window.SummaryRequest{Query: "iterations:1-20"}, nil)
		raw, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		both := summarize(t, name, v, window.SummaryRequest{Query: "iterations:1-40", Parent: raw}, nil)
		if both.Range != [2]int{1, 40} || !strings.HasPrefix(both.Hash, first.Hash+"+") {
			t.Errorf("%s: range %v, hash %s", name, both.Range, both.Hash)
		}
		text, err := json.Marshal(both)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "Test1") && !strings.Contains(string(text), "applyDiscount1") || !strings.Contains(string(text), "5") {
			t.Errorf("%s lost its parent: %s", name, text)
		}
		if again := summarize(t, name, v, window.SummaryRequest{Query: "iterations:1-40", Parent: raw}, nil); !cmp.Equal(both, again) {
			t.Errorf("%s: twice the same gives another result", name)
		}
		if raw, err = json.Marshal(both); err != nil {
			t.Fatal(err)
		}
		if same := summarize(t, name, v, window.SummaryRequest{Query: "iterations:1-40", Parent: raw}, nil); !cmp.Equal(both, same) {
			t.Errorf("%s: nothing new changes the result:\n%s", name, cmp.Diff(both, same))
		}
	}
	if _, err := window.SummarizeView(context.Background(), window.SummarizerErrors, v, window.SummaryRequest{Parent: json.RawMessage(`{"agent":"summarizer-chapter","range":[1,2]}`)}, nil); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("another's parent: %v", err)
	}
}

func TestSummariesAreKeptByWhatTheyWereMadeOf(t *testing.T) {
	dir := t.TempDir()
	journalDir := filepath.Join(dir, "run")
	onDisk(t, journalDir, coding(t, 4))
	model := &llmtest.Script{Answer: func(llm.Request) (llm.Message, error) {
		return llm.Message{Role: llm.Assistant, Text: `{"title":"A title","content":"By the model.","outcome":"well"}`}, nil
	}}
	o := &window.SummarizerOptions{Model: model, Cache: &window.SummaryCache{Dir: dir, Now: func() time.Time { return time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC) }}}
	r := window.SummaryRequest{JournalPath: journalDir, Query: "iterations:1-10"}
	ask := func() window.SummaryResult {
		t.Helper()
		s, err := window.Summarize(context.Background(), window.SummarizerChapter, r, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := ask()
	asked := len(model.Asked())
	if again := ask(); first.Content != "By the model." || asked == 0 || !cmp.Equal(first, again) || len(model.Asked()) != asked {
		t.Errorf("%q, asked %d times", first.Content, len(model.Asked()))
	}
	if len(first.Errors) == 0 || len(first.Instructions) == 0 {
		t.Error("what the model does not tell is missing")
	}
	if _, err := window.Summarize(context.Background(), window.SummarizerEvents, r, o); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, "summaries", "cache_index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct {
		Range       [2]int    `json:"range"`
		Hash        string    `json:"hash"`
		SummaryPath string    `json:"summary_path"`
		GeneratedAt time.Time `json:"generated_at"`
	}
	if err := json.Unmarshal(index, &entries); err != nil || len(entries) != 2 || entries[0].SummaryPath != "summaries/iter_1_10.json" || entries[0].Hash != first.Hash || entries[0].GeneratedAt.IsZero() {
		t.Errorf("index %s, %v", index, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "summaries", "iter_1_10.json"), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ask(); len(model.Asked()) == asked {
		t.Error("a broken file was believed")
	}
}

func TestRequestsOfSummariesAreRead(t *testing.T) {
	env := func(string) (string, bool) { return "/home/dev/run", true }
	none := func(string) (string, bool) { return "", false }
	if r, err := window.ReadSummaryRequest(nil, env); err != nil || r.JournalPath != "/home/dev/run" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := window.ReadSummaryRequest([]byte(`{"journal_path":"x","query":"iterations:50-100"}`), env); err != nil || r.JournalPath != "x" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []string{"", "[", `{"journal_path":"x","query":"iterations:9-2"}`, `{"journal_path":"x","query":"iterations:1-2x"}`, `{"journal_path":"x","query":"all"}`, `{"journal_path":"x","query":"iterations:0-2"}`} {
		if _, err := window.ReadSummaryRequest([]byte(bad), none); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	v := journal.NewView(coding(t, 1)...)
	if _, err := window.SummarizeView(context.Background(), "summarizer-poem", v, window.SummaryRequest{}, nil); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("an unknown one: %v", err)
	}
	if _, err := window.SummarizeView(context.Background(), window.SummarizerChapter, v, window.SummaryRequest{Query: "iterations:90-99"}, nil); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a range that is not there: %v", err)
	}
	if _, err := window.Summarize(context.Background(), window.SummarizerChapter, window.SummaryRequest{JournalPath: filepath.Join(t.TempDir(), "gone")}, nil); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a journal that is not there: %v", err)
	}
}

func TestSummariesAreMadeByThemselves(t *testing.T) {
	for name, o := range map[string]window.AutoSummarize{
		"by iterations": {Enabled: true, IterationInterval: 20}, "by tokens": {Enabled: true, TokenThreshold: 3000, Summarizer: window.SummarizerEvents},
	} {
		v := journal.NewView()
		b := newBuilder(t, window.SlidingWindow, &window.Options{AutoSummarize: o})
		drive(t, b, v, coding(t, 12), window.Input{Task: "Round.", Limit: 100_000})
		var made []string
		for _, e := range v.ByType(journal.ActionResult) {
			if strings.HasPrefix(e.ID, "auto-summary-") {
				made = append(made, e.ID)
				if !strings.Contains(v.Text(e), `"type":"context_injection","target":"long_term_memory"`) {
					t.Errorf("%s: %s is not marked: %.80s", name, e.ID, v.Text(e))
				}
			}
		}
		if len(made) < 2 || !strings.HasPrefix(made[0], "auto-summary-1-") {
			t.Errorf("%s: %v", name, made)
		}
		if name == "by iterations" && made[0] != "auto-summary-1-20" {
			t.Errorf("%s: %v", name, made)
		}
		n := len(v.Events())
		resumed := newBuilder(t, window.SlidingWindow, &window.Options{AutoSummarize: o})
		if err := resumed.OnIterationComplete(context.Background(), window.Input{View: v, Limit: 100_000}); err != nil || len(v.Events()) != n {
			t.Errorf("%s: a resumed run summarises again: %v", name, err)
		}
	}
	if _, err := window.New("", &window.Options{AutoSummarize: window.AutoSummarize{Enabled: true, Summarizer: "poet"}}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("an unknown summariser: %v", err)
	}
}

func FuzzSummaryRequest(f *testing.F) {
	f.Add([]byte(`{"journal_path":"x","query":"iterations:50-100","parent_summary":{"agent":"summarizer-chapter","range":[1,3]}}`))
	f.Add([]byte(`{"journal_path":"x","query":"iterations:99999999999999999999-1"}`))
	f.Add([]byte(`null`))
	v := journal.NewView(coding(f, 1)...)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := window.ReadSummaryRequest(raw, nil)
		if err != nil {
			return
		}
		if s, err := window.SummarizeView(context.Background(), window.SummarizerEvents, v, r, nil); err == nil && s.Agent != window.SummarizerEvents {
			t.Errorf("result %+v", s)
		}
	})
}
