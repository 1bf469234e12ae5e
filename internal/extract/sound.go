package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/redact"
	"orihon/internal/terms"
)

const (
	maxContent  = 150 // characters of what is kept
	maxTriggers = 5
	maxTrigger  = 40 // characters
)

// line is a text on one line, without what no reader sees.
func line(text string) string {
	return strings.Join(strings.Fields(redact.Printable(strings.ToValidUTF8(text, ""))), " ")
}

// sound reports whether what a model says it took from a text can be used: it is
// short, and every value in it stands in the text.
func sound(content string, from ...string) bool {
	if content == "" || utf8.RuneCountInString(content) > maxContent {
		return false
	}
	var known []string
	for _, text := range from {
		known = append(known, values(text)...)
	}
	for _, v := range values(content) {
		if !slices.Contains(known, v) {
			return false
		}
	}
	return true
}

// values are the numbers of a text as they stand in it: "5433", "1.25".
func values(text string) []string {
	fields := strings.FieldsFunc(terms.Fold(text), func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	var out []string
	for _, f := range fields {
		if f = strings.Trim(f, ".,"); f != "" {
			out = append(out, strings.ReplaceAll(f, ",", ""))
		}
	}
	return out
}

// triggers are those that can call a statement up: they stand in the text.
func triggers(given []string, from string) []string {
	var out []string
	text := terms.Fold(from)
	for _, t := range given {
		t = line(t)
		if t != "" && utf8.RuneCountInString(t) <= maxTrigger && strings.Contains(text, terms.Fold(t)) && !slices.Contains(out, t) && len(out) < maxTriggers {
			out = append(out, t)
		}
	}
	return out
}
