package window

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"orihon/journal"
)

// Invented are the names and numbers that a summary states and that the iterations
// it is about do not: files, identifiers, commits, what is marked as code, figures.
// A summary may put together what stands apart, write a name in other letters, round,
// and count.
func Invented(v *journal.View, s *SummaryResult) []string {
	text := []string{s.Title, s.Content, s.Outcome}
	text = slices.Concat(text, s.Instructions, s.Changes, s.Decisions, s.Entities)
	for _, e := range s.Events {
		text = append(text, e.Text)
	}
	for _, e := range s.Errors {
		text = append(text, e.What, e.Message, e.Fix)
	}
	return groundsOf(v, v.Range(s.Range[0], s.Range[1])).lacks(strings.Join(text, "\n"))
}

// grounds are what a summary can be made of.
type grounds struct {
	text    string // in small letters
	numbers map[string]bool
	values  []float64
}

// mostCounted is up to where a number may count what nobody else has counted.
const mostCounted = 12

func groundsOf(v *journal.View, events []journal.Event) *grounds {
	g := &grounds{numbers: map[string]bool{}}
	var b strings.Builder
	counts := map[journal.Type]int{}
	for _, e := range events {
		counts[e.Type]++
		counts[""]++
		text := v.Text(e)
		if e.Type == journal.ActionRequest {
			text = unescaped().Replace(text)
		}
		fmt.Fprintf(&b, "%d %s %s\n", e.Iter, e.TS.Format(time.DateTime), text)
	}
	g.text = strings.ToLower(b.String())
	for _, n := range counts {
		g.numbers[strconv.Itoa(n)] = true
	}
	for _, n := range figures().FindAllString(g.text, -1) {
		n = plainFigure(n)
		g.numbers[n] = true
		for at := strings.LastIndexByte(n, '.'); at > 0; at = strings.LastIndexByte(n[:at], '.') {
			g.numbers[n[:at]] = true // 1.26 of 1.26.3
		}
		if value, err := strconv.ParseFloat(n, 64); err == nil {
			g.values = append(g.values, value)
		}
	}
	return g
}

// unescaped is what stands in a JSON text, as far as it parts names.
var unescaped = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\u0026`, "&", `\u003c`, "<", `\u003e`, ">")
})

// figures finds numbers, figured the words with one, marked a word that is marked as
// code.
var (
	figures = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+(?:[.,_]\d+)*`) })
	marked  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([A-Za-z0-9_.$/@:-]{3,})(?:\\(\\))?`") })
	figured = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9_.,]*\d[A-Za-z0-9_.,]*`) })
)

// plainFigure is a number without what groups its digits and without empty zeros.
func plainFigure(n string) string {
	n = strings.NewReplacer(",", "", "_", "").Replace(n)
	if strings.Count(n, ".") == 1 {
		n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
	}
	if whole := strings.TrimLeft(n, "0"); whole != "" && whole[0] != '.' {
		return whole
	}
	return "0" + strings.TrimLeft(n, "0")
}

// lacks are the names and numbers of a text that do not stand in the grounds, each
// once, in their order.
func (g *grounds) lacks(text string) []string {
	var out []string
	rest := text
	for _, e := range journal.Entities(text) {
		rest = strings.ReplaceAll(rest, e.Name, " ")
		if !g.names(e) {
			out = append(out, e.Name)
		}
	}
	for _, span := range marked().FindAllStringSubmatch(rest, -1) {
		if !strings.Contains(g.text, strings.ToLower(span[1])) {
			out = append(out, span[1])
		}
	}
	for _, w := range figured().FindAllString(rest, -1) {
		if w = strings.Trim(w, ".,_"); !g.holds(w) && !g.counts(w) {
			out = append(out, w)
		}
	}
	return distinct(out)
}

// names reports a name of the grounds: as it is, or put together from a folder and a
// file, a type and a method.
func (g *grounds) names(e journal.Entity) bool {
	by := "."
	switch name := strings.ToLower(e.Name); {
	case e.Kind == journal.FileEntity && g.holds(name), e.Kind != journal.FileEntity && strings.Contains(g.text, name):
		return true
	case e.Kind == journal.FileEntity:
		by = "/"
	case e.Kind != journal.Identifier:
		return false
	}
	parts := strings.Split(strings.TrimLeft(path.Clean(e.Name), "/~"), by)
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool { return !g.holds(part) })
}

// holds reports a name that begins in the grounds where a name can begin: total.go is
// not subtotal.go.
func (g *grounds) holds(name string) bool {
	name = strings.ToLower(name)
	for from := 0; ; {
		at := strings.Index(g.text[from:], name)
		if at < 0 {
			return false
		}
		if at += from; at == 0 || name == "" || !inWord(g.text[at-1]) || !inWord(name[0]) {
			return true
		}
		from = at + 1
	}
}

func inWord(c byte) bool { return c < utf8.RuneSelf && isNamePart(rune(c)) }

// counts reports a word without an untold number: one that is told, or comes from one
// by rounding, or counts a few things.
func (g *grounds) counts(word string) bool {
	n := figures().FindString(word)
	if n == "" || strings.IndexFunc(word, func(r rune) bool { return '0' <= r && r <= '9' }) > 1 {
		return false // a name with a number in it
	}
	n = plainFigure(n)
	if g.numbers[n] {
		return true
	}
	value, err := strconv.ParseFloat(n, 64)
	if err != nil {
		return false
	}
	if value == float64(int(value)) && value <= mostCounted && len(n) == len(word) {
		return true
	}
	_, decimals, _ := strings.Cut(n, ".")
	return slices.ContainsFunc(g.values, func(v float64) bool {
		return strconv.FormatFloat(v, 'f', len(decimals), 64) == n
	})
}
