package terms_test

import (
	"slices"
	"testing"

	"orihon/internal/terms"
)

func TestSlipsOfTheKeyboard(t *testing.T) {
	for _, tt := range []struct {
		typed, known string
		slips        int // 3 is more than are looked for
	}{
		{"deploy", "deploy", 0},
		{"delpoy", "deploy", 1}, // on both sides of the middle
		{"depoly", "deploy", 1},
		{"deplo", "deploy", 1},
		{"deeploy", "deploy", 1},
		{"deplay", "deploy", 1},
		{"verson", "version", 1},
		{"budgt", "budget", 1},
		{"tabel", "tabl", 1},
		{"manifst", "manifest", 1},
		{"kubernets", "kubernet", 1},
		{"upstrem", "upstream", 1},
		{"multipi", "multipli", 1},
		{"deplyo", "displa", 3},
		{"epdloy", "deploy", 3}, // the first letter is seldom mistyped
	} {
		got := min(3, terms.Slipped(tt.typed, tt.known, 2))
		if got != tt.slips {
			t.Errorf("%s for %s: %d slips, want %d", tt.typed, tt.known, got, tt.slips)
		}
		typed := terms.TypedHalves(tt.typed)
		found := slices.ContainsFunc(terms.Halves(tt.known), func(h string) bool { return slices.Contains(typed, h) })
		if tt.slips == 1 && !found {
			t.Errorf("%s is not found by %s: %v, %v", tt.known, tt.typed, terms.Halves(tt.known), typed)
		}
	}
	for _, none := range []string{"", "make", "部署", "s3cret5", "naïve"} {
		if n := terms.Slips(none); n != 0 || len(terms.TypedHalves(none)) > 0 {
			t.Errorf("%q: %d slips, halves %v", none, n, terms.TypedHalves(none))
		}
	}
	if terms.Slips("deploy") != 1 || terms.Slips("kubernetes") != 2 {
		t.Error("one slip is looked for in short words, two in long ones")
	}
	for _, none := range []string{"", "go", "部署", "x86_64"} {
		if got := terms.Halves(none); got != nil {
			t.Errorf("%q: halves %v", none, got)
		}
	}
}
