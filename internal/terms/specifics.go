package terms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Specifics are the values of a text: runs with a digit in them, days and months; and its
// names: words with a capital inside a sentence or with a sign in them, and words in Latin
// letters among Chinese ones. Both in lower case, each once.
func Specifics(s string) (values, names []string) {
	chinese := strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	begins := true
	add := func(to *[]string, w string) {
		if w = strings.ToLower(w); !slices.Contains(*to, w) {
			*to = append(*to, w)
		}
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !inRun(r) {
			begins = begins && unicode.IsSpace(r) || strings.ContainsRune(".!?:。！？：\n", r)
			if unicode.Is(unicode.Han, r) {
				if n := chineseValue(s[i:]); n > 0 {
					add(&values, s[i:i+n])
					i += n
					continue
				}
			}
			i += size
			continue
		}
		end := i
		for end < len(s) {
			r, n := utf8.DecodeRuneInString(s[end:])
			if !inRun(r) {
				break
			}
			end += n
		}
		w := strings.Trim(s[i:end], ".:-/")
		switch {
		case w == "":
		case strings.ContainsFunc(w, unicode.IsDigit) || dayOrMonth[strings.ToLower(w)]:
			add(&values, w)
		case strings.ContainsAny(w, "._/@-") || strings.ContainsFunc(w[1:], unicode.IsUpper) || chinese && len(w) > 1 || !begins && unicode.IsUpper(rune(w[0])) && len(w) > 1:
			add(&names, w)
		}
		begins = strings.HasSuffix(s[i:end], ".") || strings.HasSuffix(s[i:end], ":")
		i = end
	}
	return values, names
}

func inRun(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._/:@%+-", r))
}

const (
	numerals = "一二三四五六七八九十百千万萬零两兩半"
	counted  = "月日号號点點周週天小时時分秒个個次人年成倍"
)

// chineseValue is the length of a number in Chinese with what it counts, or of a day
// of the week, at the beginning of s; 0 for none.
func chineseValue(s string) int {
	for _, day := range []string{"周", "週", "星期", "礼拜", "禮拜"} {
		if rest, ok := strings.CutPrefix(s, day); ok {
			if r, n := utf8.DecodeRuneInString(rest); strings.ContainsRune("一二三四五六日天末", r) {
				return len(day) + n
			}
		}
	}
	end := 0
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !strings.ContainsRune(numerals, r) {
			if end > 0 && strings.ContainsRune(counted, r) {
				return end + n
			}
			break
		}
		end += n
	}
	return 0
}

var dayOrMonth = map[string]bool{
	"monday": true, "tuesday": true, "wednesday": true, "thursday": true, "friday": true, "saturday": true, "sunday": true,
	"mondays": true, "tuesdays": true, "wednesdays": true, "thursdays": true, "fridays": true, "saturdays": true, "sundays": true,
	"january": true, "february": true, "march": true, "april": true, "june": true, "july": true, "august": true,
	"september": true, "october": true, "november": true, "december": true,
}

// SameValue reports whether two values are equal but for their units.
func SameValue(a, b string) bool { return Bare(a) == Bare(b) }

// Comparable reports whether two values may answer the same question.
func Comparable(a, b string) bool { return shape(Bare(a)) == shape(Bare(b)) }

// Bare is a value without the unit behind it.
func Bare(v string) string {
	end := strings.IndexFunc(v, func(r rune) bool { return unicode.IsLetter(r) || r == '%' })
	if end > 0 && !strings.ContainsFunc(v[end:], unicode.IsDigit) {
		return v[:end]
	}
	return v
}

// shape is what a value looks like: each run of digits 0, each of letters a.
func shape(v string) string {
	var b strings.Builder
	var last rune
	for _, r := range v {
		switch {
		case unicode.IsDigit(r):
			r = '0'
		case unicode.IsLetter(r):
			r = 'a'
		}
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
