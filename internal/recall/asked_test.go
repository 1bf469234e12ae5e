package recall

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatIsAskedBesideWhatIsPasted(t *testing.T) {
	code := strings.Repeat("func (w *weights) need(words []string) float64 {\n\treturn w.total * 2\n}\n", 12)
	report := strings.Repeat("The queue was full and nobody had noticed it for an hour. ", 20)
	dialogue := "Ann: \"I like the summer.\"\nBen: \"Because one can swim?\"\n"
	for _, tt := range []struct {
		name, prompt string
		want         []string
	}{
		{"before code", "how do we deploy?\n" + code, []string{"how do we deploy?"}},
		{"behind code", code + "\nhow do we deploy?", []string{"how do we deploy?"}},
		{"在程式碼前面", "我們怎麼部署？\n\n" + code, []string{"我們怎麼部署？"}},
		{"on both sides", "look at this\n\n" + code + "\nwhy is it slow?", []string{"look at this", "why is it slow?"}},
		{"before a report", "is this known?\n\n" + report, []string{"is this known?"}},
		{"a few lines of code", "why?\n\nx := f(y)[0]\n", []string{"why?"}},
		{"nothing pasted", "how do we deploy?", nil},
		{"two paragraphs that are typed", "I looked at the queue.\n\nHow do we deploy?", nil},
		{"a dialogue without paragraphs", strings.Repeat(dialogue, 12), nil},
		{"all pasted", code, nil},
		{"empty", "", nil},
	} {
		if got := asking(tt.prompt); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzAsking(f *testing.F) {
	f.Add("how do we deploy?\n\n\tx := 1\n\twhy?")
	f.Add("\n\n```\n我們")
	f.Fuzz(func(t *testing.T, prompt string) {
		for _, part := range asking(prompt) {
			if part == "" || !strings.Contains(prompt, part) {
				t.Errorf("%q is no part of %q", part, prompt)
			}
		}
	})
}
