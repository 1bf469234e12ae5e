package journal

import (
	"context"

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
