package embed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"

	"orihon/memory"
)

// charsmap is the table by which SentencePiece normalises text: a double-array
// trie of character sequences (the darts-clone layout) whose values are places
// in a list of replacements, each ended by a zero byte. It comes from outside:
// no step leaves its bounds.
type charsmap struct {
	trie []byte // units of four bytes, little-endian
	text []byte
}

func openCharsmap(data []byte) (charsmap, error) {
	if len(data) < 8 {
		return charsmap{}, badTokenizer("its precompiled_charsmap is too short")
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if n == 0 || n%4 != 0 || n > int64(len(data)-4) {
		return charsmap{}, badTokenizer("its precompiled_charsmap has no table of %d bytes", n)
	}
	return charsmap{trie: data[4 : 4+n], text: data[4+n:]}, nil
}

func (m charsmap) unit(at uint32) (uint32, bool) {
	if uint64(at)*4+4 > uint64(len(m.trie)) {
		return 0, false
	}
	return binary.LittleEndian.Uint32(m.trie[at*4:]), true
}

// trieOffset is the distance from a unit to its children: 21 bits, in larger
// steps when bit 9 is set.
func trieOffset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// replacement is what the shortest sequence at the beginning of s that stands
// in the table becomes. The reference implementation takes the shortest one
// too.
func (m charsmap) replacement(s []byte) ([]byte, bool) {
	unit, ok := m.unit(0)
	if !ok {
		return nil, false
	}
	at := trieOffset(unit)
	for _, b := range s {
		if b == 0 {
			return nil, false
		}
		at ^= uint32(b)
		if unit, ok = m.unit(at); !ok || unit&(1<<31|0xff) != uint32(b) {
			return nil, false
		}
		at ^= trieOffset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		leaf, ok := m.unit(at)
		from := leaf &^ (1 << 31)
		if !ok || uint64(from) > uint64(len(m.text)) {
			return nil, false
		}
		to := bytes.IndexByte(m.text[from:], 0)
		if to < 0 {
			return nil, false
		}
		return m.text[from : int(from)+to], true
	}
	return nil, false
}

// maxGroup is how long a group of characters may be, in bytes, to be looked up
// as one.
const maxGroup = 5

// normalize looks up each character together with the marks that follow it,
// then each by itself, and leaves alone what the table does not have.
func (m charsmap) normalize(s []byte) []byte {
	out := make([]byte, 0, len(s)+8)
	for len(s) > 0 {
		_, n := utf8.DecodeRune(s)
		group := n
		for group < len(s) {
			r, size := utf8.DecodeRune(s[group:])
			if !unicode.Is(unicode.M, r) {
				break
			}
			group += size
		}
		if group > n && group <= maxGroup {
			if to, ok := m.replacement(s[:group]); ok {
				out, s = append(out, to...), s[group:]
				continue
			}
		}
		if to, ok := m.replacement(s[:n]); ok {
			out = append(out, to...)
		} else {
			out = append(out, s[:n]...)
		}
		s = s[n:]
	}
	return out
}

func badTokenizer(format string, args ...any) error {
	return fmt.Errorf("%w tokenizer.json: %s", memory.ErrInvalid, fmt.Sprintf(format, args...))
}
