package home

import (
	"fmt"
	"os"
	"path/filepath"

	"orihon/internal/store"
	"orihon/internal/transcript"
	"orihon/memory"
)

// ClientMemory is a folder in which a coding agent's program keeps a memory of its
// own. It is read and indexed under the name, and never written.
type ClientMemory struct {
	Name string // of the client; first part of the paths in it
	Dir  string
	// Only are the files in it that are memory; empty means all Markdown.
	Only []string
}

// ClientMemories lists what clients remember by themselves: of this project, and of
// all. Where nobody says in which environment they run, nothing is looked for.
func (h *Home) ClientMemories() (project, all []ClientMemory) {
	home, err := os.UserHomeDir()
	if err != nil || h.env == nil || !h.Config.Memory.Clients {
		return nil, nil
	}
	there := func(variable, name string) string {
		if dir, ok := h.env(variable); ok && filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(home, name)
	}
	claude, seen := there("CLAUDE_CONFIG_DIR", ".claude"), make(map[string]bool)
	p := h.Project
	for _, root := range []string{filepath.Dir(p.CommonDir), p.Worktree, p.Root} {
		dir := filepath.Join(claude, "projects", transcript.FolderName(root), "memory")
		if info, err := os.Lstat(dir); root == "" || root == "." || seen[dir] || err != nil || !info.IsDir() {
			continue
		}
		seen[dir] = true
		m := ClientMemory{Name: "claude-code", Dir: dir}
		if n := len(project); n > 0 {
			m.Name = fmt.Sprintf("claude-code-%d", n+1)
		}
		project = append(project, m)
	}
	for _, m := range []ClientMemory{
		{"codex", filepath.Join(there("CODEX_HOME", ".codex"), "memories"), []string{"MEMORY.md"}},
		{"gemini-cli", filepath.Join(home, ".gemini"), []string{"GEMINI.md"}},
	} {
		if info, err := os.Lstat(filepath.Join(m.Dir, m.Only[0])); err == nil && info.Mode().IsRegular() {
			all = append(all, m)
		}
	}
	return project, all
}

// clientRoots are such folders as roots of a store.
func clientRoots(list []ClientMemory, scope memory.Scope) []store.Root {
	var out []store.Root
	for _, m := range list {
		out = append(out, store.Root{Name: m.Name, Dir: m.Dir, Scope: scope, Notes: true, Only: m.Only, Flat: len(m.Only) > 0})
	}
	return out
}
