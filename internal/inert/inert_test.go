package inert_test

import (
	_ "embed"
	"strings"
	"testing"

	"orihon/internal/inert"
)

// ordinary is code and prose as projects have it, one line each. It was written
// before the rules were.
//
//go:embed testdata/ordinary.txt
var ordinary string

func TestOrdinaryLinesStayAsTheyAre(t *testing.T) {
	const most = 2 // 用户: and human: are turns wherever they stand
	lines := strings.Split(strings.TrimSuffix(ordinary, "\n"), "\n")
	if len(lines) < 150 {
		t.Fatalf("only %d lines", len(lines))
	}
	changed := 0
	for _, l := range lines {
		if got := inert.Text(l); got != l {
			changed++
			t.Logf("%q became %q", l, got)
		}
	}
	if changed > most {
		t.Errorf("%d of %d lines changed, at most %d may", changed, len(lines), most)
	}
	if got := inert.Text(ordinary); len(got)-len(ordinary) > 2*most*len("()") {
		t.Errorf("together they grew from %d to %d bytes", len(ordinary), len(got))
	}
}
