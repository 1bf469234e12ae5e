package terms

import (
	"slices"
	"unicode/utf8"
)

// Of a prompt longer than maxPrompt characters, its first and last halfPrompt
// are looked at.
const (
	maxPrompt  = 2000
	halfPrompt = maxPrompt / 2
)

// few terms are looked through faster than a set of them is made.
const few = 48

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
	out := found[:0]
	var seen map[string]bool
	if len(found) > few {
		seen = make(map[string]bool, len(found))
	}
	content := false
	for _, t := range found {
		if isFiller(t) || seen[t] || seen == nil && slices.Contains(out, t) {
			continue
		}
		if seen != nil {
			seen[t] = true
		}
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
