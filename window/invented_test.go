package window_test

import (
	"strings"
	"testing"

	"orihon/journal"
	"orihon/window"
)

func TestInventedNamesAndNumbersAreFound(t *testing.T) {
	s := &script{t: t}
	s.user("Round the cart total half up, see internal/cart.")
	s.call("Read", m{"file_path": "/home/dev/shop/internal/cart/total.go"}, "package cart\n\n// Total adds 1,250 cents.\nfunc (c *Cart) Total() int { return c.roundDown(12.5) }", false)
	s.call("Edit", m{"file_path": "/home/dev/shop/internal/cart/total.go", "old_string": "a", "new_string": "return\troundHalfUp(sum)\n\tmaxRetries := 30"}, "ok", false)
	s.call("Bash", m{"command": "go test ./... && go version"}, "ok  \tshop/internal/cart\t0.347s\ngo version go1.26.3", false)
	s.call("Bash", m{"command": "git commit -am x"}, "[main 9fd4a3c] Round the total half up", false)
	s.answer("Done, 97 % of the lines are covered.")
	v := journal.NewView(s.events...)
	for _, tc := range []struct{ said, want string }{
		// A truthful paraphrase takes apart, puts together, rounds and counts.
		{"Total() in cart/total.go now calls `roundHalfUp`; commit 9fd4a3c.", ""},
		{"The cart's Total, Cart.Total, rounds 12.50 half up; the test took 0.35 s with Go 1.26, 4 calls, 3 files.", ""},
		{"Adds 1250 cents, retried up to 30 times; 97% covered on 2026-08-01.", ""},
		{"ROUNDHALFUP in `total.go` takes the sum (maxRetries).", ""},
		{"四捨五入 `roundHalfUp` 於 total.go，共 4 次呼叫。", ""},
		// Inventions.
		{"Changed discount.go and internal/cart/total.go.", "discount.go"},
		{"Uses roundHalfEven and `frobnicate`.", "roundHalfEven, frobnicate"},
		{"Cart.Discount calls down.", "Cart.Discount"},
		{"Committed as 1b2c3d4, took 0.9 s.", "1b2c3d4, 0.9"},
		{"All 148 tests pass with go1.25, coverage 91 %.", "148, go1.25, 91"},
		{"四捨五入於 discount.go，共 148 次。", "discount.go, 148"},
		{"Mended subtotal.go, see Test7.", "subtotal.go, Test7"},
	} {
		result := window.SummaryResult{Content: tc.said, Range: [2]int{1, v.LastIteration()}}
		if got := strings.Join(window.Invented(v, &result), ", "); got != tc.want {
			t.Errorf("%q: invented %q, want %q", tc.said, got, tc.want)
		}
	}
	part := window.SummaryResult{Title: "Committed 9fd4a3c", Range: [2]int{1, 1}}
	if got := window.Invented(v, &part); len(got) != 1 {
		t.Errorf("what another part of the run says passes: %q", got)
	}
}
