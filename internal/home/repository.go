package home

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"orihon/internal/project"
	"orihon/internal/store"
	"orihon/internal/trust"
)

// InProject is a file's path within the project's folder.
func (h *Home) InProject(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	rel, err := filepath.Rel(h.Project.Root, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

// Accepts reports whether the person accepted a content of the repository.
func (h *Home) Accepts(hash string) bool { return h.book.Accepted(hash) }

// judge is who judges the text of a folder; nil when it is the user's own. All
// that lies in the project's folder may be somebody else's.
func (h *Home) judge(dir string) store.Foreign {
	if !project.Within(h.Project.Root, dir) || project.Within(h.Project.Home, dir) {
		return nil // the user's own, or the folder around the home
	}
	return h.book
}

// Committers are who committed some files of the project last; without git
// there are none.
func (h *Home) Committers(ctx context.Context, files []string) map[string]project.Committer {
	if len(files) == 0 || h.Project.Worktree == "" {
		return nil
	}
	const patience = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	by, err := project.Committers(ctx, h.Project.Root, files)
	if err != nil {
		h.Log.Debug("repository: no committers", "err", err)
	}
	return by
}

// Introduced says of lines of the project's files who committed them, as [Home.Committers]
// does of files.
func (h *Home) Introduced(ctx context.Context, lines []project.Line) map[project.Line]project.Introduction {
	if len(lines) == 0 || h.Project.Worktree == "" {
		return nil
	}
	const patience = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	by, err := project.Introduced(ctx, h.Project.Root, lines)
	if err != nil {
		h.Log.Debug("repository: no committers of lines", "err", err)
	}
	return by
}

// committersByPath says who committed last what the files of some paths of the text say,
// and of other files than Markdown who committed them.
func (h *Home) committersByPath(ctx context.Context, paths []string) map[string]string {
	whole := make(map[string]string) // in the project → path
	of := make(map[project.Line]string)
	var names []string
	var lines []project.Line
	for _, p := range paths {
		file := h.Personal.Text.FileOf(p)
		if file == "" {
			continue
		}
		name := h.InProject(file)
		if said := said(file); strings.HasSuffix(name, ".md") && len(said) > 0 {
			for _, text := range said {
				l := project.Line{File: name, Text: text}
				of[l], lines = p, append(lines, l)
			}
			continue
		}
		whole[name], names = p, append(names, name)
	}
	out := make(map[string]string)
	for name, c := range h.Committers(ctx, names) {
		if p, ok := whole[name]; ok && c.Name != "" {
			out[p] = c.Name
		}
	}
	at := make(map[string]time.Time)
	for l, c := range h.Introduced(ctx, lines) {
		if p := of[l]; c.Name != "" && !c.At.Before(at[p]) {
			out[p], at[p] = c.Name, c.At
		}
	}
	return out
}

// said are the lines of a Markdown file behind its front matter, as [project.Line] names
// them; none of a large file.
func said(file string) (lines []string) {
	const most = 64 << 10 // bytes
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	text := string(data)
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if _, body, ok := strings.Cut(rest, "\n---"); ok {
			text = body
		}
	}
	for l := range strings.Lines(text) {
		if bare := project.Bare(l); bare != "" {
			lines = append(lines, bare)
		}
	}
	return lines
}

// Committer tells who committed a file, as the last sync saw it.
func (h *Home) Committer() func(source string) string {
	known := sync.OnceValue(h.Personal.Unaccepted)
	return func(source string) string { return known().Committers[source] }
}

// Book is the record of what the user accepted of the project's text.
func (h *Home) Book() *trust.Book { return h.book }
