package redact

import "sync"

// automaton finds all shapes' prefixes and all cues in one pass, whatever
// their case (Aho–Corasick over classes of bytes). States are numbered so that
// those at which a word ends come last: one comparison per byte tells.
type automaton struct {
	class [256]uint8
	next  []uint16 // state<<classBits | class
	first uint16   // the first state at which a word ends
	ends  [][]uint16
	words []string
}

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
		state = next[int(state)<<classBits|int(m.class[s[i]])]
		if state < m.first {
			continue
		}
		for _, w := range m.ends[state-m.first] {
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

// link builds the trie, completes it with the failure links, and renumbers.
func (m *automaton) link() {
	type node struct {
		to   [1 << classBits]uint16
		ends []uint16
	}
	trie := make([]node, 1, 512)
	for n, w := range m.words {
		at := uint16(0)
		for i := range len(w) {
			c := m.class[w[i]]
			if trie[at].to[c] == 0 {
				trie[at].to[c] = uint16(len(trie))
				trie = append(trie, node{})
			}
			at = trie[at].to[c]
		}
		trie[at].ends = append(trie[at].ends, uint16(n))
	}

	fail := make([]uint16, len(trie))
	queue := make([]uint16, 0, len(trie))
	for _, to := range trie[0].to {
		if to != 0 {
			queue = append(queue, to)
		}
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for c, to := range trie[at].to {
			back := trie[fail[at]].to[c]
			if to == 0 {
				trie[at].to[c] = back
				continue
			}
			fail[to] = back
			trie[to].ends = append(trie[to].ends, trie[back].ends...)
			queue = append(queue, to)
		}
	}

	number := make([]uint16, len(trie))
	for _, ending := range []bool{false, true} {
		for at := range trie {
			if (len(trie[at].ends) > 0) != ending {
				continue
			}
			number[at] = m.first
			if ending {
				number[at] += uint16(len(m.ends))
				m.ends = append(m.ends, trie[at].ends)
			} else {
				m.first++
			}
		}
	}
	m.next = make([]uint16, len(trie)<<classBits)
	for at := range trie {
		for c, to := range trie[at].to {
			m.next[int(number[at])<<classBits|c] = number[to]
		}
	}
}
