package follow

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orihon/guard"
	"orihon/internal/gitignore"
	"orihon/internal/jsonl"
)

// What the project's documents name is looked up in a file that the work behind
// a session makes: a hook has no time to read them.

// namesFile has one line for each document: its path and the names in it, each
// behind a tab. It is derived.
func (f *Sessions) namesFile() string {
	return filepath.Join(f.v.Project.Private().Index(), "names.txt")
}

// Bounds of the documents that are looked at.
const (
	maxDocuments = 400
	maxDocument  = 512 << 10 // bytes
	maxNames     = 2000      // of one document
	deepest      = 6         // folders below that of the documents
)

// nameDocuments writes down what the project's documents name.
func (f *Sessions) nameDocuments(ctx context.Context) error {
	root, err := os.OpenRoot(f.v.Project.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	var out bytes.Buffer
	left := maxDocuments
	visit := func(name string) {
		text, ok := document(root, name)
		if !ok || left == 0 || ctx.Err() != nil {
			return
		}
		left--
		if names := codeNames(text); len(names) > 0 && !strings.ContainsAny(name, "\t\n") {
			out.WriteString(name + "\t" + strings.Join(names[:min(len(names), maxNames)], "\t") + "\t\n")
		}
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case e.Type().IsRegular():
			visit(e.Name())
		case e.IsDir() && lists.Words("folders")[strings.ToLower(e.Name())]:
			err := fs.WalkDir(root.FS(), e.Name(), func(name string, d fs.DirEntry, err error) error {
				switch {
				case err != nil || left == 0:
					return fs.SkipDir
				case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || strings.Count(name, "/") > deepest):
					return fs.SkipDir
				case d.Type().IsRegular():
					visit(name)
				}
				return nil
			})
			if err != nil && !errors.Is(err, fs.SkipDir) {
				return err
			}
		}
	}
	file := f.namesFile()
	if old, err := jsonl.ReadFile(file); err == nil && bytes.Equal(old, out.Bytes()) {
		return ctx.Err()
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return errors.Join(ctx.Err(), jsonl.WriteFile(file, out.Bytes()))
}

// document reads a page that speaks of the present; false for any other file.
func document(root *os.Root, name string) (text string, ok bool) {
	low := strings.ToLower(name)
	switch path.Ext(low) {
	case ".md", ".mdx", ".rst", ".adoc":
	default:
		return "", false
	}
	if slices.ContainsFunc(lists.Phrases("historic"), func(w string) bool { return strings.Contains(low, w) }) {
		return "", false
	}
	data, ok := regularFile(root, name, maxDocument)
	return string(data), ok
}

// documents are those that belong to the files a call has changed: by the
// settings, and by the names that it takes out of them.
func (s *Session) documents(c *guard.Call) []guard.Document {
	var out []guard.Document
	for _, file := range c.Files {
		for _, entry := range s.v.Config.Guard.Documents {
			pattern, doc, _ := strings.Cut(entry, "=")
			doc = strings.TrimSpace(doc)
			if match, _ := gitignore.Patterns(strings.TrimSpace(pattern)).Match(file, false); match && doc != file {
				out = append(out, guard.Document{Path: doc, File: file, Mapped: true})
			}
		}
	}
	if len(c.Files) != 1 || s.off(guard.DriftRule) {
		return out
	}
	gone := s.gone(c)
	if len(gone) == 0 {
		return out
	}
	known, err := jsonl.ReadFile(s.sessions().namesFile())
	if err != nil {
		return out // the work behind a session has not been here yet
	}
	for line := range bytes.Lines(known) {
		doc, names, _ := bytes.Cut(line, []byte("\t"))
		var stated []string
		for _, name := range gone {
			if string(doc) != c.Files[0] && among(names, name) {
				stated = append(stated, name)
			}
		}
		if len(stated) > 0 {
			out = append(out, guard.Document{Path: string(doc), File: c.Files[0], Names: stated})
		}
	}
	return out
}

// among reports whether a list behind tabs holds a name as a whole.
func among(names []byte, name string) bool {
	return bytes.HasPrefix(names, []byte(name+"\t")) || bytes.Contains(names, []byte("\t"+name+"\t"))
}

// gone are the names that an edit defined no longer: they stood in it, and are
// not in the file any more.
func (s *Session) gone(c *guard.Call) []string {
	file := c.Files[0]
	if document := path.Ext(strings.ToLower(file)); document == ".md" || document == ".rst" || strings.TrimSpace(c.Gone) == "" {
		return nil
	}
	added := codeNames(c.Added)
	var out []string
	for line := range strings.Lines(c.Gone) {
		for _, name := range codeNames(line) {
			if defines(line, name) && !slices.Contains(added, name) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return slices.DeleteFunc(out, func(name string) bool { return s.states(file, name) })
}

// states reports whether a file of the project, as it is now, has a name in it.
func (s *Session) states(file, name string) bool {
	data, ok := s.projectFile(file, 4*maxDocument)
	return ok && slices.Contains(codeNames(string(data)), name)
}

// projectFile reads a file of the project; false for what is none, or leads out of
// its folder, or is larger than so many bytes.
func (s *Session) projectFile(name string, most int64) ([]byte, bool) {
	root, err := os.OpenRoot(s.v.Project.Root)
	if err != nil {
		return nil, false
	}
	defer root.Close()
	return regularFile(root, name, most)
}

func regularFile(root *os.Root, name string, most int64) ([]byte, bool) {
	name = filepath.FromSlash(name)
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, false
	}
	data, err := root.ReadFile(name)
	return data, err == nil
}
