package learn

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// value is a quantity: a number in the base unit of its dimension, or a text of
// a shape of its own.
type value struct {
	dim    string // "", "s", "B", "%", "version", "clock", "path", "name", or a counted thing
	number float64
	text   string
}

// comparable reports whether two values answer the same question.
func (v value) comparable(o value) bool {
	if v.dim == o.dim {
		return true
	}
	counted := func(d string) bool { return strings.HasPrefix(d, "n:") }
	switch {
	case v.dim == "count" && counted(o.dim) || counted(v.dim) && o.dim == "count":
		return true
	case v.dim == "s" && o.dim == "month" || v.dim == "month" && o.dim == "s":
		return true
	case v.dim == "version" && o.dim == "" || v.dim == "" && o.dim == "version":
		return true
	}
	// "timeout 30" and "timeout 60s"
	bare := func(a, b string) bool { return a == "" && (b == "s" || b == "B" || b == "%" || b == "count") }
	return bare(v.dim, o.dim) || bare(o.dim, v.dim)
}

// equal reports whether two comparable values are the same; a month has 28 to 31
// days.
func (v value) equal(o value) bool {
	if v.dim == "month" && o.dim == "s" {
		return o.equal(v)
	}
	if v.dim == "s" && o.dim == "month" {
		const day = 86400
		return 28*day*o.number <= v.number && v.number <= 31*day*o.number
	}
	return v.number == o.number && v.text == o.text
}

//go:embed units.tsv
var unitLines string

type measure struct {
	dim  string
	size float64
}

var units = sync.OnceValue(func() map[string]measure {
	out := make(map[string]measure)
	for line := range strings.Lines(unitLines) {
		columns := strings.Split(line, "\t")
		if len(columns) != 3 {
			continue // a comment, or blank
		}
		size, _ := strconv.ParseFloat(columns[1], 64) // a test reads them all
		for w := range strings.FieldsSeq(columns[2]) {
			m := measure{columns[0], size}
			if m.dim == "=" {
				m.dim = w
			}
			out[w] = m
		}
	}
	return out
})

// unit gives the dimension of a unit and its size in the base unit.
func unit(w string) (dim string, size float64) {
	m := units()[w]
	return m.dim, m.size
}

// number reads a number as people write it: 1,000, 2.5, v18.1.2, 10:30.
func number(w string) (value, bool) {
	digits := strings.TrimPrefix(w, "v")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return value{}, false
	}
	end := 0
	dots, colons := 0, 0
	for end < len(digits) {
		switch c := digits[end]; {
		case '0' <= c && c <= '9' || c == ',' || c == '_':
		case c == '.':
			dots++
		case c == ':':
			colons++
		default:
			return suffixed(w, digits[:end], digits[end:])
		}
		end++
	}
	switch {
	case colons == 1 && dots == 0:
		return clock(digits), true
	case colons > 0 || dots > 1 || len(digits) < len(w):
		return value{dim: "version", text: digits, number: first(digits)}, true
	}
	n, err := strconv.ParseFloat(ungrouped(digits), 64)
	if err != nil {
		return value{dim: "name", text: w}, true
	}
	v := value{number: n}
	if dots == 1 {
		v.text = digits // 18.1 and 18.10 may be versions
	}
	return v, true
}

// ungrouped drops the signs that group digits.
func ungrouped(digits string) string {
	if !strings.ContainsAny(digits, ",_") {
		return digits
	}
	return strings.ReplaceAll(strings.ReplaceAll(digits, ",", ""), "_", "")
}

func first(version string) float64 {
	head, _, _ := strings.Cut(version, ".")
	n, _ := strconv.ParseFloat(head, 64)
	return n
}

func clock(s string) value {
	hour, minute, _ := strings.Cut(s, ":")
	h, err1 := strconv.Atoi(hour)
	m, err2 := strconv.Atoi(minute)
	if err1 != nil || err2 != nil {
		return value{dim: "name", text: s}
	}
	return value{dim: "clock", number: float64(h*60 + m)}
}

// suffixed reads a number with something behind it: 30s, 80%, 3pm, 2nd, 4x.
func suffixed(whole, digits, rest string) (value, bool) {
	n, err := strconv.ParseFloat(ungrouped(digits), 64)
	if err != nil {
		return value{dim: "name", text: whole}, true
	}
	if rest == "am" || rest == "pm" {
		if n = n * 60; rest == "pm" && n < 720 {
			n += 720
		}
		return value{dim: "clock", number: n}, true
	}
	if dim, size := unit(rest); dim != "" {
		return value{dim: dim, number: n * size}, true
	}
	if rest == "st" || rest == "nd" || rest == "rd" || rest == "th" {
		return value{number: n}, true
	}
	return value{dim: "name", text: whole}, true
}

// enNumbers are the English words for numbers.
var enNumbers = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "twice": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "dozen": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
	"hundred": 100, "thousand": 1000,
}

// zhDigits are the Chinese digits, zhScales what multiplies them.
var (
	zhDigits = map[rune]float64{'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
	zhScales = map[rune]float64{'十': 10, '百': 100, '千': 1000, '万': 10000}
)

// zhNumber reads a Chinese numeral at the start of s and returns its length, 0
// when there is none.
func zhNumber(s string) (n float64, length int) {
	total, section, digit := 0.0, 0.0, 0.0
	for i, r := range s {
		if r == '半' {
			return total + section + digit + 0.5, i + utf8.RuneLen(r)
		}
		d, known := zhDigits[r]
		scale := zhScales[r]
		if !known && scale == 0 {
			return total + section + digit, i
		}
		switch {
		case scale == 10000:
			total, section, digit = (total+section+digit)*scale, 0, 0
		case scale > 0:
			section, digit = section+max(1, digit)*scale, 0
		default:
			digit = d
		}
	}
	return total + section + digit, len(s)
}

// shaped reports whether a word is a path, an address or a name of code: a
// value by its mere shape.
func shaped(w string) (value, bool) {
	switch {
	case strings.ContainsAny(w, "/\\") || strings.Contains(w, "://"):
		return value{dim: "path", text: strings.TrimRight(w, "/")}, true
	case strings.ContainsAny(w, "0123456789"):
		return value{dim: "name", text: w}, true
	}
	return value{}, false
}

// weekdayNumber is 1 for Monday to 7; 0 for what is no single day.
func weekdayNumber(name string) float64 {
	for i, start := range [...]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		if strings.HasPrefix(name, start) {
			return float64(i + 1)
		}
	}
	for i, end := range [...]string{"一", "二", "三", "四", "五", "六", "日"} {
		if strings.HasSuffix(name, end) {
			return float64(i + 1)
		}
	}
	if strings.HasSuffix(name, "天") {
		return 7
	}
	return 0
}

func monthNumber(name string) float64 {
	for i, start := range [...]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"} {
		if strings.HasPrefix(name, start) {
			return float64(i + 1)
		}
	}
	return 0
}
