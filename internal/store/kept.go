package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Some files are people's and hold one section that the program keeps: it stands
// between two lines, and all around it stays as it is written, to the byte. What
// stands in it is a copy of items, so that a MEMORY.md is read without it.
const (
	keptBegin = "<!-- orihon memory-index: begin (written by the program; your own text goes outside) -->"
	keptEnd   = "<!-- orihon memory-index: end -->"

	// How the two lines begin; what follows is for people.
	keptBegins = "<!-- orihon memory-index: begin"
	keptEnds   = "<!-- orihon memory-index: end"
)

// maxKept is the size from which nobody looks at what a section says, in bytes:
// the program writes none as large.
const maxKept = 256 << 10

// kept finds the section of a text: its lines from the opening mark up to the
// one behind the closing mark, from 0. Without a section both are 0. Marks that
// make no section are named by their line.
func kept(text string) (from, to int, wrong memory.Problem) {
	open, done := false, false
	n := 0
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, keptBegins):
			if open || done {
				return 0, 0, memory.Problem{Line: n + 1, Text: "begins the program's section a second time: delete this mark, and what it begins"}
			}
			from, open = n, true
		case strings.HasPrefix(line, keptEnds):
			if !open {
				return 0, 0, memory.Problem{Line: n + 1, Text: "ends a section of the program's that does not begin before it: delete this mark"}
			}
			to, open, done = n+1, false, true
		}
		n++
	}
	if open {
		return 0, 0, memory.Problem{Line: from + 1, Text: "begins a section of the program's that does not end: delete this mark, and what is left of the section; the next one is written at the end"}
	}
	return from, to, memory.Problem{}
}

// blanked is a text with its lines from one up to another left empty.
func blanked(text string, from, to int) string {
	if from == to {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i := from; i < to; i++ {
		if lines[i] = "\n"; i == len(lines)-1 {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "")
}

// cutLines is a text without its lines from one up to another.
func cutLines(text string, from, to int) string {
	if from == to {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(append(lines[:from:from], lines[min(to, len(lines)):]...), "")
}

// KeptSection is what the program's section of a file says, with LF at its line
// ends; empty without one, where marks are missing, and where it is larger than any
// that the program writes.
func KeptSection(file string) string {
	lines, _ := SectionLines(file)
	if text := strings.Join(lines, ""); len(text) <= maxKept {
		return text
	}
	return ""
}

// SectionLines are the lines of the program's section of a file, each with its LF,
// and the number of the first; none without a section and where marks are missing.
func SectionLines(file string) (lines []string, first int) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMarkdown {
		return nil, 0
	}
	raw, err := jsonl.ReadFile(file)
	if err != nil {
		return nil, 0
	}
	text := string(unixLines(raw))
	from, to, _ := kept(text)
	if from == to {
		return nil, 0
	}
	return strings.SplitAfter(text, "\n")[from+1 : to-1], from + 2
}

// sectionText is a text as it stands in a section: it can hold no mark, nor open a
// comment that swallows one.
func sectionText(text string) string { return strings.ReplaceAll(text, "<!--", "(!--") }

// Unsaid are those of a section's lines that none of some texts has when it is
// written into a section, as they stand in the file. Blank ones say nothing.
func Unsaid(lines []string, texts ...string) (left []string, first int) {
	said := map[string]bool{"": true}
	for _, text := range texts {
		for line := range strings.Lines(sectionText(text)) {
			said[strings.TrimSpace(line)] = true
		}
	}
	for i, line := range lines {
		if !said[strings.TrimSpace(line)] {
			if left == nil {
				first = i
			}
			left = append(left, line)
		}
	}
	return left, first
}

// Kept is what the program's section of a file should say; empty makes no file
// and no section, and empties one that is there.
type Kept struct {
	File string // as [memory.File.Path]
	Text string
}

// Keep brings the program's sections of some files up to date and returns the
// files that were not; dry writes none of them. Each file is replaced as a whole,
// and none is when one cannot be: what stands behind a symlink, and marks that
// make no section, are refused with [memory.ErrRefused].
func (s *Store) Keep(ctx context.Context, dry bool, all ...Kept) (changed []string, err error) {
	unlock := func() {}
	if !dry { // who only looks makes no folder for a lock
		if unlock, err = s.lock(ctx); err != nil {
			return nil, err
		}
	}
	defer unlock()
	var texts [][]byte
	for _, k := range all {
		file, before, err := s.keptFile(k.File)
		if err != nil {
			return nil, err
		}
		after, err := withKept(before, k.Text)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", file, err)
		}
		if !bytes.Equal(before, after) {
			changed, texts = append(changed, file), append(texts, after)
		}
	}
	if dry {
		return changed, nil
	}
	for i, file := range changed {
		if err := s.replace(file, texts[i]); err != nil {
			return changed[:i], err
		}
	}
	return changed, nil
}

// keptFile reads a file that has a section, or may get one.
func (s *Store) keptFile(path string) (file string, raw []byte, err error) {
	e, ok := s.entryOf(path)
	if !ok || e.root.Notes {
		return "", nil, fmt.Errorf("%s: %w: this store has no such folder of text", path, memory.ErrRefused)
	}
	// Looked at now: a folder may have become a symlink since the store was opened.
	if err := checkWithin(*e.root); err != nil {
		return "", nil, err
	}
	info, err := os.Lstat(e.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e.file, nil, nil
	case err != nil:
		return "", nil, err
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("%s: %w: it is %s where a file belongs: put the file itself here", e.file, memory.ErrRefused, describe(info))
	}
	if raw, err = readText(e.file); errors.Is(err, errGone) {
		err = nil
	}
	if err == nil {
		err = checkText(raw)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", e.file, err)
	}
	return e.file, raw, err
}

// withKept is a file with another text in its section, which is at the end of a
// file that has none so far.
func withKept(raw []byte, text string) ([]byte, error) {
	from, to, wrong := kept(string(raw))
	if wrong.Text != "" {
		return nil, fmt.Errorf("%d: %w: %s", wrong.Line, memory.ErrRefused, wrong.Text)
	}
	if from == to && text == "" {
		return raw, nil
	}
	if text = strings.TrimRight(text, "\n"); text != "" {
		text += "\n"
	}
	text = keptBegin + "\n" + sectionText(text) + keptEnd
	eol := "\n"
	if i := bytes.IndexByte(raw, '\n'); i > 0 && raw[i-1] == '\r' {
		eol = "\r\n"
	}
	text = strings.ReplaceAll(text, "\n", eol)
	if from == to {
		before := string(raw)
		if before != "" {
			if !strings.HasSuffix(before, "\n") {
				before += eol
			}
			before += eol
		}
		return []byte(before + text + eol), nil
	}
	lines := strings.SplitAfter(string(raw), "\n")
	last := lines[to-1]
	end := last[len(strings.TrimRight(last, "\r\n")):]
	return []byte(strings.Join(lines[:from], "") + text + end + strings.Join(lines[to:], "")), nil
}

// CorePath is the path of the core file of a root, in which a section is kept.
func CorePath(root string) string { return root + "/" + coreName }

// AtomIndexPath is the path of the file that leads from triggers to the items of a
// root.
func AtomIndexPath(root string) string { return root + "/_ATOM_INDEX.md" }
