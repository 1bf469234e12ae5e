package learn

import (
	"slices"
	"strings"
)

// Two rules stand beside each other where they speak of different things, on
// different occasions: what is answered and what is committed, the meeting on
// Wednesday and the one on Friday, what is forbidden and what is ordered in its
// place. A word that sets two statements at odds tells only where what it is
// said of is the same.

// own is the weight from which on what only one side says is a thing of its own,
// and not a word of style.
const own = 1.0

// compatible reports why two statements with something at odds in them may both
// hold; an empty relation where nothing speaks for that.
func (c *comparison) compatible() (Relation, string) {
	if len(c.flipped)+len(c.opposites)+len(c.swapped)+len(c.values) > 0 && narrows(c.a, c.usedA) != narrows(c.b, c.usedB) {
		return Unknown, "one of them holds in a narrower place"
	}
	switch {
	case len(c.flipped) > 0:
		return c.deniesElse()
	case len(c.opposites)+len(c.swapped)+len(c.values) == 0:
		return "", ""
	case len(c.swapped) > 0 && c.topic == 0 && c.timesOnly():
		if c.thingsA > 0 && c.thingsB > 0 {
			return Unrelated, "something else, at another time"
		}
		return Unknown, "another time, and perhaps of something else: " + c.swapped[0]
	case c.timesOnly() && (max(c.thingsA, c.thingsB) >= max(own, c.topic) || c.otherActs() || c.a.permits() || c.b.permits()):
		return Unknown, "another time, and perhaps of something else: " + c.swapped[0]
	case len(c.swapped) > 0 && c.topic == 0 && min(c.thingsA, c.thingsB) >= 0.5:
		return Unrelated, "another subject"
	case c.ofText():
		if rel, why := c.otherText(); rel != "" {
			return rel, why
		}
	}
	if len(c.values) > 0 {
		return "", "" // values have bounds of their own
	}
	if c.limitsA >= 0.5 && c.limitsB >= 0.5 {
		return Unknown, "other occasions"
	}
	if c.timesOnly() && min(c.thingsA, c.thingsB) >= own {
		return Unknown, "another time, and perhaps of something else: " + c.swapped[0]
	}
	if len(c.swapped) > 0 && c.shared == 0 && max(c.limitsA, c.limitsB) >= own && c.limitsA*c.limitsB == 0 {
		return Unknown, "one of them holds in a narrower place: " + c.swapped[0]
	}
	return "", ""
}

// narrows reports whether a statement names an environment or people that the
// other one does not name.
func narrows(r *reading, used []bool) bool {
	for i := range r.words {
		if w := &r.words[i]; w.class == placed && !used[i] && (w.key == "environment" || w.key == "people") {
			return true
		}
	}
	return false
}

// deniesElse is for a denial: to forbid one thing and to order another is no
// contradiction, however much they share beside. They must agree in most of what
// is denied.
func (c *comparison) deniesElse() (Relation, string) {
	const most = 0.6
	elseA, elseB := c.restA-c.deniedA, c.restB-c.deniedB // affirmed
	other := max(min(c.deniedA, elseB), min(c.deniedB, elseA))
	const apart = "one denies one thing, and the other says another"
	switch {
	case c.instead():
		return Contradicts, "another in its place: " + strings.Join(c.flipped, ", ")
	case c.crossed, other >= 0.5 && c.flippedCore < 0.5:
		return Unrelated, apart
	case other >= 0.5 && (c.flippedCore < most*(c.flippedCore+other) || c.otherHead()):
		return Unknown, apart
	}
	if c.a.deniedOn(c.usedA) >= own || c.b.deniedOn(c.usedB) >= own {
		return Unknown, "denied on an occasion only"
	}
	return "", ""
}

// instead reports whether two statements say nothing else than which members of one
// category it is and is not, and one denies what the other says: "pnpm, never npm" and
// "bun, not pnpm".
func (c *comparison) instead() bool {
	return c.crossed && c.flippedCore >= 0.5 && max(c.restA, c.restB, c.limitsA, c.limitsB) < 0.5
}

// deniedOn is the weight of the restrictions of a denial that have no
// counterpart.
func (r *reading) deniedOn(used []bool) (weight float64) {
	for i := range r.words {
		if w := &r.words[i]; w.neg && w.qualifies && !used[i] && w.says() {
			weight += w.weight()
		}
	}
	return weight
}

// otherHead reports whether what is denied ends in a word that the other
// statement does not have: of 请求体 and 请求编号 it is the last that tells which.
func (c *comparison) otherHead() bool {
	head := func(r *reading, used []bool) bool {
		last := -1
		for i := range r.words {
			if w := &r.words[i]; w.neg && w.says() && !w.subject && !w.qualifies {
				last = i
			}
		}
		return last >= 0 && !used[last]
	}
	return c.a.denies() && head(c.a, c.usedA) || c.b.denies() && head(c.b, c.usedB)
}

// otherActs reports whether two things are done with what both speak of: a
// report is written on one day and handed in on another.
func (c *comparison) otherActs() bool {
	a, b := c.a.acts(), c.b.acts()
	switch {
	case len(a) > 0 && len(b) > 0:
		return !slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
	case len(a) > 0:
		return c.objectB+c.subjectB >= 0.5
	case len(b) > 0:
		return c.objectA+c.subjectA >= 0.5
	}
	return false
}

// acts are the predicates for something that people do.
func (r *reading) acts() (out []string) {
	for i := range r.words {
		if act := lists.Table("act")[r.words[i].text]; act != "" && r.words[i].class == predicate {
			out = append(out, act)
		}
	}
	return out
}

// permits reports whether a statement only says what may be done.
func (r *reading) permits() bool {
	return r.says("may", "can", "allow", "allows", "allowed", "permitted", "ok", "okay", "fine", "可以", "可", "能", "允许")
}

// timesOnly reports whether what is exchanged is only when something happens.
func (c *comparison) timesOnly() bool {
	other := func(key string) bool {
		return !slices.Contains([]string{"weekday", "month", "daytime", "frequency"}, key)
	}
	return len(c.swappedKeys) > 0 && !slices.ContainsFunc(c.swappedKeys, other)
}

// ofText reports whether the difference is how something is worded: in which
// language, at which length. It holds for one sort of text alone.
func (c *comparison) ofText() bool {
	return slices.Contains(c.swappedKeys, "language") || slices.Contains(c.oppositeKeys, "length")
}

// otherText tells apart what is to be worded so: answers, or a text that is
// named, or anything.
func (c *comparison) otherText() (Relation, string) {
	replyA, replyB := c.a.replies(), c.b.replies()
	namedA, namedB := c.restA >= 0.5, c.restB >= 0.5
	switch {
	case namedA && namedB, replyA && namedB && !replyB, namedA && !replyA && replyB:
		return Unrelated, "another sort of text"
	case namedA != namedB && max(c.thingsA, c.thingsB) >= c.topic:
		return Unknown, "one of them speaks of a certain text"
	}
	return "", ""
}

// replies reports whether a statement is about what the assistant answers.
func (r *reading) replies() bool {
	return r.says(lists.Phrases("replying")...)
}

// otherAspect reports whether two objects answer different questions about the
// same subject: of commit messages, the language and the mood.
func (c *comparison) otherAspect() bool {
	of := func(r *reading, used []bool) (key string) {
		for i := range r.words {
			if w := &r.words[i]; w.class == member && !used[i] && !w.subject && !w.qualifies {
				key = w.key
			}
		}
		return key
	}
	a, b := of(c.a, c.usedA), of(c.b, c.usedB)
	aspects := lists.Phrases("aspect")
	return a != b && (slices.Contains(aspects, a) || slices.Contains(aspects, b) || a != "" && b != "" && !c.b.has(change))
}

// changeFamily is what sort of statement a word of change makes, as
// [reading.family] has it; empty where it tells nothing.
func (r *reading) changeFamily() string {
	for i := range r.words {
		if family := lists.Table("change-family")[r.words[i].text]; family != "" {
			return family
		}
	}
	return ""
}

// otherMeans reports whether the newer statement says that the same is now done
// with another tool: the same words up to one thing each, which stands behind
// the same preposition.
func (c *comparison) otherMeans() bool {
	if !c.b.has(change) || c.topic < 0.7 || c.figures || c.a.denies() || c.b.denies() || c.subjectA+c.subjectB > 0 || c.otherAspect() {
		return false
	}
	const one = 2.0 // a name, of two words at most
	if c.thingsA < 0.5 || c.thingsB < 0.5 || c.thingsA > one || c.thingsB > one {
		return false
	}
	a, b := c.a.means(c.usedA), c.b.means(c.usedB)
	return a != "" && a == b
}

// means is the preposition all that has no counterpart stands behind, where it
// names a tool.
func (r *reading) means(used []bool) (by string) {
	last := ""
	for i := range r.words {
		w := &r.words[i]
		switch {
		case w.text == "with" || w.text == "by" || w.text == "using" || w.text == "via" || w.text == "through":
			last = w.text
		case w.class == pause || w.class == predicate || w.class == qualifier:
			last = ""
		case !used[i] && w.says():
			if last == "" || by != "" && by != last {
				return ""
			}
			by = last
		}
	}
	return by
}
