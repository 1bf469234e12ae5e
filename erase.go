package orihon

import (
	"bytes"
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
	"unicode"

	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/internal/session"
	"orihon/internal/store"
	"orihon/internal/terms"
	"orihon/memory"
)

// Purge erases an item everywhere: every version of it in the text and the
// archive, its words in journals, logs, exports, backups and notes below the
// home and in the project's folder, and what was derived from them, documents
// included. Only the audit trail keeps its ID. It cannot be undone.
//
// The item's own lines go last, and a note of its ID stands in the space until
// all is done: a purge that was interrupted, at whatever point, is finished by
// another one of the same ID.
//
// left names what still holds the text and is not ours to write: files in
// folders of notes, lines of the project's own files as path:line, and, as
// "item ID", other items that a person stated or a team shares.
func (t *Items) Purge(ctx context.Context, id string) (left []string, err error) {
	sp, p, err := t.toPurge(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := p.begin(ctx, sp); err != nil {
		return nil, err
	}
	texts, err := sp.text.Texts(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	if p.content != "" && !slices.Contains(texts, p.content) {
		texts = append(texts, p.content)
	}
	if left, err = t.eraseWords(ctx, sp, p, texts); err != nil {
		return left, err
	}
	unlock, err := sp.turn(ctx)
	if err != nil {
		return left, err
	}
	gone, err := sp.text.Purge(ctx, p.ID)
	unlock()
	if err != nil && !(p.again && errors.Is(err, memory.ErrNotFound)) {
		return left, err
	}
	left = append(left, gone.Left...)
	// Somebody may have written another version meanwhile.
	late := slices.DeleteFunc(gone.Versions, func(text string) bool { return slices.Contains(texts, text) })
	if _, err := t.eraseWords(ctx, sp, p, late); err != nil {
		return left, err
	}
	for _, sp := range t.spaces() {
		if err := sp.wipe(ctx); err != nil {
			return left, err
		}
	}
	if err := t.m.dropCachedVectors(); err != nil {
		return left, err
	}
	slices.Sort(left)
	left = slices.Compact(left)
	if err := sp.text.Audit(ctx, store.Record{TS: t.m.now().UTC(), Op: "purge", ID: p.ID, By: t.m.user}); err != nil {
		return left, err
	}
	return left, p.done(sp)
}

// purge is one under way. As JSON it is the note that says so.
type purge struct {
	V  int    `json:"v"`
	ID string `json:"id"`

	content string        // of the item; empty when it is nowhere any more
	source  memory.Source // who it is from; empty then, too
	again   bool          // an earlier one of the same ID was interrupted
}

// purgingName is the folder of a space that holds a note of each purge under
// way.
const purgingName = "purging"

func (p *purge) path(sp *space) string {
	return filepath.Join(string(sp.dir), purgingName, hash(p.ID)+".json")
}

// begin leaves a note of the purge, before anything is erased.
func (p *purge) begin(ctx context.Context, sp *space) error {
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
func (p *purge) done(sp *space) error {
	err := os.Remove(p.path(sp))
	_ = os.Remove(filepath.Dir(p.path(sp))) // unless another one is under way
	return err
}

// toPurge finds an item, or the purge of one that was interrupted.
func (t *Items) toPurge(ctx context.Context, id string) (*space, *purge, error) {
	sp, s, err := t.find(ctx, id)
	if err == nil {
		return sp, &purge{V: 1, ID: s.Item.ID, content: s.Item.Content, source: s.Item.Metadata.Source}, nil
	}
	if !errors.Is(err, memory.ErrNotFound) {
		return nil, nil, err
	}
	if sp, p := t.interrupted(id); p != nil {
		return sp, p, nil
	}
	return nil, nil, err
}

// Purging reports whether a purge of the item with this ID, or of the one whose
// ID begins or ends so, was interrupted: [Items.Purge] goes on with it.
func (t *Items) Purging(id string) bool {
	_, p := t.interrupted(id)
	return p != nil
}

// interrupted finds the note of a purge; nil without one.
func (t *Items) interrupted(id string) (*space, *purge) {
	for _, sp := range t.spaces() {
		notes, _ := filepath.Glob(filepath.Join(string(sp.dir), purgingName, "*.json"))
		for _, note := range notes {
			var p purge
			data, err := os.ReadFile(note)
			if err != nil || json.Unmarshal(data, &p) != nil || p.ID == "" {
				continue
			}
			if p.ID == id || len(id) >= shortest && (strings.HasPrefix(p.ID, id) || strings.HasSuffix(p.ID, id)) {
				return sp, &p
			}
		}
	}
	return nil, nil
}

// finalMarks may end a sentence, or not, wherever it is said.
const finalMarks = ".。!！?？;；…"

// withUnmarked adds to texts what each is without the marks it ends in.
func withUnmarked(texts []string) []string {
	out := slices.Clone(texts)
	for _, text := range texts {
		bare := strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(finalMarks, r) })
		if bare != "" && !slices.Contains(out, bare) {
			out = append(out, bare)
		}
	}
	return out
}

func purgedMark(id string) string { return "[purged:" + id + "]" }

// eraseWords takes the texts of a purged item out of everything that is not the
// item itself: what was said in one project may have been said in any other.
// left is that of [Items.Purge].
func (t *Items) eraseWords(ctx context.Context, home *space, p *purge, texts []string) (left []string, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	texts = withUnmarked(texts)
	for _, sp := range t.spaces() {
		// The item's own space as well: its store knows the text as it was kept.
		more, _, err := sp.text.Scrub(ctx, p.ID, slices.Clone(texts)...)
		if left = append(left, more...); err != nil {
			return left, err
		}
		more, _, err = t.eraseInSpace(ctx, sp, p, texts)
		if left = append(left, more...); err != nil {
			return left, err
		}
	}
	if _, err := t.purgeFolder(ctx, t.m.project.Folder(), p.ID, texts, t.purgedInFolder); err != nil {
		return left, err
	}
	if p.source == memory.FromSystem {
		return left, nil // nobody said it
	}
	more, err := t.m.Corpus().saying(ctx, texts)
	if left = append(left, more...); err != nil {
		return left, err
	}
	return left, t.eraseInProjects(ctx, p, texts)
}

// eraseInSpace takes the texts out of what lies under a space beside its memory
// and the index of that; changed counts the files that held one.
func (t *Items) eraseInSpace(ctx context.Context, sp *space, p *purge, texts []string) (left []string, changed int, err error) {
	before, err := sizes(sp.dir.Sessions())
	if err != nil {
		return nil, 0, err
	}
	if err := t.purgeJournals(ctx, sp, p.ID, texts, p.again); err != nil {
		return nil, 0, err
	}
	if err := t.purgeStates(ctx, sp, p.ID, texts); err != nil {
		return nil, 0, err
	}
	if changed, err = t.purgeFolder(ctx, string(sp.dir), p.ID, texts, func(path string) bool { return t.purgedElsewhere(sp, path) }); err != nil {
		return nil, changed, err
	}
	if after, err := sizes(sp.dir.Sessions()); err != nil {
		return nil, changed, err
	} else if before != after {
		changed++
	}
	left, derived, err := t.purgeDerived(ctx, sp, p.ID, texts)
	if err != nil {
		return left, changed + derived, err
	}
	if p.source == memory.FromSystem {
		return left, changed + derived, nil // nobody wrote it into a file
	}
	more, err := t.purgeDocuments(ctx, sp, texts)
	return append(left, more...), changed + derived, err
}

// purgeDerived erases the other items that say one of the texts and were made of
// it by a machine that read what was said. What a person stated, and what a
// team shares, is memory of its own: left names those items.
func (t *Items) purgeDerived(ctx context.Context, sp *space, id string, texts []string) (left []string, erased int, err error) {
	said, err := saying(texts)
	if err != nil {
		return nil, 0, err
	}
	var others []memory.Item
	note := func(it *memory.Item) {
		if it.ID != id && !strings.HasPrefix(it.ID, id+"#") && (said.MatchString(it.Content) || said.MatchString(it.Title)) {
			others = append(others, *it)
		}
	}
	for s, err := range sp.text.Scan(ctx) {
		if err != nil {
			return nil, 0, err
		}
		note(&s.Item)
	}
	for a, err := range sp.text.Archived(ctx) {
		if err == nil {
			note(&a.Item)
		}
	}
	for i := range others {
		it := &others[i]
		if source := it.Metadata.Source; !it.Scope.Private() || source != memory.FromAgent && source != memory.FromSystem {
			left = append(left, "item "+it.ID)
			continue
		}
		if _, err := sp.text.Purge(ctx, it.ID); err != nil && !errors.Is(err, memory.ErrNotFound) {
			return left, erased, err
		}
		if err := sp.text.Audit(ctx, store.Record{TS: t.m.now().UTC(), Op: "purge", ID: it.ID, Other: id, By: t.m.user}); err != nil {
			return left, erased, err
		}
		erased++
	}
	return left, erased, nil
}

// eraseInProjects takes the texts out of the projects that are not open. An
// index that may hold them is thrown away: it is derived.
func (t *Items) eraseInProjects(ctx context.Context, p *purge, texts []string) error {
	all := project.User(t.m.project.Home).Projects()
	dirs, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range dirs {
		dir := project.Space(filepath.Join(all, d.Name()))
		if !d.IsDir() || dir == t.m.personal.dir {
			continue
		}
		sp, err := t.m.newSpace("project", dir, []store.Root{{Name: "personal", Dir: dir.Memory(), Scope: memory.Personal(t.m.user)}})
		if err != nil {
			return err
		}
		_, logs, err := sp.text.Scrub(ctx, p.ID, texts...)
		if err != nil {
			return err
		}
		_, changed, err := t.eraseInSpace(ctx, sp, p, texts)
		if err != nil {
			return err
		}
		if logs+changed > 0 || p.again {
			if err := sp.discardAlone(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// purgeStates takes the item out of what sessions know: that it stands in their
// window, and what they asked about in its words.
func (t *Items) purgeStates(ctx context.Context, sp *space, id string, texts []string) error {
	words := make(map[string]bool)
	for _, text := range texts {
		for _, w := range append(terms.Index(text), terms.Query(text)...) {
			words[w] = true
		}
	}
	tells := func(topic string) bool {
		return slices.ContainsFunc(strings.Fields(topic), func(w string) bool { return words[w] })
	}
	mine := func(other string) bool { return other == id || strings.HasPrefix(other, id+"#") }
	dirs, err := os.ReadDir(sp.dir.Sessions())
	if err != nil {
		return nil // no sessions
	}
	for _, d := range dirs {
		dir := filepath.Join(sp.dir.Sessions(), d.Name())
		state, err := session.Load(dir)
		if !d.IsDir() || err != nil || !slices.ContainsFunc(state.BlindTopics, tells) && !slices.ContainsFunc(slices.Collect(maps.Keys(state.Injected)), mine) {
			continue
		}
		if _, err := session.Update(ctx, dir, (&Session{m: t.m}).options(), func(st *session.State) error {
			st.BlindTopics = slices.DeleteFunc(st.BlindTopics, tells)
			maps.DeleteFunc(st.Injected, func(id, _ string) bool { return mine(id) })
			return nil
		}); err != nil {
			return fmt.Errorf("purge %s: %w", id, err)
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

// discardAlone removes the index when no other process syncs it, or after
// [wipeWait].
func (sp *space) discardAlone(ctx context.Context) error {
	if _, err := os.Stat(sp.indexPath()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, wipeWait)
	defer cancel()
	if unlock, err := jsonl.Lock(waiting, sp.syncLockPath()); err == nil {
		defer unlock()
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.discard()
}

// purgeFolder takes the texts of a purged item out of what else lies in a folder:
// exports, backups, observations, notes of sessions, logs. Folders that
// elsewhere names are purged by those who keep them. It returns how many files
// it changed.
func (t *Items) purgeFolder(ctx context.Context, root, id string, texts []string, elsewhere func(path string) bool) (changed int, err error) {
	e, err := newEraser(id, texts)
	if err != nil {
		return 0, err
	}
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
		case !d.Type().IsRegular() || d.Name() == "journal.jsonl" || filepath.Dir(path) == root && slices.Contains(store.StateFiles(), d.Name()):
			return nil
		}
		did, err := e.file(ctx, path)
		if did {
			changed++
		}
		return err
	})
	return changed, err
}

// purgedElsewhere reports whether a folder is purged by who keeps it, or belongs
// to another space.
func (t *Items) purgedElsewhere(sp *space, dir string) bool {
	models, cache := t.m.embedderFolders() // numbers, and names of texts by their hash
	for _, other := range []string{sp.dir.Memory(), sp.dir.Index(), sp.dir.Projects(), models, cache} {
		if dir == other {
			return true
		}
	}
	// Bodies of a journal.
	return filepath.Base(dir) == "io" && filepath.Dir(filepath.Dir(dir)) == sp.dir.Sessions()
}

// purgedInFolder reports whether a folder of the project's own is purged by who
// keeps it: memory, and the private space when it lies there.
func (t *Items) purgedInFolder(dir string) bool {
	p := t.m.project
	return dir == filepath.Dir(p.Core()) || dir == string(p.Private()) || dir == p.Home
}

// holding counts the files in a folder that hold a text.
func holding(dir, text string) (n int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			n++
		}
		return err
	})
	return n, err
}
