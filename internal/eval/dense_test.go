package eval_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon/internal/eval"
	"orihon/memory"
)

func TestRankingsAreReadByModel(t *testing.T) {
	got, err := eval.DecodeDense(strings.NewReader("\n"+
		`{"model":"b","id":"q1","ranked":["x","y"]}`+"\n"+`{"model":"a","id":"q1","ranked":["y"]}`+"\n"+`{"model":"b","id":"問","ranked":["z"]}`), "d")
	if err != nil || len(got) != 2 || got[0].Model != "b" || !slices.Equal(got[0].Ranking["問"], []string{"z"}) || !slices.Equal(got[1].Ranking["q1"], []string{"y"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for in, want := range map[string]string{
		"{":                     "d:1: invalid ranking: ",
		`{"id":"q","turns":[]}`: `d:1: invalid ranking: want {"model"`,
		`{"model":"a","id":"q","ranked":["x"]}` + "\n" + `{"model":"a","id":"q","ranked":["x"]}`: `d:2: invalid ranking: model a: question "q" stands twice`,
	} {
		if _, err := eval.DecodeDense(strings.NewReader(in), "d"); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
	if _, err := eval.ReadDense(filepath.Join(t.TempDir(), "none")); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("a missing file: %v, want ErrNotFound", err)
	}
}

func FuzzRankingsNeverBreakTheirReader(f *testing.F) {
	for _, seed := range []string{"", "{}", "[]", "null", `{"model":"m","id":"q","ranked":["t"]}`, `{"model":"m","id":"問","ranked":[1]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := eval.DecodeDense(strings.NewReader(text), "d")
		if (err != nil) != errors.Is(err, memory.ErrInvalid) || err != nil && got != nil {
			t.Fatalf("%d models, %v", len(got), err)
		}
	})
}

// The model knows who Zuli is, the words that the port is 5433.
func TestARankingEntersWhereVectorsDo(t *testing.T) {
	data := []eval.Conversation{{
		ID: "c",
		Turns: []eval.Turn{
			{ID: "port", Date: "2026-01-05", Text: "The staging database listens on port 5433"},
			{ID: "boat", Date: "2026-01-05", Text: "The canoe needs new planks before summer"},
			{ID: "tea", Date: "2026-01-05", Text: "下午開會準備烏龍茶"},
			{ID: "cat", Date: "2026-01-05", Text: "Her cat sleeps on the radiator"},
		},
		Questions: []eval.Question{
			{ID: "q1", Text: "Zuli?", Evidence: []string{"cat"}},
			{ID: "q2", Text: "staging database port", Evidence: []string{"port"}},
			{ID: "q3", Text: "not asked of the model", Evidence: []string{"boat"}},
		},
	}}
	r, err := eval.Run(t.Context(), data, &eval.Options{Dir: t.TempDir(), Dense: []eval.Dense{
		{Model: "m", Ranking: eval.Ranking{"q1": {"cat", "tea", "unknown"}, "q2": {"boat", "port"}}},
		{Model: "elsewhere", Ranking: eval.Ranking{"other": {"cat"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Fused) != 1 || r.Fused[0].Model != "m" {
		t.Fatalf("%+v, want only the model that knows a question", r.Fused)
	}
	f := r.Fused[0]
	if f.Dense.Groups[0].N != 2 || f.Dense.Value("R@1") != 0.5 || f.Both.Value("R@1") != 1 || f.Ours.Value("R@1") == 1 {
		t.Errorf("of %d questions R@1 is %v dense, %v ours, %v fused; want 2, 0.5, less than 1 and 1", f.Dense.Groups[0].N, f.Dense.Value("R@1"), f.Ours.Value("R@1"), f.Both.Value("R@1"))
	}
}

// In the data sets beside this repository, as far as there are any.
func TestFusionDoesNotFallBehindPublishedRankings(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: a short run")
	}
	dev := filepath.Join("..", "..", "..", "shared", "bench", "dev")
	dense, err := eval.ReadDense(filepath.Join(dev, "madial_dense_top20.jsonl"))
	if err != nil {
		t.Skip("SKIPPED: ", err)
	}
	for _, name := range []string{"madial_en.jsonl", "madial_zh.jsonl"} {
		data, err := eval.Read(filepath.Join(dev, name))
		if err != nil {
			t.Skip("SKIPPED: ", err)
		}
		// Differences under so much are noise.
		noise := 0.02
		if os.Getenv("ORIHON_LONG") == "" {
			const part = 3
			short := data[:0:0]
			for i := 0; i < len(data); i += part {
				short = append(short, data[i])
			}
			data, noise = short, 0.04
		}
		r, err := eval.Run(t.Context(), data, &eval.Options{Dir: t.TempDir(), Dense: dense})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Fused {
			f := &r.Fused[i]
			for _, m := range []string{"R@5", "R@10"} {
				if got, least := f.Both.Value(m), f.Dense.Value(m)-noise; got < least {
					t.Errorf("%s, %s: %s = %.4f, want at least %.4f", name, f.Model, m, got, least)
				} else {
					t.Logf("%s, %s: %s dense %.4f, ours %.4f, fused %.4f", name, f.Model, m, f.Dense.Value(m), f.Ours.Value(m), got)
				}
			}
		}
	}
}
