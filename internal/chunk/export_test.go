package chunk

import "strings"

// Outline lists the sections of a file by first line and path, for tests.
func Outline(name, text string) (from []int, paths []string) {
	lines := read(text)
	for _, s := range sections(languageOf(name, lines), lines) {
		from = append(from, s.from+1)
		paths = append(paths, strings.Join(s.path, pathSeparator))
	}
	return from, paths
}
