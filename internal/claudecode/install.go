package claudecode

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/project"
	"orihon/memory"
)

// Scope says whose settings are meant.
type Scope string

// The scopes: one's own of all projects, everybody's of one project, one's own
// of one project.
const (
	UserScope    Scope = "user"
	ProjectScope Scope = "project"
	LocalScope   Scope = "local"
)

// SettingsPath is the settings file of a scope. project is the project's
// folder, home the user's; configDir replaces ~/.claude when it is not empty
// (the client's CLAUDE_CONFIG_DIR).
func SettingsPath(scope Scope, project, home, configDir string) (string, error) {
	switch scope {
	case UserScope:
		if configDir == "" {
			configDir = filepath.Join(home, ".claude")
		}
		return filepath.Join(configDir, "settings.json"), nil
	case ProjectScope:
		return filepath.Join(project, ".claude", "settings.json"), nil
	case LocalScope:
		return filepath.Join(project, ".claude", "settings.local.json"), nil
	}
	return "", fmt.Errorf("%w scope %q: want user, project or local", memory.ErrInvalid, scope)
}

// Options say where to install what.
type Options struct {
	SettingsPath string // see [SettingsPath]; a symlink is followed and kept
	// Within is the folder of the project whose settings they are: a symlink
	// that leads out of it is refused. Empty for the user's own settings.
	Within  string
	Command string // see [Command]; not needed to uninstall
	// RecordDir is a private folder that remembers, for each settings file,
	// how it was before.
	RecordDir string
	DryRun    bool // change nothing, only say what would change

	wrap func(*os.File) stagingFile // test seam; nil writes to the file itself
}

// Change is what an installation did, or would do, to a settings file.
type Change struct {
	Path    string // the file itself, behind any symlink
	Before  []byte
	After   []byte
	Created bool // there was no such file
	Deleted bool // the file is gone again
}

// Changed reports whether there was anything to do.
func (c Change) Changed() bool {
	return c.Created || c.Deleted || !bytes.Equal(c.Before, c.After)
}

// Install wires the hooks into the settings file. What is wired already stays
// as it is, apart from the path of the program. A file that is not valid, or
// whose hooks have an unknown shape, is refused with [memory.ErrRefused].
func Install(o *Options) (Change, error) {
	if strings.TrimSpace(o.Command) == "" {
		return Change{}, fmt.Errorf("%w options: no command to install", memory.ErrInvalid)
	}
	s, err := openSettings(o)
	if err != nil {
		return Change{}, err
	}
	after, err := wire(s.path, s.text, o.Command, s.record.Command)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: s.path, Before: s.data, After: append(s.bom, after...), Created: !s.exists}
	if o.DryRun || !c.Changed() && s.asWeLeft() {
		return c, nil
	}

	fresh := record{
		Version: recordVersion, Settings: s.path, Command: o.Command, Written: digest(c.After),
		Created: !s.exists || s.record.Created, Dirs: s.record.Dirs, Original: s.record.Original,
	}
	if !s.asWeLeft() {
		// What the user has changed since belongs to the original, too.
		var original []byte
		if strings.TrimSpace(string(s.text)) != "" {
			if original, err = unwire(s.path, s.text, s.original(), s.record.Command); err != nil {
				return Change{}, err
			}
		} else {
			original = s.text
		}
		fresh.Original = append(s.bom, original...)
	}
	for dir := filepath.Dir(s.path); !s.exists; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		fresh.Dirs = append(fresh.Dirs, dir)
	}
	// The record goes first: a crash in between leaves a settings file that
	// does not match it, which uninstalling handles.
	if err := fresh.save(o.RecordDir); err != nil {
		return Change{}, err
	}
	if !c.Changed() {
		return c, nil
	}
	return c, s.replace(o, c.After)
}

// Uninstall takes out what [Install] put in. A file that nobody has touched
// since becomes, byte for byte, what it was; from any other, exactly our hooks
// go. A file that we created goes when nothing else is left in it.
func Uninstall(o *Options) (Change, error) {
	s, err := openSettings(o)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: s.path, Before: s.data, After: s.data}
	if s.exists {
		if err := s.undo(&c); err != nil {
			return Change{}, err
		}
	}
	if o.DryRun {
		return c, nil
	}
	switch {
	case c.Deleted:
		if err := s.unchanged(); err != nil {
			return Change{}, err
		}
		if err := os.Remove(s.path); err != nil {
			return Change{}, err
		}
		for _, dir := range s.record.Dirs {
			_ = os.Remove(dir) // only an empty folder goes
		}
	case c.Changed():
		if err := s.replace(o, c.After); err != nil {
			return Change{}, err
		}
	}
	return c, s.record.drop(o.RecordDir)
}

// undo fills in what the file becomes without us.
func (s *settings) undo(c *Change) error {
	if s.asWeLeft() {
		c.After = s.record.Original
	} else if strings.TrimSpace(string(s.text)) != "" {
		after, err := unwire(s.path, s.text, s.original(), s.record.Command)
		if err != nil {
			return err
		}
		c.After = append(s.bom, after...)
		if s.recorded && blank(after) && strings.TrimSpace(string(s.original())) == "" {
			c.After = s.record.Original
		}
	}
	if s.record.Created && blank(c.After) {
		c.After, c.Deleted = nil, true
	}
	return nil
}

// blank reports whether settings say nothing at all.
func blank(data []byte) bool {
	s := strings.Join(strings.Fields(strings.TrimPrefix(string(data), bom)), "")
	return s == "" || s == "{}"
}

// settings is a settings file with what we know of it.
type settings struct {
	path     string // behind symlinks
	exists   bool
	mode     fs.FileMode
	data     []byte // the whole file
	bom      []byte
	text     []byte // data without bom
	record   record // zero when there is none
	recorded bool
}

// maxSettings bounds a settings file in bytes; anything larger is no such file.
const maxSettings = 16 << 20

func openSettings(o *Options) (*settings, error) {
	if o.SettingsPath == "" || o.RecordDir == "" {
		return nil, fmt.Errorf("%w options: a settings path and a record folder are needed", memory.ErrInvalid)
	}
	if o.Within != "" {
		if err := project.Confine(o.Within, o.SettingsPath); err != nil {
			return nil, err
		}
	}
	path, err := resolve(o.SettingsPath)
	if err != nil {
		return nil, err
	}
	s := &settings{path: path, mode: 0o600}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxSettings:
		return nil, fmt.Errorf("%w: %s is not a settings file; nothing was written", memory.ErrRefused, path)
	default:
		s.exists, s.mode = true, info.Mode().Perm()
		if s.data, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	s.text = s.data
	if bytes.HasPrefix(s.data, []byte(bom)) {
		s.bom, s.text = s.data[:len(bom):len(bom)], s.data[len(bom):]
	}
	s.record, s.recorded = loadRecord(o.RecordDir, path)
	return s, nil
}

// asWeLeft reports whether the file is what the last installation wrote.
func (s *settings) asWeLeft() bool {
	return s.exists && s.recorded && s.record.Written == digest(s.data)
}

// original is the file before us, without a byte order mark.
func (s *settings) original() []byte {
	return bytes.TrimPrefix(s.record.Original, []byte(bom))
}

// resolve follows symlinks to the file that is to be written, which need not
// exist yet.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return filepath.Join(realDir(filepath.Dir(path)), filepath.Base(path)), nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%w: %s is a symlink to itself", memory.ErrRefused, path)
}

// realDir is a folder without links in its path, as far as it exists: the path
// must be the same before and after we create it.
func realDir(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return dir
	}
	return filepath.Join(realDir(parent), filepath.Base(dir))
}
