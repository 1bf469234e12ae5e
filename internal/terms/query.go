package terms

import "unicode/utf8"

// Of a prompt longer than maxPrompt characters, its first and last halfPrompt
// are looked at.
const (
	maxPrompt  = 2000
	halfPrompt = maxPrompt / 2
)

// Query returns the content terms of a prompt, each once, in order of
// appearance. It is empty when the prompt says nothing to search for: "ok",
// "yes, go on", 繼續.
//
// Of Chinese it gives the pairs of characters within words, as far as these are
// known, and all pairs of what is not known, cut at function words: a pair that
// only happens to stand side by side, such as 交信 in 提交信息, would have to be
// found like a word. A single character is given only where it stands alone.
func Query(text string) []string {
	head, tail := ends(text)
	found := newQuery(head)
	if tail != "" {
		found = append(found, newQuery(tail)...)
	}
	out := make([]string, 0, len(found))
	seen := make(map[string]struct{}, len(found))
	content := false
	for _, t := range found {
		if isFiller(t) {
			continue
		}
		if _, ok := seen[t]; ok {
			continue
		}
		seen[t] = struct{}{}
		out = append(out, t)
		content = content || !isAssent(t)
	}
	if !content {
		return nil
	}
	return out
}

func newQuery(text string) []string {
	x := newExtractor(text)
	x.query = true
	x.run()
	return x.out
}

// ends returns the part of a prompt that is looked at: all of it, or its head
// and tail without the words torn by the cuts.
func ends(text string) (head, tail string) {
	if len(text) <= maxPrompt || len(text) <= utf8.UTFMax*maxPrompt && utf8.RuneCountInString(text) <= maxPrompt {
		return text, ""
	}
	cut := 0
	for range halfPrompt {
		_, size := utf8.DecodeRuneInString(text[cut:])
		cut += size
	}
	from := len(text)
	for range halfPrompt {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	if ascii(text[cut]) {
		for n := 0; n < maxRunes && cut > 0 && ascii(text[cut-1]); n++ {
			cut--
		}
	}
	if ascii(text[from-1]) {
		for n := 0; n < maxRunes && from < len(text) && ascii(text[from]); n++ {
			from++
		}
	}
	return text[:cut], text[from:]
}

// ascii reports whether c is an ASCII letter or digit.
func ascii(c byte) bool { return c < utf8.RuneSelf && class[c] >= digit }

// token is a word of a run of CJK characters, or a character of a word that is
// not known.
type token struct {
	start, end int
	known      bool
	light      bool // see isLight
}

// askCJK adds the pairs of a run that stand within its words, as far as these
// are known, and between its function words.
func (x *extractor) askCJK(run string) {
	piece := x.tokens[:0]
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRuneInString(run[i:])
		n, known := functionWord(run, i), knownWord(run, i)
		day, length := weekday(run[i:])
		switch {
		case length > 0:
			x.askPiece(run, piece)
			piece = piece[:0]
			x.out = append(x.out, day)
			i += length
		case n >= known && n > 0, known == 0 && cuts(r):
			x.askPiece(run, piece)
			piece = piece[:0]
			i += max(n, size)
		case known > 0:
			piece = append(piece, token{start: i, end: i + known, known: true})
			i += known
		default:
			piece = append(piece, token{start: i, end: i + size, light: isLight(r)})
			i += size
		}
	}
	x.askPiece(run, piece)
	x.tokens = piece[:0]
}

// askPiece adds the pairs of what stands between function words, or its only
// character.
func (x *extractor) askPiece(run string, piece []token) {
	if len(piece) == 1 && !piece[0].known {
		if r, _ := utf8.DecodeRuneInString(run[piece[0].start:]); !isLight(r) {
			x.out = append(x.out, run[piece[0].start:piece[0].end])
		}
		return
	}
	for i, t := range piece {
		if i > 0 && bridges(run, piece, i) {
			before := piece[i-1]
			_, last := utf8.DecodeLastRuneInString(run[:before.end])
			_, first := utf8.DecodeRuneInString(run[t.start:])
			x.out = append(x.out, run[before.end-last:t.start+first])
		}
		if t.known {
			x.pairs(run[t.start:t.end])
		}
	}
}

// bridges reports whether the last character before the token and its first
// one may belong to one word.
func bridges(run string, piece []token, i int) bool {
	a, b := piece[i-1], piece[i]
	switch {
	case a.known && b.known, a.known && b.light, a.light && b.known:
		return false
	case a.known || b.known:
		return true
	// A character that is no word by itself stays in one pair.
	case a.light && i > 1 && piece[i-2].known:
		return !b.light && i+1 == len(piece)
	case b.light && i+1 < len(piece) && piece[i+1].known:
		return !a.light && i == 1
	}
	pair := run[a.start:b.end]
	first, size := utf8.DecodeRuneInString(pair)
	second, _ := utf8.DecodeRuneInString(pair[size:])
	return !isFunction(first) || !isFunction(second) || isContentPair(pair)
}

// pairs adds the pairs of a word.
func (x *extractor) pairs(word string) {
	_, last := utf8.DecodeRuneInString(word)
	for i, j := 0, last; j < len(word); {
		_, size := utf8.DecodeRuneInString(word[j:])
		x.out = append(x.out, word[i:j+size])
		i, j = j, j+size
	}
}

// isFiller reports terms (stems) that never say what a prompt is about.
func isFiller(t string) bool {
	switch t {
	case "ok", "okay", "okey", "yes", "yeah", "yep", "yup", "nope", "pleas", "pls", "plz",
		"thank", "thx", "ty", "hi", "hello", "hey", "lgtm", "cheer", "alright", "hmm", "uh", "um":
		return true
	}
	return false
}

// isAssent reports terms (stems and pairs) that mean something among others,
// but of which alone a prompt merely says: go on.
func isAssent(t string) bool {
	switch t {
	case "go", "continu", "next", "proceed", "ahead", "keep", "carri", "resum", "start", "begin",
		"good", "great", "nice", "cool", "fine", "perfect", "awesom", "excel", "amaz", "wonder", "super",
		"right", "correct", "sure", "exact", "true", "agre", "approv", "confirm", "accept", "allow",
		"done", "got", "get", "let", "make", "sens", "look", "sound", "work", "seem", "tri", "try",
		"retri", "note", "understood", "understand", "see", "absolut", "definit", "cours", "inde",
		"welcom", "now", "then", "step", "pleasur", "problem", "worri", "never", "mind", "bit",
		"best", "better", "job", "love", "appreci", "much", "lot", "way", "want", "need", "think",
		"yay", "wow", "k", "y", "n", "r", "1", "2", "3",
		"确认", "开始", "执行", "了解", "批准", "允许", "步骤", "行":
		return true
	}
	return false
}
