package wording

import (
	"cmp"
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

// Style is how passages are told, in whatever language.
type Style struct {
	Now         func() time.Time // required
	HideSources bool             // leave file:line out
	// Committer says who committed a file of the repository last, by the source
	// of its passages; nil when nobody knows.
	Committer func(source string) string
	// Fresh says what is known of a file of the project since a time; nil when nobody
	// knows.
	Fresh func(file string, since time.Time) memory.Freshness
}

// In is the style in a language, today.
func (s *Style) In(language string) *View {
	return &View{Words: For(language), Style: *s, Today: s.Now()}
}

// View renders passages.
type View struct {
	Style
	Words *Words
	Today time.Time
	IDs   bool // each passage with the ID by which it can be asked for
	// Tool is what searches memory for the agent; empty for the command.
	Tool string

	looked map[string]string // what files came to, by passage
}

// Sections groups hits by what they are, keeping their order within a group. A
// former statement stands in the group of the one that replaced it.
func (v *View) Sections(hits []*memory.Hit) []Section {
	titles := v.Titles()
	groups := make([]Section, len(titles))
	for i, title := range titles {
		groups[i].Title = title
	}
	atoms := Atoms(hits)
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
			n = Group(p)
		}
		in[p.ID] = n
		g := &groups[n]
		atom := atoms[i]
		if atom == "" || members[atom] == 1 {
			g.Lines = append(g.Lines, v.Line(h))
			continue
		}
		if _, begun := at[atom]; !begun {
			at[atom] = len(g.Lines)
			g.Lines = append(g.Lines, v.AtomTitle(p))
		}
		g.Lines[at[atom]] += v.Bullet(p)
	}
	out := groups[:0]
	for _, g := range groups {
		if len(g.Lines) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// Titles are those of the groups, in their order.
func (v *View) Titles() [7]string {
	w := v.Words
	return [...]string{w.Facts, w.Past, w.Steps, w.Documents, w.Files, w.Turns, w.Foreign}
}

// AtomTitle is the line under which bullets of one atom stand.
func (v *View) AtomTitle(p *memory.Passage) string {
	return "- " + Inset(Shown(&p.Item, p.Item.Title), "  ") + ":"
}

// Bullet is a passage under the title of its atom.
func (v *View) Bullet(p *memory.Passage) string {
	return "\n  - " + Inset(v.Statement(p), "    ") + v.notes(p)
}

// Atoms names the atom under whose title each hit may stand, empty for none:
// bullets of one atom share its title. A former statement is among them only
// together with what replaced it, so that it stays behind it.
func Atoms(hits []*memory.Hit) []string {
	out := make([]string, len(hits))
	of := make(map[string]string, len(hits))
	for i, h := range hits {
		p := &h.Passage
		atom := AtomOf(p)
		if atom == "" || h.Later != "" || h.Weak {
			continue
		}
		if p.SupersededBy == "" || of[p.SupersededBy] == atom {
			of[p.ID], out[i] = atom, atom
		}
	}
	return out
}

// Group is the place of a passage among [View.Titles].
func Group(p *memory.Passage) int {
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

// Line is one passage with its date, relative to today, and where it came from.
func (v *View) Line(h *memory.Hit) string {
	p := &h.Passage
	if p.Population == memory.Documents {
		return v.file(p)
	}
	text := v.Statement(p)
	// An episode is titled by its first request, which it tells again.
	if title := strings.TrimSuffix(p.Item.Title, "…"); title != "" && !strings.Contains(p.Item.Content, title) {
		text = Shown(&p.Item, p.Item.Title) + ": " + text
	}
	var more []string
	if h.Later != "" {
		more = append(more, v.Words.Older)
	}
	if h.Weak {
		more = append(more, v.Words.Weak)
	}
	return "- " + Inset(text, "  ") + v.notes(p, more...)
}

// file is a passage of a file under the place where it can be opened. Its lines
// keep their indentation, less what is common to all.
func (v *View) file(p *memory.Passage) string {
	where := fmt.Sprintf("%s:%d", p.Source, p.Line)
	if _, symbol, ok := strings.Cut(p.Heading, pathSeparator); ok {
		where += pathSeparator + symbol
	}
	head := "- " + inert.Line(where)
	if at := p.Item.Metadata.UpdatedAt; !at.IsZero() {
		head += " (" + fmt.Sprintf(v.Words.Changed, v.date(at)) + ")"
	}
	return head + ":\n  " + Inset(outdented(inert.Text(strings.Trim(p.Item.Content, "\n"))), "  ")
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

// Statement is what a passage says, as data.
func (v *View) Statement(p *memory.Passage) string { return Shown(&p.Item, p.Item.Content) }

// Shown is a text of an item as data. Where the user did not say it, it has none of the
// marks by which a note tells who said what, and its lines are none of the list that it
// stands in.
func Shown(it *memory.Item, text string) string {
	text = strings.TrimSpace(text)
	switch it.Metadata.Source {
	case memory.FromRepository:
		return underneath(inert.Text(unsaid(text)))
	case memory.FromAgent, memory.Imported:
		return underneath(inert.Text(unmarked(text)))
	}
	return inert.Text(text)
}

// underneath sets off the lines behind the first that would pass for others of a list.
func underneath(text string) string {
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		l := strings.TrimLeft(lines[i], " \t")
		if r, _ := utf8.DecodeRuneInString(l); strings.ContainsRune("-*+•·‣–—", r) {
			lines[i] = lines[i][:len(lines[i])-len(l)] + "| " + l
		}
	}
	return strings.Join(lines, "\n")
}

// unsaid takes from a text of which nobody knows the author the words by which
// a note tells what the user said, in any letter case.
func unsaid(text string) string {
	return withoutSaid(text, func(string, string) bool { return true })
}

// unmarked does so where they stand as in a note: between brackets and other notes.
func unmarked(text string) string {
	return withoutSaid(text, func(before, behind string) bool {
		r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " "))
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind, " "))
		return strings.ContainsRune("([;,（［【；，、", r) && strings.ContainsRune(")];,）］】；，、", next)
	})
}

var languages = [...]string{"en", "zh-Hant", "zh-Hans"}

func withoutSaid(text string, where func(before, behind string) bool) string {
	for _, language := range languages {
		w := For(language)
		for _, said := range []string{w.Passing, w.User} {
			for at := 0; ; {
				i := indexFold(text[at:], said)
				if i < 0 {
					break
				}
				at += i
				if !where(text[:at], text[at+len(said):]) {
					at += len(said)
					continue
				}
				text = text[:at] + w.File + text[at+len(said):]
				at += len(w.File)
			}
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

// Inset moves the lines behind the first under it, so that no line of a
// passage stands where a heading would.
func Inset(text, indent string) string { return strings.ReplaceAll(text, "\n", "\n"+indent) }

// notes says in brackets when a passage was written, by whom, and whether it
// still holds.
func (v *View) notes(p *memory.Passage, more ...string) string {
	notes := []string{v.date(p.Item.Metadata.CreatedAt)}
	if s := v.Origin(p); s != "" {
		notes = append(notes, s)
	}
	if p.SupersededBy != "" {
		notes = append(notes, v.Words.Former)
	}
	notes = append(notes, more...)
	if s := v.stale(p); s != "" {
		notes = append(notes, s)
	}
	if v.IDs && (p.Item.Kind != memory.Note || p.Conversation()) {
		notes = append(notes, "id "+inert.Line(memory.ShortID(p.ID)))
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

func (v *View) date(t time.Time) string {
	if t.IsZero() {
		return v.Words.UnknownDate
	}
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	t = t.In(v.Today.Location())
	date := t.Format(time.DateOnly)
	switch n := int(day(v.Today).Sub(day(t)).Hours() / 24); {
	case n <= 0:
		return date + ", " + v.Words.Today
	case n == 1:
		return date + ", " + v.Words.Yesterday
	default:
		return date + ", " + fmt.Sprintf(v.Words.DaysAgo, n)
	}
}

// Origin says whose words a passage is, and where it stands.
func (v *View) Origin(p *memory.Passage) string {
	var who string
	switch p.Item.Metadata.Source {
	case memory.FromUser:
		who = v.Words.User
	case memory.FromAgent:
		who = v.Words.Agent
		if slices.Contains(p.Item.Metadata.Tags, memory.NoticedTag) {
			who = v.Words.Passing
		} else if slices.Contains(p.Item.Metadata.Tags, memory.UntrustedTag) {
			who = v.Words.Untrusted
		}
	case memory.FromSystem:
		who = v.Words.System
	case memory.Imported:
		who = v.Words.Imported
	case memory.FromRepository:
		where := inert.Line(unsaid(fmt.Sprintf("%s:%d", p.Source, p.Line)))
		if by := v.committer(p); by != "" {
			where += v.Words.Committed + by
		}
		return fmt.Sprintf(v.Words.Repository, where)
	}
	if (who == v.Words.User || who == v.Words.Passing) && !p.Item.Scope.Private() {
		who = v.Words.File // whichever of the team said it
		if by := v.committer(p); by != "" {
			who += v.Words.Committed + by
		}
	}
	if !v.HideSources && p.Source != "" && (p.Item.Kind == memory.Note && !p.Conversation() || !p.Item.Scope.Private()) {
		where := inert.Line(fmt.Sprintf("%s:%d", path.Base(p.Source), p.Line))
		if who == "" {
			return where
		}
		return who + ", " + where
	}
	return who
}

// Whose says whose word a shared passage is, in few tokens; empty for any other.
func (v *View) Whose(p *memory.Passage) string {
	if p.Item.Scope != memory.Shared {
		return ""
	}
	return cmp.Or(v.committer(p), v.Words.Team)
}

// committer names who committed what a passage says; empty when nobody knows.
func (v *View) committer(p *memory.Passage) string {
	if v.Committer == nil {
		return ""
	}
	name := inert.Line(unsaid(tokens.Fit(v.Committer(p.Source), 20)))
	if name == "" {
		return ""
	}
	// Anybody may be called anything: within marks it is a name.
	return `"` + strings.NewReplacer(`"`, "'", "“", "'", "”", "'", "「", "'", "」", "'", "『", "'", "』", "'").Replace(name) + `"`
}

// AtomOf names the atom that a passage is a bullet of, empty for none.
func AtomOf(p *memory.Passage) string {
	if p.Parent == "" || strings.TrimSpace(p.Item.Title) == "" {
		return ""
	}
	return fmt.Sprintf("%d %s %s", Group(p), p.Parent, p.Item.Title)
}
