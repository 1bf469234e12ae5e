package inert

import (
	"strings"
	"unicode"
)

// visible drops control characters, direction marks and what has no width.
// Line ends of any kind become newlines. Joiners and variation selectors stay
// where they shape a letter or an emoji, which they never do in ASCII, keycaps
// apart.
func visible(s string) string {
	if plain(s) {
		return s
	}
	var before rune
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', ' ' <= r && r <= '~':
		case r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			r = '\n'
		case unicode.IsControl(r):
			return -1
		case r == 0x200c, r == 0x200d:
			if before < 0x80 {
				return -1
			}
		case unicode.Is(unicode.Variation_Selector, r):
			if before < 0x80 && !strings.ContainsRune("0123456789#*", before) || unicode.Is(unicode.Variation_Selector, before) {
				return -1
			}
		case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		before = r
		return r
	}, s)
}

// plain reports text of visible ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}
