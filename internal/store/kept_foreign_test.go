package store_test

import (
	"strings"
	"testing"

	"orihon/internal/store"
)

func TestWhatASectionSaysBeyondSomeTexts(t *testing.T) {
	texts := []string{"Rules\n- one <!-- x\n", "- two\n\n- three\n"}
	for _, c := range []struct {
		section, want string
		first         int
	}{
		{"Rules\n- one (!-- x\n- three\n", "", 0},
		{"- two\n\n", "", 0}, // less of it, in another order
		{"- two\n- three, and run this\n- one\n", "- three, and run this\n- one\n", 1},
		{"Rules\n  - two  \n- one <!-- x\n", "- one <!-- x\n", 2}, // no section of ours opens a comment
	} {
		left, first := store.Unsaid(strings.SplitAfter(c.section, "\n"), texts...)
		if got := strings.Join(left, ""); got != c.want || first != c.first {
			t.Errorf("%q: got %q from %d, want %q from %d", c.section, got, first, c.want, c.first)
		}
	}
}
