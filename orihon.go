// Package orihon is long-term memory for agents: it remembers statements as
// plain text, recalls the few that bear on a prompt within a token budget, and
// follows a session so that nothing of it is lost.
//
// [Open] gives a handle for one user in one project. [Memory.Remember] and
// [Memory.Recall] are the two verbs everything else stands on; [Memory.Items]
// looks after what is kept, [Memory.Session] follows an agent's run.
//
// It is not a database and not an agent: the text files are the truth, every
// index can be deleted, and no model is needed or called.
package orihon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"orihon/embed"
	"orihon/internal/capture"
	"orihon/internal/config"
	"orihon/internal/learn"
	"orihon/internal/project"
	"orihon/internal/recall"
	"orihon/internal/redact"
	"orihon/internal/trust"
	"orihon/memory"
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

	// ReadOnly makes recall read the index without writing it, and see what
	// the text has gained since by reading its ends: what a hook needs.
	ReadOnly bool

	Now    func() time.Time // nil is time.Now
	Logger *slog.Logger     // nil discards
}

// Memory is an open handle. It is safe for use by several goroutines; Close
// releases it.
type Memory struct {
	user     string
	readOnly bool
	project  *project.Project
	cfg      *config.Config
	problems []string
	redactor *redact.Redactor
	roles    []string
	personal *space      // the project's
	global   *space      // the user's
	book     *trust.Book // what of the project's text the user accepted
	now      func() time.Time
	newID    func() string
	log      *slog.Logger

	unembedded seldom

	env func(name string) (string, bool)
	// configured opens, once, the embedder that the settings name; nil is the
	// one that is built in.
	configured func() (memory.Embedder, error)
	opened     memory.Embedder // what configured has opened
}

// Open opens the memory of a user in a project. It creates nothing: folders
// come into being when something is written. Settings that cannot be used are
// left at their defaults and told by [Memory.Problems].
func Open(ctx context.Context, o *Options) (*Memory, error) {
	if o == nil {
		o = &Options{}
	}
	m := &Memory{readOnly: o.ReadOnly, now: o.Now, log: o.Logger, env: o.Env}
	m.configured = sync.OnceValues(m.openConfigured)
	if m.now == nil {
		m.now = time.Now
	}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.newID = func() string {
		id, err := uuid.NewV7()
		if err != nil { // the system has no randomness to give
			return fmt.Sprintf("%016x", m.now().UnixNano())
		}
		return id.String()
	}
	userHome, _ := os.UserHomeDir()
	home, dir := o.Home, o.Dir
	if home == "" {
		if userHome == "" {
			return nil, fmt.Errorf("no home folder is known: set ORIHON_HOME")
		}
		home = filepath.Join(userHome, ".orihon")
	}
	if dir == "" {
		dir = "."
	}
	if err := m.configure(home, dir, userHome, o); err != nil {
		return nil, err
	}
	m.user = m.whoIs(o, userHome)
	m.redactor = redact.New(m.cfg.Redact.Off)
	return m, m.openSpaces()
}

// configure finds the project and reads the settings: the user's own come
// first, since they may say where the project's private memory lies.
func (m *Memory) configure(home, dir, userHome string, o *Options) error {
	src := config.Sources{UserFile: project.User(home).Config(), Env: o.Env, Flags: o.Settings}
	own, _ := config.Load(src)
	var homes []string
	if userHome != "" {
		homes = append(homes, filepath.Join(userHome, ".orihon"))
	}
	p, err := project.Resolve(home, dir, &project.Options{
		Homes: homes, Local: own.Local, LocalNow: own.Local && !strings.HasPrefix(own.Origin("local"), src.UserFile),
		TrustRemotes: own.Project.TrustRemotes, Lenient: o.ReadOnly,
	})
	if err != nil {
		return err
	}
	if !m.readOnly {
		// Who only reads waits for nothing, and looks at its session by itself.
		if _, err := p.CheckLocal(""); err != nil {
			return err
		}
	}
	src.ProjectFile = p.Config()
	cfg, err := config.Load(src)
	for _, problem := range config.Problems(err) {
		m.problems = append(m.problems, problem.Error())
	}
	m.project, m.cfg = p, cfg
	return nil
}

// whoIs names the user, in a form that can stand in a scope.
func (m *Memory) whoIs(o *Options, userHome string) string {
	for _, name := range []string{o.User, m.cfg.User} {
		if memory.ValidName(name) {
			return name
		}
	}
	fallback := "user"
	if u, err := user.Current(); err == nil {
		fallback = u.Username
	}
	files := o.GitConfig
	if files == nil && userHome != "" {
		files = []string{filepath.Join(userHome, ".gitconfig")}
	}
	return project.GitUser(m.project.Root, fallback, files...)
}

// Close releases the handle.
func (m *Memory) Close() error {
	err := errors.Join(m.personal.close(), m.global.close())
	if m.opened != nil {
		err = errors.Join(err, embed.Close(m.opened))
	}
	return err
}

// User is who asks.
func (m *Memory) User() string { return m.user }

// Project is the project this handle is for.
func (m *Memory) Project() *project.Project { return m.project }

// Config is the configuration in effect.
func (m *Memory) Config() *config.Config { return m.cfg }

// Problems tells, one line each, which settings could not be used.
func (m *Memory) Problems() []string { return m.problems }

// Viewer is who asks, with the roles they hold.
func (m *Memory) Viewer() memory.Viewer {
	return memory.Viewer{User: m.user, Roles: m.roles}
}

// ownRoles are those of the configuration and of the user's own list.
func (m *Memory) ownRoles() []string {
	out := slices.Clone(m.cfg.Roles)
	for _, r := range m.standing().Roles {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// Statement is something to remember, see [Memory.Remember].
type Statement = learn.Statement

// Outcome is what became of a statement.
type Outcome = learn.Outcome

// Candidate is something that waits for a person's decision.
type Candidate = memory.Question

// Remember keeps a statement: secrets are taken out, what is known already is
// confirmed instead of doubled, what the user said otherwise before holds no
// longer, and the item is durable when it returns. Whoever else contradicts
// what is known, or says what may not be worth keeping, gets an outcome that
// asks, and nothing is stored. An empty scope is the user's own in this
// project; an empty topic of the user's words is the one they show.
func (m *Memory) Remember(ctx context.Context, s Statement) (Outcome, error) {
	return m.rememberThrough(ctx, s, func(st memory.Store) memory.Store { return st })
}

// rememberThrough is Remember by way of what a function makes of the store.
func (m *Memory) rememberThrough(ctx context.Context, s Statement, wrap func(memory.Store) memory.Store) (Outcome, error) {
	if s.Scope == "" {
		s.Scope = memory.Personal(m.user)
	}
	if s.Topic == "" && s.Kind == "" && (s.Source == "" || s.Source == memory.FromUser) {
		s.Topic = capture.Topic(s.Text)
	}
	if _, err := memory.ParseScope(string(s.Scope)); err != nil {
		return Outcome{}, err
	}
	if _, err := m.spaceOf(s.Scope); err != nil {
		return Outcome{}, err
	}
	if err := m.register(ctx); err != nil {
		return Outcome{}, err
	}
	sp, err := m.spaceOf(s.Scope) // registering may have moved it
	if err != nil {
		return Outcome{}, err
	}
	unlock, err := sp.turn(ctx)
	if err != nil {
		return Outcome{}, err
	}
	o := m.learning(sp, sp.alike)
	o.Store = wrap(o.Store)
	out, err := learn.New(o).Learn(ctx, s)
	unlock()
	if err != nil {
		return out, err
	}
	m.pends(ctx, &out)
	// The text has it; an index that cannot follow now will at the next sync.
	if !m.readOnly {
		if err := sp.follow(ctx, s.Scope); err != nil {
			m.log.Warn("remember: the index lags behind", "err", err)
		}
	}
	return out, nil
}

// learner writes to a space; find gives what may speak of the same.
func (m *Memory) learner(sp *space, find func(context.Context, memory.Scope, string) ([]learn.Neighbour, error)) *learn.Learner {
	return learn.New(m.learning(sp, find))
}

func (m *Memory) learning(sp *space, find func(context.Context, memory.Scope, string) ([]learn.Neighbour, error)) *learn.Options {
	return &learn.Options{
		Store: reviewed{sp.text}, Find: find, Redactor: m.redactor, Now: m.now, NewID: m.newID,
		Audit: sp.text.Audit,
		Candidates: func(ctx context.Context, asked ...memory.Question) error {
			return sp.propose(ctx, asked)
		},
	}
}

// spaceOf finds where a scope is kept, and refuses what the user may not write.
func (m *Memory) spaceOf(s memory.Scope) (*space, error) {
	visible := m.Viewer().Scopes()
	for _, v := range visible {
		if v != s {
			continue
		}
		if s == memory.Global {
			return m.global, nil
		}
		return m.personal, nil
	}
	return nil, fmt.Errorf("scope %s: %w: %s may write only %v", s, memory.ErrRefused, m.user, visible)
}

// Register makes the project known to the user's home. Writing does it by
// itself.
func (m *Memory) Register(ctx context.Context) error { return m.register(ctx) }

// register makes the project known to the user's home, so that it keeps its
// memory when it gets a remote or moves.
func (m *Memory) register(ctx context.Context) error {
	if err := m.project.LocalStillClean(); err != nil {
		return err
	}
	if m.project.Registered {
		return nil
	}
	before := m.project.ID
	if err := project.Register(ctx, m.project, m.now()); err != nil {
		return fmt.Errorf("project %s: %w", m.project.Root, err)
	}
	if m.project.ID != before {
		// Another process registered it first, under an ID of its own.
		m.personal.close()
		return m.openSpaces()
	}
	return nil
}

// Recall returns the few passages that bear on a prompt. It fails only when
// ctx ends: whatever else goes wrong is named in the result. The viewer is
// always the handle's own. Documents are asked for by the query or by the
// settings; a budget that goes by the length of the prompt is then one that
// holds some.
func (m *Memory) Recall(ctx context.Context, q memory.Query) (*memory.Recollection, error) {
	if q.Documents = q.Documents || m.cfg.RAG.Enabled; q.Documents && q.MaxTokens == 0 && m.cfg.Recall.MaxTokens == 0 {
		q.MaxTokens = max(m.budget(q.Text), m.cfg.Recall.BudgetMedium)
	}
	return m.recall(ctx, q)
}

// recall is Recall with documents and budget as the query says.
func (m *Memory) recall(ctx context.Context, q memory.Query) (*memory.Recollection, error) {
	q.Viewer = m.Viewer()
	if q.Language == "" && m.cfg.Language != "auto" {
		q.Language = m.cfg.Language
	}
	if q.MaxTokens == 0 {
		q.MaxTokens = m.cfg.Recall.MaxTokens
	}
	var more []recall.Source
	if documents, end, ok := m.Corpus().source(ctx, &q); ok {
		defer end()
		more = append(more, documents)
	}
	r, err := m.engine(ctx, more...).Recall(ctx, q)
	if r != nil {
		r.Degraded = withoutSources(r.Degraded)
	}
	return r, err
}

// engine is recall over the spaces that have anything in them, and more.
func (m *Memory) engine(ctx context.Context, more ...recall.Source) *recall.Engine {
	var sources []recall.Source
	var failed []string
	for _, sp := range []*space{m.personal, m.global} {
		index, err := sp.reader(ctx)
		if err != nil {
			m.log.Warn("recall: index left out", "space", sp.name, "err", err)
			failed = append(failed, sp.name+" index")
			continue
		}
		if sp.unreadable() {
			failed = append(failed, sp.name+" text")
		}
		if index != nil {
			sources = append(sources, recall.Source{Name: sp.name, Index: index})
		}
	}
	sources = append(sources, more...)
	c, shift := &m.cfg.Recall, m.feedback().Shift
	settings := recall.Settings{
		Threshold: c.Threshold + shift, ThresholdMin: c.ThresholdMin + max(0, shift),
		BudgetShort: c.BudgetShort, BudgetMedium: c.BudgetMedium, BudgetLong: c.BudgetLong,
		Candidates: c.Candidates, MaxTerms: c.MaxTerms, CommonShare: c.CommonShare, IdleDecay: m.cfg.Decay.PerMonth, RecencyWeight: c.RecencyWeight, AccessWeight: c.AccessWeight, HideSources: !c.ShowSources, Fusion: recall.Fusion(c.Fusion),
	}
	settings.Leave(c.Without...)
	return recall.New(&recall.Options{
		Now: m.now, Logger: m.log, Core: m.core, Committer: m.committer(), Failed: failed,
		Settings: settings,
	}, sources...)
}

// core is what every MEMORY.md says; comments and bare headings say nothing.
func (m *Memory) core(ctx context.Context) (string, error) { return m.coreBut(ctx) }

// coreBut is core without some of the files.
func (m *Memory) coreBut(ctx context.Context, files ...string) (string, error) {
	var parts []string
	for _, sp := range []*space{m.personal, m.global} {
		text, err := sp.text.Memory(ctx, files...)
		if err != nil {
			return "", err
		}
		if text = withoutComments(text); says(text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// withoutComments drops what Markdown does not show.
func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<!--")
		b.WriteString(before)
		if !found {
			return strings.TrimSpace(b.String())
		}
		if _, text, found = strings.Cut(rest, "-->"); !found {
			return strings.TrimSpace(b.String())
		}
	}
}

// says reports whether a Markdown text has a line that is no heading.
func says(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return true
		}
	}
	return false
}

// Sync brings the indexes up to date with the text, and then their vectors with
// the embedder they should have: a model is trained when a space has grown, and
// all passages are embedded anew after that or after a change of the settings,
// while the old vectors serve. Another sync under way makes it return at once.
func (m *Memory) Sync(ctx context.Context) (Synced, error) {
	var out Synced
	for _, sp := range []*space{m.personal, m.global} {
		s, err := sp.sync(ctx)
		out.Problems = append(out.Problems, s.Problems...)
		out.Passages += s.Passages
		out.Busy = out.Busy || s.Busy
		if err != nil {
			return out, err
		}
		if s.Busy {
			continue
		}
		if healed, err := sp.heal(ctx, m.now()); err != nil {
			out.Problems = append(out.Problems, err.Error())
		} else if len(healed) > 0 {
			out.Problems = append(out.Problems, fmt.Sprintf("%d private statements hold again that shared text had ended: %s", len(healed), strings.Join(healed, ", ")))
			if err := sp.follow(ctx); err != nil {
				return out, err
			}
		}
		if err := m.reconcile(ctx, sp); err != nil {
			out.Problems = append(out.Problems, err.Error())
		}
		if err := sp.refresh(ctx); err != nil {
			if ctx.Err() != nil {
				return out, err
			}
			m.log.Warn("sync: the old vectors stay", "err", err)
			out.Problems = append(out.Problems, err.Error())
		}
	}
	if err := m.Corpus().auto(ctx); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		out.Problems = append(out.Problems, err.Error())
	}
	return out, nil
}

// Synced is what a sync found.
type Synced struct {
	Passages int      // in the indexes now
	Problems []string // what a person should mend, one line each with file and line
	Busy     bool     // another process is at it
}
