package home

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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

// Said is a text of a file of the project, the file with slashes from the project's folder.
type Said struct{ File, Text string }

// Introduced is who committed a text last, and what it took the place of, see
// [project.Introduction].
type Introduced struct {
	By, Before string
	At         time.Time
}

// Introduced says of texts who committed their lines last, as [Home.Committers] does of
// files; one for each text, empty where git says nothing.
func (h *Home) Introduced(ctx context.Context, texts []Said) []Introduced {
	out := make([]Introduced, len(texts))
	if len(texts) == 0 || h.Project.Worktree == "" {
		return out
	}
	lines := make([][]project.Line, len(texts))
	for i, x := range texts {
		for l := range strings.Lines(x.Text) {
			if bare := project.Bare(l); bare != "" {
				lines[i] = append(lines[i], project.Line{File: x.File, Text: bare})
			}
		}
	}
	const patience = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	by, err := project.Introduced(ctx, h.Project.Root, slices.Concat(lines...))
	if err != nil {
		h.Log.Debug("repository: no committers of lines", "err", err)
	}
	for i := range texts {
		for _, l := range lines[i] {
			if c := by[l]; c.At.After(out[i].At) {
				out[i] = Introduced{By: c.Name, Before: c.Before, At: c.At}
			}
		}
	}
	return out
}

// committersByPath says who committed last what the files of some paths of the text say,
// and of other files than Markdown who committed them.
func (h *Home) committersByPath(ctx context.Context, paths []string) map[string]string {
	whole := make(map[string]string) // in the project → path
	var names, said []string         // files, paths
	var texts []Said
	for _, p := range paths {
		file := h.Personal.Text.FileOf(p)
		if file == "" {
			continue
		}
		name := h.InProject(file)
		if text := body(file); strings.HasSuffix(name, ".md") && text != "" {
			said, texts = append(said, p), append(texts, Said{name, text})
		} else {
			whole[name], names = p, append(names, name)
		}
	}
	out := make(map[string]string)
	for name, c := range h.Committers(ctx, names) {
		if p, ok := whole[name]; ok && c.Name != "" {
			out[p] = c.Name
		}
	}
	for i, c := range h.Introduced(ctx, texts) {
		if c.By != "" {
			out[said[i]] = c.By
		}
	}
	return out
}

// body is a file behind its front matter; empty for a large one.
func body(file string) string {
	const most = 64 << 10 // bytes
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return ""
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	text := string(data)
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if _, after, ok := strings.Cut(rest, "\n---\n"); ok {
			return strings.TrimSpace(after)
		}
	}
	return strings.TrimSpace(text)
}

// Committer tells who committed a file, as the last sync saw it.
func (h *Home) Committer() func(source string) string {
	known := sync.OnceValue(h.Personal.Unaccepted)
	return func(source string) string { return known().Committers[source] }
}

// Book is the record of what the user accepted of the project's text.
func (h *Home) Book() *trust.Book { return h.book }
