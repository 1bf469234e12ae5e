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
	"regexp"
	"slices"
	"strings"

	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/internal/session"
	"orihon/internal/store"
	"orihon/internal/terms"
	"orihon/memory"
)

// eraseWords takes the texts of a purged item out of everything that is not the
// item itself. A global one may have been spoken of in any project. left names
// files that are never written and still hold a text.
func (t *Items) eraseWords(ctx context.Context, home *space, it *memory.Item, texts []string) (left []string, err error) {
	for _, sp := range t.spaces() {
		if sp != home {
			more, _, err := sp.text.Scrub(ctx, it.ID, texts...)
			if left = append(left, more...); err != nil {
				return left, err
			}
		}
		if err := t.purgeJournals(ctx, sp, it.ID, texts); err != nil {
			return left, err
		}
		if err := t.purgeStates(ctx, sp, it.ID, texts); err != nil {
			return left, err
		}
		if _, err := t.purgeRest(ctx, sp, it.ID, texts); err != nil {
			return left, err
		}
	}
	if it.Scope == memory.Global {
		if err := t.eraseInProjects(ctx, it.ID, texts); err != nil {
			return left, err
		}
	}
	for _, sp := range t.spaces() {
		if err := sp.wipe(ctx); err != nil {
			return left, err
		}
	}
	return left, nil
}

// eraseInProjects takes the texts out of the projects that are not open. An
// index that may hold them is thrown away: it is derived.
func (t *Items) eraseInProjects(ctx context.Context, id string, texts []string) error {
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
		_, logs, err := sp.text.Scrub(ctx, id, texts...)
		if err != nil {
			return err
		}
		before, err := sizes(dir.Sessions())
		if err != nil {
			return err
		}
		if err := t.purgeJournals(ctx, sp, id, texts); err != nil {
			return err
		}
		if err := t.purgeStates(ctx, sp, id, texts); err != nil {
			return err
		}
		rest, err := t.purgeRest(ctx, sp, id, texts)
		if err != nil {
			return err
		}
		after, err := sizes(dir.Sessions())
		if err != nil {
			return err
		}
		if logs+rest > 0 || before != after {
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

// purgeRest takes the texts of a purged item out of what else lies under a
// space: exports, observations, notes of sessions, logs. Memory, journals and
// the index are purged by those who keep them, and are left alone. It returns
// how many files it changed.
func (t *Items) purgeRest(ctx context.Context, sp *space, id string, texts []string) (changed int, err error) {
	said, err := saying(texts)
	if err != nil {
		return 0, fmt.Errorf("purge %s: %w", id, err)
	}
	inJSON, err := sayingInJSON(texts)
	if err != nil {
		return 0, fmt.Errorf("purge %s: %w", id, err)
	}
	root := string(sp.dir)
	mark := []byte("[purged:" + id + "]")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && path != root && t.purgedElsewhere(sp, path):
			return fs.SkipDir
		case !d.Type().IsRegular() || d.Name() == "journal.jsonl" || filepath.Dir(path) == root && (d.Name() == "audit.jsonl" || d.Name() == "usage.jsonl"):
			return nil
		}
		did, err := rewriteFile(ctx, path, func(data []byte) []byte {
			return inJSON.ReplaceAllLiteral(said.ReplaceAllLiteral(data, mark), mark)
		})
		if did {
			changed++
		}
		return err
	})
	return changed, err
}

// rewriteFile replaces a file by what edit makes of it, if that differs, while
// nobody appends to it.
func rewriteFile(ctx context.Context, path string, edit func([]byte) []byte) (changed bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || bytes.Equal(edit(data), data) {
		return false, err
	}
	unlock, err := jsonl.Lock(ctx, filepath.Join(filepath.Dir(path), jsonl.LockName))
	if err != nil {
		return false, err
	}
	defer unlock()
	if data, err = os.ReadFile(path); err != nil {
		return false, err
	}
	return true, jsonl.WriteFile(path, edit(data))
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

// sayingInJSON matches any of the texts as JSON writes them, with < > & as they
// are or escaped.
func sayingInJSON(texts []string) (*regexp.Regexp, error) {
	texts = slices.Clone(texts)
	slices.SortStableFunc(texts, func(a, b string) int { return len(b) - len(a) })
	var alternatives []string
	for _, text := range texts {
		var words []string
		for _, word := range strings.Fields(strings.ToValidUTF8(text, "\ufffd")) {
			words = append(words, jsonWord(word))
		}
		if len(words) > 0 {
			alternatives = append(alternatives, strings.Join(words, `(?:\s|\\[ntr])+`))
		}
	}
	return regexp.Compile("(?i:" + strings.Join(alternatives, "|") + ")")
}

func jsonWord(word string) string {
	escaped, err := json.Marshal(word) // a string never fails
	if err != nil {
		return regexp.QuoteMeta(word)
	}
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if e.Encode(word) != nil {
		return regexp.QuoteMeta(word)
	}
	a, b := string(escaped), strings.TrimSpace(plain.String())
	if a, b = a[1:len(a)-1], b[1:len(b)-1]; a == b { // without the quotes
		return regexp.QuoteMeta(a)
	}
	return "(?:" + regexp.QuoteMeta(a) + "|" + regexp.QuoteMeta(b) + ")"
}
