package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Management is the role whose holders decide on what is shared.
const Management = "management"

// DefaultRoles are made by [Project.InitRoles] when none are named.
func DefaultRoles() []string { return []string{"programmer", "art", "planner"} }

// OwnRolesFile is the person's own list of the roles they hold here. It is
// private.
func (p *Project) OwnRolesFile() string { return filepath.Join(p.PersonalMemory(), "role.md") }

// RejectedReview holds shared items that management turned down, with the
// reason.
func (p *Project) RejectedReview() string { return filepath.Join(p.Folder(), "shared", "_rejected") }

// Standing is what a person may do on a project.
type Standing struct {
	Roles []string // those they say they hold, sorted
	// Management is recognised when both sides agree.
	Management bool
	Claims     bool // their own list says management
	Listed     bool // the project's list says so
	// Reviewed says that the project has a management at all: without one,
	// nothing waits for it.
	Reviewed bool
}

// Standing reads both lists. What is missing says nothing; what cannot be read
// is an error, and nobody is management then. The project's list counts for
// somebody only when the person accepted it, by its hash; that there is a
// management it says in any case, which is the safe side.
func (p *Project) Standing(user string, accepted func(hash string) bool) (Standing, error) {
	var st Standing
	mine, err := readSmall(p.OwnRolesFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return st, err
	}
	own := parseList(mine)
	list, hash, err := p.RolesList()
	if err != nil {
		return st, err
	}
	project := parseList(list)
	for _, line := range own {
		if name := line.text; memory.ValidName(name) && !slices.Contains(st.Roles, name) {
			st.Roles = append(st.Roles, name)
		}
	}
	slices.Sort(st.Roles)
	st.Claims = slices.Contains(st.Roles, Management)
	for _, line := range project {
		if line.under == Management {
			st.Reviewed = true
			named := line.text == user || slug(line.text) == user // as git's name becomes the user's
			st.Listed = st.Listed || named && accepted(hash)
		}
	}
	st.Management = st.Claims && st.Listed
	return st, nil
}

// point is a bullet of a list and the heading it stands under, in lower case.
type point struct{ under, text string }

func parseList(text string) []point {
	var out []point
	under, comment := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case comment:
			comment = !strings.Contains(line, "-->")
		case strings.HasPrefix(line, "<!--"):
			comment = !strings.Contains(line, "-->")
		case strings.HasPrefix(line, "#"):
			under = strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "):
			if name := strings.TrimSpace(line[2:]); name != "" {
				out = append(out, point{under, name})
			}
		}
	}
	return out
}

// InitRoles makes the folders of the shared and the named roles and the two
// lists, and returns what it made. Who sets the roles up first is the
// project's management; on a project that has its list already, a person only
// gets their own, in which they claim the roles but not management.
func (p *Project) InitRoles(user string, roles []string) (made []string, err error) {
	if len(roles) == 0 {
		roles = DefaultRoles()
	}
	dirs := []string{p.SharedMemory(), p.PersonalMemory(), p.PendingReview()}
	for _, name := range roles {
		dir, err := p.RoleMemory(name)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		if exists(dir) {
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return made, err
		}
		made = append(made, dir)
	}
	_, err = os.Stat(p.RolesFile())
	first := errors.Is(err, fs.ErrNotExist)
	for _, f := range []struct {
		path, text string
	}{{p.RolesFile(), rolesText(user, roles)}, {p.OwnRolesFile(), ownText(roles, first)}} {
		if exists(f.path) {
			continue
		}
		if err := jsonl.WriteFile(f.path, []byte(f.text)); err != nil {
			return made, err
		}
		made = append(made, f.path)
	}
	return made, nil
}

func rolesText(user string, roles []string) string {
	text := "# Roles on this project\n\n" +
		"<!-- Kept by management. A person is management when they stand here under\n" +
		"management and their own role.md says so too. -->\n"
	for _, r := range append([]string{Management}, roles...) {
		text += "\n## " + r + "\n\n- " + user + "\n"
	}
	return text
}

func ownText(roles []string, management bool) string {
	text := "# My roles on this project\n\n<!-- Private. What stands here is what I see of role memory. -->\n\n"
	if management {
		roles = append(slices.Clone(roles), Management)
	}
	for _, r := range roles {
		text += "- " + r + "\n"
	}
	return text
}

// RolesList is the project's list of roles and the hash that an acceptance of
// it holds for; both are empty when there is none.
func (p *Project) RolesList() (text, hash string, err error) {
	text, err = readSmall(p.RolesFile())
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return "", "", err
	}
	sum := sha256.Sum256([]byte("roles\n" + text))
	return text, hex.EncodeToString(sum[:16]), nil
}

// readSmall reads a file that a person keeps by hand.
func readSmall(path string) (string, error) {
	const most = 64 << 10 // bytes
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return "", fmt.Errorf("%s: %w: it is no list of roles: mend or remove it", path, memory.ErrInvalid)
	}
	data, err := os.ReadFile(path)
	return string(data), err
}
