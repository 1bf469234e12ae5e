package transcript

import "strings"

// FolderName is the name of the folder in which Claude Code keeps what belongs to a
// path.
func FolderName(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}
