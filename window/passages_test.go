package window_test

import (
	"fmt"
	"strings"
	"testing"

	"orihon/journal"
	"orihon/window"
)

// A file of 400 lines lies in a fold. What the present says of it decides which of its
// lines come back, in one piece that is long enough to work with.
func TestARecallOpensThePassageThatThePresentIsAbout(t *testing.T) {
	var file strings.Builder
	for n := 1; n <= 400; n++ {
		text := fmt.Sprintf("\tstep(%d)", n)
		if n == 200 {
			text = "func settleRefund() {"
		}
		fmt.Fprintf(&file, "%d\t%s\n", n, text)
	}
	for name, tt := range map[string]struct {
		present func(*script)
		from    int // lines that are open again; 0 is none
		to      int
	}{
		"a line is named": {func(s *script) {
			s.call("Bash", m{"command": "go vet ./..."}, "refund.go:120: undefined: step", false)
		}, 114, 127},
		"what it declares is named": {func(s *script) { s.say("Next, settleRefund must keep the cents.") }, 194, 207},
		"nothing of it is named":    {func(s *script) { s.say("Now something else.") }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{t: t}
			s.user("Read the refunds.")
			s.call("Read", m{"file_path": "/home/dev/shop/refund.go"}, file.String(), false)
			s.events, s.calls = append(s.events, coding(t, 10)...), 1000
			tt.present(s)
			text := page(drive(t, newBuilder(t, window.Folding, nil), journal.NewView(), s.events, window.Input{Limit: 9000}))
			if !strings.Contains(text, "F1") {
				t.Fatal("nothing was folded")
			}
			_, piece, recalled := strings.Cut(text, "because refund.go")
			if recalled != (tt.from > 0) {
				t.Fatalf("recalled: %v, want %v", recalled, tt.from > 0)
			}
			for n := tt.from; n > 0 && n <= tt.to; n++ {
				if !strings.Contains(piece, fmt.Sprintf("\n%d\t", n)) {
					t.Errorf("line %d is not open", n)
				}
			}
		})
	}
}
