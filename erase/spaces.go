package erase

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/copies"
	"orihon/internal/project"
	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/memory"
)

// reach is a space that a purge looks through.
type reach struct {
	*space.Space
	may  bool // the item itself may be in it
	open bool // it is one of this handle's own
	old  bool // of a home that a restore kept aside
}

// everySpace lists the open spaces, those of other projects, and those of homes
// that a restore kept aside.
func (e *Eraser) everySpace() (out []reach, err error) {
	for _, sp := range e.h.Spaces() {
		out = append(out, reach{Space: sp, may: true, open: true})
	}
	home := e.h.Project.Home
	others, err := e.projectsOf(home, false)
	if err != nil {
		return nil, err
	}
	out = append(out, others...)
	for _, aside := range asides(home) {
		sp, err := e.h.SpaceAt(space.User, project.User(aside))
		if err != nil {
			return nil, err
		}
		of, err := e.projectsOf(aside, true)
		if err != nil {
			return nil, err
		}
		out = append(append(out, reach{Space: sp, may: true, old: true}), of...)
	}
	return out, nil
}

// projectsOf lists the projects of a home that are not open.
func (e *Eraser) projectsOf(home string, old bool) (out []reach, err error) {
	all := project.User(home).Projects()
	dirs, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range dirs {
		dir := project.Space(filepath.Join(all, d.Name()))
		if !d.IsDir() || dir == e.h.Personal.Dir {
			continue
		}
		sp, err := e.h.SpaceAt(space.Project, dir)
		if err != nil {
			return nil, err
		}
		out = append(out, reach{Space: sp, may: old, old: old})
	}
	return out, err
}

// weigh makes ready to erase texts: it decides what becomes of the other items
// that have words of them. Items that a machine made of what was said go with
// them. What a person stated, and what a team shares, is memory of its own: it
// stays, and so do the words that it shares with the texts. That it says one of
// them, or a piece and nothing else, is told.
func (e *Eraser) weigh(ctx context.Context, p *purge, texts []string) error {
	p.texts, p.words, p.derived = texts, copies.New(texts...), make(map[*space.Space][]string)
	if p.words.Empty() {
		return nil
	}
	for _, r := range p.spaces {
		if err := p.weighIn(ctx, r); err != nil {
			return err
		}
	}
	if len(p.Carried) > 0 && !p.again {
		p.Carried = e.tracked(ctx, p.Carried)
	}
	return nil
}

func (p *purge) weighIn(ctx context.Context, r reach) error {
	mentions, err := r.Text.Mentions(ctx, p.words)
	if err != nil {
		return err
	}
	var ids []string
	for i := range mentions {
		ids = append(ids, mentions[i].Item.ID)
	}
	living, err := r.Text.Living(ctx, ids...)
	if err != nil {
		return err
	}
	for i := range mentions {
		m := &mentions[i]
		it := &m.Item
		if p.mine(it.ID) {
			if !it.Scope.Private() && !slices.Contains(p.Carried, m.File) {
				p.Carried = append(p.Carried, m.File)
			}
			continue
		}
		only := p.words.Only(it.Content)
		made := it.Scope.Private() && byMachine(it)
		if now, ok := living[it.ID]; ok {
			made = made && byMachine(&now) // nobody has put it into other words
		}
		switch {
		case made && (only || m.Whole && !store.Digest(it)):
			if !slices.Contains(p.derived[r.Space], it.ID) {
				p.derived[r.Space] = append(p.derived[r.Space], it.ID)
			}
		case made && store.Digest(it): // loses the words
		case r.old: // what may share words with it is decided by what there is now
			if m.Whole || only {
				p.stays(m.File, m.Line, whyAside)
			}
		default:
			p.words.Keep(it.Title)
			p.words.Keep(it.Content)
			if m.Whole || only {
				p.left = append(p.left, Survivor{m.File, m.Line, it.ID, "item " + it.ID + " says it, too: orihon forget --purge " + it.ID + " erases that"})
			}
		}
	}
	return nil
}

func byMachine(it *memory.Item) bool {
	return it.Metadata.Source == memory.FromAgent || it.Metadata.Source == memory.FromSystem
}

// eraseIn takes the words out of one space. An index that is not open and may hold
// them is thrown away: it is derived.
func (e *Eraser) eraseIn(ctx context.Context, p *purge, r reach) error {
	before, err := sizes(r.Dir.Sessions())
	if err != nil {
		return err
	}
	left, changed, err := r.Text.Scrub(ctx, p.ID, p.words)
	if err != nil {
		return err
	}
	for _, where := range left {
		p.left = append(p.left, survivorAt(where, whyYours))
	}
	if err := e.purgeJournals(ctx, r.Space, p); err != nil {
		return err
	}
	if err := e.purgeStates(ctx, r.Space, p); err != nil {
		return err
	}
	n, err := e.purgeFolder(ctx, string(r.Dir), p, func(path string) bool { return e.purgedElsewhere(r.Space, path) })
	if err != nil {
		return err
	}
	changed += n
	if after, err := sizes(r.Dir.Sessions()); err != nil {
		return err
	} else if before != after {
		changed++
	}
	for _, id := range p.derived[r.Space] {
		if _, err := r.Text.Purge(ctx, id); err != nil && !errors.Is(err, memory.ErrNotFound) {
			return err
		}
		if err := r.Text.Audit(ctx, memory.AuditRecord{TS: e.h.Now().UTC(), Op: memory.AuditPurge, ID: id, Other: p.ID, By: e.h.User}); err != nil {
			return err
		}
		changed++
	}
	switch {
	case r.old:
		return errors.Join(os.RemoveAll(r.Dir.Index()), os.RemoveAll(filepath.Join(string(r.Dir), "cache")))
	case p.source != memory.FromSystem: // else nobody wrote it into a file
		if err := e.purgeDocuments(ctx, r.Space, p); err != nil {
			return err
		}
	}
	if !r.open && (changed > 0 || p.again) {
		return r.DiscardAlone(ctx)
	}
	return nil
}
