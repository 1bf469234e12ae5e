package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon"
	"orihon/internal/store"
	"orihon/memory"
)

// Fill writes n made-up statements of the handle's user into its project, the
// same ones each time. It does not index them.
func Fill(ctx context.Context, m *orihon.Memory, n int) error {
	if err := m.Register(ctx); err != nil {
		return err
	}
	scope := memory.Personal(m.User())
	text, err := personalText(m, scope)
	if err != nil {
		return err
	}
	return text.Put(ctx, items(n, scope)...)
}

// personalText is the personal memory of the handle's project, to be written past
// all that is learned.
func personalText(m *orihon.Memory, scope memory.Scope) (*store.Store, error) {
	p := m.Project()
	return store.Open(&store.Options{
		Roots: []store.Root{{Name: "personal", Dir: p.Personal, Scope: scope}}, State: p.Private,
	})
}

// items are statements whose words are as unevenly spread as in prose: of
// 4,000 words the k-th is drawn with a chance near 1/k.
func items(n int, scope memory.Scope) []memory.Item {
	words := newWords(1, 2)
	out := make([]memory.Item, n)
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range out {
		out[i] = memory.Item{
			ID: fmt.Sprintf("0199%04x-0000-7000-8000-%012x", i>>16, i), Kind: memory.Semantic, Topic: memory.Fact, Tier: memory.Observed,
			Content: words.sentence(12, 14), Scope: scope,
			Metadata: memory.Metadata{CreatedAt: day.Add(time.Duration(i) * time.Minute), UpdatedAt: day, Source: memory.FromUser, Confidence: 0.9},
		}
	}
	return out
}

// Statements are the texts of the statements that [Fill] writes.
func Statements(n int) []string {
	out := make([]string, n)
	for i, it := range items(n, memory.Global) {
		out[i] = it.Content
	}
	return out
}

// Prompts are n made-up prompts in the words of the statements.
func Prompts(n int) []string {
	words := newWords(3, 4)
	out := make([]string, n)
	for i := range out {
		out[i] = "how do we " + words.sentence(5, 12) + "?"
	}
	return out
}

// fillNotes writes n Markdown notes of some paragraphs, a hundred to a folder.
func fillNotes(m *orihon.Memory, n int) error {
	words := newWords(5, 6)
	for i := range n {
		dir := filepath.Join(m.Project().Personal, fmt.Sprintf("area-%03d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
		}
		var text strings.Builder
		fmt.Fprintf(&text, "# %s\n", words.sentence(3, 3))
		for range 3 {
			fmt.Fprintf(&text, "\n%s\n", words.sentence(20, 40))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%05d.md", i)), []byte(text.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// words draws from a made-up language.
type words struct {
	rand *rand.Rand
	zipf *rand.Zipf
}

func newWords(seed1, seed2 uint64) *words {
	r := rand.New(rand.NewPCG(seed1, seed2))
	return &words{r, rand.NewZipf(r, 1.1, 4, 3999)}
}

// sentence has at least least words and fewer than spread more.
func (w *words) sentence(least, spread int) string {
	out := make([]string, least+w.rand.IntN(spread))
	for i := range out {
		out[i] = Word(int(w.zipf.Uint64()))
	}
	return strings.Join(out, " ")
}

// Word is the k-th most frequent word of the made-up language.
func Word(k int) string {
	const syllables = "bakadafagamanaparasatavazabekedefegemeneperesetevezebikidifigiminipirisitivizi"
	var w strings.Builder
	for k += 40; k > 0; k /= 39 {
		at := k % 39 * 2
		w.WriteString(syllables[at : at+2])
	}
	return w.String()
}
