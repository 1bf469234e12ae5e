package inert

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

//go:embed boundaries.txt
var boundaries string

// table is boundaries.txt, read. Names are kept as keys, see [table.key].
type table struct {
	frames          []string // what a name begins with
	names           map[string]bool
	words, heads    map[string]bool // heads are words, too
	types           map[string]bool
	squares         map[string]bool
	roles, turns    map[string]bool
	keys            map[string]bool
	titles          map[string]bool
	openers         map[rune]bool // what titles begin with
	speakers        map[rune]bool // what roles and turns begin with
	signs           map[rune]bool
	entities        map[string]rune
	likes           map[rune]byte
	longestWord     int // in bytes
	longestTitle    int // in bytes
	longestEntity   int
	reserved        [128]bool // ASCII characters at which a boundary or its spelling may begin
	reservedForeign map[rune]bool
}

// standard is read when it is first needed: a process that shows nothing does
// not pay for it.
var standard = sync.OnceValue(func() *table {
	t, err := readTable(boundaries)
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return t
})

// readTable reads the text of boundaries.txt. An error names the line.
func readTable(text string) (*table, error) {
	t := &table{
		names: map[string]bool{}, words: map[string]bool{}, heads: map[string]bool{}, types: map[string]bool{},
		squares: map[string]bool{}, roles: map[string]bool{}, turns: map[string]bool{}, keys: map[string]bool{},
		titles: map[string]bool{}, openers: map[rune]bool{}, speakers: map[rune]bool{}, signs: map[rune]bool{},
		entities: map[string]rune{}, likes: make(map[rune]byte, 1024), reservedForeign: map[rune]bool{},
	}
	n, named := 0, false
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		kind, rest, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("boundaries.txt:%d: %q has nothing behind it; add what belongs to it", n, kind)
		}
		var err error
		switch kind {
		case "like", "run", "entity":
			if err = t.shape(kind, rest); named {
				err = fmt.Errorf("%s stands behind names, which are kept as what they look like; put it before them", kind)
			}
		default:
			named = true
			err = t.add(kind, rest)
		}
		if err != nil {
			return nil, fmt.Errorf("boundaries.txt:%d: %w", n, err)
		}
	}
	for _, c := range `<[&\%` {
		t.reserved[c] = true
	}
	for r, c := range t.likes {
		if r >= utf8.RuneSelf && (c == '<' || c == '[') {
			t.reservedForeign[r] = true
		}
	}
	return t, nil
}

// shape takes in what looks like something else.
func (t *table) shape(kind, rest string) error {
	if kind == "run" {
		for w := range strings.FieldsSeq(rest) {
			first, _ := utf8.DecodeRuneInString(w)
			for i := range 26 {
				t.likes[first+rune(i)] = 'a' + byte(i)
			}
		}
		return nil
	}
	as, rest, ok := strings.Cut(rest, " ")
	if !ok || len(as) != 1 {
		return fmt.Errorf("%s needs one ASCII character and what stands for it", kind)
	}
	for w := range strings.FieldsSeq(rest) {
		r, size := utf8.DecodeRuneInString(w)
		switch {
		case kind == "entity":
			t.entities[w] = rune(as[0])
			t.longestEntity = max(t.longestEntity, len(w))
		case size != len(w):
			return fmt.Errorf("%q is more than one character", w)
		default:
			t.likes[r] = as[0]
		}
	}
	return nil
}

// add takes in names, roles and titles.
func (t *table) add(kind, rest string) error {
	if kind == "title" {
		key := t.key(rest)
		t.titles[key] = true
		begins(t.openers, key)
		t.longestTitle = max(t.longestTitle, len(key))
		return nil
	}
	for w := range strings.FieldsSeq(rest) {
		key := t.key(w)
		switch kind {
		case "frame":
			t.frames = append(t.frames, key)
		case "sign":
			r, _ := utf8.DecodeRuneInString(w)
			t.signs[r] = true
		case "name":
			t.names[key] = true
		case "head", "word":
			t.words[key] = true
			t.longestWord = max(t.longestWord, len(key))
			if kind == "head" {
				t.heads[key] = true
			}
		case "type":
			t.types[key] = true
		case "square":
			t.squares[key] = true
		case "role", "turn":
			t.turns[key] = true
			begins(t.speakers, key)
			if kind == "role" {
				t.roles[key] = true
			}
		case "key":
			t.keys[key] = true
		default:
			return fmt.Errorf("there is no kind %q", kind)
		}
	}
	return nil
}

// begins notes the letters with which a name of this key may begin.
func begins(letters map[rune]bool, key string) {
	r, size := utf8.DecodeRuneInString(key)
	for _, r := range key[:size] + spellings(r) {
		letters[r] = true
	}
}

// fold appends what a character is taken for: letters without case, marks and
// shape, look-alikes as what they look like. Nothing is appended for what only
// shapes a character or cannot be seen.
func (t *table) fold(out []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(out, byte(r))
	}
	if c, ok := t.likes[r]; ok {
		return append(out, c)
	}
	var buf [utf8.UTFMax]byte
	parts := norm.NFKD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if parts == nil {
		return t.foldPart(out, r)
	}
	for len(parts) > 0 {
		part, size := utf8.DecodeRune(parts)
		out, parts = t.foldPart(out, part), parts[size:]
	}
	return out
}

func (t *table) foldPart(out []byte, r rune) []byte {
	if formless(r) {
		return out
	}
	for _, r := range [...]rune{r, unicode.ToLower(r)} {
		if c, ok := t.likes[r]; ok {
			return append(out, c)
		}
	}
	return utf8.AppendRune(out, unicode.ToLower(r))
}

// formless reports what has no place of its own: marks, joiners, selectors,
// fillers.
func formless(r rune) bool {
	return r >= 0x80 && (unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800')
}

// key is how a name is looked up: its letters and digits, folded, and of what
// looks alike in small print (1, l and i; rn and m) or stands for it (3, e) one.
func (t *table) key(name string) string {
	var room [longestName]byte
	letters := room[:0]
	for _, r := range name {
		if 'a' <= r && r <= 'z' {
			letters = append(letters, byte(r))
			continue
		}
		var buf [16]byte
		letters = appendLetters(letters, t.fold(buf[:0], r))
	}
	return skeleton(letters)
}

// appendLetters appends the letters and digits of folded text.
func appendLetters(out, folded []byte) []byte {
	for len(folded) > 0 {
		r, size := utf8.DecodeRune(folded)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, folded[:size]...)
		}
		folded = folded[size:]
	}
	return out
}

// spellings are what [skeleton] makes a letter of, beside itself.
func spellings(r rune) string {
	i := strings.IndexRune("ozeasbtgmwdl", r)
	if i < 0 {
		return ""
	}
	return [...]string{"0", "2", "3", "4", "5", "68", "7", "9", "r", "v", "c", "1i"}[i]
}

// skeleton makes one of what small print makes one of. Digits at the end only
// count: document_2 is a document.
func skeleton(letters []byte) string {
	n := len(letters)
	for n > 0 && '0' <= letters[n-1] && letters[n-1] <= '9' {
		n--
	}
	out := make([]byte, 0, n)
	for i := 0; i < n; i++ {
		c := letters[i]
		switch {
		case '0' <= c && c <= '9':
			c = "olzeasbtbg"[c-'0']
		case c == 'i':
			c = 'l'
		case i+1 < n && c == 'r' && letters[i+1] == 'n':
			c, i = 'm', i+1
		case i+1 < n && c == 'v' && letters[i+1] == 'v':
			c, i = 'w', i+1
		case i+1 < n && c == 'c' && letters[i+1] == 'l':
			c, i = 'd', i+1
		}
		out = append(out, c)
	}
	return string(out)
}

// boundary reports whether a key names a frame or a turn.
func (t *table) boundary(key string) bool {
	return t.framed(key) || t.names[key] || t.compound(key)
}

// framed reports whether a key begins as a frame's does.
func (t *table) framed(key string) bool {
	return slices.ContainsFunc(t.frames, func(f string) bool { return strings.HasPrefix(key, f) })
}

// compound reports whether a key is nothing but known words, one of them a
// head.
func (t *table) compound(key string) bool {
	if len(key) > longestName {
		return false
	}
	// Up to each place: whether words lead there, with a head or without.
	plain, headed := [longestName + 1]bool{0: true}, [longestName + 1]bool{}
	for end := 1; end <= len(key); end++ {
		for from := max(0, end-t.longestWord); from < end; from++ {
			if !plain[from] && !headed[from] || !t.words[key[from:end]] {
				continue
			}
			if t.heads[key[from:end]] || headed[from] {
				headed[end] = true
			}
			plain[end] = true
		}
	}
	return headed[len(key)]
}
