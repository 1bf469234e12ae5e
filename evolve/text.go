package evolve

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/inert"
	"orihon/internal/jsonl"
	"orihon/internal/terms"
)

// wording is what the files say around the habits, in one language.
type wording struct {
	title   string // of a domain
	when    string // description: what it is, and the triggers
	command string // what the body begins with, by kind
	skill   string
	agent   string
	rule    string
	from    string // what the habits are called
	comma   string
}

func wordingOf(language string) wording {
	switch language {
	case "zh-Hant":
		return wording{
			title: "%s 的做法", when: "從過去的工作階段學到的做法。適用：%s", from: "出自習慣 %s（`orihon instinct show ID`）。", comma: "；",
			command: "以下是過去工作階段中的做法。請照著做；使用者或專案另有說明時，以其為準。",
			skill:   "以下是過去工作階段中的做法。使用者或專案另有說明時，以其為準。",
			agent:   "你負責這部分的工作，照過去工作階段中的做法進行。使用者或專案另有說明時，以其為準。完成後回報做了什麼、還缺什麼。",
			rule:    "以下是過去工作階段中學到的限制。使用者或專案另有說明時，以其為準。",
		}
	case "zh-Hans":
		return wording{
			title: "%s 的做法", when: "从过去的会话学到的做法。适用：%s", from: "出自习惯 %s（`orihon instinct show ID`）。", comma: "；",
			command: "以下是过去会话中的做法。请照着做；用户或项目另有说明时，以其为准。",
			skill:   "以下是过去会话中的做法。用户或项目另有说明时，以其为准。",
			agent:   "你负责这部分的工作，按过去会话中的做法进行。用户或项目另有说明时，以其为准。完成后汇报做了什么、还缺什么。",
			rule:    "以下是过去会话中学到的限制。用户或项目另有说明时，以其为准。",
		}
	}
	return wording{
		title: "%s: how it is done here", when: "How this is done here, learned in past sessions. Use it: %s", from: "From the instincts %s (`orihon instinct show ID`).", comma: "; ",
		command: "This is how it was done in past sessions. Do it that way; what the user or the project says otherwise comes first.",
		skill:   "This is how it was done in past sessions. What the user or the project says otherwise comes first.",
		agent:   "You do this part of the work, the way it was done in past sessions. What the user or the project says otherwise comes first. Report at the end what you did and what is left.",
		rule:    "Constraints learned in past sessions. What the user or the project says otherwise comes first.",
	}
}

// text is the whole file of a proposal. It depends on what the habits say alone,
// not on how sure they are.
func (p *Proposal) text() string {
	said := make([]string, len(p.Habits))
	for i := range p.Habits {
		said[i] = p.Habits[i].Trigger + " " + p.Habits[i].Action
	}
	w := wordingOf(terms.Lang(strings.Join(said, "\n")))
	var b strings.Builder
	if p.Kind != Rule {
		b.WriteString("---\n")
		if p.Kind != Command { // a command is called like its file
			b.WriteString("name: " + p.Name + "\n")
		}
		b.WriteString("description: " + scalar(p.describe(w)) + "\n---\n\n")
	}
	fmt.Fprintf(&b, "# "+w.title+"\n\n%s\n", strings.ReplaceAll(p.Name, "-", " "), map[Kind]string{Command: w.command, Skill: w.skill, Agent: w.agent, Rule: w.rule}[p.Kind])
	for _, group := range byTrigger(p.Habits) {
		fmt.Fprintf(&b, "\n## %s\n\n", capital(group[0].Trigger))
		for i := range group {
			if len(group) > 1 {
				b.WriteString("- " + strings.ReplaceAll(body(group[i].Action), "\n", "\n  ") + "\n")
			} else {
				b.WriteString(body(group[i].Action) + "\n")
			}
		}
	}
	ids := make([]string, len(p.Habits))
	for i := range p.Habits {
		ids[i] = p.Habits[i].ID
	}
	fmt.Fprintf(&b, "\n"+w.from+"\n", strings.Join(ids, ", "))
	return b.String()
}

// byTrigger puts habits with the same trigger together, and leaves out those that
// say the same again.
func byTrigger(habits []Habit) (out [][]Habit) {
	at, seen := make(map[string]int), make(map[string]bool)
	for i := range habits {
		trigger := folded(habits[i].Trigger)
		if say := trigger + "\x00" + folded(habits[i].Action); seen[say] {
			continue
		} else {
			seen[say] = true
		}
		if _, ok := at[trigger]; !ok {
			at[trigger] = len(out)
			out = append(out, nil)
		}
		out[at[trigger]] = append(out[at[trigger]], habits[i])
	}
	return out
}

// maxDescription is what clients take of a description, in characters.
const maxDescription = 1024

// describe says what a file is and when it is used.
func (p *Proposal) describe(w wording) string {
	if p.description != "" {
		return quiet(p.description)
	}
	const longest = 600 // characters of triggers
	var triggers []string
	n := 0
	for _, group := range byTrigger(p.Habits) {
		if n += utf8.RuneCountInString(group[0].Trigger); n > longest && len(triggers) > 0 {
			break
		}
		triggers = append(triggers, group[0].Trigger)
	}
	return cut(quiet(fmt.Sprintf(w.when, strings.Join(triggers, w.comma))), maxDescription)
}

// plain is what an instinct says as a file for a client may hold it: without
// secrets, without what could be taken for anything but text, and without what a
// client carries out while it loads a file.
func (e *Evolver) plain(text string) string {
	text, _ = e.h.Redactor.Text(text)
	return powerless(strings.TrimSpace(inert.Text(text)))
}

// powerless changes what Claude Code carries out in a command or a skill as it
// loads it: !`shell lines`, blocks of them, @files and $arguments.
func powerless(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		next, before := rune(0), rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		if i > 0 {
			before = runes[i-1]
		}
		switch {
		case r == '!' && before == '`':
			b.WriteString(" ! ")
		case r == '!' && next == '`':
			b.WriteString("! ")
		case r == '@' && before != '`' && !unicode.IsLetter(before) && !unicode.IsDigit(before) && !unicode.IsSpace(next) && next != 0:
			b.WriteString("＠")
		case r == '$' && (unicode.IsDigit(next) || next == '{' || strings.HasPrefix(string(runes[i+1:min(len(runes), i+10)]), "ARGUMENTS")):
			b.WriteString("＄")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// body is an action within a section: no line of it begins one, ends a list or a
// comment.
func body(action string) string {
	lines := strings.Split(strings.ReplaceAll(action, "<!--", "(!--"), "\n")
	for i, l := range lines {
		if t := strings.TrimLeft(l, " \t"); strings.HasPrefix(t, "#") || strings.HasPrefix(t, "---") || strings.HasPrefix(t, "===") {
			lines[i] = "\\" + t
		}
	}
	return strings.Join(lines, "\n")
}

// quiet is a line for a description, which takes no tags.
func quiet(text string) string {
	return strings.NewReplacer("<", "(", ">", ")").Replace(strings.Join(strings.Fields(text), " "))
}

// scalar is a text as YAML reads it back: in quotes, as in JSON.
func scalar(text string) string {
	line, err := jsonl.Encode(strings.ToValidUTF8(text, ""))
	if err != nil { // which no text is
		return `""`
	}
	return string(line)
}

// capital begins a heading; one line of plain text.
func capital(text string) string {
	text = strings.TrimLeft(strings.Join(strings.Fields(text), " "), "#-=> ")
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// folded is what a text says, whatever its case and its blanks.
func folded(text string) string { return strings.Join(strings.Fields(terms.Fold(text)), " ") }

// cut is as much of a text as n characters hold, on one line.
func cut(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > n {
		return strings.TrimSpace(string(runes[:n-1])) + "…"
	}
	return text
}
