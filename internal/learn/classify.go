package learn

import (
	"slices"
	"strings"
)

// Relation is how a new statement stands to an older one.
type Relation string

// The relations. Unknown is for pairs that speak of the same subject and might
// contradict each other: rules do not guess.
const (
	Contradicts Relation = "contradicts" // both cannot hold
	Extends     Relation = "extends"     // adds to what stays true
	Duplicates  Relation = "duplicates"  // says the same
	Unrelated   Relation = "unrelated"   // another subject or scope: both may hold
	Unknown     Relation = "unknown"
)

// relate tells how a newer statement stands to an older one, and why, without a
// model: by negation, changed values, opposites, alternatives that exclude each
// other, and other objects of the same subject, in English and in Chinese of
// either script. It also returns the comparison, nil for the same words.
func relate(a, b *reading) (rel Relation, why string, c *comparison) {
	if a.normal() == b.normal() {
		return Duplicates, "the same words", nil
	}
	c = compare(a, b)
	rel, why = c.decide()
	if rel == Contradicts && c.happened() {
		return Unknown, "two events, and both may have happened: " + why, c
	}
	if rel == Contradicts && c.stories() {
		rel, why = Unknown, "two longer accounts that differ in more than this: "+why
	}
	return rel, why, c
}

// Reading is a statement taken apart, to be held against others.
type Reading struct{ r *reading }

// Read takes a statement apart.
func Read(text string) Reading { return Reading{read(text)} }

// Before tells how a newer statement stands to this one, by the rules.
func (r Reading) Before(newer Reading) Relation {
	rel, _, _ := relate(r.r, newer.r)
	return rel
}

// stories reports whether both are longer accounts that agree in little: in
// those a word and its opposite, or a denial, may each stand in a part of its
// own.
func (c *comparison) stories() bool {
	const long, agreeing = 9, 0.75 // words; share of the rest
	return len(c.a.words) > long && len(c.b.words) > long && c.fit() < agreeing
}

// firm reports whether the difference is one of values, opposites or
// alternatives, which tells even where little else is shared ("use tabs", "use
// spaces"), or is said to be a change; a mere denial or another object needs the
// same subject around it.
func (c *comparison) firm() bool {
	return len(c.values)+len(c.opposites)+len(c.swapped) > 0 || c.instead() || c.handedOver() || c.b.has(change) && max(c.thingsA, c.thingsB) < 2 && (c.replaced() || c.otherMeans())
}

// fit is how far the rest of two statements speaks of the same: 1 when all that
// one of them says beside the difference stands in the other as well.
func (c *comparison) fit() float64 {
	other := min(c.restA, c.restB)
	if c.shared+other == 0 {
		return 1
	}
	return c.shared / (c.shared + other)
}

// decide draws the conclusion from what two statements share.
func (c *comparison) decide() (Relation, string) {
	same := c.sameSubject()
	switch {
	case len(c.scopes) > 0:
		return Unrelated, "other scope: " + c.scopes[0]
	case c.handedOver():
		return Contradicts, "another one: " + c.a.holds().value + " / " + c.b.holds().value
	case c.takenBack && c.affirmed && same && c.a.has(negator) && c.b.has(negator):
		return Contradicts, "the other way round: " + strings.Join(c.flipped, ", ")
	case c.everybody && c.shared >= 1:
		return Contradicts, "who may: " + strings.Join(c.opposites, ", ")
	case c.subjectA > 0 && c.subjectB > 0:
		return Unrelated, "another subject"
	case c.dated():
		return Extends, "one of them speaks of the past"
	case c.b.has(also) && len(c.flipped) == 0 && (c.shared > 0 || len(c.swapped) > 0):
		return Extends, "says more about the same"
	case c.explains():
		return Extends, "says why"
	case len(c.flipped) > 0 && c.denied:
		return Unknown, "both deny something, and rules cannot tell of what"
	case len(c.flipped) > 0 && c.hedged():
		return Unknown, "denied, but with an exception or a bound"
	}
	if rel, why := c.compatible(); rel != "" {
		return rel, why
	}
	switch {
	case len(c.flipped) > 0 && c.shared >= 1 && c.fit() >= c.flipFit():
		return Contradicts, "denied: " + strings.Join(c.flipped, ", ")
	case len(c.opposites) > 0 && c.fit() >= 0.35 && (c.shared > 0 || c.restA == 0 && c.restB == 0):
		return Contradicts, "opposites: " + c.opposites[0]
	case len(c.values) > 1 && c.otherName:
		return Unrelated, "speaks of another one: " + c.values[0]
	case len(c.values) > 0 && (c.subjectValues || c.otherSubject):
		return Unrelated, "speaks of another one: " + c.values[0]
	case len(c.values) > 0 && c.subjectA >= max(1, c.topic) && c.subjectB == 0:
		return Unknown, "the older one may speak of a part only: " + c.values[0]
	case len(c.values) > 0 && c.subjectB >= 1 && c.subjectA == 0 && !c.b.has(change):
		return Unknown, "the newer one may speak of a part only: " + c.values[0]
	case len(c.values) > 0 && min(c.restA, c.restB) >= 0.5 && !c.b.has(change):
		return Unknown, "other values, and other words beside them: " + c.values[0]
	case len(c.values) > 0 && c.shared > 0 && c.fit() >= valueFit:
		return Contradicts, "other value: " + strings.Join(c.values, ", ")
	case len(c.swapped) > 0 && c.fit() >= 0.5 && (c.shared > 0 || min(c.restA, c.restB) == 0):
		if c.limitsA > 0 != (c.limitsB > 0) && c.shared == 0 && c.narrower {
			return Unknown, "one of them holds in a narrower place: " + c.swapped[0]
		}
		return Contradicts, "alternatives: " + c.swapped[0]
	case c.replaced():
		return Contradicts, "another object of the same subject"
	case c.otherMeans():
		return Contradicts, "done by other means"
	}
	return c.agreeing(same)
}

func (c *comparison) sameSubject() bool { return c.shared >= 1 && c.fit() >= 0.5 }

// How much of the rest two statements must share before a denial or another
// value in them counts as a contradiction.
const valueFit = 0.5

func (c *comparison) flipFit() float64 {
	switch {
	case c.b.has(change) || c.b.says("replaced", "replaces", "取代", "取代了", "替换", "替换了"):
		return 0.5
	case c.restA >= 0.5 && c.restB >= 0.5:
		return 0.75
	}
	return 0.6
}

// hedged reports whether an exception, a part or a bound stands in one of them,
// or one speaks of the inside and the other of the outside.
func (c *comparison) hedged() bool {
	inside, outside := [...]string{"里", "里面", "内"}, [...]string{"外", "外面", "以外", "之外"}
	if c.a.says(inside[:]...) && c.b.says(outside[:]...) || c.a.says(outside[:]...) && c.b.says(inside[:]...) {
		return true
	}
	return slices.ContainsFunc([]*reading{c.a, c.b}, func(r *reading) bool {
		return r.has(partial) || r.has(comparing) || len(c.opposites) == 0 && r.says("only", "except", "unless", "除了", "除外", "只有", "除非")
	})
}

// prohibits reports whether a statement begins with a prohibition.
func (r *reading) prohibits() bool {
	return len(r.words) > 0 && r.words[0].class == negator && r.words[0].text != "no" && r.words[0].text != "没有"
}

// affirms reports whether a statement tells somebody to do something, or allows
// it.
func (r *reading) affirms() bool {
	return len(r.words) > 0 && r.words[0].class == predicate || r.has(change) || r.says(lists.Phrases("affirming")...)
}

// concedes reports whether a statement has a clause that denies what another
// clause of it speaks of: "…, so don't".
func (r *reading) concedes() bool {
	for from := 0; from < len(r.words); {
		to, says, denies := from, false, false
		for to < len(r.words) && r.words[to].clause == r.words[from].clause {
			says = says || r.words[to].says()
			denies = denies || r.words[to].class == negator || r.words[to].class == verdict
			to++
		}
		if denies && !says {
			return true
		}
		from = to
	}
	return false
}

// explains reports whether the newer statement says something of what the older
// one forbids, without allowing it.
func (c *comparison) explains() bool {
	if len(c.flipped) == 0 {
		return false
	}
	switch {
	case (c.denied || c.b.concedes()) && c.restB >= 1 && c.a.denies():
		return true
	case c.a.prohibits() && !c.b.affirms() && !c.sameStart() && c.restB >= 1 && c.restA == 0:
		return true
	}
	return c.flippedSubject && c.objectB >= 1 && !c.b.has(change) && c.a.denies()
}

// sameStart reports whether the newer statement begins with what the older one
// forbids: it tells somebody to do it.
func (c *comparison) sameStart() bool {
	at := c.a.index(func(w *word) bool { return w.neg && w.says() })
	return at >= 0 && c.b.words[0].text == c.a.words[at].text
}

// replaced reports whether both say something else of the same subject where
// only one can hold.
func (c *comparison) replaced() bool {
	if c.objectA == 0 || c.objectB == 0 || c.subjectA > 0 || c.subjectB > 0 || c.sharedSubject == 0 && !c.role {
		return false
	}
	if c.figures && len(c.values) == 0 {
		return false // figures of different kinds
	}
	// Of a terse statement one thing is said; a long one tells a story.
	const terse = 3
	if c.objectA > terse || c.objectB > terse {
		return false
	}
	if c.role {
		return true
	}
	if a, b := c.a.holds(), c.b.holds(); a.kind == "role" && b.kind == "role" && a.of != b.of {
		return false // one may answer for several things
	}
	if c.a.denies() || c.b.denies() || c.a.participle() || c.b.participle() || c.otherAspect() {
		return false
	}
	fa, fb := c.a.family(), c.b.family()
	if !c.b.has(change) {
		return fa != "" && fa == fb
	}
	to := c.b.changeFamily()
	return to == "" || to == fa || to == "use" && fa == "write" || to == fb && fa == fb
}

// participle reports whether something is said to be done, of which several
// things can be true at once: it is signed, it is published.
func (r *reading) participle() bool {
	before := class(noise)
	return r.index(func(w *word) bool {
		behind := before == predicate
		before = w.class
		return behind && (w.class == content || w.class == axis) && (strings.HasSuffix(w.text, "ed") || strings.HasSuffix(w.text, "ing"))
	}) >= 0
}

// family is what sort of statement it is, by its first predicate.
func (r *reading) family() string {
	at := r.index(func(w *word) bool { return w.class == predicate })
	if at < 0 {
		return ""
	}
	family, next := lists.Table("family")[r.words[at].text], r.textAt(at+1)
	if family == "is" {
		if family = "be"; next == "on" || next == "in" || next == "at" {
			family += " " + next
		}
	}
	return family
}

// agreeing tells apart statements without a contradiction.
func (c *comparison) agreeing(same bool) (Relation, string) {
	total := c.shared + c.restA + c.restB
	if total == 0 {
		return Unknown, "neither says anything that rules can hold against the other"
	}
	differ := c.figures || len(c.flipped) > 0 || len(c.opposites) > 0 || len(c.values) > 0 || len(c.swapped) > 0 || c.a.signs != c.b.signs
	switch {
	case !differ && c.shared >= 0.85*total && c.sameOrder():
		return Duplicates, "says the same"
	case c.restA == 0 && c.restB > 0 && c.shared > 0 && (!differ || c.newFigures && len(c.values) == 0 && len(c.flipped) == 0):
		return Extends, "says all of it and more"
	case c.restA <= 0.2*c.shared && c.restB > c.restA && !differ:
		return Extends, "says nearly all of it and more"
	case same:
		return Unknown, "the same subject, and rules cannot tell"
	}
	return Unrelated, "another subject"
}

// sameOrder reports whether the shared words stand in the same order, perhaps
// with the halves of the sentence exchanged.
func (c *comparison) sameOrder() bool {
	a, b := c.a.order(), c.b.order()
	if slices.Equal(a, b) {
		return true
	}
	halves := func(r *reading) bool {
		first := -1
		for i := range r.words {
			if w := &r.words[i]; w.says() {
				if first >= 0 && w.clause != first {
					return true
				}
				first = w.clause
			}
		}
		return r.has(qualifier) || r.has(axis) || r.has(relative)
	}
	if len(a) != len(b) || !halves(c.a) || !halves(c.b) {
		return false
	}
	twice := strings.Join(a, "\x01") + "\x01" + strings.Join(a, "\x01")
	return strings.Contains("\x01"+twice+"\x01", "\x01"+strings.Join(b, "\x01")+"\x01")
}

// exchanged reports whether two of the same words stand in each other's place: from
// Zendesk to Jira, from Jira to Zendesk.
func (c *comparison) exchanged() bool {
	a, b := c.a.order(), c.b.order()
	if len(a) != len(b) {
		return false
	}
	var differ []int
	for i := range a {
		if a[i] != b[i] {
			differ = append(differ, i)
		}
	}
	return len(differ) == 2 && a[differ[0]] == b[differ[1]] && a[differ[1]] == b[differ[0]]
}

func (r *reading) order() (out []string) {
	for i := range r.words {
		if w := &r.words[i]; w.says() {
			out = append(out, w.name())
		}
	}
	return out
}
