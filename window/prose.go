package window

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

// oneLine is text on a single line: white space of any kind becomes one blank,
// control characters go.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// clip is s, or as much of its beginning as n characters hold, with an ellipsis
// where it was cut: between two words if it can be.
func clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	end := max(0, n-1)
	for at := end; at > end*2/3; at-- {
		if runes[at] == ' ' {
			end = at
			break
		}
	}
	return strings.TrimRight(string(runes[:end]), " ,;:，；：、") + "…"
}

// cut is clip that does not look for the end of a word: the beginning of a
// message is looked for as it stands.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(0, n-1)]) + "…"
}

// sentences cuts prose at the ends of sentences and lines, without the marks of
// Markdown, code blocks and tables.
func sentences(text string) []string {
	var out []string
	for _, s := range statements(text, true) {
		out = append(out, s.text)
	}
	return out
}

// statement is a sentence and where it stands in its text.
type statement struct {
	text  string
	line  int    // of those that are not empty
	at    int    // in its line
	entry bool   // of a list
	first bool   // entry of its list
	leads bool   // to a list, the entries of which it holds
	bold  bool   // begins in bold
	head  string // of an entry, where it has one in bold or before a dash
}

// statements are sentences, with or without headings.
func statements(text string, headings bool) []statement {
	var out []statement
	code, listed := false, false
	n := -1
	for _, line := range unwrapped(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
			continue
		}
		if code || line == "" || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<") {
			continue
		}
		n++
		heading := strings.HasPrefix(strings.TrimLeft(line, "#"), " ")
		if !headings && (heading || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") && !states(strings.Trim(line, "*"))) {
			continue
		}
		if heading {
			line = strings.TrimLeft(line, "#")
		}
		bare := strings.TrimSpace(strings.TrimLeft(line, ">-*• \t"))
		plain := withoutNumber(bare)
		entry := !heading && (plain != bare || bare != line && !strings.HasPrefix(line, "**"))
		at := statement{line: n, entry: entry, first: entry && !listed, bold: strings.HasPrefix(line, "**") || strings.HasPrefix(plain, "**")}
		listed = entry
		if head, _, ok := strings.Cut(strings.TrimPrefix(plain, "**"), "**"); entry && ok && at.bold {
			at.head = oneLine(head)
		}
		for at.text = range terms.Sentences(oneLine(strings.ReplaceAll(plain, "**", ""))) {
			out = append(out, at)
			at.head = ""
			at.at++
		}
	}
	return out
}

// unwrapped are the lines of a text without the white space around them; those that a
// program broke at some width are whole again.
func unwrapped(text string) []string {
	const narrow = 45 // characters; who breaks lines breaks them further right
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if n := len(out); n > 0 && line != "" && utf8.RuneCountInString(out[n-1]) >= narrow && !strings.ContainsAny(out[n-1][:1], "#|<`") {
			end, _ := utf8.DecodeLastRuneInString(out[n-1])
			next, _ := utf8.DecodeRuneInString(line)
			if unicode.IsLower(next) && !strings.ContainsRune(".!?:;。！？：；", end) {
				out[n-1] += " " + line
				continue
			}
		}
		out = append(out, line)
	}
	return out
}

// withEntries are statements in which one that leads to a list holds its entries.
func withEntries(all []statement) []statement {
	for i := range all {
		if s := &all[i]; leads(s.text) {
			for j := i + 1; j < len(all) && all[j].entry; j++ {
				if all[j].line == all[j-1].line {
					continue
				}
				head := cmp.Or(all[j].head, all[j].text)
				if wordCount(head) < 3 {
					head = all[j].text
				}
				if head = frank(head); head != "" {
					s.text += " " + shortened(head, 12) + ";"
					s.leads = true
				}
			}
			s.text = strings.TrimSuffix(s.text, ";")
		}
	}
	return all
}

// leads reports a text that something follows.
func leads(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") }

// states reports a line in bold that is no heading: it ends as a sentence does, or
// names what it says something of.
func states(line string) bool {
	r, _ := utf8.DecodeLastRuneInString(line)
	_, said, _ := strings.Cut(line, ": ")
	return strings.ContainsRune(".!。！", r) || wordCount(said) >= leastTitle
}

// withoutNumber takes away the number of a list's entry: "2. ", "2) ", "2、".
func withoutNumber(line string) string {
	rest := strings.TrimLeft(line, "0123456789")
	if len(rest) == len(line) || len(line)-len(rest) > 2 {
		return line
	}
	for _, mark := range [...]string{". ", ") ", "、", "．"} {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			return strings.TrimSpace(after)
		}
	}
	return line
}

// gist is the beginning of what a text says, on one line, in at most n
// characters: whole sentences while they fit.
func gist(text string, n int) string { return prefixOf(sentences(text), n) }

// telling are the sentences of a text that say something: not what its writer is
// about to do, nor what only announces a list or code.
func telling(text string) []string {
	return slices.DeleteFunc(sentences(text), func(s string) bool {
		return intends(s) || strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：")
	})
}

// prefixOf are the first sentences on one line, while they fit into n characters.
func prefixOf(sentences []string, n int) string {
	var b strings.Builder
	length := 0
	for _, s := range sentences {
		size := utf8.RuneCountInString(s)
		if length > 0 && length+1+size > n {
			break
		}
		if length > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		length += size + 1
		if length > n {
			break
		}
	}
	return clip(b.String(), n)
}

// decides reports a sentence that states a decision, and does not ask for one.
func decides(sentence string) bool {
	if len(sentence) > 400 || strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") {
		return false
	}
	s := " " + terms.Fold(sentence) + " "
	if holdsAny(s, " not decided", "undecided", " if we decide", " to be decided", "还没决定", "尚未决定", "取决", "未决定") {
		return false
	}
	if holdsAny(s,
		" decided ", " decision:", " settled on ", " agreed to ", " agreed on ", " we'll use ", " we will use ", " let's use ", " let's go with ",
		" going with ", " i'll go with ", " stick with ", " chose to ", " we should keep ", " the root cause ", " must not ", " from now on ",
		"决定", "改用", "采用", "选用", "敲定", "定案", "就用", "统一用", "根本原因", "不再使用",
	) {
		return true
	}
	return holdsAny(s, " instead of ", " rather than ") && holdsAny(s, " use ", " using ", " keep ")
}

// holdsAny reports whether any of some marks stands in a text.
func holdsAny(text string, marks ...string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
}

// saysDone reports a text that says a part of the work is over, in English or
// Chinese, and does not deny it or speak of what is to come.
func saysDone(text string) bool {
	for _, sentence := range sentences(text) {
		s := " " + strings.TrimRight(terms.Fold(sentence), ".!。！ ") + " "
		if len(s) > 300 || holdsAny(s,
			" not ", "n't ", " never ", " until ", " when ", " once ", " if ", " after ", " before ", " almost ", " should be ", " will be ", "?",
			"还没", "尚未", "未完成", "没有完成", "没完成", "如果", "等到", "之后再", "才能", "吗",
		) {
			continue
		}
		if holdsAny(s,
			" is complete ", " is completed ", " are complete ", " completed ", " is done ", " are done ", " all done ", " finished ", " is finished ",
			" moving to the next ", " moving on to ", " move on to the next ", " on to the next ", " all tests pass ", " milestone reached ", " that completes ",
			"已完成", "完成了", "完成。", "全部完成", "都完成", "进入下一", "开始下一步", "下一阶段", "告一段落", "测试全部通过", "测试都通过", " 完成 ",
		) {
			return true
		}
	}
	return false
}
