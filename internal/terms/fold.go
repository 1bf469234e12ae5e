package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s in the one form in which text is compared: NFKC, lower case,
// without diacritics, traditional Chinese characters as simplified ones.
// Punctuation and spaces stay. A run of invalid UTF-8 becomes U+FFFD.
func Fold(s string) string {
	_, lower := fold(s)
	return lower
}

// fold returns the folded text twice, with its capitals and in lower case. A
// byte offset means the same place in both.
func fold(s string) (cased, lower string) {
	if isASCII(s) {
		return s, strings.ToLower(s)
	}
	// The normaliser passes by what stands behind an invalid byte.
	s = norm.NFKC.String(strings.ToValidUTF8(s, "\ufffd"))
	up := make([]byte, 0, len(s)+8)
	low := make([]byte, 0, len(s)+8)
	dropped := false
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			up = append(up, c)
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			low = append(low, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case hanFirst <= r && r <= hanLast:
			r = Simplified(r)
			up = utf8.AppendRune(up, r)
			low = utf8.AppendRune(low, r)
		case 0x3040 <= r && r <= 0x30ff && r != 0x3099 && r != 0x309a,
			0xac00 <= r && r <= 0xd7a3:
			up = append(up, s[i:i+size]...)
			low = append(low, s[i:i+size]...)
		case r == utf8.RuneError:
			up = utf8.AppendRune(up, r)
			low = utf8.AppendRune(low, r)
		default:
			var base []byte
			if hasDecomposition(r) {
				base = norm.NFD.PropertiesString(s[i:]).Decomposition()
			}
			before := len(low)
			for len(base) > 0 {
				b, n := utf8.DecodeRune(base)
				up, low = appendFolded(up, low, b)
				base = base[n:]
			}
			if len(low) == before {
				up, low = appendFolded(up, low, r)
			}
			dropped = dropped || len(low) == before
		}
		i += size
	}
	// What stood on both sides of a dropped mark may now compose.
	if dropped && !norm.NFKC.IsNormal(low) {
		_, again := fold(string(low))
		return again, again
	}
	return string(up), string(low)
}

// hasDecomposition reports whether r is of a script whose accented letters are
// folded to the bare ones: Latin, Greek or Cyrillic. Elsewhere a mark makes
// another letter.
func hasDecomposition(r rune) bool {
	return 0xc0 <= r && r <= 0x52f || 0x1e00 <= r && r <= 0x1fff
}

// appendFolded appends one decomposed character: nothing for a mark or an
// invisible one, else its two cases, equally long.
func appendFolded(up, low []byte, r rune) (_, _ []byte) {
	if r < utf8.RuneSelf {
		up = append(up, byte(r))
		return up, append(low, byte(unicode.ToLower(r)))
	}
	if unicode.In(r, unicode.M) || invisible(r) {
		return up, low
	}
	l := unicode.ToLower(r)
	if bare := bareLatin[l]; bare != "" {
		low = append(low, bare...)
		if l != r {
			bare = strings.ToUpper(bare[:1]) + bare[1:]
		}
		return append(up, bare...), low
	}
	if l == 'ς' {
		l = 'σ'
	}
	if r == 'ς' || utf8.RuneLen(l) != utf8.RuneLen(r) {
		r = l
	}
	return utf8.AppendRune(up, r), utf8.AppendRune(low, l)
}

// bareLatin is what a lower-case Latin letter is commonly typed as where Unicode
// has no decomposition for it.
var bareLatin = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'ħ': "h", 'ŧ': "t", 'þ': "th", 'ı': "i",
}

// invisible reports characters that may stand inside a word without changing
// it: soft hyphen, joiners, byte order mark.
func invisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200c', '\u200d', '\u2060', '\ufeff':
		return true
	}
	return false
}

// Simplified returns the folded form of a Chinese character, which is one of the
// simplified script; others stay.
func Simplified(r rune) rune {
	if r < hanFirst || hanLast < r {
		return r
	}
	page := (r - hanFirst) >> hanPageBits << 1
	bounds := hanPages[page : page+4]
	i, ok := search3(hanKeys, int(bounds[0])|int(bounds[1])<<8, int(bounds[2])|int(bounds[3])<<8, r)
	if !ok {
		return r
	}
	return rune3(hanValues, i)
}

// search3 looks for r among the sorted three-byte characters [low, high) of
// table.
func search3(table string, low, high int, r rune) (int, bool) {
	for low < high {
		mid := int(uint(low+high) >> 1)
		switch k := rune3(table, mid); {
		case k == r:
			return mid, true
		case k < r:
			low = mid + 1
		default:
			high = mid
		}
	}
	return low, false
}

// rune3 decodes the i-th character of a string of three-byte characters.
func rune3(table string, i int) rune {
	b := table[3*i : 3*i+3]
	return rune(b[0]&0x0f)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
}

func isASCII(s string) bool {
	for len(s) >= 8 {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&0x80 != 0 {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
