package lives

import (
	"testing"

	"orihon/internal/wording"
)

// The measure reads what the program prints, and has its notes from nowhere else.
func TestTheNotesOfPassagesAreKnown(t *testing.T) {
	former, older := wording.Notes()
	for _, tc := range []struct {
		notes []string
		want  status
	}{{former, asReplaced}, {older, asOlder}, {[]string{"today; the user said"}, asCurrent}} {
		for _, note := range tc.notes {
			if got := statusOf("- The port is 8443. (" + note + ")"); got != tc.want {
				t.Errorf("%q: %d, want %d", note, got, tc.want)
			}
		}
	}
}
