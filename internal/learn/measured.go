package learn

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/memory"
)

// measure finds the noticed statement of which a newer one gives another value,
// where the two are worded too differently for rules: "I've reached 65 %
// coverage after the first run" and "the coverage has improved to 78 %". Of
// several it is the one that shares most.
func (b *batch) measure(ctx context.Context, s Statement, said *reading) (best neighbour, ok bool, err error) {
	found, err := b.l.o.Find(ctx, s.Scope, s.Text)
	if err != nil {
		return best, false, ctx.Err()
	}
	var ids []string
	for i := range found {
		if p := &found[i]; !p.Conversation() && !p.Retired && p.SupersededBy == "" {
			ids = append(ids, p.Item.ID)
		}
	}
	most := 0.0
	for _, id := range slices.Concat(ids, b.alike(s.Scope, s.Text)) {
		it, err := b.get(ctx, id)
		if err != nil || !it.ValidTo.IsZero() || !comparable(&it, s.Scope) || !slices.Contains(it.Metadata.Tags, memory.NoticedTag) {
			if ctx.Err() != nil {
				return best, false, ctx.Err()
			}
			continue
		}
		if b.l.o.Related != nil && slices.Contains([]Relation{Extends, Duplicates, Unrelated}, b.l.o.Related(&it, s.Text)) {
			continue // somebody who knows more than the numbers says that both hold
		}
		older := b.read(it.Content)
		if why, shared := measures(older, said); shared > most {
			most = shared
			best = neighbour{item: it, read: older, similarity: similarity(older, said), relation: Contradicts, why: why, sameSubject: true}
		}
	}
	return best, most > 0, nil
}

// measures reports whether two statements give different values of one thing,
// and the weight of the words they share; 0 when they do not. Both must speak of
// little else: most of what the shorter one is about stands in the other.
func measures(older, newer *reading) (why string, shared float64) {
	const least, one, share = 1.7, 0.7, 0.6
	const named = 1.4 // what two numbers without a unit must share
	a, b := topics(older, 0), topics(newer, newer.changedAt())
	why, bare := changedValue(older, newer, a, b)
	if why == "" {
		return "", 0
	}
	totalA, totalB := 0.0, 0.0
	for k, w := range a {
		totalA += w
		if b[k] > 0 {
			shared += w
		}
	}
	for _, w := range b {
		totalB += w
	}
	if shared < min(least, totalA, totalB)-1e-9 || shared < one || shared < share*min(totalA, totalB) {
		return "", 0
	}
	if apart(spokenOf(older, 0), b) && apart(spokenOf(newer, newer.changedAt()), a) {
		return "", 0
	}
	if bare && shared < named {
		return "", 0
	}
	// One word in common, and each speaks of something else besides.
	if shared < least && totalA-shared > 0.3 && totalB-shared > 0.3 {
		return "", 0
	}
	return why, shared
}

// topics are the words from one on that say what a statement measures, with
// their weights.
func topics(r *reading, from int) map[string]float64 {
	out := make(map[string]float64)
	for i := from; i < len(r.words); i++ {
		w := &r.words[i]
		switch w.class {
		case content, axis, placed, member:
			if w.weight() > 0 && !progress(w) {
				out[w.name()] = w.weight()
			}
		}
	}
	return out
}

// spokenOf are the words from one on that a statement is about.
func spokenOf(r *reading, from int) map[string]bool {
	out := make(map[string]bool)
	for i := from; i < len(r.words); i++ {
		if w := &r.words[i]; w.subject && (w.class == content || w.class == placed || w.class == member) && w.weight() > 0 && !progress(w) {
			out[w.name()] = true
		}
	}
	return out
}

// apart reports whether something is spoken of that the other side does not name.
func apart(spoken map[string]bool, other map[string]float64) bool {
	for k := range spoken {
		if other[k] > 0 {
			return false
		}
	}
	return len(spoken) > 0
}

// changedAt is where that begins which somebody changed, behind who did: in "our
// landlord raised the rent" it is the rent that is spoken of. 0 when nobody did.
func (r *reading) changedAt() int {
	for i := 1; i+1 < len(r.words); i++ {
		if w := &r.words[i]; (w.class != content || !progress(w)) && w.class != change && w.text != "moved" && w.text != "cut" {
			continue
		}
		switch r.words[i+1].text {
		case "the", "my", "our", "his", "her", "their":
			return i + 1
		}
	}
	return 0
}

// progress reports words that tell of a change, or of when, and not of what.
func progress(w *word) bool {
	switch w.class {
	case member:
		return w.key == "month" || w.key == "weekday" || w.key == "frequency" || w.key == "daytime"
	case axis:
		return w.key == "order" || w.key == "size" || w.key == "amount"
	}
	return lists.Words("progress")[w.key]
}

// changedValue finds a pair of different values that answer the same question,
// and says which, and whether they are numbers without a unit; none when a value
// of that kind is the same in both.
func changedValue(older, newer *reading, a, b map[string]float64) (why string, bare bool) {
	for i := range older.words {
		x, ok := measured(older, i)
		if !ok {
			continue
		}
		first := ""
		for j := range newer.words {
			y, ok := measured(newer, j)
			if !ok || !sameMeasure(x, y, a, b) || x.dim == "" && x.text+y.text != "" {
				continue // 1.25 may be a version
			}
			if x.number == y.number {
				if x.dim == "weekday" || x.dim == "date" {
					continue // at another time of the same day
				}
				return "", false
			}
			if first == "" {
				first = "other value: " + older.words[i].text + " / " + newer.words[j].text
				bare = why == "" && x.dim == "" && y.dim == "" || why != "" && bare
			}
		}
		if why == "" {
			why = first
		}
	}
	return why, bare
}

// measured is the value of a word that counts or measures something, or names a
// day; a version, a name, a path and a year are none.
func measured(r *reading, i int) (value, bool) {
	w := &r.words[i]
	if w.class == member && w.key == "weekday" {
		n := weekdayNumber(w.text)
		return value{dim: "weekday", number: n}, n > 0
	}
	if w.class != quantity {
		return value{}, false
	}
	if i > 0 && w.key == w.val.dim && w.key != "" && r.words[i-1].class == quantity {
		return value{}, false // $5 a month: what the value is counted by
	}
	switch w.val.dim {
	case "version", "name", "path":
		return value{}, false
	}
	if month := monthAt(r, i); month > 0 {
		return value{dim: "date", number: 100*month + w.val.number}, true
	}
	if i+1 < len(r.words) && r.words[i+1].text == "月" || w.val.dim == "" && w.val.number >= 1990 && w.val.number <= 2100 {
		return value{}, false
	}
	if w.val.dim == "" && i+1 < len(r.words) {
		if next, _ := utf8.DecodeRuneInString(r.words[i+1].text); isHan(next) {
			return value{dim: "n:" + r.words[i+1].text, number: w.val.number}, true
		}
	}
	return w.val, true
}

// sameMeasure reports whether two values count or measure the same: the same
// unit, or a bare number where the other side counts what this one speaks of.
func sameMeasure(x, y value, a, b map[string]float64) bool {
	if x.dim == y.dim {
		return true
	}
	if thing, ok := strings.CutPrefix(x.dim, "n:"); ok && (y.dim == "" || strings.HasPrefix(y.dim, "n:")) {
		return b[thing] > 0
	}
	if thing, ok := strings.CutPrefix(y.dim, "n:"); ok && x.dim == "" {
		return a[thing] > 0
	}
	return false
}
