package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/eval"
)

// scored is what the scorer published with the data sets says of a ranking.
type scored map[string]struct {
	N       int                `json:"n"`
	Metrics map[string]float64 `json:"metrics"`
}

// small.scores.json holds what the published scorer says of small.run: unknown
// and repeated turns, unanswered questions, evidence that is not there, evidence
// that is named twice, captions, and text without a date.
func TestScoresAreThoseOfThePublishedScorer(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "small.scores.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want scored
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	got := eval.Score(read(t, "small.jsonl"), readRanking(t, filepath.Join("testdata", "small.run")), &eval.ScoreOptions{Budgets: []int{16, 32, 64, 128}})
	if len(got.Groups) != len(want) {
		t.Errorf("%d groups, want %d", len(got.Groups), len(want))
	}
	for _, g := range got.Groups {
		w := want[g.Category]
		if g.N != w.N || len(got.Metrics) != len(w.Metrics) {
			t.Errorf("%s: %d questions and %d metrics, want %d and %d", g.Category, g.N, len(got.Metrics), w.N, len(w.Metrics))
		}
		for i, m := range got.Metrics {
			if math.Abs(g.Values[i]-w.Metrics[m]) > 1e-6 {
				t.Errorf("%s %s = %f, want %f", g.Category, m, g.Values[i], w.Metrics[m])
			}
		}
	}
}

func TestSkippedCategoriesAndEvidencelessQuestionsDoNotCount(t *testing.T) {
	data := read(t, "small.jsonl")
	for _, tt := range []struct {
		skip []string
		n    int
	}{{nil, 8}, {[]string{}, 9}, {[]string{"single", "adversarial"}, 4}} {
		if s := eval.Score(data, eval.Ranking{}, &eval.ScoreOptions{Skip: tt.skip}); s.Groups[0].N != tt.n {
			t.Errorf("without %q: %d questions, want %d", tt.skip, s.Groups[0].N, tt.n)
		}
	}
	none := eval.Score(nil, nil, nil)
	if !math.IsNaN(none.Value("R@5")) || none.Intervals(1) != nil {
		t.Error("no questions have no average and no intervals")
	}
}

// The comparison needs the data sets, which do not travel with the code, and
// their scorer's interpreter.
func TestBothScorersAgreeOnRealDataSets(t *testing.T) {
	bench := filepath.Join("..", "..", "..", "shared", "bench")
	scorer := filepath.Join(bench, "tools", "score.py")
	if _, err := os.Stat(scorer); err != nil {
		t.Skip("SKIPPED: the published scorer and its data are not beside this repository")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no python3")
	}
	for _, name := range []string{"locomo.jsonl", "memorybank_zh.jsonl"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(bench, "dev", name)
			data, err := eval.Read(path)
			if err != nil {
				t.Skip("SKIPPED: ", err)
			}
			ranking := madeUp(data)
			run := filepath.Join(t.TempDir(), "run")
			f, err := os.Create(run)
			if err != nil {
				t.Fatal(err)
			}
			if err := ranking.Write(f, data); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(python, "-B", scorer, path, run, "--json")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, &stderr)
			}
			var want map[string]float64
			if err := json.Unmarshal(out, &want); err != nil {
				t.Fatal(err)
			}
			got := eval.Score(data, ranking, nil)
			if got.Groups[0].N != int(want["n"]) || len(got.Metrics)+1 != len(want) {
				t.Errorf("%d questions and %d metrics, want %v and %d", got.Groups[0].N, len(got.Metrics), want["n"], len(want)-1)
			}
			for _, m := range got.Metrics {
				if math.Abs(got.Value(m)-want[m]) > 5e-5 {
					t.Errorf("%s = %f, want %f", m, got.Value(m), want[m])
				}
			}
		})
	}
}

// madeUp is a ranking that finds the evidence about half of the time, anywhere
// among other turns.
func madeUp(data []eval.Conversation) eval.Ranking {
	r := rand.New(rand.NewPCG(7, 8))
	out := make(eval.Ranking)
	for _, c := range data {
		for _, q := range c.Questions {
			var found []string
			for range r.IntN(60) {
				found = append(found, c.Turns[r.IntN(len(c.Turns))].ID)
			}
			for _, id := range q.Evidence {
				if r.IntN(2) == 0 {
					at := r.IntN(len(found) + 1)
					found = append(found[:at:at], append([]string{id}, found[at:]...)...)
				}
			}
			out[q.ID] = found
		}
	}
	return out
}

func TestTheSameSeedGivesTheSameIntervals(t *testing.T) {
	s := eval.Score(read(t, "small.jsonl"), readRanking(t, filepath.Join("testdata", "small.run")), nil)
	first := s.Intervals(1)
	if diff := cmp.Diff(first, s.Intervals(1)); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
	if cmp.Equal(first, s.Intervals(2)) {
		t.Error("another seed draws the same questions")
	}
	for _, m := range s.Metrics {
		in, ok := first[m]
		if tokens := strings.HasPrefix(m, "tok@"); ok == tokens {
			t.Errorf("%s: has an interval: %v", m, ok)
		} else if ok && (in.Low > s.Value(m) || s.Value(m) > in.High || in.Low == in.High) {
			t.Errorf("%s: %f to %f around %f", m, in.Low, in.High, s.Value(m))
		}
	}
}

func TestIntervalsByCategoryAndOfDifferences(t *testing.T) {
	data := read(t, "small.jsonl")
	s := eval.Score(data, readRanking(t, filepath.Join("testdata", "small.run")), nil)
	by := s.GroupIntervals(1)
	if len(by) != len(s.Groups) || !cmp.Equal(by[0], s.Intervals(1)) {
		t.Fatalf("%d intervals of %d groups, the first of all questions", len(by), len(s.Groups))
	}
	at := slices.Index(s.Metrics, "MRR")
	for i, g := range s.Groups {
		if in := by[i]["MRR"]; in.Low > g.Values[at] || g.Values[at] > in.High {
			t.Errorf("%s: %f to %f around %f", g.Category, in.Low, in.High, g.Values[at])
		}
	}
	for m, d := range s.Against(s, 1) {
		if d != (eval.Difference{}) {
			t.Errorf("%s: differs from itself by %v", m, d)
		}
	}
	if d := s.Against(eval.Score(data, eval.Ranking{}, nil), 1)["MRR"]; math.Abs(d.Mean-s.Value("MRR")) > 1e-9 || d.Low > d.Mean || d.High < d.Mean {
		t.Errorf("against nothing: %v, want %f and an interval around it", d, s.Value("MRR"))
	}
}

func TestARankingIsWrittenInTheOrderOfTheData(t *testing.T) {
	data := []eval.Conversation{{ID: "c", Questions: []eval.Question{{ID: "q2"}, {ID: "問"}, {ID: "q1"}}}}
	var b strings.Builder
	if err := (eval.Ranking{"q1": {"x"}, "q2": {"b", "a"}, "other": {"z"}}).Write(&b, data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("q2 1 b\nq2 2 a\nq1 1 x\n", b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := (eval.Ranking{"q1": {"x"}}).Write(full{}, data); err == nil {
		t.Error("a disk that is full goes unnoticed")
	}
}

// full is a disk that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }

func read(t *testing.T, name string) []eval.Conversation {
	t.Helper()
	data, err := eval.Read(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readRanking reads lines of question, rank and turn, which stand in order.
func readRanking(t *testing.T, path string) eval.Ranking {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := make(eval.Ranking)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[1] != strconv.Itoa(len(r[f[0]])+1) {
			t.Fatalf("%s: %q", path, line)
		}
		r[f[0]] = append(r[f[0]], f[2])
	}
	return r
}
