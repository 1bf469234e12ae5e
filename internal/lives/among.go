package lives

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Strangers are n memories of other people: first those of the lives as they are, then
// the same with other names and values, again and again. A name has the same other name
// throughout a life. Fewer come back when the lives have nothing that could be named
// otherwise.
func Strangers(lives []Life, n int) []Memory {
	var out []Memory
	seen := make(map[string]bool)
	words := namesIn(lives)
	for round, before := 0, -1; len(out) < n && len(out) > before; round++ {
		before = len(out)
		for i := range lives {
			other := renaming(words, uint64(round), lives[i].Name)
			for _, m := range lives[i].Memories {
				if round > 0 {
					m = m.renamed(other)
				}
				if !m.typed && !seen[m.Text] && len(out) < n {
					seen[m.Text] = true
					out = append(out, m)
				}
			}
		}
	}
	return out
}

func (m Memory) renamed(other func(string) string) Memory {
	m.Text, m.NeededWhen = other(m.Text), slices.Clone(m.NeededWhen)
	for i := range m.NeededWhen {
		m.NeededWhen[i] = other(m.NeededWhen[i])
	}
	return m
}

// latin is what may be a name or a value.
var latin = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9_./:@-]*[A-Za-z0-9]|[A-Za-z0-9]`)
})

// namePart is a word or a number of it.
var namePart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+|[0-9]+`) })

// named reports whether a word of a text is a name or holds a value.
func named(text string, at []int) bool {
	word := text[at[0]:at[1]]
	if strings.ContainsAny(word, "0123456789_./:@") || strings.ContainsFunc(word[1:], unicode.IsUpper) {
		return true
	}
	// A capital letter begins sentences, too.
	before := strings.TrimRight(text[:at[0]], " ")
	return unicode.IsUpper(rune(word[0])) && before != "" && !strings.ContainsAny(before[len(before)-1:], ".:!?(\"")
}

// namesIn are the words that names of the lives consist of, each once.
func namesIn(lives []Life) []string {
	seen := make(map[string]bool)
	for i := range lives {
		for _, m := range lives[i].Memories {
			for _, at := range latin().FindAllStringIndex(m.Text, -1) {
				if !named(m.Text, at) {
					continue
				}
				for _, w := range namePart().FindAllString(m.Text[at[0]:at[1]], -1) {
					if len(w) > 2 && !unicode.IsDigit(rune(w[0])) {
						seen[strings.ToLower(w)] = true
					}
				}
			}
		}
	}
	out := make([]string, 0, len(seen))
	for w := range seen {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

// renaming gives names others of those words, and numbers others of their length.
func renaming(words []string, round uint64, life string) func(string) string {
	h := fnv.New64a()
	h.Write([]byte(life))
	random := rand.New(rand.NewPCG(h.Sum64(), round))
	others := make(map[string]string, len(words))
	for i, k := range random.Perm(len(words)) {
		others[words[i]] = words[k]
	}
	digits := random.Perm(9)
	one := func(w string) string {
		if unicode.IsDigit(rune(w[0])) {
			return strings.Map(func(r rune) rune {
				if r == '0' {
					return r
				}
				return rune('1' + digits[r-'1'])
			}, w)
		}
		other, ok := others[strings.ToLower(w)]
		switch {
		case !ok:
			return w
		case w == strings.ToUpper(w):
			return strings.ToUpper(other)
		case unicode.IsUpper(rune(w[0])):
			return strings.ToUpper(other[:1]) + other[1:]
		}
		return other
	}
	return func(text string) string {
		var b strings.Builder
		end := 0
		for _, at := range latin().FindAllStringIndex(text, -1) {
			b.WriteString(text[end:at[0]])
			word := text[at[0]:at[1]]
			if named(text, at) {
				word = namePart().ReplaceAllStringFunc(word, one)
			}
			b.WriteString(word)
			end = at[1]
		}
		return b.String() + text[end:]
	}
}

// crowd has the program take in the memories of others, as a ledger that it trusts.
func (p *player) crowd(ctx context.Context) error {
	if len(p.o.Others) == 0 {
		return nil
	}
	file := filepath.Join(p.home, "others.jsonl")
	var b strings.Builder
	for i, m := range p.o.Others {
		at := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)
		line, err := json.Marshal(map[string]any{
			"v": 1, "id": fmt.Sprintf("019b76da-0000-7000-8000-%012x", i), "kind": "semantic", "topic": "fact", "content": m.Text,
			"scope": "personal:played", "tier": "observed", "valid_from": at, "needed_when": m.NeededWhen,
			"metadata": map[string]any{"created_at": at, "updated_at": at, "source": "user", "confidence": 0.9},
		})
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return err
	}
	_, err := p.o.Program(ctx, p.home, p.project, nil, "import", "--trust", file)
	return err
}
