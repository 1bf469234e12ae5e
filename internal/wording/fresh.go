package wording

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"orihon/internal/inert"
	"orihon/memory"
)

// Bounds of what is looked at for one passage.
const (
	mostNamed = 8 // files
	mostStale = 3 // that are told
)

// stale says which of the files that a passage names were written since, or are not
// there; empty where nothing is known. It never says that one has not changed.
func (v *View) stale(p *memory.Passage) string {
	if v.Fresh == nil || p.Conversation() || p.Population == memory.Documents || p.Item.Kind == memory.Note {
		return ""
	}
	if text, ok := v.looked[p.ID]; ok {
		return text
	}
	var changed, gone []string
	for _, name := range filesNamed(p.Item.Content) {
		switch v.Fresh(name, p.Item.Metadata.CreatedAt) {
		case memory.FileChanged:
			changed = append(changed, inert.Line(path.Base(name)))
		case memory.FileGone:
			// Only a machine names files as they stand in the project.
			if p.Item.Metadata.Source == memory.FromSystem {
				gone = append(gone, inert.Line(path.Base(name)))
			}
		}
	}
	var notes []string
	if len(changed) > 0 {
		notes = append(notes, fmt.Sprintf(v.Words.Written, strings.Join(changed[:min(len(changed), mostStale)], ", ")))
	}
	if len(gone) > 0 {
		notes = append(notes, fmt.Sprintf(v.Words.Gone, strings.Join(gone[:min(len(gone), mostStale)], ", ")))
	}
	if v.looked == nil {
		v.looked = make(map[string]string)
	}
	v.looked[p.ID] = strings.Join(notes, "; ")
	return v.looked[p.ID]
}

// filesNamed are words of a text that look like paths of files: with a folder, and
// with an ending.
func filesNamed(text string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return strings.ContainsRune(" \t\n`'\"()[]{}<>,;|=，。；、：「」『』（）“”", r)
	}) {
		word = strings.TrimPrefix(strings.TrimRight(word, ".:!?…"), "./")
		name, _, _ := strings.Cut(word, ":") // a line behind it
		ext := path.Ext(name)
		if len(ext) < 2 || len(ext) > 6 || !strings.Contains(name, "/") || strings.Contains(word, "://") || strings.ContainsAny(name, "*?$\\") || path.IsAbs(name) || slices.Contains(out, name) {
			continue
		}
		if out = append(out, name); len(out) == mostNamed {
			break
		}
	}
	return out
}
