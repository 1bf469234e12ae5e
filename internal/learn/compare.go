package learn

import (
	"slices"
	"strings"
)

// comparison is what two statements share and where they differ.
type comparison struct {
	a, b         *reading
	usedA, usedB []bool // words that have a counterpart

	shared         float64  // weight of what both say
	sharedSubject  float64  // of that, in the subject of one of them
	role           bool     // they share a word for what there is one of
	flipped        []string // said by one and denied by the other
	takenBack      bool     // the newer one denies one of them
	affirmed       bool     // the newer one says one that the older one denies
	flippedSubject bool     // all of them are what the newer one speaks of
	flippedCore    float64  // weight of those that are neither spoken of nor a restriction
	crossed        bool     // one denies a member of a category, the other names another
	agreed         float64  // shared and not flipped
	denied         bool     // both deny something
	opposites      []string // sides of an axis
	everybody      bool     // one says anyone, the other only some
	swapped        []string // other members of a category
	swappedKeys    []string // those categories
	otherSubject   bool     // they name what is spoken of
	oppositeKeys   []string // the axes of the opposites
	values         []string // changed values
	otherName      bool     // a changed value is a name with figures in it
	subjectValues  bool     // a changed value names what is spoken of
	scopes         []string // other contexts
	narrower       bool     // one side names a context alone

	restA, restB       float64 // what only one of them says
	subjectA, subjectB float64 // of that, in its subject
	limitsA, limitsB   float64 // of that, in a restriction
	objectA, objectB   float64
	deniedA, deniedB   float64 // of that, denied
	thingsA, thingsB   float64 // of that, all but when
	topic              float64 // of what is shared, all but when
	figures            bool    // a value stands on one side only
	newFigures         bool    // on the newer side
}

// compare holds two statements against each other, word by word.
func compare(a, b *reading) *comparison {
	c := &comparison{a: a, b: b, flippedSubject: true}
	c.usedA, c.usedB = make([]bool, len(a.words)), make([]bool, len(b.words))
	c.match(func(w *word) (sort, bool) { return sort{w.class, w.name()}, true }, nil, func(x, y *word) {
		c.shared += x.weight()
		if !x.when() && !(x.class == axis && x.key == "order") {
			c.topic += x.weight()
		}
		if x.subject || y.subject {
			c.sharedSubject += x.weight()
		}
		c.role = c.role || unique(x.key)
		if x.neg != y.neg {
			c.flipped = append(c.flipped, x.text)
			c.takenBack, c.affirmed = c.takenBack || y.neg, c.affirmed || x.neg
			c.flippedSubject = c.flippedSubject && y.subject
			if denied := denying(x, y); !denied.subject && !denied.qualifies {
				c.flippedCore += denied.weight()
			}
		} else {
			c.agreed += x.weight()
			c.denied = c.denied || x.neg
		}
	})
	turned := false
	c.match(keyed(axis), nil, func(x, y *word) {
		if (x.sign == y.sign) == (x.neg == y.neg) {
			c.shared += 1
			c.agreed += 1
			turned = turned || x.neg != y.neg
			return
		}
		if x.key == "bound" || x.key != "who" && (x.subject || x.leads) && (y.subject || y.leads) {
			c.scopes = append(c.scopes, x.text+" / "+y.text)
			return
		}
		if x.key == "who" {
			c.everybody = true
		}
		c.opposites = append(c.opposites, x.text+" / "+y.text)
		c.oppositeKeys = append(c.oppositeKeys, x.key)
	})
	if turned {
		c.flipped, c.takenBack, c.affirmed = nil, false, false // "keep them short" and "avoid long ones"
	}
	extraA, extraB := 0.0, 0.0 // what one of two names for the same says more
	c.match(keyed(member), nil, func(x, y *word) {
		if x.neg || y.neg {
			c.crossed = c.crossed || x.neg != y.neg
			return
		}
		if x.leads && y.leads {
			c.scopes = append(c.scopes, x.text+" / "+y.text)
			return
		}
		if broad, narrow := strings.HasSuffix(x.id, " "+y.id), strings.HasSuffix(y.id, " "+x.id); broad || narrow {
			c.shared += x.weight() // Chinese and Traditional Chinese
			if narrow {
				extraB += 0.5
			} else {
				extraA += 0.5
			}
			return
		}
		c.swapped = append(c.swapped, x.text+" / "+y.text)
		c.otherSubject = c.otherSubject || x.subject && y.subject
		c.swappedKeys = append(c.swappedKeys, x.key)
	})
	c.match(keyed(placed), nil, func(x, y *word) {
		c.scopes = append(c.scopes, x.text+" / "+y.text)
	})
	values := func(w *word) (sort, bool) { return sort{class: quantity}, w.class == quantity && !w.reason }
	c.match(values, func(x, y *word) bool { return x.val.comparable(y.val) }, func(x, y *word) {
		if x.val.equal(y.val) {
			c.shared += x.weight()
			return
		}
		c.values = append(c.values, x.text+" / "+y.text)
		c.otherName = c.otherName || x.val.dim == "name"
		c.subjectValues = c.subjectValues || x.subject && y.subject
	})
	c.rest(a, c.usedA, &rest{&c.restA, &c.subjectA, &c.limitsA, &c.objectA, &c.deniedA, &c.thingsA}, false)
	c.rest(b, c.usedB, &rest{&c.restB, &c.subjectB, &c.limitsB, &c.objectB, &c.deniedB, &c.thingsB}, true)
	c.restA, c.restB = c.restA+extraA, c.restB+extraB
	return c
}

// denying is the one of two words that is denied.
func denying(x, y *word) *word {
	if x.neg {
		return x
	}
	return y
}

// sort is what two words have in common that can be counterparts.
type sort struct {
	class class
	of    string
}

// match pairs the words that have no counterpart yet: each of the one side, in
// their order, with the first of the other that is of the same sort and fits. A
// nil fits takes any. Words are looked up by their sort, because long texts have
// thousands.
func (c *comparison) match(of func(w *word) (s sort, ok bool), fits func(x, y *word) bool, found func(x, y *word)) {
	var left map[sort][]int
	for j := range c.b.words {
		y := &c.b.words[j]
		if c.usedB[j] || y.weight() == 0 {
			continue
		}
		if s, ok := of(y); ok {
			if left == nil {
				left = make(map[sort][]int)
			}
			left[s] = append(left[s], j)
		}
	}
	if left == nil {
		return
	}
	for i := range c.a.words {
		x := &c.a.words[i]
		if c.usedA[i] || x.weight() == 0 {
			continue
		}
		s, ok := of(x)
		if !ok {
			continue
		}
		for n, j := range left[s] {
			y := &c.b.words[j]
			if fits != nil && !fits(x, y) {
				continue
			}
			c.usedA[i], c.usedB[j] = true, true
			left[s] = slices.Delete(left[s], n, n+1)
			found(x, y)
			break
		}
	}
}

// keyed sorts the words of a class by their key.
func keyed(is class) func(*word) (sort, bool) {
	return func(w *word) (sort, bool) { return sort{is, w.key}, w.class == is }
}

// rest points at the weights of what one side alone says.
type rest struct{ all, subject, limits, object, denied, things *float64 }

func (c *comparison) rest(r *reading, used []bool, to *rest, newer bool) {
	for i := range r.words {
		w := &r.words[i]
		if used[i] || !w.says() {
			continue
		}
		if w.class == placed {
			c.narrower = true
		}
		if w.class == quantity {
			c.figures = true
			c.newFigures = c.newFigures || newer
		}
		*to.all += w.weight()
		if w.neg {
			*to.denied += w.weight()
		}
		if !w.when() {
			*to.things += w.weight()
		}
		switch {
		case w.subject && (w.class == axis || w.class == quantity || w.when()):
		case w.subject:
			*to.subject += w.weight()
		case w.class == axis:
		case w.qualifies:
			*to.limits += w.weight()
		default:
			*to.object += w.weight()
		}
	}
}

// unique reports words for what a subject has one of.
func unique(key string) bool {
	return lists.Words("role")[key] || key == "deadlin" || key == "birthday" || key == "email"
}

// dated reports whether the older statement speaks of a past it names.
func (c *comparison) dated() bool {
	if c.a.has(history) != c.b.has(history) && c.shared > 0 {
		return true
	}
	if len(c.a.words) > 0 && c.a.words[0].text == "until" {
		return true
	}
	return (c.shared > 0 || len(c.swapped) > 0) && c.a.index(func(w *word) bool {
		return w.class == quantity && w.qualifies && w.val.dim == "" && 1990 <= w.val.number && w.val.number < 2100
	}) >= 0
}
