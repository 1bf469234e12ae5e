package follow

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/jsonl"
	"orihon/internal/store"
	"orihon/journal"
)

// A core file stands before the agent from the first: a session begins with it,
// or its client has read it by an import of its own. Neither gets it twice.

// opened is the text of every MEMORY.md that this session's client does not
// import by itself, where core is that of all of them, and what the program's
// sections of those say that it does.
func (s *Session) opened(ctx context.Context, core string) (own, stands string) {
	imported := s.imported()
	for _, file := range imported {
		stands += store.KeptSection(file)
	}
	if core == "" || len(imported) == 0 {
		return core, stands
	}
	own, err := s.v.CoreBut(ctx, imported...)
	if err != nil {
		s.v.Log.Warn("session: core file left out", "err", err)
	}
	return own, stands
}

// claudeCode is what sessions of Claude Code are noted under, and where the memory
// stands that it keeps by itself.
const claudeCode = "claude-code"

// imported are those of MEMORY.md and the files that orihon init --team made
// which the client's own instructions import.
func (s *Session) imported() (files []string) {
	if s.start.Client != claudeCode {
		return nil
	}
	p := s.v.Project
	known := []string{p.Core(), filepath.Join(filepath.Dir(p.Core()), "IDENTITY.md"), filepath.Join(p.PersonalMemory(), "USER.md"), filepath.Join(p.PersonalMemory(), "MEMORY.md")}
	for _, name := range []string{"CLAUDE.md", "CLAUDE.local.md"} {
		text, err := jsonl.ReadFile(filepath.Join(p.Root, name))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			path, ok := strings.CutPrefix(strings.TrimSpace(line), "@")
			if !ok {
				continue
			}
			rest, home := strings.CutPrefix(path, "~")
			if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
				path = filepath.Join(p.Root, path)
			}
			for _, file := range known {
				if home && strings.HasSuffix(filepath.ToSlash(file), rest) || path == file {
					files = append(files, file)
				}
			}
		}
	}
	return files
}

// standing returns what tells whether a passage is of a file that stands in the
// window from the beginning. It looks at the files when it is first asked about
// a passage of one.
func (s *Session) standing(ctx context.Context) func(passageID string) bool {
	var looked, core bool
	var imports []string
	return func(id string) bool {
		if store.Unaccepted(id) {
			return false // no session begins with it
		}
		source, _, ok := strings.Cut(id, "#")
		root, name, _ := strings.Cut(source, "/")
		if ok && name == corePassage && s.start.Client == claudeCode && strings.HasPrefix(root, claudeCode) {
			return true // the client begins with its own
		}
		if !ok || name != corePassage && name != "IDENTITY.md" && name != "USER.md" {
			return false
		}
		if !looked {
			looked, imports = true, s.imported()
			text, err := s.v.Core(ctx)
			core = err == nil && s.state.Seen(coreWhole, journal.Digest(text))
		}
		if name == corePassage && core {
			return true
		}
		return slices.Contains(imports, s.v.Personal.Text.FileOf(source))
	}
}
