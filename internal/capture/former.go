package capture

import (
	"slices"
	"strings"

	"orihon/internal/reader"
	"orihon/internal/terms"
)

// former puts what is so now in place of what a message says that it was: of "the heartbeat
// comes every 45 s. It was 20 before" the first sentence is what may be worth keeping,
// however the reader takes it, and the second is not.
func former(text string, found []heard) []heard {
	pieces := reader.Pieces(text)
	for i, p := range pieces {
		was := text[p.From:p.To]
		if i == 0 || !saysWas(was) {
			continue
		}
		first := i - 1
		for first > 0 && !pieces[first].Parted {
			first--
		}
		now := heard{Statement: reader.Statement{From: pieces[first].From, To: pieces[i-1].To, Kind: reader.Correction, P: StatedLikely}}
		if now.Text = text[now.From:now.To]; !another(now.Text, was) {
			continue
		}
		for k := range found {
			if s := &found[k]; s.From < p.From && s.To > p.From && s.To <= p.To {
				s.To = pieces[i-1].To
				s.Text = text[s.From:s.To]
			}
		}
		found = slices.DeleteFunc(found, func(s heard) bool {
			return s.From >= p.From && s.To <= p.To || s.From < now.To && s.To > now.From && s.P < StatedLikely
		})
		if !slices.ContainsFunc(found, func(s heard) bool { return s.From < now.To && s.To > now.From }) {
			found = append(found, now)
		}
	}
	slices.SortStableFunc(found, func(a, b heard) int { return a.From - b.From })
	return found
}

// saysWas reports whether a part of a message gives a value that held before, and says
// nothing else.
func saysWas(part string) bool {
	const few = 4 // words
	values, _ := terms.Specifics(part)
	if len(values) == 0 || len(terms.Query(part)) > few {
		return false
	}
	folded := strings.Trim(terms.Fold(part), " ,，(（")
	return startsWithAny(folded, lists.Phrases("former-chinese")...) || startsWithAny(folded+" ", lists.Phrases("former")...)
}

// another reports whether a text gives another value of the sort of one that a part gives.
func another(text, part string) bool {
	values, _ := terms.Specifics(text)
	was, _ := terms.Specifics(part)
	return slices.ContainsFunc(values, func(v string) bool {
		return slices.ContainsFunc(was, func(w string) bool { return terms.Comparable(v, w) && !terms.SameValue(v, w) })
	})
}
