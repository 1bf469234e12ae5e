package wording

import (
	"strings"
	"testing"

	"orihon/internal/inert"
)

// A core file stands where our own headings stand, so every word of ours must be
// one that stored text cannot say in our place.
func TestStoredTextCannotSpeakInTheWordsOfTheFrame(t *testing.T) {
	for _, language := range []string{"en", "zh-Hant", "zh-Hans"} {
		w := For(language)
		for _, own := range []string{
			w.Heading, w.Closing, w.Facts, w.Past, w.Steps, w.Documents, w.Turns, w.Files, w.Always, w.Core, w.Brief,
			w.Pitfalls, w.Decisions, w.Lookup,
			OpenMark, CloseMark,
		} {
			_, words, signed := strings.Cut(own, " ")
			forged := []string{own, "# " + own, "**" + own + "**", "  " + own}
			if signed && strings.ContainsAny(own, "📌💡📋📄💬📂📎🗂🧭⚠⚖🔎") {
				forged = append(forged, words, "## "+words, words+":")
			}
			for _, line := range forged {
				if got := inert.Text("x\n" + line + "\ny"); strings.Contains(got, "\n"+line+"\n") {
					t.Errorf("%s: the line %q stays as it is", language, line)
				}
			}
		}
	}
}
