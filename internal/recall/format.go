package recall

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/memory"
)

// Memory is foreign text that goes back into a prompt: it stands between these
// marks, and package inert sees to it that nothing in it looks like one.
const (
	openMark  = "<orihon-memory>"
	closeMark = "</orihon-memory>"
)

// section is a group of lines, under a title or without one.
type section struct {
	title string
	lines []string
}

// frame puts sections between the delimiters and estimates their tokens.
func frame(w *wording, sections []section) (string, int) {
	var b strings.Builder
	b.WriteString(openMark + "\n" + w.heading + "\n")
	for _, s := range sections {
		b.WriteString("\n")
		if s.title != "" {
			b.WriteString(s.title + "\n")
		}
		for _, l := range s.lines {
			b.WriteString(l + "\n")
		}
	}
	b.WriteString("\n" + w.closing + "\n" + closeMark)
	text := b.String()
	return text, tokens.Estimate(text)
}

// Framed is text of memory as data: between the marks, under the words that say
// so. The lines are the caller's to make inert.
func Framed(language string, lines ...string) string {
	text, _ := frame(wordingFor(language), []section{{lines: lines}})
	return text
}

// fitting returns the longest beginning of text that fits, of at most room
// tokens; it is found to a quarter and may be empty.
func fitting(text string, room int, fits func(cut string) bool) string {
	for ; text != "" && room > 0; room = room * 3 / 4 {
		if cut := tokens.Fit(text, room); cut != "" && fits(cut) {
			return cut
		}
	}
	return ""
}

// view renders hits.
type view struct {
	wording *wording
	today   time.Time
	sources bool
	ids     bool // each passage with the ID by which it can be asked for
	// committer says who committed a file of the repository; nil when nobody
	// knows.
	committer func(source string) string
	// since is what is known of a file since a time; nil when nobody knows. looked is
	// what it came to, by passage.
	since  func(file string, since time.Time) memory.Freshness
	looked map[string]string
	// tool is what searches memory for the agent; empty for the command.
	tool string
}

// sections groups hits by what they are, keeping their order within a group. A
// former statement stands in the group of the one that replaced it.
func (v *view) sections(hits []*memory.Hit) []section {
	titles := v.titles()
	groups := make([]section, len(titles))
	for i, title := range titles {
		groups[i].title = title
	}
	atoms := atomsOf(hits)
	members := make(map[string]int)
	for _, atom := range atoms {
		members[atom]++
	}
	in := make(map[string]int, len(hits)) // passage → its group
	at := make(map[string]int)            // atom → the line it begins in
	for i, h := range hits {
		p := &h.Passage
		n, ok := in[h.Behind()]
		if !ok {
			n = group(p)
		}
		in[p.ID] = n
		g := &groups[n]
		atom := atoms[i]
		if atom == "" || members[atom] == 1 {
			g.lines = append(g.lines, v.line(h))
			continue
		}
		if _, begun := at[atom]; !begun {
			at[atom] = len(g.lines)
			g.lines = append(g.lines, v.atomTitle(p))
		}
		g.lines[at[atom]] += v.bullet(p)
	}
	out := groups[:0]
	for _, g := range groups {
		if len(g.lines) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// titles are those of the groups, in their order.
func (v *view) titles() [7]string {
	w := v.wording
	return [...]string{w.facts, w.past, w.steps, w.documents, w.files, w.turns, w.foreign}
}

func (v *view) atomTitle(p *memory.Passage) string {
	return "- " + inset(shown(p, p.Item.Title), "  ") + ":"
}

func (v *view) bullet(p *memory.Passage) string {
	return "\n  - " + inset(v.statement(p), "    ") + v.notes(p)
}

// atomsOf names the atom under whose title each hit may stand, empty for none:
// bullets of one atom share its title. A former statement is among them only
// together with what replaced it, so that it stays behind it.
func atomsOf(hits []*memory.Hit) []string {
	out := make([]string, len(hits))
	of := make(map[string]string, len(hits))
	for i, h := range hits {
		p := &h.Passage
		atom := atomOf(p)
		if atom == "" || h.Later != "" {
			continue
		}
		if p.SupersededBy == "" || of[p.SupersededBy] == atom {
			of[p.ID], out[i] = atom, atom
		}
	}
	return out
}

func group(p *memory.Passage) int {
	switch {
	case p.Item.Metadata.Source == memory.FromRepository:
		return 6
	case p.Conversation():
		return 5
	case p.Population == memory.Documents:
		return 4
	case p.Item.Kind == memory.Note:
		return 3
	case p.Item.Kind == memory.Episodic:
		return 1
	case p.Item.Kind == memory.Procedural:
		return 2
	}
	return 0
}

// line is one passage with its date, relative to today, and where it came from.
func (v *view) line(h *memory.Hit) string {
	p := &h.Passage
	if p.Population == memory.Documents {
		return v.file(p)
	}
	text := v.statement(p)
	// An episode is titled by its first request, which it tells again.
	if title := strings.TrimSuffix(p.Item.Title, "…"); title != "" && !strings.Contains(p.Item.Content, title) {
		text = shown(p, p.Item.Title) + ": " + text
	}
	if h.Later != "" {
		return "- " + inset(text, "  ") + v.notes(p, v.wording.older)
	}
	return "- " + inset(text, "  ") + v.notes(p)
}

// file is a passage of a file under the place where it can be opened. Its lines
// keep their indentation, less what is common to all.
func (v *view) file(p *memory.Passage) string {
	where := fmt.Sprintf("%s:%d", p.Source, p.Line)
	if _, symbol, ok := strings.Cut(p.Heading, pathSeparator); ok {
		where += pathSeparator + symbol
	}
	head := "- " + inert.Line(where)
	if at := p.Item.Metadata.UpdatedAt; !at.IsZero() {
		head += " (" + fmt.Sprintf(v.wording.changed, v.date(at)) + ")"
	}
	return head + ":\n  " + inset(outdented(inert.Text(strings.Trim(p.Item.Content, "\n"))), "  ")
}

// pathSeparator stands between the parts of a heading path.
const pathSeparator = " › "

// outdented takes from every line the blanks that all of them begin with.
func outdented(text string) string {
	lines := strings.Split(text, "\n")
	common, any := "", false
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		lead := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if !any {
			common, any = lead, true
		}
		for !strings.HasPrefix(lead, common) {
			common = common[:len(common)-1]
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, common)
		if strings.TrimSpace(l) == "" {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

func (v *view) statement(p *memory.Passage) string { return shown(p, p.Item.Content) }

// shown is a text of a passage as data.
func shown(p *memory.Passage, text string) string {
	if text = strings.TrimSpace(text); p.Item.Metadata.Source == memory.FromRepository {
		text = unsaid(text)
	}
	return inert.Text(text)
}

// unsaid takes from a text of which nobody knows the author the words by which
// a note tells what the user said, in any letter case.
func unsaid(text string) string {
	for _, language := range []string{"en", "zh-Hant", "zh-Hans"} {
		w := wordingFor(language)
		for at := 0; ; {
			i := indexFold(text[at:], w.user)
			if i < 0 {
				break
			}
			at += i
			text = text[:at] + w.file + text[at+len(w.user):]
			at += len(w.file)
		}
	}
	return text
}

// indexFold is strings.Index whatever the case of ASCII letters.
func indexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}

// inset moves the lines behind the first under it, so that no line of a
// passage stands where a heading would.
func inset(text, indent string) string { return strings.ReplaceAll(text, "\n", "\n"+indent) }

// notes says in brackets when a passage was written, by whom, and whether it
// still holds.
func (v *view) notes(p *memory.Passage, more ...string) string {
	notes := []string{v.date(p.Item.Metadata.CreatedAt)}
	if s := v.origin(p); s != "" {
		notes = append(notes, s)
	}
	if p.SupersededBy != "" {
		notes = append(notes, v.wording.former)
	}
	notes = append(notes, more...)
	if s := v.stale(p); s != "" {
		notes = append(notes, s)
	}
	if v.ids && (p.Item.Kind != memory.Note || p.Conversation()) {
		notes = append(notes, "id "+inert.Line(memory.ShortID(p.ID)))
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

func (v *view) date(t time.Time) string {
	if t.IsZero() {
		return v.wording.unknownDate
	}
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	t = t.In(v.today.Location())
	date := t.Format(time.DateOnly)
	switch n := int(day(v.today).Sub(day(t)).Hours() / 24); {
	case n <= 0:
		return date + ", " + v.wording.today
	case n == 1:
		return date + ", " + v.wording.yesterday
	default:
		return date + ", " + fmt.Sprintf(v.wording.daysAgo, n)
	}
}

func (v *view) origin(p *memory.Passage) string {
	var who string
	switch p.Item.Metadata.Source {
	case memory.FromUser:
		who = v.wording.user
	case memory.FromAgent:
		who = v.wording.agent
		if slices.Contains(p.Item.Metadata.Tags, memory.NoticedTag) {
			who = v.wording.passing
		}
	case memory.FromSystem:
		who = v.wording.system
	case memory.Imported:
		who = v.wording.imported
	case memory.FromRepository:
		where := inert.Line(unsaid(fmt.Sprintf("%s:%d", p.Source, p.Line)))
		if v.committer != nil {
			if committer := inert.Line(unsaid(tokens.Fit(v.committer(p.Source), 20))); committer != "" {
				where += v.wording.committed + committer
			}
		}
		return fmt.Sprintf(v.wording.repository, where)
	}
	if v.sources && p.Source != "" && (p.Item.Kind == memory.Note && !p.Conversation() || !p.Item.Scope.Private()) {
		where := inert.Line(fmt.Sprintf("%s:%d", path.Base(p.Source), p.Line))
		if who == "" {
			return where
		}
		return who + ", " + where
	}
	return who
}

// atomOf names the atom that a passage is a bullet of, empty for none.
func atomOf(p *memory.Passage) string {
	if p.Parent == "" || strings.TrimSpace(p.Item.Title) == "" {
		return ""
	}
	return fmt.Sprintf("%d %s %s", group(p), p.Parent, p.Item.Title)
}

// characters counts UTF-16 code units, as clients in JavaScript do.
func characters(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
