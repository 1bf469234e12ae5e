package health

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/jsonl"
	"orihon/internal/space"
)

// misplaced names what stands in a space where a file of ours belongs and is
// none: a folder with a file's name, a named pipe, a device. Nothing reads such
// a thing, so that nothing waits for it. What the store and the index name
// themselves is left out.
func misplaced(sp *space.Space) (problems []string) {
	root := string(sp.Dir)
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		if err != nil || rel == "." {
			return nil
		}
		info, err := os.Lstat(path)
		parent, name := filepath.Dir(rel), d.Name()
		switch {
		case err != nil || d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0:
			return nil
		case parent == "index" && strings.HasPrefix(name, "index.db") && !strings.HasSuffix(name, ".lock"):
			return nil // told with the index
		case parent == "memory" && (slices.Contains(sp.Text.Ledgers(), name) || name == "MEMORY.md"):
			return nil // told with the text
		case !d.IsDir() && strings.HasPrefix(rel, "memory"+string(filepath.Separator)) && strings.HasSuffix(name, ".md") && name[0] != '_':
			return nil
		case d.IsDir() && parent == "." && name == "projects":
			return fs.SkipDir // spaces of their own
		case d.IsDir() && parent == "sessions", d.IsDir() && !fileLike(name):
			return nil
		}
		problems = append(problems, fmt.Sprintf("%s: is %s where a file belongs: move it away", path, jsonl.Describe(info)))
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return problems
}

// fileLike reports whether a name is one that files of ours have.
func fileLike(name string) bool {
	return slices.Contains([]string{".jsonl", ".json", ".lock", ".sync", ".md", ".yaml", ".db", ".log"}, filepath.Ext(name))
}
