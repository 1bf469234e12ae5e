package orihon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"orihon/embed"
	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/internal/sqlite"
	"orihon/internal/store"
	"orihon/journal"
	"orihon/memory"
)

// space is one home of memory, the user's or the project's: its text, its
// derived index, and the journals of its sessions.
type space struct {
	name     string // "project" or "user"
	dir      project.Space
	text     managed
	user     string
	vectors  *vectors
	readOnly bool
	now      func() time.Time
	log      *slog.Logger
	told     *seldom // that prompts get no vector, of all spaces together

	mu    sync.Mutex
	index *sqlite.Index // nil until it is needed
	late  bool          // the index needs a sync that this process left to another
	dirty bool          // files have changed since the last sync, as [Memory.Watch] saw
	// changed are IDs of shared statements that syncs have read and nobody has
	// reconciled yet.
	changed []string
	// committers are who committed files of the text last, by path; nil asks nobody.
	committers func(ctx context.Context, paths []string) map[string]string
	// unread says that a whole file or folder of the text could not be read.
	unread bool
}

// seldom keeps what comes with every prompt from filling a log.
type seldom struct {
	mu   sync.Mutex
	last time.Time
}

// due reports whether it is time to tell it again.
func (s *seldom) due(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ago := now.Sub(s.last); ago >= 0 && ago < time.Minute {
		return false
	}
	s.last = now
	return true
}

// openSpaces makes the two spaces over the project and the user's home.
func (m *Memory) openSpaces() error {
	p := m.project
	m.openBook()
	// Nothing is written through a symlink that leads out of here. It is there
	// even before the project's own folder is.
	within := p.Root
	if rel, err := filepath.Rel(p.Root, p.Folder()); err != nil || !filepath.IsLocal(rel) {
		within = p.Home // the folder around the home keeps its text there
	}
	roots := []store.Root{
		{Name: "personal", Dir: p.PersonalMemory(), Scope: memory.Personal(m.user)},
		{Name: "shared", Dir: p.SharedMemory(), Scope: memory.Shared, Within: within, Foreign: m.judge(p.SharedMemory())},
		{Name: "project", Dir: filepath.Dir(p.Core()), Scope: memory.Shared, Flat: true, Within: within, Foreign: m.judge(p.Core())},
	}
	m.roles = m.ownRoles()
	for _, name := range roleNames(p.Roles(), m.roles) {
		dir, err := p.RoleMemory(name)
		if err != nil {
			continue
		}
		roots = append(roots, store.Root{Name: "role/" + name, Dir: dir, Scope: memory.Role(name), Within: within, Foreign: m.judge(dir)})
	}
	for _, dir := range m.cfg.Memory.ExtraDirs {
		root := store.Root{Name: "extra/" + filepath.Base(dir), Dir: dir, Scope: memory.Personal(m.user), Notes: true}
		if !filepath.IsAbs(dir) {
			root.Dir = filepath.Join(p.Root, dir)
			if filepath.IsLocal(dir) {
				root.Within = p.Root // where a symlink leads to is not the project's to say
			}
		}
		root.Foreign = m.judge(root.Dir)
		roots = append(roots, root)
	}
	var err error
	if m.personal, err = m.newSpace("project", p.Private(), roots); err != nil {
		return err
	}
	m.personal.committers = m.committersOf
	user := project.User(p.Home)
	m.global, err = m.newSpace("user", user, []store.Root{{Name: "global", Dir: user.Memory(), Scope: memory.Global}})
	return err
}

func (m *Memory) newSpace(name string, dir project.Space, roots []store.Root) (*space, error) {
	sp := &space{name: name, dir: dir, user: m.user, vectors: newVectors(dir.Index(), m.configured), readOnly: m.readOnly, now: m.now, log: m.log, told: &m.unembedded}
	text, err := store.Open(&store.Options{
		Roots: roots, State: string(dir), Redactor: m.redactor, Now: m.now, NewID: m.newID, Logger: m.log,
		Covered: func(session string) bool {
			_, err := os.Stat(filepath.Join(dir.Session(session), "journal.jsonl"))
			return err == nil
		},
	})
	sp.text = managed{text, m}
	return sp, err
}

// roleNames lists the roles that have a folder and those the user holds.
func roleNames(dir string, held []string) []string {
	names := append([]string(nil), held...)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && memory.ValidName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	seen := make(map[string]bool)
	out := names[:0]
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

func (sp *space) close() error {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.vectors.replace(embed.NewHash(0))
	if sp.index == nil {
		return nil
	}
	err := sp.index.Close()
	sp.index = nil
	return err
}

func (sp *space) indexPath() string { return filepath.Join(sp.dir.Index(), "index.db") }

// reader returns an index that knows all that was remembered, or nil when
// there is no text at all: what the ledgers gained since the last sync is kept
// pending. An index that is missing or damaged is built anew, by a handle that
// only reads if that takes no time.
func (sp *space) reader(ctx context.Context) (memory.Index, error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.empty() {
		return nil, nil
	}
	err := sp.openIndex(ctx, sp.readOnly)
	if err != nil && !sqlite.Damaged(err) && !sp.readOnly {
		err = sp.openIndex(ctx, true)
	}
	if err == nil {
		err = sp.catchUp(ctx)
	}
	if errors.Is(err, memory.ErrNotFound) || sqlite.Damaged(err) {
		sp.late = true
		if sp.readOnly && !sp.small() {
			return nil, err
		}
		if sp.index != nil {
			_, err = sp.rebuild(ctx)
		} else if err = sp.openIndex(ctx, false); err == nil {
			// To open one that cannot be read starts over, unless another
			// process is creating it at this moment.
			_, err = sp.syncLocked(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	return guarded{sp.index, sp}, nil
}

// catchUp is the little that is done before a search.
func (sp *space) catchUp(ctx context.Context) error {
	if sp.readOnly || sp.index.Frozen() {
		_, err := sp.pend(ctx)
		return err
	}
	stamp, err := sp.index.Stamp(ctx)
	if err == nil && (stamp.Synced.IsZero() || sp.dirty) {
		_, err = sp.syncLocked(ctx)
		return err
	}
	if err != nil {
		return err
	}
	all, err := sp.pend(ctx)
	if err == nil && !all {
		_, err = sp.syncLocked(ctx)
	}
	return err
}

// guarded notes damage that only a search finds, for the next sync to mend.
type guarded struct {
	memory.Index
	sp *space
}

// Search is the index's own, watched for damage. The vector of the prompt is
// made by the embedder whose vectors the index holds.
func (g guarded) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	c, unembedded, err := g.search(ctx, s)
	if sqlite.Damaged(err) || slices.ContainsFunc(c.Degraded, func(d string) bool { return d != memory.OtherEmbedder }) {
		err = errors.Join(err, g.sp.damaged())
	}
	if unembedded != nil && ctx.Err() == nil {
		level := slog.LevelWarn
		if errors.Is(unembedded, embed.ErrResting) || !g.sp.told.due(g.sp.now()) {
			level = slog.LevelDebug
		}
		g.sp.log.Log(ctx, level, "recall: prompt not embedded", "space", g.sp.name, "embedder", g.sp.vectors.ID(), "err", unembedded)
		c.Degraded = append(c.Degraded, degradedEmbedder)
	}
	return c, err
}

// Newest is the index's own, watched for damage.
func (g guarded) Newest(ctx context.Context, f memory.Filter, n int) ([]memory.Passage, error) {
	x, ok := g.Index.(memory.Recent)
	if !ok {
		return g.Fetch(ctx, f)
	}
	found, err := x.Newest(ctx, f, n)
	if sqlite.Damaged(err) {
		err = errors.Join(err, g.sp.damaged())
	}
	return found, err
}

// damaged notes that the index is thought to be damaged.
func (sp *space) damaged() error {
	sp.mu.Lock()
	sp.late = true
	sp.mu.Unlock()
	return jsonl.Place(sp.damagePath(), nil)
}

func (g guarded) search(ctx context.Context, s memory.Search) (c memory.Candidates, unembedded, err error) {
	defer g.sp.vectors.hold()()
	unembedded = g.sp.embed(ctx, &s)
	c, err = g.Index.Search(ctx, s)
	return c, unembedded, err
}

// damagePath is a file that is there while the index is thought to be damaged.
func (sp *space) damagePath() string { return sp.indexPath() + ".damaged" }

// scopePath is a file that says whose index it is: the folder of a text decides
// its scope, and a user may be called differently tomorrow.
func (sp *space) scopePath() string { return sp.indexPath() + ".scope" }

// rebuild throws the index away and builds it from the text.
func (sp *space) rebuild(ctx context.Context) (Synced, error) {
	if err := sp.discard(); err != nil {
		return Synced{}, err
	}
	if err := sp.openIndex(ctx, false); err != nil {
		return Synced{}, err
	}
	return sp.syncLocked(ctx)
}

// discard removes the index, which is derived.
func (sp *space) discard() error {
	if sp.index != nil {
		// What cannot be closed is removed all the same.
		_ = sp.index.Close()
		sp.index = nil
	}
	if err := sqlite.Delete(sp.indexPath(), sp.log); err != nil {
		return err
	}
	for _, path := range []string{sp.damagePath(), sp.scopePath()} {
		if err := takeAway(path); err != nil {
			return err
		}
	}
	return sp.vectors.forget()
}

// takeAway removes a file of ours; what is none is moved aside.
func takeAway(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		_, err = jsonl.Aside(path)
	} else if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// pend shows the index what the ledgers gained since the last sync, or, when
// that is too much for a search, the latest of it.
func (sp *space) pend(ctx context.Context) (all bool, err error) {
	known, err := sp.index.Files(ctx, store.QuickKinds()...)
	if err != nil {
		return false, err
	}
	b, problems, err := sp.text.Changes(ctx, known, memory.QuickLook)
	if err != nil {
		return false, err
	}
	sp.late = sp.late || len(b.Put) > 0
	// A broken line is one statement less, a broken file all of them.
	sp.unread = slices.ContainsFunc(problems, func(p memory.Problem) bool { return p.Line == 0 })
	if info, err := os.Stat(sp.dir.Memory()); err == nil && !info.IsDir() {
		sp.unread = true
	}
	const most = 500 // passages; more would cost a prompt more than they are worth
	later := slices.ContainsFunc(problems, func(p memory.Problem) bool { return p.Later })
	all = len(b.Put) <= most && !later
	sp.late = sp.late || later
	b.Put = b.Put[max(0, len(b.Put)-most):]
	return all, sp.index.Pend(ctx, b)
}

// statements counts what the index holds beside conversations, and tells whether
// any of it was there before a time. What cannot be told counts as much.
func (sp *space) statements(ctx context.Context, visible []memory.Scope, before time.Time) (n int, old bool) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.index == nil {
		return 0, false
	}
	n, err := sp.index.Statements(ctx)
	if err != nil {
		return n, true
	}
	first, err := sp.index.Newest(ctx, memory.Filter{Scopes: visible, Until: before, NoTurns: true}, 1)
	return n, err != nil || len(first) > 0
}

// unreadable reports whether the last look found text that cannot be read.
func (sp *space) unreadable() bool {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.unread
}

// empty reports whether the space holds no text of any kind.
func (sp *space) empty() bool {
	if _, err := os.Stat(sp.indexPath()); err == nil {
		return false
	}
	return !sp.text.Exists() && !hasFiles(sp.dir.Sessions())
}

func hasFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// small reports whether a first index can be built while a prompt waits.
func (sp *space) small() bool {
	const most = 256 << 10
	var size int64
	err := filepath.WalkDir(string(sp.dir.Memory()), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		if size > most {
			return fs.SkipAll
		}
		return nil
	})
	return err == nil && size <= most
}

func (sp *space) openIndex(ctx context.Context, readOnly bool) error {
	if sp.index != nil {
		return sp.serve(ctx)
	}
	if !readOnly {
		for _, path := range []string{sp.damagePath(), sp.scopePath(), sp.syncLockPath()} {
			if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
				if err := takeAway(path); err != nil {
					return err
				}
			}
		}
	}
	if whose, err := jsonl.ReadFile(sp.scopePath()); err == nil && string(whose) != string(sp.scope()) {
		if readOnly {
			return fmt.Errorf("index %s: %w: it was built for %s", sp.indexPath(), memory.ErrStale, whose)
		}
		if err := sp.discard(); err != nil {
			return err
		}
	}
	x, err := sqlite.Open(ctx, sp.indexPath(), &sqlite.Options{Embedder: sp.vectors, ReadOnly: readOnly, Logger: sp.log})
	if err != nil {
		return err
	}
	sp.index = x
	// What stands beside it is moved aside by a sync.
	sp.late = sp.late || x.Frozen() && sqlite.Blocked(sp.indexPath()) != nil
	sp.serveAs(x.Opened())
	return nil
}

// sync brings the index up to date with everything.
func (sp *space) sync(ctx context.Context) (Synced, error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.empty() {
		return Synced{}, nil
	}
	if sp.index != nil && sp.index.Frozen() {
		_ = sp.index.Close() // there may be room again
		sp.index = nil
	}
	if _, err := os.Stat(sp.damagePath()); err == nil {
		return sp.rebuild(ctx)
	}
	err := sp.openIndex(ctx, false)
	var out Synced
	if err == nil {
		out, err = sp.syncLocked(ctx)
	}
	if sqlite.Damaged(err) {
		return sp.rebuild(ctx)
	}
	return out, err
}

// syncLocked reads what changed in the text and the journals and applies it.
// Only one process does so at a time; the others need not wait for it.
func (sp *space) syncLocked(ctx context.Context) (Synced, error) {
	unlock, free, err := jsonl.TryLock(sp.syncLockPath())
	if err != nil {
		return Synced{}, err
	}
	if !free {
		_, err := sp.pend(ctx)
		return Synced{Busy: true}, err
	}
	defer unlock()
	defer hold(sp.syncLockPath())()
	// What changes from here on may be read or not; it is dirty again.
	sp.dirty = false
	stamp, err := sp.index.Stamp(ctx)
	if err != nil {
		return Synced{}, err
	}
	texts, journals := split(stamp.Files)
	b, problems, err := sp.text.Changes(ctx, texts, memory.FullLook)
	if err != nil {
		return Synced{}, fmt.Errorf("sync %s: %w", sp.name, err)
	}
	turns, err := journal.Changes(ctx, sp.dir.Sessions(), journals, &journal.ChangesOptions{User: sp.user, Scope: sp.scope(), Logger: sp.log})
	if err != nil {
		return Synced{}, fmt.Errorf("sync %s: %w", sp.name, err)
	}
	for _, batch := range []memory.Batch{b, turns} {
		if err := sp.index.Apply(ctx, batch); err != nil {
			return Synced{}, err
		}
	}
	sp.note(b, len(texts) == 0)
	if err := sp.index.Pend(ctx, memory.Batch{}); err != nil {
		return Synced{}, err
	}
	if err := jsonl.Place(sp.scopePath(), []byte(sp.scope())); err != nil {
		return Synced{}, err
	}
	if err := sp.index.Synced(ctx, sp.now()); err != nil {
		return Synced{}, err
	}
	sp.late = false
	stamp, err = sp.index.Stamp(ctx)
	if err := sp.noteUnaccepted(ctx, stamp.Files); err != nil {
		sp.log.Warn("sync: what waits for acceptance is not noted", "err", err)
	}
	out := Synced{Passages: stamp.Passages}
	for _, p := range problems {
		out.Problems = append(out.Problems, p.String())
	}
	return out, err
}

func (sp *space) scope() memory.Scope {
	if sp.name == "user" {
		return memory.Global
	}
	return memory.Personal(sp.user)
}

func split(files []memory.File) (texts []memory.File, journals map[string]memory.File) {
	journals = make(map[string]memory.File)
	for _, f := range files {
		if f.Kind == journal.FileKind {
			journals[f.Path] = f
		} else {
			texts = append(texts, f)
		}
	}
	return texts, journals
}

// follow is sync for callers that need no report: after a write. While another
// process syncs, what was written to a private scope is seen at the ends of the
// ledgers; Markdown is not, so that a write to any other scope waits its turn.
func (sp *space) follow(ctx context.Context, written ...memory.Scope) error {
	done, err := sp.sync(ctx)
	for err == nil && done.Busy && slices.ContainsFunc(written, func(s memory.Scope) bool { return !s.Private() }) {
		unlock, lerr := jsonl.Lock(ctx, sp.syncLockPath())
		if lerr != nil {
			return lerr
		}
		unlock()
		done, err = sp.sync(ctx)
	}
	return err
}

// turn lets one process at a time decide about items of the space, from looking
// at what is known to having written: two that say the same at once make one
// item, and a version made of an old one does not bring back what was forgotten
// meanwhile.
func (sp *space) turn(ctx context.Context) (unlock func(), err error) {
	return jsonl.Lock(ctx, filepath.Join(string(sp.dir), ".turn.lock"))
}
