package activity

import (
	"path"
	"strings"
)

// Relative is a path below the working directory, else the path itself, with
// slashes. Journals travel between systems, so that the paths of either kind
// are understood on both.
func Relative(cwd, file string) string {
	if file == "" {
		return ""
	}
	windows := drive(cwd) || drive(file)
	if windows {
		cwd, file = slashed(cwd), slashed(file)
	}
	file = path.Clean(file)
	if cwd == "" {
		return file
	}
	root := strings.TrimSuffix(path.Clean(cwd), "/") + "/"
	if len(file) > len(root) && (file[:len(root)] == root || windows && strings.EqualFold(file[:len(root)], root)) {
		return file[len(root):]
	}
	return file
}

// drive reports a path that begins with a drive letter or a network share.
func drive(p string) bool {
	return strings.HasPrefix(p, `\\`) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// Base is the last element of a path of either kind.
func Base(file string) string { return path.Base(slashed(file)) }

// oneLine is text with each run of white space as one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
