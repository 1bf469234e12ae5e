package session

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/activity"
)

// Track notes the files and the questions to version control of one tool call.
// The input has had its secrets taken out by the caller; one that cannot be
// read is left alone. Paths are kept as the client names them, cleaned and
// joined to the session's working directory.
func (s *State) Track(tool string, input json.RawMessage) {
	a := activity.New(tool, input, nil)
	for _, file := range a.Files {
		switch a.Effect() {
		case activity.Reading:
			s.read(file)
		case activity.Editing:
			s.changed(file)
		}
	}
	for _, q := range queries(a.Line()) {
		s.VCS = latest(s.VCS, q, MaxVCS)
	}
}

func (s *State) read(file string) {
	if file = s.path(file); file != "" {
		s.FilesRead = latest(s.FilesRead, file, MaxFiles)
	}
}

// changed counts an edit. When the list is full, only files that are on it
// already are counted on.
func (s *State) changed(file string) {
	if file = s.path(file); file == "" {
		return
	}
	if s.FilesChanged == nil {
		s.FilesChanged = map[string]int{}
	}
	if _, known := s.FilesChanged[file]; known || len(s.FilesChanged) < MaxFiles {
		s.FilesChanged[file]++
	}
}

func (s *State) path(file string) string {
	if file == "" || strings.ContainsRune(file, 0) || len(file) > 4096 {
		return ""
	}
	if !filepath.IsAbs(file) && !path.IsAbs(file) && s.CWD != "" {
		return filepath.Join(s.CWD, file)
	}
	return filepath.Clean(file)
}

// latest puts an entry at the end of a list without repeats.
func latest(list []string, entry string, n int) []string {
	if i := slices.Index(list, entry); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return last(append(list, entry), n)
}

// maxQuery bounds the text that is kept of one question, in characters.
const maxQuery = 200

// queries are the questions to git and svn in a shell line, without quotes.
func queries(line *activity.Line) []string {
	var out []string
	for _, c := range line.Questions() {
		if c.Program == "git" || c.Program == "svn" {
			text := []rune(c.Program + " " + strings.Join(c.Words[1:], " "))
			out = append(out, string(text[:min(len(text), maxQuery)]))
		}
	}
	return out
}
