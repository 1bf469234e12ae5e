// Package home says who asks, and where: the user, the project that a folder
// belongs to, the configuration, what roles and acceptance allow, and the two
// spaces that hold the memory. Whoever does something with memory gets a [Home]
// and changes nothing in it.
//
// The project's identity is settled before a space is opened. When it turns out
// to be another one, [Home.Register] says so with [ErrMoved], and whoever opened
// the home opens another: no space is swapped under a running call.
package home

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
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"orihon/embed"
	"orihon/internal/config"
	"orihon/internal/project"
	"orihon/internal/redact"
	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/internal/terms"
	"orihon/internal/trust"
	"orihon/llm/gateway"
	"orihon/memory"
)

// Options of [Open]; the zero value means all defaults.
type Options struct {
	Home      string            // the user's home of Orihon; empty is ~/.orihon
	Dir       string            // a folder of the project; empty is the working directory
	User      string            // who asks, see [memory.ValidName]; empty is the configured one, else git's user, else the system's
	Settings  map[string]string // override the configuration files, by key
	Env       func(name string) (string, bool)
	GitConfig []string // the user's own git configuration files; nil is ~/.gitconfig

	Store memory.Store // in place of the project's files; nil means those
	Index memory.Index // in place of SQLite; nil means that

	// PluginHost is the command that runs context builders in JavaScript, see
	// window.PluginOptions; empty is none.
	PluginHost []string

	// ReadOnly makes recall read the index without writing it.
	ReadOnly bool
	// LookThrough looks through all of a project's local folder, as a home that
	// is not read-only always does.
	LookThrough bool

	Now    func() time.Time // nil is time.Now
	Logger *slog.Logger     // nil discards
}

// Home is who asks and where. Its fields are not changed after [Open]; it is safe
// for use by several goroutines.
type Home struct {
	User     string
	ReadOnly bool
	Project  *project.Project
	Config   *config.Config
	Problems []string // settings that could not be used, one line each
	Redactor *redact.Redactor
	Roles    []string     // that the user holds
	Personal *space.Space // the project's
	Global   *space.Space // the user's

	Now   func() time.Time
	NewID func() string
	Log   *slog.Logger

	book       *trust.Book // what of the project's text the user accepted
	env        func(name string) (string, bool)
	pluginHost []string
	registered atomic.Bool
	// configured opens, once, the embedder that the settings name; nil is the
	// one that is built in.
	configured func() (memory.Embedder, error)
	opened     memory.Embedder // what configured has opened
	models     func() *gateway.Gateway
	gateway    *gateway.Gateway // what models has made
}

// Open finds the project of a folder and opens what the user has of it. It
// creates nothing.
func Open(o *Options) (*Home, error) {
	h := &Home{ReadOnly: o.ReadOnly, Now: o.Now, Log: o.Logger, env: o.Env, pluginHost: o.PluginHost}
	h.configured = sync.OnceValues(h.openConfigured)
	h.models = sync.OnceValue(h.newModels)
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.Log == nil {
		h.Log = slog.New(slog.DiscardHandler)
	}
	h.NewID = func() string {
		id, err := uuid.NewV7()
		if err != nil { // the system has no randomness to give
			return fmt.Sprintf("%016x", h.Now().UnixNano())
		}
		return id.String()
	}
	userHome, _ := os.UserHomeDir()
	dir, top := o.Dir, o.Home
	if top == "" {
		if userHome == "" {
			return nil, fmt.Errorf("no home folder is known: set ORIHON_HOME")
		}
		top = filepath.Join(userHome, ".orihon")
	}
	if dir == "" {
		dir = "."
	}
	if err := h.configure(top, dir, userHome, o); err != nil {
		return nil, err
	}
	if o.User != "" && !memory.ValidName(o.User) {
		return nil, fmt.Errorf("%w user %q: want letters, digits and . _ - @ +, at most 64 bytes, no dot in front", memory.ErrInvalid, o.User)
	}
	h.User = h.whoIs(o, userHome)
	h.Redactor = redact.New(h.Config.Redact.Off)
	return h, h.openSpaces(o.Store, o.Index)
}

// configure finds the project and reads the settings: the user's own come
// first, since they may say where the project's private memory lies.
func (h *Home) configure(home, dir, userHome string, o *Options) error {
	src := config.Sources{UserFile: project.User(home).Config(), Env: o.Env, Flags: o.Settings, Home: home}
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
	if !h.ReadOnly || o.LookThrough {
		// Who only reads waits for nothing, and looks at its session by itself.
		if _, err := p.CheckLocal(""); err != nil {
			return err
		}
	}
	src.ProjectFile, src.Root = p.Config(), p.Root
	src.Accepts = trust.Open(p.TrustFile(), "", h.Now).AcceptedItself
	cfg, err := config.Load(src)
	for _, problem := range config.Problems(err) {
		h.Problems = append(h.Problems, problem.Error())
	}
	if unknown, known := redact.Unknown(cfg.Redact.Off); len(unknown) > 0 {
		h.Problems = append(h.Problems, fmt.Sprintf("redact.off: no rule is called %s: there are %s", strings.Join(unknown, ", "), strings.Join(known, ", ")))
	}
	h.Project, h.Config = p, cfg
	h.registered.Store(p.Registered)
	return nil
}

// Elsewhere reports whether a folder is there and belongs to another project: what
// was said in it is not this one's to know.
func (h *Home) Elsewhere(folder string) bool {
	own := h.Project
	if project.Within(own.Root, folder) {
		return false
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return false
	}
	p, err := project.Resolve(own.Home, folder, &project.Options{Lenient: true, TrustRemotes: h.Config.Project.TrustRemotes})
	return err == nil && p.ID != own.ID
}

// whoIs names the user, in a form that can stand in a scope.
func (h *Home) whoIs(o *Options, userHome string) string {
	for _, name := range []string{o.User, h.Config.User} {
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
	return project.GitUser(h.Project.Root, fallback, files...)
}

// Close releases the spaces and the embedder.
func (h *Home) Close() error {
	err := errors.Join(h.Personal.Close(), h.Global.Close())
	if h.opened != nil {
		err = errors.Join(err, embed.Close(h.opened))
	}
	if h.gateway != nil {
		err = errors.Join(err, h.gateway.Close())
	}
	return err
}

// Spaces are both spaces, the project's first.
func (h *Home) Spaces() []*space.Space { return []*space.Space{h.Personal, h.Global} }

// Viewer is who asks, with the roles they hold.
func (h *Home) Viewer() memory.Viewer { return memory.Viewer{User: h.User, Roles: h.Roles} }

// Visible are those of some scopes that the user may see; of none, all they may.
func (h *Home) Visible(asked []memory.Scope) []memory.Scope {
	all := h.Viewer().Scopes()
	if len(asked) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(asked), func(s memory.Scope) bool { return !slices.Contains(all, s) })
}

// SpaceOf finds where a scope is kept, and refuses what the user may not write.
func (h *Home) SpaceOf(s memory.Scope) (*space.Space, error) {
	visible := h.Viewer().Scopes()
	switch {
	case !slices.Contains(visible, s):
		return nil, fmt.Errorf("scope %s: %w: %s may write only %v", s, memory.ErrRefused, h.User, visible)
	case s == memory.Global:
		return h.Global, nil
	}
	return h.Personal, nil
}

// ErrMoved says that the folder belongs to another project than when the home was
// opened, or that its private memory lies elsewhere: open the home again.
var ErrMoved = errors.New("the folder has come to belong to another project at this moment: try again")

// Register makes the project known to the user's home, so that it keeps its
// memory when it gets a remote or moves. The error wraps [ErrMoved] when another
// process registered the folder first, under another ID.
func (h *Home) Register(ctx context.Context) error {
	if err := h.Project.LocalStillClean(); err != nil {
		return err
	}
	if h.registered.Load() {
		return nil
	}
	p := *h.Project
	if err := project.Register(ctx, &p, h.Now()); err != nil {
		return fmt.Errorf("project %s: %w", p.Root, err)
	}
	if p.ID != h.Project.ID {
		return fmt.Errorf("project %s: %w", p.Root, ErrMoved)
	}
	h.registered.Store(true)
	return nil
}

// importedSession ends the names of sessions that were imported.
const importedSession = ".imported"

// ImportedSession is the name here of a session of an import. No client's session
// can have it, so that nothing in a file becomes what the user of a session said.
func ImportedSession(id string) string { return id + importedSession }

// CheckSession refuses the name of an imported session with [memory.ErrInvalid]. It
// looks through the folder of a session of a project that keeps its memory in
// itself, or through those of all when it is new and may become any of them. The error wraps [ErrMoved] when there is something that was not made
// here; opened again with LookThrough, the home leaves the folder alone.
func (h *Home) CheckSession(session string) error {
	// Some systems tell no capital letters apart.
	if n := len(session) - len(importedSession); n >= 0 && strings.EqualFold(session[n:], importedSession) {
		return fmt.Errorf("%w session %q: names that end in %s are those of imported sessions", memory.ErrInvalid, session, importedSession)
	}
	if !h.Project.Local {
		return nil
	}
	p := *h.Project
	dir := p.Session(session)
	if _, err := os.Lstat(dir); err != nil {
		dir = p.Sessions()
	}
	rel, err := filepath.Rel(string(p.Private()), dir)
	if err != nil {
		return err
	}
	if left, err := p.CheckLocal(rel); err != nil || !left {
		return err
	}
	return fmt.Errorf("project %s: %w", p.Root, ErrMoved)
}

// Language is the one set for the project, else that of a text; empty when
// neither says one.
func (h *Home) Language(text string) string {
	switch {
	case h.Config.Language != "auto":
		return h.Config.Language
	case text == "":
		return ""
	}
	return terms.Lang(text)
}

// openSpaces makes the two spaces over the project and the user's home.
func (h *Home) openSpaces(items memory.Store, index memory.Index) (err error) {
	p := h.Project
	h.book = trust.Open(p.TrustFile(), h.User, h.Now)
	h.Roles = h.ownRoles()
	ofProject, ofAll := h.ClientMemories()
	o := h.spaceOptions(space.Project, p.Private(), append(h.projectRoots(), clientRoots(ofProject, memory.Personal(h.User))...)...)
	o.Store, o.Index = items, index
	o.Committers, o.Unembedded = h.committersByPath, new(space.Seldom)
	if h.Personal, err = space.Open(o); err != nil {
		return err
	}
	user := project.User(p.Home)
	unembedded := o.Unembedded
	own := store.Root{Name: "global", Dir: user.Memory(), Scope: memory.Global}
	o = h.spaceOptions(space.User, user, append([]store.Root{own}, clientRoots(ofAll, memory.Global)...)...)
	o.Unembedded, o.Project = unembedded, p.ID
	h.Global, err = space.Open(o)
	return err
}

// SpaceAt opens another space of the same user: of another project, or of a home
// that was kept aside. Its only text is its own memory folder.
func (h *Home) SpaceAt(name string, dir project.Space) (*space.Space, error) {
	root := store.Root{Name: "personal", Dir: dir.Memory(), Scope: memory.Personal(h.User)}
	if name == space.User {
		root.Name, root.Scope = "global", memory.Global
	}
	return space.Open(h.spaceOptions(name, dir, root))
}

func (h *Home) spaceOptions(name string, dir project.Space, roots ...store.Root) *space.Options {
	return &space.Options{
		Name: name, Dir: dir, Roots: roots, Owner: h.User, ReadOnly: h.ReadOnly, Redactor: h.Redactor,
		Configured: h.configured, MayChange: h.MayChange, Now: h.Now, NewID: h.NewID, Logger: h.Log,
	}
}

// projectRoots are the folders of the project's text: private, shared, of roles,
// and those that the settings name.
func (h *Home) projectRoots() []store.Root {
	p := h.Project
	// Nothing is written through a symlink that leads out of here. It is there
	// even before the project's own folder is.
	within := p.Root
	if !project.Within(p.Root, p.Folder()) {
		within = p.Home // the folder around the home keeps its text there
	}
	roots := []store.Root{
		{Name: "personal", Dir: p.PersonalMemory(), Scope: memory.Personal(h.User)},
		{Name: "shared", Dir: p.SharedMemory(), Scope: memory.Shared, Within: within, Foreign: h.judge(p.SharedMemory())},
		{Name: "project", Dir: filepath.Dir(p.Core()), Scope: memory.Shared, Flat: true, Within: within, Foreign: h.judge(p.Core())},
	}
	for _, name := range roleNames(p.Roles(), h.Roles) {
		dir, err := p.RoleMemory(name)
		if err != nil {
			continue
		}
		roots = append(roots, store.Root{Name: "role/" + name, Dir: dir, Scope: memory.Role(name), Within: within, Foreign: h.judge(dir)})
	}
	for _, dir := range h.Config.Memory.ExtraDirs {
		root := store.Root{Name: "extra/" + filepath.Base(dir), Dir: dir, Scope: memory.Personal(h.User), Notes: true}
		if !filepath.IsAbs(dir) {
			root.Dir = filepath.Join(p.Root, dir)
			if filepath.IsLocal(dir) {
				root.Within = p.Root // where a symlink leads to is not the project's to say
			}
		}
		root.Foreign = h.judge(root.Dir)
		roots = append(roots, root)
	}
	return roots
}

// roleNames lists the roles that the user holds and those that have a folder,
// each once.
func roleNames(dir string, held []string) []string {
	names := slices.Clone(held)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && memory.ValidName(e.Name()) && !slices.Contains(names, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
