package learn

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"orihon/internal/redact"
	"orihon/internal/terms"
	"orihon/memory"
)

// clean takes NULs, private spans and secrets out of everything that will be written.
func (l *Learner) clean(s Statement) (Statement, []string, error) {
	var rules []string
	wipe := func(text string) string {
		// No text file holds a NUL. It goes first, so that it hides no secret.
		text, found := l.o.Redactor.Text(redact.Private(strings.ReplaceAll(text, "\x00", "")))
		for _, f := range found {
			if !slices.Contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
		return strings.TrimSpace(text)
	}
	list := func(in []string) []string {
		var out []string
		for _, t := range in {
			if t = wipe(t); strings.TrimSpace(withoutMarks(t)) != "" {
				out = append(out, t)
			}
		}
		return out
	}
	had := strings.TrimSpace(s.Text) != ""
	s.Text, s.Title = wipe(s.Text), wipe(s.Title)
	s.Tags, s.Triggers, s.Aliases, s.NeededWhen = list(s.Tags), list(s.Triggers), list(s.Aliases), list(s.NeededWhen)
	s.Session, s.Evidence = wipe(s.Session), list(s.Evidence)
	switch {
	case !had:
		return s, rules, fmt.Errorf("%w statement: it is empty", memory.ErrInvalid)
	case s.Text == "":
		return s, rules, fmt.Errorf("%w: it is all marked private", memory.ErrRefused)
	case len(rules) > 0 && len(terms.Index(withoutMarks(s.Text))) == 0:
		return s, rules, fmt.Errorf("%w: it holds nothing but a secret (%s)", memory.ErrRefused, strings.Join(rules, ", "))
	}
	return s, rules, nil
}

// withoutMarks drops the marks that stand where secrets were.
func withoutMarks(s string) string {
	return marks().ReplaceAllString(s, " ")
}

var marks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[redacted:[^\]]*(\]|$)`) })

// normal makes texts that differ only in case, script, width, spaces or closing
// punctuation the same. Spaces beside Chinese characters do not count at all:
// some people set them between scripts, some do not.
func normal(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, w := range strings.Fields(terms.Fold(s)) {
		first, _ := utf8.DecodeRuneInString(w)
		if b.Len() > 0 && !unicode.Is(unicode.Han, last) && !unicode.Is(unicode.Han, first) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		last, _ = utf8.DecodeLastRuneInString(w)
	}
	return strings.TrimRight(b.String(), ".!。！ ")
}
