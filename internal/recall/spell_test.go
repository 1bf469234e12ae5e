package recall_test

import (
	"slices"
	"testing"

	"orihon/internal/recall"
	"orihon/memory"
	"orihon/memory/memorytest"
)

func TestAMistypedWordFindsWhatIsMeant(t *testing.T) {
	passages := append(fillers(),
		memorytest.Passage("turnstile", "the turnstile takes tokens of brass"),
		memorytest.Passage("curtain", "a curtain of glass beads hangs there"),
		memorytest.Passage("certain", "certify nothing on Sundays"))
	for _, tt := range []struct {
		prompt, want string
	}{
		{"turnstlie tokens?", "turnstile"},
		{"what about the trunstile", "turnstile"},
		{"what about the turnstle", "turnstile"},
		{"what about the curtani", "curtain"},
		{"what about the turmoil", ""}, // another word
		{"panic: runtime error\n\tturnstlie.go:12\n\tturnstlie.go:40\n\tturnstlie.go:44\n\tturnstlie.go:50\n\tturnstlie.go:51", ""}, // is as it is
	} {
		threshold := 0.1
		if tt.want == "" {
			threshold = 0.5
		}
		got := ids(ask(t, engine(t, passages...), memory.Query{Text: tt.prompt, Threshold: threshold}).Hits)
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%q: got %v, want %q", tt.prompt, got, tt.want)
		}
	}
}

func TestAWordThatOneSourceKnowsIsNotMistyped(t *testing.T) {
	knows := index(t, append(fillers(), memorytest.Passage("canal", "a canal runs behind the office"))...)
	near := index(t, append(fillers(), memorytest.Passage("candl", "light a candle before the canap is served"))...)
	e := recall.New(&recall.Options{Now: clock}, recall.Source{Name: "project", Index: knows}, recall.Source{Name: "user", Index: near})
	if got := ids(ask(t, e, memory.Query{Text: "what about the canal"}).Hits); !slices.Equal(got, []string{"canal"}) {
		t.Errorf("got %v, want what knows the word", got)
	}
}
