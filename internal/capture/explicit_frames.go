package capture

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What of a prompt stands in a frame that its writer, or a program, put around somebody
// else's words: an element, a command with its output, a line that names their source.

// framed says of each line of a prompt whether it stands in an element: one that names
// what holds others' words, or another, which the writer may have put around their own.
func framed(lines []string) []voice {
	out := make([]voice, len(lines))
	for i := 0; i < len(lines); i++ {
		name := elementName(strings.TrimSpace(lines[i]))
		end := closes(lines[i:], name)
		if name == "" || end < 0 {
			continue
		}
		v := trailing
		if holdsOthers(name) {
			v = pasted
		}
		for at := i; at <= i+end; at++ {
			out[at] = v
		}
		i += end
	}
	return out
}

// elementName is the name of the element that a line begins with; empty where it begins
// with none.
func elementName(text string) string {
	rest, ok := strings.CutPrefix(text, "<")
	n := strings.IndexFunc(rest, func(r rune) bool {
		return r != '-' && r != '_' && r != ':' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if !ok || n <= 0 || rest[n] != '>' && rest[n] != ' ' || !strings.Contains(rest[n:], ">") {
		return ""
	}
	return rest[:n]
}

// closes is the first of some lines in which an element ends; negative where none does.
func closes(lines []string, name string) int {
	for i, l := range lines {
		if name != "" && strings.Contains(l, "</"+name+">") {
			return i
		}
	}
	return -1
}

// holdsOthers reports whether an element's name says that it holds a document, the
// output of a program or a message.
func holdsOthers(name string) bool {
	return hasOneOf(strings.NewReplacer("-", " ", "_", " ", ":", " ").Replace(name), lists.Words("others-element"))
}

// commandLine reports whether a line is one of a terminal, where a command was typed
// behind the sign that asks for it.
func commandLine(text string) bool {
	if startsWithAny(text, "$ ", "% ", "❯ ", "➜ ", ">>> ", "PS C:\\") {
		return true
	}
	place, _, ok := strings.Cut(text, " ")
	user, host, at := strings.Cut(place, "@")
	return ok && at && user != "" && host != "" && endsWithAny(place, "$", "#", "%") && !strings.ContainsAny(user, ".,:;(")
}

// namesSource reports whether a line says where what follows comes from, and nothing
// else: "An answer from the forum:", "Issue #12", "CONTRIBUTING.md:".
func namesSource(text string) bool {
	const most = 10 // words
	head, opens := strings.CutSuffix(strings.TrimRight(text, " *"), ":")
	if !opens {
		head, opens = strings.CutSuffix(head, "：")
	}
	words := strings.Fields(head)
	switch {
	case len(words) == 0 || len(words) > most:
		return false
	case len(words) == 1 && opens && path.Ext(head) != "" && path.Ext(head) != ".":
		return true
	case !opens:
		// The head of an issue: a name for it and a number.
		const few = 4
		return len(words) <= few && hasOneOf(head, lists.Words("issue-noun")) && numbered(words[len(words)-1])
	}
	return fromSource(head)
}

// numbered reports whether a word is the number of an issue: #12, AB-12.
func numbered(word string) bool {
	digits := strings.TrimLeft(word, "#!ABCDEFGHIJKLMNOPQRSTUVWXYZ-")
	return digits != "" && digits != word && strings.Trim(digits, "0123456789") == ""
}

// fromSource reports whether words before a colon name where something comes from, and
// not what it is about or whose rules it is.
func fromSource(head string) bool {
	low := asciiLower(strings.TrimSpace(head))
	if ownRules(low) || startsWithAny(low, "for ", "in ", "on ", "about ", "regarding ", "re ", "to ", "when ", "關於", "关于") {
		return false
	}
	if _, _, _, asks := request(head + ":"); asks {
		return false
	}
	return hasOneOf(low, lists.Words("source-noun")) || containsAny(low, lists.Phrases("source-zh")...)
}

// quotesSource reports whether a line gives what it says as another's, before a colon
// within it: "I got this from the web: …", "A: …".
func quotesSource(text string) bool {
	n := colon(text)
	if n == 0 || n >= len(text) {
		return false
	}
	head := strings.TrimRight(text[:n], ":：")
	if r, size := utf8.DecodeRuneInString(head); size == len(head) && (r == 'Q' || r == 'A') {
		return true
	}
	return fromSource(head)
}
