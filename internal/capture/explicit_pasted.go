package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What tells a document from a prompt.
const (
	longPrompt     = 4000 // characters: what is longer was hardly typed
	shortParagraph = 400  // characters of what its writer says around a document
)

// ownText is what of a prompt its writer says, line by line; somebody else's words, which
// would otherwise become the writer's standing orders, are blank.
type ownText struct {
	lines  []string
	unsure []bool // lines that may be somebody else's
}

// ownWords are the words of a prompt in which its writer speaks: not what stands
// behind a request to summarise, translate or explain it, what stands above one about
// "the above", the inside of a document, and the output of programs.
func ownWords(prompt string) ownText {
	lines := blankAskedAbout(slices.Collect(promptLines(prompt)))
	blankDocument(lines)
	o := ownText{lines: lines, unsure: make([]bool, len(lines))}
	all := strings.Split(withoutInserts(prompt), "\n")
	inside := framed(all)
	for i, v := range voices(all)[:len(lines)] {
		v = max(v, inside[i])
		if v == pasted {
			lines[i] = ""
		}
		o.unsure[i] = v == trailing || quotesSource(lines[i])
	}
	return o
}

func (o *ownText) text() string { return strings.Join(o.lines, "\n") }

// doubtful reports whether text()[from:to] may have been pasted in part.
func (o *ownText) doubtful(from, to int) bool {
	at := 0
	for i, line := range o.lines {
		if o.unsure[i] && from < at+len(line) && to > at {
			return true
		}
		at += len(line) + 1
	}
	return false
}

// blankAskedAbout blanks the texts that lines ask about.
func blankAskedAbout(lines []string) []string {
	last := len(lines) - 1
	for last >= 0 && lines[last] == "" {
		last--
	}
	lines = lines[:last+1]
	for i := range lines {
		head, points := asksAboutText(lines[i])
		switch {
		case points == above, points == near && i == last && head == len(lines[i]):
			clear(lines[:i])
		case points != nowhere:
			lines[i] = lines[i][:head]
			return lines[:i+1]
		}
	}
	return lines
}

// blankDocument leaves of a prompt that holds a document, or is one, the first
// and the last paragraph, where these are short and no part of it by their looks.
func blankDocument(lines []string) {
	type paragraph struct{ from, to, chars int }
	var all []paragraph
	chars, document := 0, false
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" {
			continue
		}
		p := paragraph{from: i}
		for ; i < len(lines) && lines[i] != ""; i++ {
			p.chars += utf8.RuneCountInString(lines[i])
		}
		p.to = i
		chars += p.chars
		all = append(all, p)
	}
	foreign := make([]bool, len(all))
	for i, p := range all {
		foreign[i] = heading(lines[p.from])
		greets, alone, formal := salutation(lines[p.from])
		more := p.to-p.from > 1 || i+1 < len(all) || !alone
		switch {
		case !greets || !more:
		case i > 0 || formal:
			foreign[i] = true
		case alone && len(all) > 1:
			// "Hi Ann," may be said to the agent, or stand above a letter.
			document = true
		}
		document = document || foreign[i]
	}
	if !document && chars <= longPrompt {
		return
	}
	for i, p := range all {
		own := (i == 0 || i == len(all)-1) && !foreign[i]
		if own && p.chars > shortParagraph {
			// A list that the prompt opens with is asked for, however long it is.
			asked, _, _, ok := request(lines[p.from])
			own = i == 0 && ok && announces(asked)
		}
		if !own {
			clear(lines[p.from:p.to])
		}
	}
}

// heading reports whether a line is a heading of Markdown.
func heading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n > 0 && n <= 6 && strings.HasPrefix(rest, " ")
}

// salutation reports whether a line begins as a letter does, whether nothing
// else stands in it, and whether nobody would speak to an agent like that.
func salutation(line string) (greets, alone, formal bool) {
	low := asciiLower(line)
	if n := prefix(low, "dear ", "hi ", "hello ", "hey ", "good morning ", "good afternoon "); n > 0 {
		name := line[n:]
		rest := ""
		if i := strings.IndexAny(name, ",!:，：！"); i >= 0 {
			_, size := utf8.DecodeRuneInString(name[i:])
			name, rest = name[:i], name[i+size:]
		}
		first, _ := utf8.DecodeRuneInString(name)
		named := unicode.IsUpper(first) || first >= 0x2e80 || startsWithAny(name, "all", "team", "everyone", "everybody", "there", "folks", "sir", "madam")
		const mostWords = 4
		greets = named && len(strings.Fields(name)) <= mostWords
		return greets, greets && strings.TrimSpace(rest) == "", greets && low[0] == 'd'
	}
	if startsWithAny(line, "親愛的", "亲爱的", "尊敬的", "敬啟者", "敬启者") {
		end := strings.IndexAny(line, ",:，：！")
		return true, end < 0 || strings.TrimRight(line[end:], " ,:，：！!") == "", true
	}
	const nearby = 12 // characters before the greeting: 陳經理您好
	for _, word := range [...]string{"您好", "你好"} {
		name, rest, ok := strings.Cut(line, word)
		if ok && utf8.RuneCountInString(name) <= nearby && !strings.ContainsAny(name, "，,。：:") &&
			(rest == "" || startsWithAny(rest, "，", ",", "：", ":", "！", "!", "。", " ")) {
			return true, strings.Trim(rest, " ，,：:！!。") == "", false
		}
	}
	return false, false, false
}
