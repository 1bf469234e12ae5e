package redact

import (
	"strings"
	"sync"
)

// automaton finds all shapes' prefixes and all cues in one pass, whatever
// their case (Aho–Corasick over classes of bytes).
type automaton struct {
	class [256]uint8
	next  []uint16   // by state<<classBits | class; atEnd marks states at which words end
	ends  [][]uint16 // by state: the words that end there
	words []word
}

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

// atEnd is added to the number of a state at which a word ends: one comparison
// per byte tells.
const atEnd = 1 << 15

// classBits leaves room for 64 classes: letters without case, all digits as one,
// a few signs, and the bytes of the Chinese words. Words with digits or Chinese
// characters are compared again where they end.
const classBits = 6

var machine = sync.OnceValue(build)

// each calls fn for every word in s, with its number and its place, in the order
// in which the words end.
func (m *automaton) each(s string, fn func(word, from, to int)) {
	next, state := m.next, uint16(0)
	for i := 0; i < len(s); i++ {
		state = next[int(state&^atEnd)<<classBits|int(m.class[s[i]])]
		if state < atEnd {
			continue
		}
		for _, w := range m.ends[state&^atEnd] {
			fn(int(w), i+1-len(m.words[w].text), i+1)
		}
	}
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
	words := make([]word, 0, 512)
	at := make(map[string]int, 512)
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
	for _, sh := range readShapes() {
		if sh.beside != "" {
			w := start(sh.beside)
			w.beside = append(w.beside, sh)
			continue
		}
		w := start(sh.key)
		w.shapes = append(w.shapes, sh)
	}
	for _, c := range readCommands() {
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

// link builds the trie and completes it with the failure links, in place: a
// hook builds it for one prompt.
func (m *automaton) link() {
	const states = 1536 // a little more than there are
	m.next = make([]uint16, 1<<classBits, states<<classBits)
	m.ends = make([][]uint16, 1, states)
	for n := range m.words {
		w, at := m.words[n].text, 0
		for i := range len(w) {
			to := &m.next[at<<classBits|int(m.class[w[i]])]
			if *to == 0 {
				*to = uint16(len(m.ends))
				at = len(m.ends)
				m.next, m.ends = append(m.next, make([]uint16, 1<<classBits)...), append(m.ends, nil)
				continue
			}
			at = int(*to)
		}
		m.ends[at] = append(m.ends[at], uint16(n))
	}

	fail := make([]uint16, len(m.ends))
	queue := make([]uint16, 0, len(m.ends))
	for _, to := range m.row(0) {
		if to != 0 {
			queue = append(queue, to)
		}
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		back := m.row(fail[at])
		for c, to := range m.row(at) {
			if to == 0 {
				m.row(at)[c] = back[c]
				continue
			}
			fail[to] = back[c]
			m.ends[to] = append(m.ends[to], m.ends[back[c]]...)
			queue = append(queue, to)
		}
	}
	for i, to := range m.next {
		if len(m.ends[to]) > 0 {
			m.next[i] |= atEnd
		}
	}
}

// row is where a state goes by class.
func (m *automaton) row(state uint16) []uint16 {
	return m.next[int(state)<<classBits:][:1<<classBits]
}
