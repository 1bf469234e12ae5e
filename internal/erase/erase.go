// Package erase takes an item out of everything that ever held it: text, archive,
// journals, logs, exports, backups, derived indexes, and what other rooms keep of
// what was said. What it may not write it names.
package erase

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/documents"
	"orihon/internal/capture"
	"orihon/internal/copies"
	"orihon/internal/home"
	"orihon/internal/jsonl"
	"orihon/internal/session"
	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/internal/terms"
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
		if err := e.weigh(ctx, p, late); err != nil {
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

// Survivor is a place that still holds the text of a purged item.
type Survivor struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // from 1; 0 in what has no lines
	Item string `json:"item,omitempty"` // the other item that stands there
	Why  string `json:"why"`
}

func (s Survivor) String() string {
	if s.Line == 0 {
		return s.Path + ": " + s.Why
	}
	return fmt.Sprintf("%s:%d: %s", s.Path, s.Line, s.Why)
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

// purge is one under way. As JSON it is the note that says so.
type purge struct {
	V  int    `json:"v"`
	ID string `json:"id"`

	// Carried are the files of the item that git tracks.
	Carried []string `json:"carried,omitempty"`

	content  string        // of the item; empty when it is nowhere any more
	source   memory.Source // who it is from; empty then, too
	again    bool          // an earlier one of the same ID was interrupted
	spaces   []reach
	texts    []string // what is looked for now
	words    *copies.Words
	derived  map[*space.Space][]string // IDs of items that go with it
	sessions map[string]bool           // that held the text, as the client names them
	left     []Survivor
}

// mine reports whether an ID is the item's, or that of a bullet or a chunk of it.
func (p *purge) mine(id string) bool { return id == p.ID || strings.HasPrefix(id, p.ID+"#") }

func (p *purge) stays(path string, line int, why string) {
	p.left = append(p.left, Survivor{Path: path, Line: line, Why: why})
}

// survivors are what is left, each once.
func (p *purge) survivors() []Survivor {
	slices.SortStableFunc(p.left, func(a, b Survivor) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(b.Item, a.Item))
	})
	p.left = slices.CompactFunc(p.left, func(a, b Survivor) bool { return a.Path == b.Path && a.Line == b.Line })
	return p.left
}

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
		for _, text := range more {
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
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

func purgedMark(id string) string { return "[purged:" + id + "]" }

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

// purgeStates takes the item out of what sessions know: that it stands in their
// window, and what they asked about in its words.
func (e *Eraser) purgeStates(ctx context.Context, sp *space.Space, p *purge) error {
	words := make(map[string]bool)
	for _, text := range p.texts {
		for _, w := range append(terms.Index(text), terms.Query(text)...) {
			words[w] = true
		}
	}
	tells := func(topic string) bool {
		return slices.ContainsFunc(strings.Fields(topic), func(w string) bool { return words[w] })
	}
	dirs, err := os.ReadDir(sp.Dir.Sessions())
	if err != nil {
		return nil // no sessions
	}
	for _, d := range dirs {
		dir := filepath.Join(sp.Dir.Sessions(), d.Name())
		state, err := session.Load(dir)
		if !d.IsDir() || err != nil || !slices.ContainsFunc(state.BlindTopics, tells) && !slices.ContainsFunc(slices.Collect(maps.Keys(state.Injected)), p.mine) {
			continue
		}
		if _, err := session.Update(ctx, dir, &session.Options{Now: e.h.Now, Logger: e.h.Log}, func(st *session.State) error {
			st.BlindTopics = slices.DeleteFunc(st.BlindTopics, tells)
			maps.DeleteFunc(st.Injected, func(id, _ string) bool { return p.mine(id) })
			return nil
		}); err != nil {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
	}
	return nil
}

// sizes sums up what tells whether files were changed: how many there are, how
// long, and when they were written.
func sizes(dir string) (sum [3]int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum[0]++
			sum[1] += info.Size()
			sum[2] += info.ModTime().UnixNano()
		}
		return nil
	})
	return sum, err
}

// purgeFolder takes the words of a purged item out of what else lies in a folder:
// exports, backups, observations, notes of sessions, logs. Folders that
// elsewhere names are purged by those who keep them. It returns how many files
// it changed.
func (e *Eraser) purgeFolder(ctx context.Context, root string, p *purge, elsewhere func(path string) bool) (changed int, err error) {
	s := scrub{id: p.ID, mark: purgedMark(p.ID), words: p.words}
	var telling []string // files and folders whose names say it
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && path != root && elsewhere(path):
			return fs.SkipDir
		}
		if path != root && p.words.In(d.Name()) {
			telling = append(telling, path)
		}
		if !d.Type().IsRegular() || d.Name() == "journal.jsonl" || filepath.Dir(path) == root && slices.Contains(store.StateFiles(), d.Name()) {
			return nil
		}
		if rel, err := filepath.Rel(e.h.Project.Root, path); err == nil && filepath.IsLocal(rel) && tooLarge(d) {
			p.stays(path, 0, whyLarge)
			return nil
		}
		did, err := s.file(ctx, path)
		if did {
			changed++
		}
		return err
	})
	for _, path := range slices.Backward(telling) { // what lies in a folder before it
		if err == nil {
			err = store.Rename(path, p.words)
			changed++
		}
	}
	return changed, err
}

// tooLarge reports whether a file of the project is more than a purge reads: a
// repository may bring any.
func tooLarge(d fs.DirEntry) bool {
	const most = 256 << 20
	info, err := d.Info()
	return err == nil && info.Size() > most
}

// purgedElsewhere reports whether a folder is purged by who keeps it, or belongs
// to another space.
func (e *Eraser) purgedElsewhere(sp *space.Space, dir string) bool {
	models, cache := e.h.EmbedderFolders() // numbers, and names of texts by their hash
	for _, other := range []string{sp.Dir.Memory(), sp.Dir.Index(), sp.Dir.Projects(), filepath.Join(string(sp.Dir), purgingName), models, cache} {
		if dir == other {
			return true
		}
	}
	// Bodies of a journal.
	return filepath.Base(dir) == "io" && filepath.Dir(filepath.Dir(dir)) == sp.Dir.Sessions()
}

// purgedInFolder reports whether a folder of the project's own is purged by who
// keeps it: memory, and the private space when it lies there.
func (e *Eraser) purgedInFolder(dir string) bool {
	p := e.h.Project
	return dir == filepath.Dir(p.Core()) || dir == string(p.Private()) || dir == p.Home
}

// purgeJournals takes the words out of every journal of a space, and sums up anew
// the sessions that held them, also those that an interrupted purge has not come
// to sum up.
func (e *Eraser) purgeJournals(ctx context.Context, sp *space.Space, p *purge) error {
	mark := purgedMark(p.ID)
	scrub := func(s string) (string, bool) {
		clean := string(p.words.Clean([]byte(s), mark))
		return clean, clean != s
	}
	dirs, err := os.ReadDir(sp.Dir.Sessions())
	if err != nil {
		return nil // no sessions
	}
	for _, d := range dirs {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		dir := filepath.Join(sp.Dir.Sessions(), d.Name())
		said, marked, err := p.inSession(ctx, dir)
		if err != nil {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
		if !said && !marked {
			continue
		}
		p.heldBy(dir)
		j, err := journal.Open(dir, &journal.Options{Now: e.h.Now, Logger: e.h.Log})
		if err != nil {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
		n := 0
		if said {
			if n, err = j.Purge(ctx, scrub); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("purge %s: %w", p.ID, err)
			}
		}
		if n > 0 || marked && p.again {
			if err := resum(ctx, sp, j); err != nil {
				return fmt.Errorf("purge %s: %w", p.ID, err)
			}
		}
	}
	return nil
}

// inSession reports whether anything in the folder of a session may hold the
// words, and whether anything bears the mark of their purge.
func (p *purge) inSession(ctx context.Context, dir string) (said, marked bool, err error) {
	mark := []byte(purgedMark(p.ID))
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || said && marked {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		said = said || p.words.May(data)
		marked = marked || bytes.Contains(data, mark)
		return err
	})
	return said, marked, err
}

// heldBy notes that a session held the words.
func (p *purge) heldBy(dir string) {
	if p.sessions == nil {
		p.sessions = make(map[string]bool)
	}
	p.sessions[filepath.Base(dir)] = true
	if state, err := session.Load(dir); err == nil && state.ID != "" {
		p.sessions[state.ID] = true
	}
}

// resum replaces the episode of a session whose journal was purged by one of
// what is left; its older versions are erased.
func resum(ctx context.Context, sp *space.Space, j *journal.Journal) error {
	state, err := session.Load(j.Dir())
	if err != nil || state.EpisodeID == "" {
		return nil // nothing was summed up
	}
	old, err := sp.Text.Get(ctx, state.EpisodeID)
	if errors.Is(err, memory.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	run, err := capture.ReadRun(ctx, j)
	if err != nil {
		return err
	}
	if _, err := sp.Text.Purge(ctx, old.ID); err != nil {
		return err
	}
	sum, worth := capture.Episode(run)
	if !worth {
		return nil
	}
	old.Title, old.Content = sum.Title, sum.Text
	return sp.Text.Put(context.WithoutCancel(ctx), old) // it is nowhere at this moment
}
