package capture

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style counts what the code and the history of a project show of its
// preferences: how each language is indented, quoted and named, and how commits
// are worded. Files and commits vote; nothing is concluded from a few, or from
// votes that are divided. The zero value is ready.
type Style struct {
	votes map[trait]map[string]int // by what was voted for
	named map[trait]map[string]string
}

// trait is something a project has one way of doing.
type trait struct{ category, language string }

// Preference is what the votes say.
type Preference struct {
	// Key names the trait, such as "indent_style/Go": one project has one
	// preference for it.
	Key      string
	Category string // indent_style, quote_style, naming_convention, commit_style
	Text     string // as a statement
	Evidence string // the count, and a file that shows it
}

// What it takes to conclude.
const (
	leastFiles   = 5
	leastCommits = 20
	majority     = 0.8
)

// MostStyleBytes is how much of a file is looked at.
const MostStyleBytes = 64 << 10

// File lets a source file vote. Files of languages it does not know, and
// generated ones, have no vote.
func (s *Style) File(name, text string) {
	language := languages[path.Ext(name)]
	if language == "" || generated(text) {
		return
	}
	text = text[:min(len(text), MostStyleBytes)]
	for category, vote := range map[string]string{
		"indent_style": indent(text), "quote_style": quotes(language, text), "naming_convention": naming(language, text),
	} {
		s.vote(trait{category, language}, vote, name)
	}
}

// Commit lets the subject of a commit vote.
func (s *Style) Commit(subject string) {
	vote := "free"
	if conventional(subject) {
		vote = "conventional"
	}
	s.vote(trait{"commit_style", "prefix"}, vote, subject)
	vote = "English"
	if isHanText(subject) {
		vote = "Chinese"
	}
	s.vote(trait{"commit_style", "language"}, vote, subject)
}

func (s *Style) vote(t trait, v, by string) {
	if v == "" {
		return
	}
	if s.votes == nil {
		s.votes, s.named = make(map[trait]map[string]int), make(map[trait]map[string]string)
	}
	if s.votes[t] == nil {
		s.votes[t], s.named[t] = make(map[string]int), make(map[string]string)
	}
	s.votes[t][v]++
	if first := s.named[t][v]; first == "" || by < first {
		s.named[t][v] = by
	}
}

// Preferences are the traits on which the votes agree, by key.
func (s *Style) Preferences() []Preference {
	var out []Preference
	for t, votes := range s.votes {
		total, best := 0, ""
		for _, v := range slices.Sorted(maps.Keys(votes)) {
			total += votes[v]
			if best == "" || votes[v] > votes[best] {
				best = v
			}
		}
		least, what := leastFiles, "files"
		if t.category == "commit_style" {
			least, what = leastCommits, "commits"
		}
		text := wording(t, best)
		if total < least || float64(votes[best]) < majority*float64(total) || text == "" {
			continue
		}
		out = append(out, Preference{
			Key: t.category + "/" + t.language, Category: t.category, Text: text,
			Evidence: fmt.Sprintf("%d of %d %s, such as %s", votes[best], total, what, s.named[t][best]),
		})
	}
	slices.SortFunc(out, func(a, b Preference) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// wording makes a statement of a vote; empty for what need not be said.
func wording(t trait, vote string) string {
	switch t.category {
	case "indent_style":
		if t.language == "Go" && vote == "tabs" {
			return "" // its formatter leaves no choice
		}
		return fmt.Sprintf("%s in this project is indented with %s", t.language, vote)
	case "quote_style":
		return fmt.Sprintf("%s in this project uses %s quotes for strings", t.language, vote)
	case "naming_convention":
		return fmt.Sprintf("Functions and variables in %s in this project are named in %s", t.language, vote)
	case "commit_style":
		switch vote {
		case "conventional":
			return "Commit subjects in this project follow Conventional Commits (type(scope): summary)"
		case "Chinese":
			return "Commit subjects in this project are written in Chinese"
		}
	}
	return ""
}

// languages are by the end of a file's name, in the words people use.
var languages = map[string]string{
	".go": "Go", ".py": "Python", ".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript",
	".cjs": "JavaScript", ".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".java": "Java",
	".kt": "Kotlin", ".cs": "C#", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".rs": "Rust",
	".rb": "Ruby", ".php": "PHP", ".swift": "Swift", ".sh": "Shell", ".bash": "Shell", ".css": "CSS",
	".scss": "CSS", ".vue": "Vue",
}

// generated reports whether a file says that nobody wrote it, or has lines that
// nobody writes.
func generated(text string) bool {
	head := strings.ToLower(text[:min(len(text), 1024)])
	if containsAny(head, "code generated", "do not edit", "@generated") {
		return true
	}
	line, _, _ := strings.Cut(text, "\n")
	return len(line) > 1000
}

// indent is how most lines of a text are indented: "tabs", or spaces with the
// step by which they go in.
func indent(text string) string {
	tabs, spaces, before := 0, 0, 0
	var steps [9]int
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " \t")
		if body == "" || body == "\n" || strings.HasPrefix(body, "*") {
			continue // blank, or inside a comment that is set by other rules
		}
		lead := line[:len(line)-len(body)]
		if strings.HasPrefix(lead, "\t") {
			tabs++
		} else if lead != "" {
			spaces++
		}
		if step := len(lead) - before; step > 1 && step < len(steps) && !strings.Contains(lead, "\t") {
			steps[step]++
		}
		before = len(lead)
	}
	const least = 5 // indented lines
	switch {
	case tabs+spaces < least:
		return ""
	case tabs > spaces:
		return "tabs"
	}
	best := 0
	for step, n := range steps {
		if n > steps[best] {
			best = step
		}
	}
	if steps[best] == 0 {
		return ""
	}
	return fmt.Sprintf("%d spaces", best)
}

// quotes is which quotes most strings of a text have, in languages that leave
// the choice.
func quotes(language, text string) string {
	comment := "//"
	switch language {
	case "JavaScript", "TypeScript", "PHP", "Vue":
	case "Python", "Ruby":
		comment = "#"
	default:
		return ""
	}
	single, double := 0, 0
	for line := range strings.Lines(text) {
		if code, _, found := strings.Cut(line, comment); found && !strings.ContainsAny(code, `'"`) {
			line = code
		}
		var open rune
		for i, r := range line {
			switch {
			case open != 0 && r == open && line[i-1] != '\\':
				open = 0
			case open == 0 && (r == '\'' || r == '"' || r == '`'):
				open = r
				// An apostrophe within a word opens nothing.
				if before, _ := utf8.DecodeLastRuneInString(line[:i]); r == '\'' && unicode.IsLetter(before) {
					open = 0
				} else if r == '\'' {
					single++
				} else if r == '"' && !strings.HasPrefix(line[i:], `"""`) {
					double++
				}
			}
		}
	}
	const least = 5 // strings
	switch {
	case single+double < least:
		return ""
	case single > double:
		return "single"
	}
	return "double"
}

// naming is how most names of several words are joined behind the words that
// declare something, in languages that leave the choice.
func naming(language, text string) string {
	switch language {
	case "JavaScript", "TypeScript", "Python", "PHP", "C", "C++", "Vue":
	default:
		return ""
	}
	snake, camel := 0, 0
	for line := range strings.Lines(text) {
		for _, name := range declared(strings.TrimSpace(line)) {
			inner := strings.Trim(name, "_$")
			switch {
			case inner == strings.ToUpper(inner): // a constant
			case strings.Contains(inner, "_"):
				snake++
			case inner != strings.ToLower(inner) && unicode.IsLower(rune(inner[0])):
				camel++
			}
		}
	}
	const least = 4 // names
	switch {
	case snake+camel < least:
		return ""
	case snake > camel:
		return "snake_case"
	}
	return "camelCase"
}

// declared is the name that a line declares, if it begins as declarations do.
func declared(line string) []string {
	for _, word := range [...]string{"export ", "default ", "async ", "public ", "private ", "protected ", "static "} {
		line = strings.TrimPrefix(line, word)
	}
	for _, word := range [...]string{"def ", "function ", "const ", "let ", "var ", "$"} {
		rest, ok := strings.CutPrefix(line, word)
		if !ok {
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool {
			return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if end > 0 {
			return []string{rest[:end]}
		}
	}
	// name = value, as in Python.
	if name, _, ok := strings.Cut(line, " = "); ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return []string{name}
	}
	return nil
}

// conventional reports whether a commit's subject begins with a type, as in
// "fix(parser)!: …" (Conventional Commits 1.0.0).
func conventional(subject string) bool {
	head, rest, ok := strings.Cut(subject, ": ")
	if !ok || rest == "" {
		return false
	}
	head = strings.TrimSuffix(head, "!")
	if open := strings.IndexByte(head, '('); open > 0 && strings.HasSuffix(head, ")") {
		head = head[:open]
	}
	return lists.Words("commit-type")[head]
}
