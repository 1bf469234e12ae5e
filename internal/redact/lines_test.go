package redact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/redact"
)

func TestLinesKeepsTheNumbersOfLines(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3dE6", 6)
	block := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n", 3) + "-----END PRIVATE KEY-----"
	clean, found := new(redact.Redactor).Lines("one\n" + token + " and " + token + "\n" + block + "\nlast " + token)
	want := "one\n[redacted:github-token] and [redacted:github-token]\n[redacted:private-key]\n\n\n\n\nlast [redacted:github-token]"
	if diff := cmp.Diff(want, clean); diff != "" {
		t.Errorf("clean (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]redact.Place{{2, "github-token"}, {3, "private-key"}, {8, "github-token"}}, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestPrivateLinesKeepsTheNumbersOfLines(t *testing.T) {
	tests := []struct {
		in, want string
		open     int
	}{
		{"a\nb", "a\nb", 0},
		{"a <private>x\ny</private> b\nc", "a \n b\nc", 0},
		{"a\nb <private>x\ny\nz", "a\nb \n\n", 2},
		{"<private>a <private>b\n</private></private>c", "\nc", 0},
	}
	for _, tt := range tests {
		if got, open := redact.PrivateLines(tt.in); got != tt.want || open != tt.open {
			t.Errorf("PrivateLines(%q) = %q, %d; want %q, %d", tt.in, got, open, tt.want, tt.open)
		}
	}
}

// What the variants that count lines leave is what the others leave, but for
// blanks.
func FuzzLines(f *testing.F) {
	f.Add("a <private>x\ny</private> b\npassword = \"hunter2hunter2\"\n")
	f.Add("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n")
	f.Fuzz(func(t *testing.T, s string) {
		private, _ := redact.PrivateLines(s)
		if strings.Count(private, "\n") != strings.Count(s, "\n") {
			t.Errorf("private: %q has other lines than %q", private, s)
		}
		clean, found := new(redact.Redactor).Lines(s)
		if strings.Count(clean, "\n") != strings.Count(s, "\n") {
			t.Errorf("lines: %q has other lines than %q", clean, s)
		}
		if _, plain := redact.Text(s); (len(plain) == 0) != (len(found) == 0) {
			t.Errorf("lines: found %v, Text found %v", found, plain)
		}
	})
}
