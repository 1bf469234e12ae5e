package recall

import (
	"slices"
	"strings"

	"orihon/internal/terms"
)

// asksPast reports whether a prompt asks about something that was said, done or
// decided, or leans on it: "what was the fix?", "by the rule I gave", 当初为什么.
func asksPast(p *parsed) bool {
	return p.intent == Recalling || slices.ContainsFunc(clauses(p.text), pastClause)
}

func pastClause(clause string) bool {
	folded := terms.Fold(clause)
	if strings.ContainsFunc(folded, han) && contains(folded, chinesePast()) || contains(" "+folded+" ", englishPast()) {
		return true
	}
	const near = 3 // words between a question word and its helper
	asked := -1
	words := terms.Words(folded)
	for len(words) > 0 && openers()[words[0]] {
		words = words[1:]
	}
	for i, w := range words {
		switch {
		case pastHelpers()[w] && (i == 0 || i-asked <= near && asked >= 0), w == "d" && i > 0 && pastAsking()[words[i-1]]:
			return true
		case pastAsking()[w]:
			asked = i
		}
	}
	for part := range strings.SplitSeq(folded, ",") {
		if given(terms.Words(part)) {
			return true
		}
	}
	return false
}

// given reports whether words hold a thing and what one of us did with it: "the
// rule I gave".
func given(words []string) bool {
	for i := 1; i+1 < len(words); i++ {
		if w := words[i]; w != "i" && w != "we" && w != "you" || joining()[words[i-1]] {
			continue
		}
		if next := words[i+1]; pastVerbs()[next] || len(next) > 4 && strings.HasSuffix(next, "ed") {
			return true
		}
	}
	return false
}

var (
	englishPast = lists.Phrases("english-past")
	chinesePast = lists.Phrases("chinese-past")
	pastHelpers = lists.Words("past-helpers")
	pastAsking  = lists.Words("past-asking")
	pastVerbs   = lists.Words("past-verbs")
	joining     = lists.Words("joining")
)
