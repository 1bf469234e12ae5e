package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orihon"
	"orihon/internal/jsonl"
	"orihon/internal/project"
)

// The marks between which [initTeam] writes into files that are not ours.
const (
	teamBegin = "<!-- orihon: begin -->"
	teamEnd   = "<!-- orihon: end -->"
)

const identityTemplate = `# Who the agent is on this project

<!-- Shared by the team. For example: which part of the code it looks after, what
it must ask before doing, how it should write. -->
`

const userTemplate = `# What the agent should know about me

<!-- Private: it stays in your home. For example: what you know well, what you
are responsible for, how you like answers. -->
`

// initTeam makes the files a team shares with its agents and has the client's
// own instructions import them. It returns what it made or changed.
func initTeam(p *orihon.Project, home string) (made []string, err error) {
	identity := filepath.Join(filepath.Dir(p.Core), "IDENTITY.md")
	user := filepath.Join(p.Personal, "USER.md")
	for _, f := range []struct{ path, text string }{{identity, identityTemplate}, {user, userTemplate}} {
		if _, err := os.Stat(f.path); err == nil {
			continue
		}
		if err := jsonl.WriteFile(f.path, []byte(f.text)); err != nil {
			return made, err
		}
		made = append(made, f.path)
	}
	shared := []string{inProject(p.Root, identity), inProject(p.Root, p.Core)}
	agents, claude := filepath.Join(p.Root, "AGENTS.md"), filepath.Join(p.Root, "CLAUDE.md")
	_, noAgents := os.Stat(agents)
	_, noClaude := os.Stat(claude)
	if noAgents == nil && noClaude != nil {
		// AGENTS.md knows no imports: what is to be read is told.
		changed, err := writeBlock(p.Root, agents, "Read these files before you begin:\n\n- "+strings.Join(shared, "\n- "))
		return appendIf(made, changed, agents), err
	}
	changed, err := writeBlock(p.Root, claude, "@"+strings.Join(shared, "\n@"))
	if made = appendIf(made, changed, claude); err != nil {
		return made, err
	}
	// What leads into a home is nobody else's business: the client reads this
	// file beside the shared one.
	local := filepath.Join(p.Root, "CLAUDE.local.md")
	changed, err = writeBlock(p.Root, local, "@"+underHome(home, user))
	return appendIf(made, changed, local), err
}

func appendIf(list []string, really bool, s string) []string {
	if really {
		return append(list, s)
	}
	return list
}

// inProject is a path as the project's own files name it.
func inProject(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// underHome shortens a path in the user's home.
func underHome(home, path string) string {
	if rel, err := filepath.Rel(home, path); home != "" && err == nil && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// writeBlock puts text between our marks, in the place of what stood there or
// at the end of the file. All else stays byte for byte. A symlink is followed
// within the project and refused when it leads out of it.
func writeBlock(root, path, text string) (changed bool, err error) {
	if err := project.Confine(root, path); err != nil {
		return false, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	before := string(data)
	block := teamBegin + "\n" + text + "\n" + teamEnd + "\n"
	after := before
	if i, j := strings.Index(before, teamBegin), strings.Index(before, teamEnd); i >= 0 && j > i {
		after = before[:i] + block + strings.TrimPrefix(before[j+len(teamEnd):], "\n")
	} else {
		if after != "" && !strings.HasSuffix(after, "\n") {
			after += "\n"
		}
		if after != "" {
			after += "\n"
		}
		after += block
	}
	if after == before {
		return false, nil
	}
	return true, jsonl.WriteFile(path, []byte(after))
}
