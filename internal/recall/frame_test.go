package recall

import (
	"strings"
	"testing"

	"orihon/internal/inert"
)

// A core file stands where our own headings stand, so every word of ours must be
// one that stored text cannot say in our place.
func TestStoredTextCannotSpeakInTheWordsOfTheFrame(t *testing.T) {
	for _, language := range []string{"en", "zh-Hant", "zh-Hans"} {
		w := wordingFor(language)
		for _, own := range []string{
			w.heading, w.closing, w.facts, w.past, w.steps, w.documents, w.turns, w.files, w.always, w.core, w.brief,
			w.pitfalls, w.decisions, w.lookup,
			openMark, closeMark,
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
