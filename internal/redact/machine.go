package redact

import "sync"

// automaton finds all shapes' prefixes and all cues in one pass, whatever
// their case (Aho–Corasick over classes of bytes).
type automaton struct {
	class [256]uint8
	next  []uint16   // by state<<classBits | class; atEnd marks states at which words end
	ends  [][]uint16 // by state: the words that end there
	words []string
}

// atEnd is added to the number of a state at which a word ends: one comparison
// per byte tells.
const atEnd = 1 << 15

// classBits leaves room for 64 classes: letters without case, all digits as
// one (only prefixes have any, and those are compared again), a few signs, and
// the bytes of the Chinese words.
const classBits = 6

var machine = sync.OnceValue(build)

// each calls fn for every word in s, with its number (shapes first, then cues)
// and its place, in the order in which the words end.
func (m *automaton) each(s string, fn func(word, from, to int)) {
	next, state := m.next, uint16(0)
	for i := 0; i < len(s); i++ {
		state = next[int(state&^atEnd)<<classBits|int(m.class[s[i]])]
		if state < atEnd {
			continue
		}
		for _, w := range m.ends[state&^atEnd] {
			fn(int(w), i+1-len(m.words[w]), i+1)
		}
	}
}

func build() *automaton {
	m := &automaton{}
	for _, sh := range shapes {
		m.words = append(m.words, sh.prefix)
	}
	for _, c := range cues {
		m.words = append(m.words, c.word)
	}
	classes := uint8(1) // class 0 is every byte that stands in no word
	for _, w := range m.words {
		for i := range len(w) {
			b := lower(w[i])
			if m.class[b] != 0 {
				continue
			}
			switch {
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

// link builds the trie and completes it with the failure links, in place: a
// hook builds it for one prompt.
func (m *automaton) link() {
	const states = 640 // a little more than there are
	m.next = make([]uint16, 1<<classBits, states<<classBits)
	m.ends = make([][]uint16, 1, states)
	for n, w := range m.words {
		at := 0
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
