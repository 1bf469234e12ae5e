package learn

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/memory"
)

// measure finds the noticed statement of which a newer one gives another value,
// where the two are worded too differently for [Rules]: "I've reached 65 %
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
		if err != nil || !it.ValidTo.IsZero() || !comparable(&it, s.Scope) || !slices.Contains(it.Metadata.Tags, NoticedTag) {
			if ctx.Err() != nil {
				return best, false, ctx.Err()
			}
			continue
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
	const least, one, share = 2, 0.7, 0.6
	a, b := topics(older), topics(newer)
	why = changedValue(older, newer, a, b)
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
	// One word in common, and each speaks of something else besides.
	if shared < least && totalA-shared > 0.3 && totalB-shared > 0.3 {
		return "", 0
	}
	return why, shared
}

// topics are the words that say what a statement measures, with their weights.
func topics(r *reading) map[string]float64 {
	out := make(map[string]float64)
	for i := range r.words {
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

// progress reports words that tell of a change, or of when, and not of what.
func progress(w *word) bool {
	switch w.class {
	case member:
		return w.key == "month" || w.key == "weekday" || w.key == "frequency" || w.key == "daytime"
	case axis:
		return w.key == "order" || w.key == "size" || w.key == "amount"
	}
	switch w.key {
	case "ive", "weve", "alreadi", "already", "recent", "current", "new", "now", "initi", "reach", "improv", "increas", "decreas", "reduc", "grow", "growth", "rais", "lower", "updat", "chang", "achiev", "total", "averag", "around", "about", "complet", "finish", "manag", "hit", "got", "expand", "extend", "drop", "add", "latest", "last", "so", "far", "time", "today", "yesterday", "dollar", "euro", "pound", "usd", "eur", "hour", "minut", "day", "week", "month",
		"现在", "目前", "已经", "增加", "提升", "提高", "降低", "减少", "达到", "更新", "最近", "平均", "大约", "完成", "提", "了":
		return true
	}
	return false
}

// changedValue finds a pair of different values that answer the same question,
// and says which; none when a value of that kind is the same in both.
func changedValue(older, newer *reading, a, b map[string]float64) string {
	why := ""
	for i := range older.words {
		x, ok := measured(older, i)
		if !ok {
			continue
		}
		for j := range newer.words {
			y, ok := measured(newer, j)
			if !ok || !sameMeasure(x, y, a, b) {
				continue
			}
			if x.number == y.number {
				return ""
			}
			if why == "" {
				why = "other value: " + older.words[i].text + " / " + newer.words[j].text
			}
		}
	}
	return why
}

// measured is the value of a word that counts or measures something, or names a
// day; a version, a name, a path and a year are none.
func measured(r *reading, i int) (value, bool) {
	w := &r.words[i]
	if w.class != quantity {
		return value{}, false
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

// monthAt is the month that a number is the day of; 0 when it is no day.
func monthAt(r *reading, i int) float64 {
	if i > 0 && r.words[i-1].class == member && r.words[i-1].key == "month" {
		return monthNumber(r.words[i-1].text)
	}
	if i > 1 && r.words[i-1].text == "月" && r.words[i-2].class == quantity {
		return r.words[i-2].val.number
	}
	if i+1 < len(r.words) && r.words[i+1].class == member && r.words[i+1].key == "month" {
		return monthNumber(r.words[i+1].text)
	}
	return 0
}

func monthNumber(name string) float64 {
	for i, start := range [...]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"} {
		if strings.HasPrefix(name, start) {
			return float64(i + 1)
		}
	}
	return 0
}

// sameMeasure reports whether two values count or measure the same: the same
// unit, or a bare number where the other side counts what this one speaks of.
func sameMeasure(x, y value, a, b map[string]float64) bool {
	if x.dim == y.dim {
		return x.dim != ""
	}
	if thing, ok := strings.CutPrefix(x.dim, "n:"); ok && (y.dim == "" || strings.HasPrefix(y.dim, "n:")) {
		return b[thing] > 0
	}
	if thing, ok := strings.CutPrefix(y.dim, "n:"); ok && x.dim == "" {
		return a[thing] > 0
	}
	return false
}

// laterThan reports whether an item began to hold after a statement is made.
func (b *batch) laterThan(it *memory.Item) bool { return it.ValidFrom.After(b.l.o.Now()) }
