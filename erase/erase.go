// Package erase takes an item out of everything that ever held it: text, archive,
// journals, logs, exports, backups, derived indexes, and what other rooms keep of
// what was said. What it may not write it names.
package erase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"orihon/documents"
	"orihon/internal/home"
	"orihon/internal/jsonl"
	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/items"
	"orihon/journal"
	"orihon/memory"
)

// Eraser erases for the user of a home.
type Eraser struct {
	h         *home.Home
	documents *documents.Documents
}

// New erases in a home.
func New(h *home.Home) *Eraser { return &Eraser{h, documents.New(h)} }

// Purge erases an item everywhere: every version of it in the text and the
// archive, its words, in whole or in part and however they were copied, in
// journals, logs, exports, backups and notes below the home, in homes that a
// restore kept aside and in the project's folder, and what was derived from them,
// documents included. Only the audit trail keeps its ID. It cannot be undone.
//
// The item's own lines go last, and a note of its ID stands in the space until
// all is done: a purge that was interrupted, at whatever point, is finished by
// another one of the same ID.
//
// left names what still holds the text and is not ours to write. sessions are
// folders in which a client keeps its own record of each session, in files named
// after it: those of sessions that held the text are looked through as well.
func (e *Eraser) Purge(ctx context.Context, id string, sessions ...string) (left []Survivor, err error) {
	sp, p, err := e.toPurge(ctx, id)
	if err != nil {
		return nil, err
	}
	if p.spaces, err = e.everySpace(); err != nil {
		return nil, err
	}
	texts, err := p.gather(ctx)
	if err != nil {
		return nil, err
	}
	// Before anything is erased, and with what only its own lines tell.
	if err := e.weigh(ctx, p, texts); err != nil {
		return nil, err
	}
	if err := p.begin(ctx, sp); err != nil {
		return nil, err
	}
	if err = e.eraseWords(ctx, p); err != nil {
		return p.survivors(), err
	}
	late, err := p.eraseOwn(ctx)
	if err != nil {
		return p.survivors(), err
	}
	// Somebody may have written another version meanwhile.
	late = slices.DeleteFunc(late, func(text string) bool { return slices.Contains(texts, text) })
	if len(late) > 0 {
		if err := e.weigh(ctx, p, append(texts, late...)); err != nil {
			return p.survivors(), err
		}
		if err := e.eraseWords(ctx, p); err != nil {
			return p.survivors(), err
		}
	}
	for _, sp := range e.h.Spaces() {
		if err := sp.Wipe(ctx); err != nil {
			return p.survivors(), err
		}
	}
	if err := e.h.DropCachedVectors(); err != nil {
		return p.survivors(), err
	}
	if err := e.nameElsewhere(ctx, p, sessions); err != nil {
		return p.survivors(), err
	}
	if err := sp.Text.Audit(ctx, memory.AuditRecord{TS: e.h.Now().UTC(), Op: memory.AuditPurge, ID: p.ID, By: e.h.User}); err != nil {
		return p.survivors(), err
	}
	return p.survivors(), p.done(sp)
}

// Why something survives.
const (
	whyYours   = "still says it: the file is yours and stays as it is"
	whyOutside = "still says it: it was written outside of the home: delete it, or take the text out"
	whyClient  = "still says it: the client's own record of a session"
	whyAside   = "still says it: another item, in a home that a restore kept aside: delete that folder when you need it no more"
	whyLarge   = "was not looked through: it is larger than 256 MB"
	whyGit     = "git carries it: the file is gone, its history is not"
)

// texts are all that the item ever said, as far as anything still tells.
func (p *purge) gather(ctx context.Context) (texts []string, err error) {
	if p.content != "" {
		texts = append(texts, p.content)
	}
	for _, r := range p.spaces {
		if !r.may {
			continue
		}
		more, err := r.Text.Texts(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		more = slices.DeleteFunc(more, func(text string) bool { return slices.Contains(texts, text) })
		texts = append(texts, more...)
	}
	return texts, nil
}

// eraseOwn takes away the item itself, and returns what it said by then.
func (p *purge) eraseOwn(ctx context.Context) (said []string, err error) {
	found := p.again
	for _, r := range p.spaces {
		if !r.may {
			continue
		}
		unlock, err := r.Turn(ctx)
		if err != nil {
			return nil, err
		}
		gone, err := r.Text.Purge(ctx, p.ID)
		unlock()
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return nil, err
		}
		found = found || err == nil
		said = append(said, gone.Versions...)
	}
	if !found {
		return nil, fmt.Errorf("purge %s: %w", p.ID, memory.ErrNotFound)
	}
	return said, nil
}

// purgingName is the folder of a space that holds a note of each purge under
// way.
const purgingName = "purging"

func (p *purge) path(sp *space.Space) string {
	return filepath.Join(string(sp.Dir), purgingName, journal.Digest(p.ID)+".json")
}

// begin leaves a note of the purge, before anything is erased.
func (p *purge) begin(ctx context.Context, sp *space.Space) error {
	if _, err := os.Stat(p.path(sp)); err == nil {
		p.again = true
		return ctx.Err()
	}
	data, err := json.Marshal(p)
	if err == nil {
		err = jsonl.WriteFile(p.path(sp), data)
	}
	if err != nil {
		return fmt.Errorf("purge %s: %w", p.ID, err)
	}
	return nil
}

// done takes the note away.
func (p *purge) done(sp *space.Space) error {
	err := os.Remove(p.path(sp))
	_ = os.Remove(filepath.Dir(p.path(sp))) // unless another one is under way
	return err
}

// toPurge finds an item, or the purge of one that was interrupted.
func (e *Eraser) toPurge(ctx context.Context, id string) (*space.Space, *purge, error) {
	s, err := items.New(e.h).Get(ctx, id)
	switch {
	case err == nil && store.Unaccepted(s.Item.ID):
		return nil, nil, fmt.Errorf("item %s: %w: it came with the repository: delete it in %s:%d", s.Item.ID, memory.ErrRefused, s.Path, s.Line)
	case err == nil:
		sp, err := e.h.SpaceOf(s.Item.Scope)
		return sp, &purge{V: 1, ID: s.Item.ID, content: s.Item.Content, source: s.Item.Metadata.Source}, err
	case !errors.Is(err, memory.ErrNotFound):
		return nil, nil, err
	}
	if sp, p := e.interrupted(id); p != nil {
		return sp, p, nil
	}
	return nil, nil, err
}

// Purging reports whether a purge of the item with this ID, or of the one whose
// ID begins or ends so, was interrupted: [Eraser.Purge] goes on with it.
func (e *Eraser) Purging(id string) bool {
	_, p := e.interrupted(id)
	return p != nil
}

// interrupted finds the note of a purge; nil without one.
func (e *Eraser) interrupted(id string) (*space.Space, *purge) {
	for _, sp := range e.h.Spaces() {
		notes, _ := filepath.Glob(filepath.Join(string(sp.Dir), purgingName, "*.json"))
		for _, note := range notes {
			var p purge
			data, err := jsonl.ReadFile(note)
			if err != nil || json.Unmarshal(data, &p) != nil || p.ID == "" {
				continue
			}
			if p.ID == id || memory.Abbreviates(id, p.ID) {
				return sp, &p
			}
		}
	}
	return nil, nil
}

// eraseWords takes the words of a purged item out of everything that is not the
// item itself: what was said in one project may have been said in any other.
func (e *Eraser) eraseWords(ctx context.Context, p *purge) error {
	if p.words.Empty() {
		return nil
	}
	for _, r := range p.spaces {
		if err := e.eraseIn(ctx, p, r); err != nil {
			return err
		}
	}
	folder := e.h.Project.Folder()
	if _, err := e.purgeFolder(ctx, folder, p, e.purgedInFolder); err != nil {
		return err
	}
	for _, aside := range asides(folder) {
		if _, err := e.purgeFolder(ctx, aside, p, func(string) bool { return false }); err != nil {
			return err
		}
	}
	return nil
}
