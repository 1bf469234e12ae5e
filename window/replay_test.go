package window_test

import (
	"context"
	"flag"
	"path/filepath"
	"testing"

	"orihon/journal"
	"orihon/window"
)

var (
	everyRun     = flag.Bool("every-run", false, "replay all runs of the benchmark, not two")
	onlyStrategy = flag.String("strategy", "", "replay this strategy only")
)

// wholeTokens is what a run costs when everything is shown.
func wholeTokens(t testing.TB, v *journal.View) int {
	t.Helper()
	b, err := window.New(window.SlidingWindow, &window.Options{WindowSize: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := window.Build(context.Background(), b, window.Input{View: v, Limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range messages {
		n += window.Cost(m, nil)
	}
	return n
}

func TestRealRunsStayInsideTheWindow(t *testing.T) {
	dir := benchDir(t)
	files, err := filepath.Glob(filepath.Join(dir, "transcripts", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if !*everyRun {
		files = files[:min(2, len(files))]
	}
	ctx := context.Background()
	for _, share := range []int{25, 10} {
		sum, cached, foreseen, half, missed := 0, 0, 0, 0, 0
		for _, file := range files {
			v := viewOf(t, transcriptLines(t, file))
			limit := wholeTokens(t, v) * share / 100
			for _, strategy := range window.Strategies() {
				if *onlyStrategy != "" && strategy != *onlyStrategy {
					continue
				}
				r, err := replay(ctx, v, strategy, limit)
				if err != nil {
					t.Fatal(err)
				}
				if err := r.OK(); err != nil {
					t.Errorf("%s at %d %%: %v", filepath.Base(file), share, err)
				}
				t.Logf("%2d %% %.8s %-28s limit %6d, %3d iterations, most %6d, cached %.3f, rewrites %3d, epochs %d, refused %d, recalls %d, foreseen %d, half %d, missed %d",
					share, filepath.Base(file), strategy, limit, len(r.Steps), r.Most, r.Cached, r.Epochs, r.Stats.Epochs, r.Stats.Refused, r.Stats.Recalls, r.Stats.ForeseenExpands, r.Stats.HalfShown, r.Stats.MissedExpands)
				if strategy != window.Folding {
					continue
				}
				if r.Stats.Epochs < 3 {
					t.Errorf("%s at %d %%: %d epochs, want at least 3", filepath.Base(file), share, r.Stats.Epochs)
				}
				foreseen, half, missed = foreseen+r.Stats.ForeseenExpands, half+r.Stats.HalfShown, missed+r.Stats.MissedExpands
				for _, s := range r.Steps {
					sum, cached = sum+s.Tokens, cached+s.Cached
				}
			}
		}
		got := float64(cached) / float64(sum)
		t.Logf("folding at %d %%: %.3f of the tokens from an unchanged prefix", share, got)
		t.Logf("folding at %d %%: of %d reads of what lies in folds a recall had opened lines of %d, half of them of %d", share, foreseen+missed, foreseen, half)
		if missed > foreseen {
			t.Errorf("folding at %d %%: of %d reads a recall had opened lines of %d only", share, foreseen+missed, foreseen)
		}
		if got < 0.85 {
			t.Errorf("folding at %d %%: %.3f of the tokens from an unchanged prefix, want 0.85", share, got)
		}
	}
}
