package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"orihon/memory"
)

// Space is a folder of private text and derived files: the user's home, or what
// the user keeps of one project.
type Space string

// User is the user's own space, valid in every project.
func User(home string) Space { return Space(home) }

// Memory holds the ledgers, notes and daily logs.
func (s Space) Memory() string { return s.at("memory") }

// Archive holds what has left recall and can come back.
func (s Space) Archive() string { return s.at("memory/archive") }

// Config is the configuration file; only the user's space has one.
func (s Space) Config() string { return s.at("config.yaml") }

// Index is derived; it may be deleted at any time.
func (s Space) Index() string { return s.at("index") }

// Audit is the trail of every decision on memory.
func (s Space) Audit() string { return s.at("audit.jsonl") }

// Instincts holds a file for each habit that was learned.
func (s Space) Instincts() string { return s.at("instincts") }

// Exports holds what was exported.
func (s Space) Exports() string { return s.at("exports") }

// Usage is the log of injections and accesses.
func (s Space) Usage() string { return s.at("usage.jsonl") }

// Projects holds one space for each project of the user.
func (s Space) Projects() string { return s.at("projects") }

// Registry maps the keys of all projects to their IDs.
func (s Space) Registry() string { return s.at("projects.json") }

// Sessions holds one folder for each session.
func (s Space) Sessions() string { return s.at("sessions") }

// Session is the folder of one session, whose ID may be any text.
func (s Space) Session(id string) string { return filepath.Join(s.Sessions(), SafeName(id)) }

// Evolved holds the commands, skills, agents and rules that were made of habits.
func (s Space) Evolved() string { return s.at("evolved") }

// EvolvedRecord says which of their files were written, and where they are
// installed.
func (s Space) EvolvedRecord() string { return s.at("evolved.json") }

// Checkpoints is the log of what the work was like at a commit.
func (s Space) Checkpoints() string { return s.at("checkpoints.log") }

func (s Space) at(rel string) string { return filepath.Join(string(s), filepath.FromSlash(rel)) }

// Private is the user's own space of this project: under the home, or with
// [Project.Local] under the project.
func (p *Project) Private() Space {
	if p.Local {
		return Space(p.local())
	}
	return Space(filepath.Join(User(p.Home).Projects(), p.ID))
}

// PersonalMemory holds the text of scope personal.
func (p *Project) PersonalMemory() string { return p.Private().Memory() }

// Sessions holds one folder for each session in this project.
func (p *Project) Sessions() string { return p.Private().Sessions() }

// Session is the folder of one session, whose ID may be any text.
func (p *Project) Session(id string) string { return p.Private().Session(id) }

// Index is the derived index of the project.
func (p *Project) Index() string { return p.Private().Index() }

// Folder is the project's shared folder, which lives in git. For the folder
// around the user's home, where .orihon is the home itself, it is kept with the
// private space instead.
func (p *Project) Folder() string {
	if p.folder == "" {
		return p.Private().at("project")
	}
	return p.folder
}

// Config is the project's configuration file. Somebody else may have written
// it.
func (p *Project) Config() string { return filepath.Join(p.Folder(), "config.yaml") }

// Core is the project's MEMORY.md.
func (p *Project) Core() string { return filepath.Join(p.Folder(), "memory", "MEMORY.md") }

// SharedMemory holds the text of scope shared.
func (p *Project) SharedMemory() string { return filepath.Join(p.Folder(), "memory", "shared") }

// Roles holds one folder of text for each role.
func (p *Project) Roles() string { return filepath.Join(p.Folder(), "memory", "role") }

// RoleMemory holds the text of scope role:<name>. A name that could not stand
// in a scope wraps [memory.ErrInvalid].
func (p *Project) RoleMemory(name string) (string, error) {
	if !memory.ValidName(name) { // which could be another path
		return "", fmt.Errorf("%w role %q: it may hold only letters, digits and . _ - @ +", memory.ErrInvalid, name)
	}
	return filepath.Join(p.Roles(), name), nil
}

// RolesFile is the list of roles that management keeps.
func (p *Project) RolesFile() string { return filepath.Join(p.Folder(), "shared", "_roles.md") }

// PendingReview holds shared items that wait for management.
func (p *Project) PendingReview() string {
	return filepath.Join(p.Folder(), "shared", "_pending_review")
}

// maxName bounds the length of a folder name made from foreign text, in bytes.
const maxName = 100

// SafeName makes a folder name of any text: letters and digits of ASCII and
// the signs . _ - stay, every other byte becomes % and two hex digits, and a
// long one is cut and told apart by a hash. Different texts give different
// names, none of them hidden, special or reserved on any system.
func SafeName(s string) string {
	var b strings.Builder
	special := reserved(s)
	for i := 0; i < len(s); i++ {
		c := s[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
		if c == '.' && (i == 0 || i == len(s)-1) || i == 0 && special {
			plain = false
		}
		if plain {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	name := b.String()
	if name == "" {
		return "%"
	}
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(s))
		name = name[:maxName-34] + "%-" + hex.EncodeToString(sum[:16])
	}
	return name
}

// reserved reports whether Windows takes the name, whatever its extension, for
// a device.
func reserved(s string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(s), ".")
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(base) == 4 && (base[:3] == "COM" || base[:3] == "LPT") && base[3] >= '0' && base[3] <= '9'
}

func (s Space) localFolders() string { return s.at("local-folders.json") }

func (p *Project) local() string { return filepath.Join(p.folder, localFolder) }

// TrustFile is the record of what the user accepted of this project's text. It
// lies in the user's home even where private memory does not, since what a
// repository says of its own trust counts for nothing.
func (p *Project) TrustFile() string {
	return filepath.Join(p.Home, "projects", p.ID, "trust.jsonl")
}
