package instincts

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/habit"
	"orihon/internal/mining"
	"orihon/internal/session"
	"orihon/items"
	"orihon/memory"
)

// Learned is what a look for habits came to.
type Learned struct {
	Sessions     int `json:"sessions"`
	Observations int `json:"observations"`
	Found        int `json:"found"`
	Changed      int `json:"changed"` // written anew or again
	Dropped      int `json:"dropped"` // guesses that are seen no more
}

// Learn looks for habits in what was done in this project, and, since one who works in
// several does much the same in all of them, in the newest sessions of the user's other
// projects. What was seen in this project alone is kept with it, what was seen in
// several in the user's own folder. A process that is killed at it leaves the
// instincts as they were, or some of them newer.
func (t *Instincts) Learn(ctx context.Context) (Learned, error) {
	own, everywhere := t.stores()
	unlock, err := own.Lock(ctx)
	if err != nil {
		return Learned{}, err
	}
	defer unlock()
	told, err := t.told(ctx)
	if err != nil {
		return Learned{}, err
	}
	var out Learned
	c, projects, err := t.collect(ctx, told, &out)
	if err != nil {
		return out, err
	}
	found, err := c.Mine(ctx, nil)
	if err != nil {
		return out, err
	}
	if found, err = t.refine(ctx, found, t.places()); err != nil {
		return out, err
	}
	// What is now seen elsewhere, too, holds everywhere.
	mine, all := mining.Split(found, projects, filepath.Clean(t.h.Project.Sessions()))
	if err := t.put(own, mine, projects, &out); err != nil {
		return out, err
	}
	release, err := everywhere.Lock(ctx)
	if err != nil {
		return out, err
	}
	defer release()
	if err := t.put(everywhere, all, projects, &out); err != nil {
		return out, err
	}
	return out, t.refresh()
}

// put brings a folder in line with what was found in sessions, which are named with
// their projects.
func (t *Instincts) put(store *habit.Store, found []mining.Found, sessions map[string]string, out *Learned) error {
	known, problems, err := store.List()
	if err != nil {
		return err
	}
	for _, p := range problems {
		t.h.Log.Warn("instincts: left out", "problem", p.Text)
	}
	forgotten, err := store.Forgotten()
	if err != nil {
		return err
	}
	k := mining.Kept{Known: known, Forgotten: forgotten, Looked: make(map[string]bool)}
	for id := range sessions {
		k.Looked[id] = true
	}
	for i := range found {
		if found[i].Suggested() {
			out.Found++
		}
	}
	change := mining.Reconcile(found, &k, t.h.Now())
	for i := range change.Put {
		if err := store.Put(&change.Put[i]); err != nil {
			return err
		}
	}
	for _, id := range change.Drop {
		if err := store.Remove(id); err != nil {
			return err
		}
	}
	out.Changed += len(change.Put)
	out.Dropped += len(change.Drop)
	return nil
}

// places are those of all evidence that is kept.
func (t *Instincts) places() map[string]bool {
	out := make(map[string]bool)
	all, _, err := t.List()
	if err != nil {
		return out
	}
	for i := range all {
		for k := range all[i].Evidence {
			out[all[i].Evidence[k].Place()] = true
		}
	}
	return out
}

// told are the places at which the user stated a rule that memory keeps: it is a rule,
// and no habit to be learned; nor is what was said where memory kept something that the
// user has forgotten, or turned down, since.
func (t *Instincts) told(ctx context.Context) (map[string]bool, error) {
	all, err := items.New(t.h).List(ctx, memory.Filter{Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, Retired: true})
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool)
	add := func(it *memory.Item) {
		for _, place := range it.Metadata.Evidence {
			out[place] = true
		}
	}
	for i := range all {
		if it := &all[i].Item; stated(it) && (all[i].Retired || rule(it)) {
			add(it)
		}
	}
	for _, sp := range t.h.Spaces() {
		down, err := sp.Text.TurnedDown(ctx)
		if err != nil {
			return nil, err
		}
		for i := range down {
			add(&down[i])
		}
	}
	return out, nil
}

// stated reports what a person said, rather than what was made of many places.
func stated(it *memory.Item) bool {
	return it.Metadata.Source == memory.FromUser || it.Metadata.Source == memory.FromAgent
}

func rule(it *memory.Item) bool {
	asked := it.Metadata.Source == memory.FromUser || slices.Contains(it.Metadata.Tags, memory.NoticedTag)
	return asked && it.Metadata.Confidence >= memory.InjectConfidence && (it.Topic == memory.Preference || it.Topic == memory.Procedure)
}

// mostElsewhere is how many sessions of other projects are looked at, the newest.
const mostElsewhere = 200

// collect reads what was done: in all sessions of this project, and of others in those
// that are over and were looked at by their own project. Few are held at a time. projects
// are the folders that the sessions lie in.
func (t *Instincts) collect(ctx context.Context, told map[string]bool, out *Learned) (c *mining.Corpus, projects map[string]string, err error) {
	dirs, err := sessionDirs(t.h.Project.Sessions())
	if err != nil {
		return nil, nil, err
	}
	dirs = append(dirs, t.elsewhere()...)
	for i := range dirs {
		dirs[i].at = began(dirs[i].path)
	}
	slices.SortStableFunc(dirs, func(a, b sessionDir) int { return a.at.Compare(b.at) })
	c, projects = mining.NewCorpus(), make(map[string]string)
	ctx, stop := context.WithCancel(ctx)
	next, done := t.ahead(ctx, dirs, told)
	defer func() { // nothing is read or kept once the lock is given back
		stop()
		<-done
	}()
	for _, d := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		s, err := next()
		if errors.Is(err, fs.ErrNotExist) {
			continue // it begins at this moment: nothing was done in it yet
		}
		if err != nil {
			t.h.Log.Warn("instincts: session left out", "session", filepath.Base(d.path), "err", err)
			continue
		}
		if projects[s.ID] != "" {
			continue
		}
		projects[s.ID] = filepath.Dir(d.path)
		out.Sessions++
		for i := range s.Turns {
			out.Observations += len(s.Turns[i].Did)
		}
		c.Add(s)
	}
	return c, projects, nil
}

// ahead returns what gives the observations of sessions in their order, and reads some of
// them while those before are looked at, until ctx ends; then done is closed.
func (t *Instincts) ahead(ctx context.Context, dirs []sessionDir, told map[string]bool) (next func() (*mining.Session, error), done <-chan struct{}) {
	const most = 2 // held
	type read struct {
		s   *mining.Session
		err error
	}
	one := func(d sessionDir) read {
		if d.elsewhere {
			s, err := readObservations(filepath.Join(d.path, session.ObservationsName), -1)
			return read{s, err}
		}
		s, err := t.observe(ctx, d.path, told)
		return read{s, err}
	}
	reads, ended := make(chan read, most), make(chan struct{})
	go func() {
		defer close(ended)
		for _, d := range dirs {
			select {
			case reads <- one(d):
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() (*mining.Session, error) {
		select {
		case r := <-reads:
			return r.s, r.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, ended
}

// began is when a session's state was made.
func began(dir string) time.Time {
	if state, err := session.LoadHead(dir); err == nil {
		return state.Created
	}
	return time.Time{}
}

type sessionDir struct {
	path      string
	at        time.Time
	elsewhere bool
}

func sessionDirs(dir string) ([]sessionDir, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []sessionDir
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, sessionDir{path: filepath.Join(dir, e.Name())})
		}
	}
	return out, nil
}

// elsewhere are the folders of the newest sessions of the user's other projects that
// have their observations.
func (t *Instincts) elsewhere() []sessionDir {
	files, err := filepath.Glob(filepath.Join(t.h.Global.Dir.Projects(), "*", "sessions", "*", session.ObservationsName))
	if err != nil {
		return nil
	}
	var out []sessionDir
	for _, f := range files {
		if dir := filepath.Dir(f); filepath.Dir(dir) != filepath.Clean(t.h.Project.Sessions()) {
			if info, err := os.Stat(f); err == nil {
				out = append(out, sessionDir{dir, info.ModTime(), true})
			}
		}
	}
	slices.SortFunc(out, func(a, b sessionDir) int { return b.at.Compare(a.at) })
	return out[:min(len(out), mostElsewhere)]
}
