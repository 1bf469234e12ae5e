package gitignore

import "strings"

// Tree is the patterns that hold in one folder: those of its own file before
// those of the folders above it, and last the ones that hold for the whole
// tree. The zero value ignores nothing.
type Tree struct {
	above  *Tree
	folder string // with a slash at its end; empty for the top
	list   *List
}

// Top begins a tree with the patterns that any .gitignore in it overrides:
// those of .git/info/exclude.
func Top(exclude *List) *Tree { return &Tree{list: exclude} }

// Under is the tree as it is in a folder with a file of its own; the folder is
// given from the top, "" being the top itself.
func (t *Tree) Under(folder string, list *List) *Tree {
	if list.Empty() {
		return t
	}
	if folder != "" {
		folder += "/"
	}
	return &Tree{above: t, folder: folder, list: list}
}

// Ignored reports whether a path, given from the top, is ignored. It asks the
// nearest file first and does not look at the folders the path stands in.
func (t *Tree) Ignored(path string, folder bool) bool {
	for ; t != nil; t = t.above {
		rel, below := strings.CutPrefix(path, t.folder)
		if !below {
			continue
		}
		if ignored, decided := t.list.Match(rel, folder); decided {
			return ignored
		}
	}
	return false
}
