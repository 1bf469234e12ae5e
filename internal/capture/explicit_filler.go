package capture

import (
	"strings"
	"unicode/utf8"
)

// withoutFillers is a text without the words by which its speaker only turns to it:
// "oh btw", 對了，.
func withoutFillers(text string) string {
	for {
		n := filler(asciiLower(text))
		rest := strings.TrimLeft(afterJoint(text[n:]), "、;；…~～ ")
		if n == 0 || !meaningful(rest) {
			return text
		}
		text = rest
	}
}

// filler is how much of a text in lower case only turns to the rest.
func filler(low string) (n int) {
	for _, kind := range [...]string{"filler", "filler-before-sign", "filler-glued"} {
		for _, w := range lists.Phrases(kind) {
			behind, ok := strings.CutPrefix(low, w)
			if !ok || len(w) <= n {
				continue
			}
			rest := strings.TrimLeft(behind, " ")
			sign := startsWithAny(rest, ",", "，", "：", ":", "、", ";", "；", "…", "~", "～", "- ", "– ", "— ")
			chinese := w[0] >= utf8.RuneSelf
			apart := kind == "filler-glued" || kind == "filler" && (rest != behind || chinese && begins(rest))
			if sign || apart && !(chinese && partOfWhatIsSaid(rest)) {
				n = len(w)
			}
		}
	}
	return n
}

// begins reports whether a text of Chinese begins something: it points, or names it in
// letters.
func begins(rest string) bool {
	return rest != "" && 'a' <= rest[0] && rest[0] <= 'z' || startsWithAny(rest, lists.Phrases("points-zh")...)
}

// partOfWhatIsSaid reports whether what stands behind a filler of Chinese shows that it
// is none: 另外兩台.
func partOfWhatIsSaid(rest string) bool {
	return rest != "" && '0' <= rest[0] && rest[0] <= '9' || startsWithAny(rest, lists.Phrases("said-behind-filler-zh")...)
}
