package recall

import "testing"

func TestFirstPersonAmongPronouns(t *testing.T) {
	for _, tt := range []struct {
		text  string
		share float64
		known bool
	}{
		{"I sold my boat", 1, true},
		{"I'm glad you kept yours", 1. / 3, true},
		{"Your boat, not mine", 0.5, true},
		{"The island is far, ours or not", 1, true},
		{"The boat was sold", 0, false},
		{"", 0, false},
		{"我把船賣了，你呢？", 0.5, true},
		{"咱们的船，您看", 0.5, true},
		{"船賣了", 0, false},
	} {
		share, known := first(tt.text)
		if known != tt.known || share != tt.share {
			t.Errorf("%q: %.2f %v, want %.2f %v", tt.text, share, known, tt.share, tt.known)
		}
	}
}

func TestAnothersMatterKeepsLess(t *testing.T) {
	for _, tt := range []struct{ about, keeps float64 }{{1, 1}, {0.6, 1}, {0.15, 0.5}, {0, 0}} {
		if got := round(another(tt.about)); got != tt.keeps {
			t.Errorf("%.2f: keeps %.2f, want %.2f", tt.about, got, tt.keeps)
		}
	}
}
