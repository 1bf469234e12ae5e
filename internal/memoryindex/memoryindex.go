// Package memoryindex writes what a session begins with into files, for clients
// that have no hooks: into a section of MEMORY.md, and beside it into one of
// _ATOM_INDEX.md, which leads from triggers to items. What people write around the
// sections stays theirs (internal/store, kept.go); nothing is read back from them.
//
// There are two folders. That of the project is shared by git and gets shared
// items alone, that in the user's home all others. Text of the repository that
// nobody here has accepted gets into neither. Start at [Update]; [Foreign] finds what
// others wrote into the section that git shares.
package memoryindex

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/opening"
	"orihon/internal/project"
	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/internal/tokens"
	"orihon/internal/verbs"
	"orihon/memory"
)

// Update brings the files up to date with memory and returns those that were
// not; check writes none of them. The same memory makes the same bytes. Marks
// that make no section and files behind symlinks are refused with
// [memory.ErrRefused], and then nothing is written.
func Update(ctx context.Context, v *verbs.Verbs, check bool) (changed []string, err error) {
	if _, err := v.Sync(ctx); err != nil {
		return nil, err
	}
	shared := func(s memory.Scope) bool { return s == memory.Shared }
	var files []store.Kept
	for _, folder := range []struct {
		root   string // in the project's space
		scopes []memory.Scope
	}{
		{projectRoot, []memory.Scope{memory.Shared}},
		{"personal", slices.DeleteFunc(v.Viewer().Scopes(), shared)},
	} {
		lines, err := lookup(ctx, v, folder.root, folder.scopes)
		if err != nil {
			return nil, err
		}
		text, err := section(ctx, v.Engine(ctx), folder.scopes, v.Language(""), v.Config.Recall.StartTokens)
		if err != nil {
			return nil, err
		}
		files = append(files,
			store.Kept{File: store.CorePath(folder.root), Text: text},
			store.Kept{File: store.AtomIndexPath(folder.root), Text: opening.Lookup(v.Language(""), lines)})
	}
	changed, err = v.Personal.Text.Keep(ctx, true, files...)
	if err != nil || check || len(changed) == 0 {
		return changed, err
	}
	if err := v.Register(ctx); err != nil {
		return nil, err
	}
	if changed, err = v.Personal.Text.Keep(ctx, false, files...); err != nil {
		return changed, err
	}
	return changed, vouch(ctx, v)
}

// projectRoot is the root of the folder that git shares.
const projectRoot = "project"

// Refresh is [Update] where the files have been written before: of an item that was
// erased its triggers would stand there until the next time.
func Refresh(ctx context.Context, v *verbs.Verbs) error {
	for _, root := range []string{projectRoot, "personal"} {
		for _, path := range []string{store.CorePath(root), store.AtomIndexPath(root)} {
			if store.KeptSection(v.Personal.Text.FileOf(path)) != "" {
				_, err := Update(ctx, v, false)
				return err
			}
		}
	}
	return nil
}

// lookup has a line for every item of some scopes that has triggers or aliases,
// and for every atom, in the order in which they stand in the text. It fails where
// an index does, so that no file loses lines by that.
func lookup(ctx context.Context, v *verbs.Verbs, root string, scopes []memory.Scope) (lines []string, err error) {
	usual := memory.Filter{
		Scopes: scopes, Kinds: []memory.Kind{memory.Semantic, memory.Procedural, memory.Episodic},
		AsOf: v.Now(), Present: true, NoTurns: true,
	}
	for _, sp := range v.Spaces() {
		index, err := sp.Reader(ctx)
		if err != nil {
			return nil, err
		}
		if sp.Unreadable() {
			return nil, fmt.Errorf("the text of the %s's memory cannot be read: orihon doctor says why", sp.Name)
		}
		if index == nil {
			continue
		}
		found, err := index.Fetch(ctx, usual)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(p memory.Passage) bool { return p.Item.Metadata.Source == memory.FromRepository })
		slices.SortFunc(found, func(a, b memory.Passage) int {
			return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
		})
		dir := filepath.Dir(v.Personal.Text.FileOf(store.CorePath(root)))
		told := make(map[string]bool) // atoms, which have several passages
		for i := range found {
			p := &found[i]
			atom := filepath.Ext(p.Source) != ".jsonl"
			if atom && told[p.Source] || !atom && len(p.Item.Triggers)+len(p.Item.Aliases) == 0 {
				continue
			}
			told[p.Source] = true
			lines = append(lines, line(p, place(v, sp, p.Source, dir)))
		}
	}
	return lines, nil
}

// line is an item's words, what it is called, and where it stands.
func line(p *memory.Passage, where string) string {
	const most, longest, title = 20, 12, 24 // words; tokens of one, and of what it is called
	var words []string
	for _, w := range slices.Concat(p.Item.Triggers, p.Item.Aliases) {
		if w = short(w, longest); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	text := short(cmp.Or(p.Item.Title, p.Item.Content), title)
	if len(words) > 0 {
		text = strings.Join(words[:min(most, len(words))], ", ") + " → " + text
	}
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, p.Line)
	}
	return text + " (" + where + ")"
}

// short is a text on one line, cut to so many tokens.
func short(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if cut := tokens.Fit(text, n); cut != text {
		return strings.TrimSpace(cut) + "…"
	}
	return text
}

// place is where a source of a space lies as seen from a folder: a path within
// it, else within the project, else in full.
func place(v *verbs.Verbs, sp *space.Space, source, dir string) string {
	file := sp.Text.FileOf(source)
	if file == "" {
		return source
	}
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if project.Within(v.Project.Root, file) && !project.Within(v.Project.Home, file) {
		return v.InProject(file)
	}
	return filepath.ToSlash(file)
}
