// Package orihon is long-term memory for agents: it remembers statements as
// plain text, recalls the few that bear on a prompt within a token budget, and
// follows a session so that nothing of it is lost.
//
// [Open] gives a handle for one user in one project. [Memory.Remember] and
// [Memory.Recall] are the two verbs everything else stands on; the rooms behind
// the handle look after what is kept ([Memory.Items]), what waits for a person
// ([Memory.Review]), sessions ([Memory.Session]) and what a model sees of them
// ([Memory.Runs]).
//
// It is not a database and not an agent: the text files are the truth, every
// index can be deleted, and no model is needed or called.
package orihon

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"orihon/checkpoint"
	"orihon/documents"
	"orihon/erase"
	"orihon/evolve"
	"orihon/follow"
	"orihon/health"
	"orihon/instincts"
	"orihon/internal/home"
	"orihon/internal/learn"
	"orihon/internal/memoryindex"
	"orihon/internal/verbs"
	"orihon/items"
	"orihon/llm/gateway"
	"orihon/memory"
	"orihon/review"
	"orihon/runs"
	"orihon/transfer"
)

// Options of [Open]; nil means all defaults.
type Options struct {
	// Home is the user's home of Orihon; empty is ~/.orihon.
	Home string
	// Dir is a folder of the project; empty is the working directory.
	Dir string
	// User is who asks; empty is the configured one, else git's user, else the
	// system's.
	User string
	// Settings override the configuration files, by key as in
	// "recall.threshold".
	Settings map[string]string
	// Env looks up ORIHON_* variables; nil looks none up.
	Env func(name string) (string, bool)
	// GitConfig are the user's own git configuration files, most important
	// first; nil means ~/.gitconfig.
	GitConfig []string

	// Store keeps the project's items in place of text files, those of all scopes
	// but the user's global one. What it does not offer beyond the protocol (an
	// audit trail, versions, purging, see package memory) is kept in the home or
	// refused; MEMORY.md and notes are then not read. Nil means text files.
	Store memory.Store
	// Index finds the project's passages in place of SQLite; nil means that. Who
	// gives a store or an index closes it, after the handle.
	Index memory.Index

	// PluginHost is the command that runs context builders in JavaScript, which the
	// settings may name; it is asked as package window/plugin answers. Empty means
	// that such a builder cannot be used.
	PluginHost []string

	// ReadOnly makes recall read the index without writing it, and see what
	// the text has gained since by reading its ends: what a hook needs.
	ReadOnly bool

	Now    func() time.Time // nil is time.Now
	Logger *slog.Logger     // nil discards
}

// Memory is an open handle. It is safe for use by several goroutines; Close
// releases it.
type Memory struct {
	options home.Options

	mu sync.Mutex
	// homes are those that were opened, the present one last: what runs when the
	// folder comes to belong to another project goes on with the home it has.
	homes []*home.Home
}

// Open opens the memory of a user in a project. It creates nothing: folders
// come into being when something is written. Settings that cannot be used are
// left at their defaults and told by [Memory.Problems].
func Open(_ context.Context, o *Options) (*Memory, error) {
	if o == nil {
		o = &Options{}
	}
	m := &Memory{options: home.Options{
		Home: o.Home, Dir: o.Dir, User: o.User, Settings: o.Settings, Env: o.Env, GitConfig: o.GitConfig,
		Store: o.Store, Index: o.Index, PluginHost: o.PluginHost, ReadOnly: o.ReadOnly, Now: o.Now, Logger: o.Logger,
	}}
	h, err := home.Open(&m.options)
	if err != nil {
		return nil, err
	}
	m.homes = []*home.Home{h}
	return m, nil
}

// Close releases the handle.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	for _, h := range m.homes {
		err = errors.Join(err, h.Close())
	}
	return err
}

// home is the present one.
func (m *Memory) home() *home.Home {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.homes[len(m.homes)-1]
}

func (m *Memory) verbs() *verbs.Verbs { return verbs.New(m.home()) }

// reopen opens the home anew: its folder belongs to another project than before.
func (m *Memory) reopen() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.options
	o.LookThrough = true
	h, err := home.Open(&o)
	if err == nil {
		m.homes = append(m.homes, h)
	}
	return err
}

// settled does something in the present home, and once more in a new one when
// the folder turns out to belong to another project.
func settled[T any](m *Memory, do func(*verbs.Verbs) (T, error)) (T, error) {
	out, err := do(m.verbs())
	if !errors.Is(err, home.ErrMoved) {
		return out, err
	}
	if err := m.reopen(); err != nil {
		return out, err
	}
	return do(m.verbs())
}

// Remember keeps a statement: secrets are taken out, what is known already is
// confirmed instead of doubled, what the user said otherwise before holds no
// longer, and the item is durable when it returns. Whoever else contradicts
// what is known, or says what may not be worth keeping, gets an outcome that
// asks, and nothing is stored. An empty scope is the user's own in this
// project; an empty topic of the user's words is the one they show.
func (m *Memory) Remember(ctx context.Context, s Statement) (Outcome, error) {
	out, err := settled(m, func(v *verbs.Verbs) (learn.Outcome, error) { return v.Remember(ctx, learn.Statement(s)) })
	return outcome(&out), err
}

// RememberAll is [Memory.Remember] for many statements of one scope, in their
// order: each sees what the ones before it did, and they are written in groups.
// What cannot be kept has an outcome without an action and does not stop the
// others; the error joins what was wrong with them. An empty scope in all of
// them is the user's own in this project.
func (m *Memory) RememberAll(ctx context.Context, all []Statement) ([]Outcome, error) {
	said := make([]learn.Statement, len(all))
	for i := range all {
		said[i] = learn.Statement(all[i])
	}
	done, err := settled(m, func(v *verbs.Verbs) ([]learn.Outcome, error) { return v.RememberAll(ctx, said) })
	var out []Outcome
	for i := range done {
		out = append(out, outcome(&done[i]))
	}
	return out, err
}

// User is who asks.
func (m *Memory) User() string { return m.home().User }

// Setting is the value of one setting in effect, and where it comes from:
// "default", "file:line", "environment ORIHON_…" or "flag". Names are those of
// [Options].Settings; an unknown one wraps [memory.ErrNotFound].
func (m *Memory) Setting(name string) (value, from string, err error) {
	c := m.home().Config
	value, err = c.Get(name)
	return value, c.Origin(name), err
}

// Problems tells, one line each, which settings could not be used.
func (m *Memory) Problems() []string { return m.home().Problems }

// CheckEmbedder says what is wrong with the embedder that the settings name: a
// model that is not there, or cannot be used. Servers are not asked.
func (m *Memory) CheckEmbedder() error { return m.home().CheckEmbedder() }

// ClientMemories lists what coding agents' programs remember by themselves, of this
// project and of all. It is indexed, and never written.
func (m *Memory) ClientMemories() []ClientMemory {
	project, all := m.home().ClientMemories()
	var out []ClientMemory
	for _, c := range append(project, all...) {
		out = append(out, ClientMemory{Client: c.Name, Dir: c.Dir})
	}
	return out
}

// ClientMemory is a folder in which a coding agent's program keeps a memory of its
// own.
type ClientMemory struct{ Client, Dir string }

// Viewer is who asks, with the roles they hold.
func (m *Memory) Viewer() memory.Viewer { return m.home().Viewer() }

// Register makes the project known to the user's home. Writing does it by
// itself.
func (m *Memory) Register(ctx context.Context) error {
	_, err := settled(m, func(v *verbs.Verbs) (bool, error) { return true, v.Register(ctx) })
	return err
}

// Recall returns the few passages that bear on a prompt. It fails only when
// ctx ends: whatever else goes wrong is named in the result. The viewer is
// always the handle's own. Documents are asked for by the query or by the
// settings; a budget that goes by the length of the prompt is then one that
// holds some.
func (m *Memory) Recall(ctx context.Context, q memory.Query) (*memory.Recollection, error) {
	return m.verbs().Recall(ctx, q)
}

// Synced is what a sync found.
type Synced struct {
	Passages int      // in the indexes now
	Problems []string // what a person should mend, one line each with file and line
	Busy     bool     // another process is at it
}

// Sync brings the indexes up to date with the text, and then their vectors with
// the embedder they should have: a model is trained when a space has grown, and
// all passages are embedded anew after that or after a change of the settings,
// while the old vectors serve. Another sync under way makes it return at once.
func (m *Memory) Sync(ctx context.Context) (Synced, error) {
	done, err := m.verbs().Sync(ctx)
	return Synced(done), err
}

// WriteMemoryIndex brings the files up to date that say, to clients without hooks, what a
// session begins with: the program's sections of MEMORY.md and _ATOM_INDEX.md, in
// the project and in the user's home. It returns those that were not, and with
// check writes none. A file whose section cannot be told is refused with
// [memory.ErrRefused].
func (m *Memory) WriteMemoryIndex(ctx context.Context, check bool) (changed []string, err error) {
	return settled(m, func(v *verbs.Verbs) ([]string, error) { return memoryindex.Update(ctx, v, check) })
}

// RefreshMemoryIndex is [Memory.WriteMemoryIndex] where the files have been written
// before. It is worth a call behind a purge: an item's triggers stand there.
func (m *Memory) RefreshMemoryIndex(ctx context.Context) error {
	return memoryindex.Refresh(ctx, m.verbs())
}

// Core is what every MEMORY.md says; comments and bare headings say nothing.
func (m *Memory) Core(ctx context.Context) (string, error) { return m.verbs().Core(ctx) }

// Redact takes secrets out of a text, as of everything that is written.
func (m *Memory) Redact(text string) string {
	text, _ = m.home().Redactor.Text(text)
	return text
}

// LateIndex reports whether recall found an index that lags behind its text,
// so that a sync is worth a process of its own.
func (m *Memory) LateIndex() bool {
	for _, sp := range m.home().Spaces() {
		if sp.Late() {
			return true
		}
	}
	return false
}

// Session opens the session with a client's ID; it begins when its first event
// is recorded. The error wraps [memory.ErrInvalid] without an ID.
func (m *Memory) Session(ctx context.Context, id string, c follow.Client) (*follow.Session, error) {
	return settled(m, func(v *verbs.Verbs) (*follow.Session, error) { return follow.New(v).Open(ctx, id, c) })
}

// Sessions are those of this project: work they left, what was said in them.
func (m *Memory) Sessions() *follow.Sessions { return follow.New(m.verbs()) }

// Items looks after what is kept.
func (m *Memory) Items() *items.Items { return items.New(m.home()) }

// Instincts are the habits that were learned of how the user works.
func (m *Memory) Instincts() *instincts.Instincts { return instincts.New(m.home()) }

// Review is what waits for a person.
func (m *Memory) Review() *review.Review { return review.New(m.home()) }

// Repository is the text that came with the project's files.
func (m *Memory) Repository() *review.Repository { return review.OfRepository(m.verbs()) }

// Runs opens runs: sessions of this project, transcripts and journals.
func (m *Memory) Runs() *runs.Runs { return m.home().Runs() }

// Models is the way to the language models that the settings list: one after the
// other, within the day's budget. Without any it has no model to give.
func (m *Memory) Models() *gateway.Gateway { return m.home().Models() }

// ChildFolder is where clients' programs work that are asked as models: sessions
// there are Orihon's own, and nobody's past.
func (m *Memory) ChildFolder() string { return home.ChildFolder(m.home().Project.Home) }

// Documents are the project's own files beside memory.
func (m *Memory) Documents() *documents.Documents { return documents.New(m.home()) }

// Health tells how memory is, and mends it.
func (m *Memory) Health() *health.Health { return health.New(m.verbs()) }

// Transfer imports and exports.
func (m *Memory) Transfer() *transfer.Transfer { return transfer.New(m.verbs()) }

// Evolve makes files for clients of what was learned of how somebody works.
func (m *Memory) Evolve() *evolve.Evolver { return evolve.New(m.home()) }

// Checkpoints keep commits under names, with what the project measured there.
func (m *Memory) Checkpoints() *checkpoint.Checkpoints { return checkpoint.New(m.home()) }

// Erase takes items out of everything that ever held them.
func (m *Memory) Erase() *erase.Eraser { return erase.New(m.home()) }
