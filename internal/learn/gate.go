package learn

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"orihon/internal/terms"
	"orihon/memory"
)

// Verdict is what the gate thinks of a statement.
type Verdict struct {
	Action Action // Added, Asked or Skipped
	Score  float64
	Points []Point
	Pass   string // why it passes whatever the score; empty when the score decides
}

// Point is one reason of a verdict.
type Point struct {
	Reason string
	Score  float64
}

// Why tells the reasons on one line.
func (v Verdict) Why() string {
	if v.Pass != "" {
		return v.Pass
	}
	parts := make([]string, len(v.Points))
	for i, p := range v.Points {
		parts[i] = fmt.Sprintf("%s %.2f", p.Reason, p.Score)
	}
	if len(parts) == 0 {
		return "gate 0.00"
	}
	return fmt.Sprintf("gate %.2f: %s", v.Score, strings.Join(parts, ", "))
}

// The gate's thresholds.
const (
	gateAdd = 0.5
	gateAsk = 0.3
)

// Judge is what the gate thinks of a statement, of which nothing is written.
func Judge(s Statement) Verdict { return gate(s, read(s.Text)) }

// gate judges whether a statement is worth keeping, by points: its length (a
// Chinese character counts as two), technical terms, an explicit request, a
// concrete value, that it is not transient, that one can act on it. What a
// person asked for, an import, a pitfall and a short but whole sentence that says
// what holds pass whatever the sum.
func gate(s Statement, r *reading) Verdict {
	var v Verdict
	point := func(score float64, reason string, earned bool) {
		if earned {
			v.Points = append(v.Points, Point{reason, score})
			v.Score += score
		}
	}
	low := r.folded
	long := terms.Width(low)
	point(0.15, "20 characters", long >= 20)
	point(0.10, "50 characters", long >= 50)
	point(0.15, "technical terms", technicalTerms(s.Text, r) >= 2)
	point(0.35, "asked for", s.explicit())
	point(0.15, "concrete value", concrete(r))
	point(0.10, "not transient", !r.passing())
	point(0.15, "actionable", actionable(low))
	switch {
	case s.explicit():
		v.Action, v.Pass = Added, "asked for by a person"
		if s.byUser() {
			v.Pass = "stated by user"
		}
	case s.Source == memory.Imported:
		v.Action, v.Pass = Added, "imported"
	case s.Topic == memory.Pitfall || warns(s.Text):
		v.Action, v.Pass = Added, "a pitfall"
	case !r.passing() && r.stands(s.Text, concrete(r)):
		v.Action, v.Pass = Added, "a whole sentence that says what holds"
	// The points are hundredths: a sum must not miss its threshold by rounding.
	case v.Score >= gateAdd-1e-9:
		v.Action = Added
	case v.Score >= gateAsk-1e-9:
		v.Action = Asked
	default:
		v.Action = Skipped
	}
	return v
}

// passing reports whether a text speaks of what will soon be over.
func (r *reading) passing() bool { return containsOf(r.folded, lists.Phrases("passing")...) }

// technicalTerms counts the different words that belong to the craft: names of
// tools, identifiers, and words of the trade in either language.
func technicalTerms(text string, r *reading) int {
	seen := make(map[string]bool)
	for i := range r.words {
		w := &r.words[i]
		switch {
		case w.class == member && !slices.Contains(lists.Phrases("everyday-category"), w.key), w.class == quantity && (w.val.dim == "path" || w.val.dim == "name" || w.val.dim == "version"):
			seen[w.name()] = true
		case w.class == placed && (w.key == "programming language" || w.key == "environment" || w.key == "system" || w.key == "part" || w.key == "test level"):
			seen[w.name()] = true
		case w.class == content && lists.Words("craft")[w.key]:
			seen[w.key] = true
		}
	}
	for w := range strings.FieldsSeq(text) {
		if w = strings.Trim(w, ".,;:()\"'`，。；：（）「」"); identifier(w) {
			seen[terms.Fold(w)] = true
		}
	}
	return len(seen)
}

// identifier reports whether a word looks like a name of code: snake_case,
// camelCase, an acronym, a call.
func identifier(w string) bool {
	upper, lower, inner, sign := 0, 0, false, false
	for i, r := range w {
		switch {
		case r >= 0x80:
			return false
		case unicode.IsUpper(r):
			upper++
			inner = inner || i > 0 && lower > 0
		case unicode.IsLower(r):
			lower++
		case r == '_' || r == '(':
			sign = sign || i > 0
		}
	}
	return sign || inner || upper >= 2 && lower == 0
}

// concrete reports whether a text names a version, a path, a number or a
// setting.
func concrete(r *reading) bool {
	return containsOf(r.folded, "=", "--", "`") || r.index(func(w *word) bool { return w.class == quantity && !plainCount(w.text) }) >= 0
}

// plainCount reports number words that rarely are a value: one of them.
func plainCount(w string) bool { return w == "one" || w == "both" || w == "一个" || w == "first" }

// actionable reports whether one can act on a text.
func actionable(low string) bool {
	inTurn := func(pair string) bool {
		first, second, _ := strings.Cut(pair, "…")
		i := strings.Index(low, first)
		return i >= 0 && strings.Contains(low[i:], second)
	}
	return containsOf(low, lists.Phrases("actionable")...) || slices.ContainsFunc(lists.Phrases("actionable-pair"), inTurn) ||
		slices.ContainsFunc(lists.Phrases("order-verb"), func(verb string) bool { return strings.HasPrefix(low, verb) })
}

// warns reports whether a text names itself a pitfall.
func warns(text string) bool {
	return containsOf(terms.Fold(text), "pitfall", "gotcha", "陷阱", "坑")
}
