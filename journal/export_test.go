package journal

import (
	"context"
	"io"
	"os"

	"orihon/internal/jsonl"
)

// The pieces that the fuzz targets and tables in package journal_test reach.
var (
	Parse     = parse
	ParseHead = parseHead
	Chunks    = chunks
	TooSmall  = tooSmall
	Valid     = valid
)

// FailWrites returns options under which every append fails with *err while
// that is not nil.
func FailWrites(o Options, err *error) *Options {
	o.write = func(ctx context.Context, path string, jo *jsonl.Options, lines ...[]byte) (int64, error) {
		if *err != nil {
			return 0, *err
		}
		return jsonl.Append(ctx, path, jo, lines...)
	}
	return &o
}

// FailSteps returns options under which the step of a number fails of those that
// replace or delete a file, counted from 0: writing it, its middle, its deletion.
func FailSteps(o Options, step int, err error) *Options {
	n := -1
	fails := func() bool { n++; return n == step }
	o.rewrite = func(path string, fill func(io.Writer) error) error {
		if fails() {
			return err
		}
		return jsonl.Rewrite(path, func(w io.Writer) error {
			if fails() {
				_ = fill(&short{w, 100})
				return err
			}
			return fill(w)
		})
	}
	o.remove = func(path string) error {
		if fails() {
			return err
		}
		return os.Remove(path)
	}
	return &o
}

// Silent returns options under which what is rewritten ends after n bytes, and
// nobody says so.
func Silent(o Options, n int) *Options {
	o.rewrite = func(path string, fill func(io.Writer) error) error {
		return jsonl.Rewrite(path, func(w io.Writer) error { return fill(&short{w, n}) })
	}
	return &o
}

// short lets n bytes through and says that it took all.
type short struct {
	w io.Writer
	n int
}

func (s *short) Write(p []byte) (int, error) {
	n, err := s.w.Write(p[:min(s.n, len(p))])
	s.n -= n
	return len(p), err
}

// Held is how many events a view holds in memory.
func Held(v *View) int { return len(v.events) }
