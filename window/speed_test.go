package window_test

import (
	"context"
	"fmt"
	"testing"

	"orihon/journal"
	"orihon/window"
)

// longRun is a journal of about n events on disk, folded as far as a run of
// that length would be when fold is set.
func longRun(b *testing.B, n int, fold bool) string {
	b.Helper()
	dir := b.TempDir()
	events := coding(b, n/15)
	v := onDisk(b, dir, events)
	if !fold {
		return dir
	}
	f, err := window.NewFolder(nil)
	if err != nil {
		b.Fatal(err)
	}
	in := window.Input{View: v, Limit: 100_000}
	if _, err := window.Build(context.Background(), f, in); err != nil {
		b.Fatal(err)
	}
	return dir
}

func BenchmarkFirstContext100k(b *testing.B) {
	for _, strategy := range []string{window.SlidingWindow, window.Folding} {
		b.Run(strategy, func(b *testing.B) {
			dir := longRun(b, 100_000, strategy == window.Folding)
			b.ResetTimer()
			for b.Loop() {
				j, err := journal.Open(dir, nil)
				if err != nil {
					b.Fatal(err)
				}
				v, err := j.View(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				build(b, newBuilder(b, strategy, nil), window.Input{View: v, Limit: 100_000})
			}
		})
	}
}

func BenchmarkNextContext100k(b *testing.B) {
	for _, strategy := range window.Strategies() {
		b.Run(strategy, func(b *testing.B) {
			v := onDisk(b, longRun(b, 100_000, strategy == window.Folding), nil)
			builder := newBuilder(b, strategy, nil)
			in := window.Input{View: v, Limit: 100_000}
			if err := builder.OnIterationComplete(context.Background(), in); err != nil {
				b.Fatal(err)
			}
			build(b, builder, in)
			n := 0
			b.ResetTimer()
			for b.Loop() {
				n++
				s := &script{t: b}
				s.call("Bash", m{"command": "go test ./..."}, "ok", false)
				for i := range s.events {
					s.events[i].ID = fmt.Sprint("next-", n)
				}
				if _, err := v.Append(context.Background(), s.events...); err != nil {
					b.Fatal(err)
				}
				if err := builder.OnIterationComplete(context.Background(), in); err != nil {
					b.Fatal(err)
				}
				build(b, builder, in)
			}
		})
	}
}

// Folding and unfolding must grow as the run does.
func BenchmarkFoldUnfold(b *testing.B) {
	for _, iterations := range []int{250, 1000, 4000} {
		b.Run(fmt.Sprint(iterations), func(b *testing.B) {
			events := coding(b, iterations/5)
			for b.Loop() {
				v := journal.NewView(events...)
				f, err := window.NewFolder(nil)
				if err != nil {
					b.Fatal(err)
				}
				in := window.Input{View: v, Limit: 1 << 40}
				block, err := f.FoldRange(context.Background(), in, 1, v.LastIteration()-5)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Unfold(context.Background(), v, block.Ref()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	v := journal.NewView(coding(b, 60)...)
	for b.Loop() {
		window.Fold(v, 2000, "")
	}
}
