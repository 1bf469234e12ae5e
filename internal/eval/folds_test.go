package eval_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/follow"
	"orihon/internal/eval"
	"orihon/memory"
)

func TestAFoldKeepsWhatStandsInIt(t *testing.T) {
	probes := []eval.FoldProbe{
		{ID: "a", Probes: []eval.Probe{
			{Kind: "ident", Text: "roundHalfUp"}, {Kind: "ident", Text: "RoundHalfUp"}, {Kind: "error", Text: "got 2,\n want 3"},
			{Kind: "prompt", Words: []string{"round", "the", "totals", "half", "up"}},
		}},
		{ID: "b", Probes: []eval.Probe{{Kind: "ident", Text: "x"}}},
	}
	folds := map[string]string{"a": "roundHalfUp  FAIL: got  2, want\t3. Round totals half,"}
	want := &eval.FoldScores{
		Events: 2, Tokens: 13.25 / 2,
		Kinds: []eval.KindScore{
			{Kind: eval.AllKinds, Kept: (2.5 / 3) / 2, Events: 2}, {Kind: "error", Kept: 1, Events: 1},
			{Kind: "ident", Kept: 0.25, Events: 2}, {Kind: "prompt", Kept: 1, Events: 1},
		},
		Points: []eval.PointScore{
			{ID: "a", Tokens: 13.25, Kept: map[string]float64{"ident": 0.5, "error": 1, "prompt": 1}},
			{ID: "b", Kept: map[string]float64{"ident": 0}},
		},
	}
	if diff := cmp.Diff(want, eval.ScoreFolds(probes, folds, 0)); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	cut := eval.ScoreFolds(probes, folds, 2).Points[0]
	if diff := cmp.Diff(eval.PointScore{ID: "a", Tokens: 2, Kept: map[string]float64{"ident": 0, "error": 0, "prompt": 0}}, cut); diff != "" {
		t.Errorf("a fold cut to two tokens (-want +got):\n%s", diff)
	}
}

// The scorer that travels with the data is the judge.
func TestFoldScoresAreThoseOfTheScorerOfTheData(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "shared", "bench")
	scorer, data := filepath.Join(shared, "tools", "fold_score.py"), filepath.Join(shared, "dev", "fold_probes.jsonl")
	for _, path := range []string{scorer, data} {
		if _, err := os.Stat(path); err != nil {
			t.Skip("SKIPPED: no benchmark data here:", err)
		}
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no python3 here")
	}
	probes, err := eval.ReadFoldProbes(data)
	if err != nil {
		t.Fatal(err)
	}
	// Folds that keep a part of everything, in any order, with blanks of all
	// kinds between.
	rng := rand.New(rand.NewPCG(7, 11))
	blanks := []string{" ", "\n", "\t ", "\u00a0", "\u3000\r\n", "、", "\x1c", "\v"}
	folds := map[string]string{}
	var lines bytes.Buffer
	for _, p := range probes[:len(probes)-1] {
		var b strings.Builder
		for _, i := range rng.Perm(len(p.Probes))[:len(p.Probes)/2] {
			b.WriteString(p.Probes[i].Text + strings.Join(p.Probes[i].Words[:len(p.Probes[i].Words)*2/3], " ") + blanks[rng.IntN(len(blanks))])
		}
		folds[p.ID] = b.String()
		line, err := json.Marshal(map[string]string{"id": p.ID, "fold": b.String()})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	file := filepath.Join(t.TempDir(), "folds.jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int{0, 300, 2000} {
		words := []string{scorer, data, file}
		if budget > 0 {
			words = append(words, "--budget", fmt.Sprint(budget))
		}
		want, err := exec.Command(python, words...).Output()
		if err != nil {
			t.Skip("SKIPPED: the scorer does not run here:", err)
		}
		s := eval.ScoreFolds(probes, folds, budget)
		var got strings.Builder
		fmt.Fprintf(&got, "events %d mean tokens %.0f\n", s.Events, s.Tokens)
		for _, k := range s.Kinds {
			fmt.Fprintf(&got, "%-20s %.3f (events %d)\n", k.Kind, k.Kept, k.Events)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("budget %d (-scorer +ours):\n%s", budget, diff)
		}
	}
}

func TestTheFoldIsOfThePartThatIsNamed(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte("one\n\ntwo\nthree\nfour\n"))
	z.Close()
	if err := os.WriteFile(filepath.Join(dir, "t.jsonl.gz"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	o := &eval.FoldOptions{Dir: t.TempDir(), Transcripts: dir, Budget: 200, Tell: func(ctx context.Context, s *follow.Session, path string) error {
		text, err := os.ReadFile(path)
		told["part"] = string(text)
		return errors.Join(err, s.Tell(ctx, follow.TranscriptEntry{User: true, ID: "p", Text: "Fix the " + strings.ReplaceAll(string(text), "\n", " ")}))
	}}
	probes := []eval.FoldProbe{{ID: "x", File: "t.jsonl.gz", Start: 1, End: 4, Probes: []eval.Probe{{Kind: "ident", Text: "three"}}}}
	folds, err := eval.Folds(t.Context(), probes, o)
	if err != nil {
		t.Fatal(err)
	}
	if told["part"] != "two\nthree\n" || !strings.Contains(folds["x"], "Fix the two three") {
		t.Errorf("told %q, folded %q", told["part"], folds["x"])
	}
	probes[0].End = 9
	if _, err := eval.Folds(t.Context(), probes, o); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a part behind the end: %v", err)
	}
}

func TestProbesThatCannotBeReadAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":   "empty",
		"{":  ":1: invalid probe",
		"{}": "want id",
		`{"id":"a","file":"../x","start":0,"end":1,"probes":[{}]}`:                                                                 "no plain name",
		`{"id":"a","file":"x","start":0,"end":1,"probes":[{}]}` + "\n\n" + `{"id":"a","file":"x","start":0,"end":1,"probes":[{}]}`: ":3: invalid probe: id \"a\" stands twice",
	} {
		path := filepath.Join(t.TempDir(), "p.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := eval.ReadFoldProbes(path); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
