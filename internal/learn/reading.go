package learn

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

// read takes a statement apart.
func read(text string) *reading {
	r := &reading{folded: terms.Fold(text)}
	r.words = make([]word, 0, len(text)/4+4)
	s := r.folded
	var signs []byte
	money := "" // a currency sign right before a number
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case isHan(c):
			run := s[i:]
			if n := strings.IndexFunc(run, func(c rune) bool { return !isHan(c) }); n >= 0 {
				run = run[:n]
			}
			r.chinese(run)
			i += len(run)
		case wordStart(s, i, c):
			end := wordEnd(s, i)
			r.latin(s[i:end])
			r.costs(money)
			money, i = "", end
		default:
			switch c {
			case ',', ';', '.', '!', '?', '。', '、', '…', '\n', '(', ')', '—':
				r.words = append(r.words, word{class: pause})
			case ':', '=':
				r.words = append(r.words, word{class: predicate, text: ":"})
			case '%':
				r.percent()
			}
			if strings.ContainsRune("$€£¥", c) && i+size < len(s) && isDigit(s[i+size]) {
				money = string(c)
				i += size
				continue
			}
			if strings.ContainsRune("<>=?~^&|*+$-", c) && !(c == '-' && i > 0 && i+1 < len(s) && s[i-1] == ' ' && s[i+1] == ' ') {
				signs = append(signs, byte(c))
			}
			i += size
		}
	}
	r.signs = strings.TrimRight(string(signs), "?") // a question mark is told apart below
	if t := strings.TrimRight(s, " .!。"); strings.HasSuffix(t, "?") {
		r.signs += "?"
	}
	r.units()
	r.labels()
	r.phrases()
	r.structure()
	r.deny()
	for i := range r.words {
		w := &r.words[i]
		r.marks |= 1 << w.class
		w.heft = w.weight()
		if w.heft > 0 {
			w.id = w.name()
		}
		w.known = true
	}
	return r
}

func wordStart(s string, i int, r rune) bool {
	if letter(r) {
		return true
	}
	// Paths and dotted names: /infra, ~/.config, .env, @scope, #88.
	if strings.ContainsRune("/~.@#", r) && (i == 0 || strings.ContainsRune(" (\"'`", rune(s[i-1])) || s[i-1] >= utf8.RuneSelf) && i+1 < len(s) {
		next, _ := utf8.DecodeRuneInString(s[i+1:])
		return letter(next) && !isHan(next) || next == '/'
	}
	return false
}

// wordEnd is the end of the word that begins at i: joints stay inside when a
// letter follows.
func wordEnd(s string, i int) int {
	at := i
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case letter(r) && !isHan(r):
			at += size
		case at == i, strings.ContainsRune("-._/\\:@'’,#+~", r) && at+size < len(s):
			next, n := utf8.DecodeRuneInString(s[at+size:])
			inside := letter(next) && !isHan(next) || (next == '/' || next == '.' || next == '_') && (r == '/' || r == ':' || r == '~') && n > 0
			if (r == ',' || r == ':') && inside && !(isDigit(s[at-1]) && unicode.IsDigit(next)) && !(r == ':' && next == '/') {
				inside = false
			}
			if !inside && at > i {
				if r == '/' {
					return at + size
				}
				return at
			}
			at += size
		default:
			return at
		}
	}
	return at
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// latin adds a word that is not Chinese.
func (r *reading) latin(w string) {
	w = strings.ReplaceAll(strings.ReplaceAll(w, "’", ""), "'", "")
	if w == "" {
		return
	}
	if n := len(r.words); len(w) == 1 && !isDigit(w[0]) && n > 0 && r.words[n-1].text != "" && r.words[n-1].text[0] >= utf8.RuneSelf && r.words[n-1].class == content {
		r.words = append(r.words, word{text: w, key: "label", class: placed}) // 主機 A
		return
	}
	if n, ok := enNumbers[w]; ok {
		r.words = append(r.words, word{text: w, class: quantity, key: w, val: value{number: n}})
		return
	}
	if s, ok := english()[w]; ok {
		r.words = append(r.words, word{text: w, key: cmp.Or(s.key, w), class: s.class, sign: s.sign})
		return
	}
	if v, ok := number(w); ok {
		r.words = append(r.words, word{text: w, class: quantity, key: w, val: v})
		return
	}
	if v, ok := shaped(w); ok {
		r.words = append(r.words, word{text: w, class: quantity, key: w, val: v})
		return
	}
	// Hyphenated words count as their parts; no-unused-vars is a name.
	if strings.Contains(w, "-") && !strings.HasPrefix(w, "no-") {
		for part := range strings.SplitSeq(w, "-") {
			if part != "" {
				r.latin(part)
			}
		}
		return
	}
	r.words = append(r.words, word{text: w, key: canon(stem(w)), class: content})
}

// chinese adds the words of a run of Chinese: those of the lexicon, longest
// first, the rest by the character.
func (r *reading) chinese(run string) {
	for i := r.scaled(run); i < len(run); {
		if n, length := zhNumber(run[i:]); length > 0 {
			if dim, size, u := unitAt(run[i+length:]); dim != "" {
				if dim == "点" {
					r.clockAt(n, run[i+length+u:], &i, length+u)
					continue
				}
				text := run[i : i+length+u]
				if s := chinese()[text]; s.class == placed {
					r.words = append(r.words, word{text: text, key: s.key, class: placed})
				} else {
					r.words = append(r.words, word{text: text, key: text, class: quantity, val: value{dim: dim, number: n * size}})
				}
				i += length + u
				continue
			}
		}
		ends, n := prefixes(run[i:], zhLongest)
		taken := false
		for k := n - 1; k >= 0 && !taken; k-- {
			w := run[i : i+ends[k]]
			s, ok := chinese()[w]
			if w == "不过" && i > 0 {
				ok = false // 对花生不过敏
			}
			if !ok && k == 1 && terms.Common(w) {
				s, ok = sense{class: content}, true
			}
			if ok {
				r.words = append(r.words, word{text: w, key: cmp.Or(s.key, w), class: s.class, sign: s.sign})
				i, taken = i+ends[k], true
			}
		}
		if !taken {
			w := run[i : i+ends[0]]
			r.words = append(r.words, word{text: w, key: w, class: content})
			i += ends[0]
		}
	}
}

// prefixes are the ends of the first characters of s, most of them at most.
func prefixes(s string, most int) (ends [zhLongest]int, n int) {
	for at := 0; n < most && at < len(s); n++ {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
		ends[n] = at
	}
	return ends, n
}

// unitAt finds a unit at the start of a Chinese text.
func unitAt(s string) (dim string, size float64, length int) {
	ends, n := prefixes(s, 3)
	for k := n - 1; k >= 0; k-- {
		if dim, size = unit(s[:ends[k]]); dim != "" {
			return dim, size, ends[k]
		}
	}
	return "", 0, 0
}

// clockAt adds an hour with what follows 點: a half, minutes.
func (r *reading) clockAt(hour float64, rest string, i *int, length int) {
	minutes := 0.0
	if m, n := zhNumber(rest); n > 0 {
		if m < 1 {
			m = 30
		}
		minutes = m
		length += n
		if strings.HasPrefix(rest[n:], "分") {
			length += len("分")
		}
	}
	r.words = append(r.words, word{text: "clock", key: "clock", class: quantity, val: value{dim: "clock", number: hour*60 + minutes}})
	*i += length
}

// costs makes the number that was read last an amount of money.
func (r *reading) costs(currency string) {
	if n := len(r.words); currency != "" && n > 0 && r.words[n-1].class == quantity {
		v := &r.words[n-1].val
		switch {
		case v.dim == "B" && strings.HasSuffix(r.words[n-1].text, "k"): // 5k is no size here
			v.number *= 1000.0 / (1 << 10)
		case v.dim == "B" && strings.HasSuffix(r.words[n-1].text, "m"):
			v.number *= 1e6 / (1 << 20)
		case v.dim != "":
			return
		}
		v.dim, v.text = currency, ""
	}
}

// scaled multiplies the number that was read last by the Chinese power of ten at
// the start of s, as in 3 万, and returns the length of that.
func (r *reading) scaled(s string) int {
	n := len(r.words)
	if n == 0 || r.words[n-1].class != quantity || r.words[n-1].val.dim != "" {
		return 0
	}
	for _, scale := range [...]struct {
		word string
		by   float64
	}{{"百万", 1e6}, {"千万", 1e7}, {"万", 1e4}, {"亿", 1e8}, {"千", 1e3}, {"百", 100}} {
		if strings.HasPrefix(s, scale.word) {
			r.words[n-1].val.number *= scale.by
			r.words[n-1].val.text = ""
			return len(scale.word)
		}
	}
	return 0
}

func (r *reading) percent() {
	if n := len(r.words); n > 0 && r.words[n-1].class == quantity && r.words[n-1].val.dim == "" {
		r.words[n-1].val = value{dim: "%", number: r.words[n-1].val.number}
	}
}
