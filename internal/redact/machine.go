package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// automaton finds all shapes' prefixes and all cues in one pass, whatever
// their case (Aho–Corasick over classes of bytes). A hook builds it for one text, so
// that it touches little memory: only states of the first levels, where most texts
// stay, have a row that says where they go by class; the others have a list of the
// states behind them.
type automaton struct {
	class  [256]uint8
	rows   []uint16 // by state<<classBits | class
	states []state  // by how much of a word they have, the root first
	ends   []end    // the first is none
	words  []word
}

// state is the beginning of a word.
type state struct {
	class   uint8  // of its last byte
	longer  uint16 // the first state that goes on from here, of one without a row; 0 for none
	sibling uint16 // the next that goes on from the same state; 0 for none
	suffix  uint16 // the longest end of it that is another beginning
	end     uint16 // what ends here, in ends; 0 for nothing
}

// end is a word that ends at a state, and what else does, the shorter behind the longer.
type end struct{ word, next uint16 }

// word is a text that is looked for, in small letters, and what looks closer
// where it stands.
type word struct {
	text     string
	shapes   []*shape
	beside   []*shape // for the value of something called so
	commands []program
	look     func(sc *scan, from, to int)
	exact    bool // not every text of these classes is the word
}

// classBits leaves room for 64 classes: letters without case, all digits as one,
// a few signs, and the bytes of the Chinese words. Words with digits or Chinese
// characters are compared again where they end.
const classBits = 6

var machine = sync.OnceValue(build)

// mostGlances is how many texts a redactor looks at before it has the automaton made.
const mostGlances = 16

// passing reports a short text that needs no automaton, because no word stands in it,
// such as the path of most folders: some hooks clean nothing else.
func (r *Redactor) passing(s string) bool {
	const short = 256 // bytes
	if len(s) <= short && r.glances.Add(1) <= mostGlances && wordless(s) {
		return true
	}
	r.glances.Store(mostGlances)
	return false
}

// wordless reports a text in which no word stands, whole and in any case, looking for
// each by itself where its first two bytes may stand.
func wordless(s string) bool {
	low := strings.ToLower(s)
	var pairs [1 << 10]bool
	pair := func(s string) *bool { return &pairs[(int(s[0]|' ')<<5^int(s[1]|' '))%len(pairs)] }
	for i := range max(0, len(low)-1) {
		*pair(low[i:]) = true
	}
	has := func(text string) bool {
		if len(text) == 1 {
			return strings.Contains(low, text)
		}
		return *pair(text) && strings.Contains(low, strings.ToLower(text))
	}
	return !slices.ContainsFunc(shapes(), func(sh *shape) bool { return has(cmp.Or(sh.beside, sh.key)) }) &&
		!slices.ContainsFunc(commands(), func(c *command) bool { return slices.ContainsFunc(c.names, has) }) &&
		!slices.ContainsFunc(cues[:], func(c cue) bool { return slices.ContainsFunc(c.words, has) })
}

// each calls fn for every word in s, with its number and its place, in the order
// in which the words end.
func (m *automaton) each(s string, fn func(word, from, to int)) {
	at := uint16(0)
	for i := 0; i < len(s); i++ {
		at = m.step(at, m.class[s[i]])
		for e := m.states[at].end; e != 0; e = m.ends[e].next {
			w := int(m.ends[e].word)
			fn(w, i+1-len(m.words[w].text), i+1)
		}
	}
}

// step is where a state goes by a class.
func (m *automaton) step(at uint16, class uint8) uint16 {
	for int(at) >= len(m.rows)>>classBits {
		for to := m.states[at].longer; to != 0; to = m.states[to].sibling {
			if m.states[to].class == class {
				return to
			}
		}
		at = m.states[at].suffix
	}
	return m.rows[int(at)<<classBits|int(class)]
}

func build() *automaton {
	m := &automaton{words: vocabulary()}
	classes := uint8(1) // class 0 is every byte that stands in no word
	for n := range m.words {
		for i := range len(m.words[n].text) {
			b := m.words[n].text[i]
			if b >= 0x80 && b < 0xc0 {
				// The bytes behind the first of a Chinese character share classes by
				// sixteenths; where a word ends, it is compared.
				b = 0x80 | b&15
			}
			if m.class[b] != 0 {
				continue
			}
			switch {
			case b >= 0x80 && b < 0xc0:
				for c := b; c < 0xc0; c += 16 {
					m.class[c] = classes
				}
			case isLower(b):
				m.class[b], m.class[b-'a'+'A'] = classes, classes
			case isDigit(b):
				for d := '0'; d <= '9'; d++ {
					m.class[d] = classes
				}
			default:
				m.class[b] = classes
			}
			classes++
		}
	}
	m.link()
	return m
}

// vocabulary is every word with all that looks at it. Of the words of the lists
// only the first bytes are looked for, which keeps the automaton small; the rest
// is compared where they stand.
func vocabulary() []word {
	const most = 4
	words := make([]word, 0, 400)
	at := make(map[string]int, 400)
	enter := func(text string) *word {
		n, ok := at[text]
		if !ok {
			n = len(words)
			at[text] = n
			words = append(words, word{text: text})
		}
		return &words[n]
	}
	start := func(text string) *word { return enter(strings.ToLower(text[:min(len(text), most)])) }
	for _, sh := range shapes() {
		if sh.beside != "" {
			w := start(sh.beside)
			w.beside = append(w.beside, sh)
			continue
		}
		w := start(sh.key)
		w.shapes = append(w.shapes, sh)
	}
	for _, c := range commands() {
		for _, name := range c.names {
			w := start(name)
			w.commands = append(w.commands, program{name, c})
		}
	}
	for _, c := range cues {
		for _, text := range c.words {
			w := enter(text)
			w.look = c.look
			w.exact = strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 || '0' <= r && r <= '9' })
		}
	}
	return words
}

// rowed is how many levels of states have rows.
const rowed = 3

// link makes the states level by level, so that all that are shorter are there.
func (m *automaton) link() {
	m.rows = make([]uint16, 1<<classBits, 256<<classBits)
	m.states, m.ends = make([]state, 1, 1200), make([]end, 1, len(m.words)+1)
	at := make([]uint16, len(m.words)) // where each word has come to
	from, goesOn := 0, true
	for level := 0; goesOn; level++ {
		to := len(m.states)
		goesOn = false
		for n := range m.words {
			if text := m.words[n].text; level < len(text) {
				at[n] = m.enter(at[n], level, m.class[text[level]])
				goesOn = true
			}
		}
		for n := range slices.Backward(m.words) {
			if len(m.words[n].text) == level+1 {
				s := &m.states[at[n]]
				m.ends = append(m.ends, end{uint16(n), s.end})
				s.end = uint16(len(m.ends) - 1)
			}
		}
		if 0 < level && level < rowed {
			for s := from; s < to; s++ {
				row, shorter := m.row(uint16(s)), m.row(m.states[s].suffix)
				for c := range row {
					if row[c] == 0 {
						row[c] = shorter[c]
					}
				}
			}
		}
		from = to
	}
}

// enter is where a state of a level goes by a class, in the trie, and makes it.
func (m *automaton) enter(at uint16, level int, class uint8) uint16 {
	to := uint16(len(m.states))
	if level < rowed {
		if known := m.row(at)[class]; known != 0 {
			return known
		}
		m.row(at)[class] = to
	} else {
		for known := m.states[at].longer; known != 0; known = m.states[known].sibling {
			if m.states[known].class == class {
				return known
			}
		}
	}
	s := state{class: class}
	if level > 0 {
		s.suffix = m.step(m.states[at].suffix, class)
		s.end = m.states[s.suffix].end
	}
	if level >= rowed {
		s.sibling, m.states[at].longer = m.states[at].longer, to
	}
	if level+1 < rowed {
		m.rows = append(m.rows, make([]uint16, 1<<classBits)...)
	}
	m.states = append(m.states, s)
	return to
}

// row is where a state goes by class.
func (m *automaton) row(at uint16) []uint16 {
	return m.rows[int(at)<<classBits:][:1<<classBits]
}
