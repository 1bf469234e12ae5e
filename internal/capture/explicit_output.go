package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

// voice is whose words a line of a prompt is.
type voice uint8

const (
	typed    voice = iota
	trailing       // stands behind pasted output, and may be its end
	pasted         // output, or between lines of it
)

// opensOutput is how many lines in a row look like output where it begins. A line that
// leads to it counts for one, what a chat writes above a message for two.
const opensOutput = 2

// voices says of each line, as it stands in a prompt, whose words it is. Output ends
// where its reader plainly goes on. In a chat people speak, too, so that it has no end.
func voices(lines []string) []voice {
	out := make([]voice, len(lines))
	signs, first := 0, 0
	chat, fenced, apart, before := false, false, false, ""
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if startsWithAny(text, "```", "~~~") {
			fenced, signs = !fenced, 0
			continue
		}
		if text == "" || fenced {
			apart = true
			continue
		}
		if signs == 0 || signs >= opensOutput && apart {
			first = i
		}
		head := chatHead(text)
		switch {
		case commandLine(text), namesSource(text):
			signs += opensOutput
			out[i] = pasted
			if signs > opensOutput && commandLine(text) {
				pasteFrom(out, first, i) // with what stands between two commands
			}
		case head || outputLike(line) && !(apart && speaks(text, apart)):
			signs++
			if head || signs == 1 && leadsToOutput(before) {
				signs++
			}
			chat = chat || head
			if signs >= opensOutput {
				pasteFrom(out, first, i)
			}
		case signs >= opensOutput && (chat || !speaks(text, apart)):
			out[i] = trailing
		default:
			signs = 0
		}
		before, apart = text, false
	}
	return out
}

func pasteFrom(out []voice, first, last int) {
	for at := first; at <= last; at++ {
		out[at] = pasted
	}
}

// leadsToOutput reports whether a line says that output follows.
func leadsToOutput(text string) bool {
	return endsWithAny(text, ":", "：") || containsAny(text, lists.Phrases("output-noun-zh")...) || hasOneOf(text, lists.Words("output-noun"))
}

// outputLike reports whether a line looks as programs write: from a log, a table, a
// frame, settings in capitals, or with many signs.
func outputLike(line string) bool {
	text := strings.TrimSpace(line)
	if startsWithAny(text, ">", "|") {
		return false // quoted, and marked as such line by line
	}
	if _, point := bullet(text); point {
		return false
	}
	if indented(line) || logged(text) || strings.ContainsRune(text, '\t') || strings.Count(text, "  ") > 1 {
		return true
	}
	if key, value, ok := cutColon(text); ok && shouted(key) {
		const few = 3 // words
		return len(strings.Fields(value)) <= few
	}
	if len(strings.Fields(text)) > 1 && shouted(text) {
		return true
	}
	const frame = 2 // signs at each end
	if n := len(text); n > 2*frame && !strings.ContainsFunc(text[:frame]+text[n-frame:], func(r rune) bool { return !strings.ContainsRune("*=-#+~_", r) }) {
		return true
	}
	return signed(text)
}

// shouted reports whether a text has capitals and no small letters.
func shouted(text string) bool {
	const least = 2
	n := 0
	for _, r := range text {
		switch {
		case unicode.IsUpper(r):
			n++
		case unicode.IsLetter(r):
			return false
		}
	}
	return n >= least
}

// signed reports whether one of eight characters, or more, is a sign that sentences
// have not.
func signed(text string) bool {
	const one = 8
	n, all := 0, 0
	for _, r := range text {
		if r == ' ' {
			continue
		}
		all++
		if r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(",.'?!`", r) {
			n++
		}
	}
	return n*one >= all
}

// chatHead reports whether a line is what a chat writes above a message: a name and a
// time of day.
func chatHead(text string) bool {
	const most, longName, longHanName = 3, 16, 6 // words of a name, characters of one
	words, clock := 0, false
	for _, w := range strings.Fields(strings.Trim(text, "[]():：")) {
		w = strings.Trim(w, "[](),:-–—·")
		switch hour, minute, ok := strings.Cut(w, ":"); {
		case ok && clockPart(hour) && clockPart(strings.TrimRight(asciiLower(minute), "amp")):
			if clock {
				return false
			}
			clock = true
		case w == "" || startsWithAny(asciiLower(w), "am", "pm") && len(w) == 2 || w == "上午" || w == "下午":
		case len(terms.Query(w)) == 0 || utf8.RuneCountInString(w) > longName || strings.ContainsAny(w, ":：，。、；"),
			strings.ContainsFunc(w, func(r rune) bool { return unicode.Is(unicode.Han, r) }) && utf8.RuneCountInString(w) > longHanName:
			return false // of a sentence
		default:
			words++
		}
	}
	return clock && words > 0 && words <= most
}

// clockPart reports whether a text is the hours or the minutes of a time of day.
func clockPart(s string) bool {
	return (len(s) == 1 || len(s) == 2) && strings.Trim(s, "0123456789") == ""
}

// speaks reports whether in a line behind output its reader plainly goes on: they ask,
// or speak of themselves. Where it stands apart, "we" may be they.
func speaks(text string, apart bool) bool {
	if isQuestion(asciiLower(text)) || containsAny(text, lists.Phrases("speaker-zh")...) {
		return true
	}
	return hasOneOf(text, lists.Words("speaker")) || apart && hasOneOf(text, lists.Words("speakers"))
}
