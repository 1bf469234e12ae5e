package redact

import "strings"

// keyed looks at what is called a key of any sort, or the IV that some services give with
// it, and at what a sentence or a sign gives to it: "the partner key is …", HashKey=…,
// 特店 key 是 …. Such a name promises little, so that only what looks random counts, and
// nothing where the word before says that the key looks something up.
func (sc *scan) keyed(from, to int) {
	s := sc.s
	start, end := keyAround(s, from, to)
	if end != to || keyKind(s[start:end]) != unnamed || sc.opensNothing(start, from) {
		return
	}
	if last := lastWord(s[start:end]); to-from == len("iv") && (last != "iv" || last == strings.ToLower(s[start:end])) {
		return // the end of another word, or an IV that nothing is said of
	}
	i, _ := sc.afterGap(start, end)
	if gap := skipSigns(s, end, 4, " \t\"'`\\"); gap < len(s) {
		if n := separator(s[gap:min(len(s), gap+joinMost)], false); n > 0 {
			i = gap + n
		} else if i == 0 && gap > end && start < from {
			i = gap // right behind a name of one word: HashKey …
		}
	}
	if i == 0 {
		return
	}
	i = skipSigns(s, skipOpening(s, skipBlank(s, i, 2)), 8, " \t\"'`\\*")
	// What else looks at the value may give it a better name: it is not settled.
	if to := sc.run(i, random); !sc.off[credential] && (sc.randomToken(i, to) || keyText(s[i:to])) {
		sc.spans = append(sc.spans, span{i, to, credential})
	}
}

// keyText reports whether v, which a key is said to be, is drawn from letters and digits.
func keyText(v string) bool {
	c := count(v[:min(len(v), judged)])
	return len(v) >= 16 && c.digits > 1 && c.lowers+c.uppers > 3 && scattered(v[:min(len(v), judged)], &c) && !isHexText(v) && !identity(v) && !mentions(v)
}

// opensNothing reports whether the words before "key", in its name or in the sentence, say
// that it is public or that something is looked up by it; a key of which nothing is said,
// in code or data, may be any.
func (sc *scan) opensNothing(start, from int) bool {
	const most, longest = 32, 3 // bytes before it; characters of a Chinese word in the list
	name := sc.s[start:from]
	if strings.Trim(name, "_-.") == "" {
		if !sc.sentence(start) {
			return true
		}
		before := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(sc.lineBefore(start, most), " "), "的"), " ")
		if name = before[strings.LastIndexAny(before, " \t")+1:]; name == "" || strings.Contains("\"'`{,(.<", name[len(name)-1:]) {
			return name != ""
		}
	}
	if listed(lastWord(name), openingKey) {
		return true
	}
	said := []rune(name) // no blanks part the words of Chinese
	for n := 1; n <= min(longest, len(said)); n++ {
		if listed(string(said[len(said)-n:]), openingKey) {
			return true
		}
	}
	return false
}

func lastWord(name string) (last string) {
	for last = range words(name) {
		continue
	}
	return last
}
