package window

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/journal"
)

// changedNames tells what edits did to files: of two or three, what they did to each of
// the two in which most was written.
func (r *record) changedNames(files []activity.File, l *titleWordings) string {
	if len(files) < 2 || len(files) > 3 {
		return r.changedTogether(files, l)
	}
	of := map[string]*record{}
	var all []*record
	for i := range r.acts {
		a := &r.acts[i]
		if a.Effect() != activity.Editing || !a.Works() {
			continue
		}
		if of[a.Files[0]] == nil {
			of[a.Files[0]] = &record{cwd: r.cwd}
			all = append(all, of[a.Files[0]])
		}
		of[a.Files[0]].acts = append(of[a.Files[0]].acts, *a)
	}
	most := slices.SortedStableFunc(slices.Values(all), func(a, b *record) int { return b.written() - a.written() })
	most = most[:min(2, len(most))]
	var told []string
	for _, one := range all {
		if !slices.Contains(most, one) {
			continue
		}
		text := one.changedTogether(one.touched(activity.Editing), l)
		if len(told) > 0 {
			text = uncapital(text)
		}
		told = append(told, text)
	}
	return strings.Join(told, l.and) + more(len(all)-len(told), l)
}

// written is how many bytes edits brought.
func (r *record) written() (n int) {
	for i := range r.acts {
		n += len(r.acts[i].Written())
	}
	return n
}

// changedTogether tells what edits declared anew, took away or changed, else which
// names they brought.
func (r *record) changedTogether(files []activity.File, l *titleWordings) string {
	var added, removed, within, names, lines, cuts []string
	gone, made, long := "", false, false
	for i := range r.acts {
		a := &r.acts[i]
		if a.Effect() != activity.Editing || !a.Works() {
			continue
		}
		before, after := a.Replaced(), a.Written()
		// What is done to a new file afterwards is part of its making.
		if len(files) == 1 && gone == "" && strings.TrimSpace(before) == "" && after != "" {
			made, long = true, long || strings.Count(after, "\n") > 3
		}
		gone += before
		if from, to := swapped(before, after); to != "" && !made {
			names = append(names, fmt.Sprintf(l.swapped, to, from))
			continue
		}
		lines, cuts = addLine(lines, newLine(before, after)), addLine(cuts, newLine(after, before))
		was, is := declared(before, a.Files[0]), declared(after, a.Files[0])
		for _, n := range is {
			if slices.Contains(was, n) {
				within = append(within, n)
			} else {
				added = append(added, n)
			}
		}
		for _, n := range was {
			if !slices.Contains(is, n) && !strings.Contains(after, n) { // it may only have moved
				removed = append(removed, n)
			}
		}
		for _, e := range journal.Entities(withoutComments(after)) {
			n := activity.Base(e.Name)
			if e.Kind != journal.URLEntity && e.Kind != journal.CommitEntity && !strings.Contains(gone, e.Name) && len(n) < 50 && strings.Trim(n, "abcdefghijklmnopqrstuvwxyz") != "" {
				names = append(names, n)
			}
		}
	}
	added, removed, within, names = distinct(added), distinct(removed), distinct(within), distinct(names)
	text := l.changed
	if made || strings.TrimSpace(gone) == "" {
		text, names, removed = l.wrote, nil, nil
		added, within = distinct(append(added, within...)), nil
	}
	switch {
	case len(added)+len(removed) > 0:
		text += l.files(files, 3)
		if len(added) > 0 {
			text += l.added + strings.Join(added[:min(2, len(added))], l.comma) + more(len(added)-2, l)
		}
		if len(removed) > 0 {
			text += l.removed + listed(removed, 2, l)
		}
	case len(within) > 0:
		text += listed(within, 2, l) + " (" + l.files(files, 2) + ")"
	default:
		text += l.files(files, 3)
	}
	switch unnamed := len(added)+len(removed)+len(within)+len(names) == 0; {
	case long: // its first line says little of what it is
	case unnamed && len(lines) > 0:
		return text + l.added + lines[0] + more(len(lines)-1, l)
	case unnamed && len(cuts) > 0:
		return text + l.removed + cuts[0] + more(len(cuts)-1, l)
	}
	if len(added)+len(removed) == 0 && len(names) > 0 {
		text += l.withNames + strings.Join(names[:min(max(1, 2*l.room/titleWords), len(names))], ", ")
	}
	return text
}

// withoutComments is code without the lines that are comments, and without comments
// behind code.
func withoutComments(code string) string {
	var out strings.Builder
	for line := range strings.Lines(code) {
		begin := strings.TrimSpace(line)
		if slices.ContainsFunc(titling.Phrases("comments"), func(mark string) bool { return strings.HasPrefix(begin, mark) }) {
			continue
		}
		for _, mark := range [...]string{" // ", " # ", " ! "} {
			if at := strings.Index(line, mark); at >= 0 {
				line = line[:at] + "\n"
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// declared are what a text of a file declares: functions, types, tests, headings.
func declared(text, file string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head := strings.TrimLeft(line, "#"); head != line && strings.HasPrefix(head, " ") {
			if ext := path.Ext(file); ext == ".md" || ext == ".mdx" {
				out = append(out, "“"+shortened(withoutNumber(strings.TrimSpace(head)), 8)+"”")
			}
			continue
		}
		if head, rest, ok := strings.Cut(line, "("); ok && titling.Words("testing")[strings.ToLower(head)] && strings.IndexAny(rest, "'\"`") == 0 {
			if name, _, ok := strings.Cut(rest[1:], rest[:1]); ok {
				out = append(out, "“"+shortened(name, 10)+"”")
			}
			continue
		}
		words := strings.Fields(line)
		for len(words) > 1 && titling.Words("modifiers")[words[0]] {
			words = words[1:]
		}
		if len(words) < 2 || !titling.Words("declaring")[words[0]] {
			continue
		}
		rest := strings.TrimSpace(line[strings.Index(line, words[0])+len(words[0]):])
		if strings.HasPrefix(rest, "(") { // a receiver
			_, rest, _ = strings.Cut(rest, ") ")
		}
		name := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isNamePart))]
		if words[0] == "const" && strings.IndexAny(strings.TrimSpace(rest[len(name):]), "=:") != 0 {
			continue // a type comes first
		}
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" && len(name) > 2 { // it may be any word
			name = words[0] + " " + name
		}
		if len(name) > 2 {
			out = append(out, name)
		}
	}
	return distinct(out)
}

func isNamePart(r rune) bool {
	return r == '_' || r == '$' || 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r > 0x7f
}

// swapped is the one line that an edit changed, before and after, where it is
// short enough to be shown.
func swapped(before, after string) (from, to string) {
	a, b := strings.Split(strings.Trim(before, "\n"), "\n"), strings.Split(strings.Trim(after, "\n"), "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) != len(b) || len(a) == 0 || len(a) > 3 {
		return "", ""
	}
	from, to = oneLine(a[0]), oneLine(b[0])
	if from == "" || to == "" {
		return "", ""
	}
	if len(from)+len(to) > 90 {
		from, to = apartWords(from, to)
		from, to = clip(from, 45), clip(to, 45)
	}
	return from, to
}

// newLine is the first line that an edit brought, in quotes; of a new file the first
// that says something.
func newLine(before, after string) string {
	for line := range strings.Lines(after) {
		if line = oneLine(line); len(line) > 3 && !strings.Contains(before, line) && (strings.TrimSpace(before) != "" || wordCount(line) > 2 && !strings.HasPrefix(line, "#!")) {
			return "`" + clip(line, 60) + "`"
		}
	}
	return ""
}

// apartWords are two lines without the words at both ends that they share.
func apartWords(a, b string) (string, string) {
	x, y := strings.Fields(a), strings.Fields(b)
	for len(x) > 1 && len(y) > 1 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 1 && len(y) > 1 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return strings.Join(x, " "), strings.Join(y, " ")
}
