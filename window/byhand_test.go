package window_test

import (
	"fmt"
	"strings"
	"testing"

	"orihon/journal"
	"orihon/window"
)

// A refusal names the iterations that hinder it with the reason of each, and no
// other reason.
func TestARefusedFoldSaysWhy(t *testing.T) {
	large := func(s *script) {
		s.call("Write", m{"file_path": "/w/parts.go", "content": strings.Repeat("x := 1\n", 900)}, "ok", false)
	}
	reasons := []string{"bookmarked", "a call without a result", "an error that nothing mended", "the first success", "a large change", "one of the last 5"}
	for name, tt := range map[string]struct {
		do       func(s *script)
		from, to int
		want     string
	}{
		"the first success": {func(*script) {}, 1, 6, "never folded are 1 (the first success); fold 2-6 instead"},
		"the last ones":     {func(*script) {}, 13, 20, "(one of the last 5); fold 13-"},
		"an error":          {func(s *script) { s.call("Bash", m{"command": "make ship"}, "Exit code 2\nno rule", true) }, 3, 14, "(an error that nothing mended)"},
		"a large change":    {large, 3, 14, "(a large change)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{t: t}
			round := func(i int) {
				s.user(fmt.Sprint("Look at step ", i, "."))
				s.call("Read", m{"file_path": fmt.Sprintf("/w/step%d.go", i)}, strings.Repeat(fmt.Sprintf("func step%d() {}\n", i), 40), false)
				s.answer("Done.")
			}
			s.call("Edit", m{"file_path": "/w/first.go", "old_string": "a", "new_string": "b"}, "The file /w/first.go has been updated.", false)
			for i := range 10 {
				round(i)
			}
			tt.do(s)
			for i := range 10 {
				round(10 + i)
			}
			v := journal.NewView(s.events...)
			_, err := newFolder(t).FoldRange(t.Context(), window.Input{View: v, Limit: 1 << 20}, tt.from, tt.to)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%v, want %q", err, tt.want)
			}
			for _, r := range reasons {
				if !strings.Contains(tt.want, r) && strings.Contains(err.Error(), r) {
					t.Errorf("%v: %q does not hold", err, r)
				}
			}
		})
	}
}
