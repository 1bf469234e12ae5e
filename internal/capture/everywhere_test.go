package capture_test

import (
	"testing"

	"orihon/internal/capture"
)

func TestEverywhere(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"I always write commit messages in the imperative", true},
		{"I'd rather have three small commits than one big one.", true},
		{"One command at a time when it's live, wait till I tell you what it printed", true},
		{"我一律用繁體中文寫註解", true},
		{"摘要放最上面、三行以內，我半夜都是用手機看", true},
		{"We always use pnpm here", false},
		{"Staging listens on port 5433", false},
		{"I moved the ledger to db-7.internal yesterday", false},
		{"No floats for money, I don't care that it's a staging table", false},
		{"release 分支只有阿凱可以推，我也不行", false},
		{"我们 offset 是手动提交的", false},
		{"", false},
	} {
		if got := capture.Everywhere(tt.text); got != tt.want {
			t.Errorf("%q: %v", tt.text, got)
		}
	}
}
