package session

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Track notes the files and the questions to version control of one tool call
// of Claude Code. The input has had its secrets taken out by the caller; one
// that cannot be read is left alone. Paths are kept as the client names them,
// cleaned and joined to the session's working directory.
func (s *State) Track(tool string, input json.RawMessage) {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Command  string `json:"command"`
	}
	// A field of another type fails alone; the others are still read.
	_ = json.Unmarshal(input, &in)
	switch tool {
	case "Read":
		s.read(in.File)
	case "Edit", "Write", "MultiEdit":
		s.changed(in.File)
	case "NotebookEdit":
		s.changed(in.Notebook)
	case "Bash":
		for _, q := range queries(in.Command) {
			s.VCS = latest(s.VCS, q, MaxVCS)
		}
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

// queries finds the log, blame, show and diff commands of git and svn in a
// shell command.
func queries(command string) []string {
	var out []string
	for _, words := range simpleCommands(command) {
		if q := query(words); q != "" {
			out = append(out, q)
		}
	}
	return out
}

// query is the text of one command when it asks version control something.
func query(words []string) string {
	i := 0
	for i < len(words) && (assignment(words[i]) || slices.Contains([]string{"sudo", "time", "command", "env", "exec"}, words[i])) {
		i++
	}
	if i == len(words) {
		return ""
	}
	tool := strings.TrimSuffix(path.Base(filepath.ToSlash(words[i])), ".exe")
	if tool != "git" && tool != "svn" {
		return ""
	}
	for at := i + 1; at < len(words); at++ {
		switch w := words[at]; {
		case w == "-C" || w == "-c" || w == "--git-dir" || w == "--work-tree" || w == "--namespace":
			at++ // its value is a word of its own
		case strings.HasPrefix(w, "-"):
		case w == "log" || w == "blame" || w == "show" || w == "diff":
			text := []rune(tool + " " + strings.Join(words[i+1:], " "))
			return string(text[:min(len(text), maxQuery)])
		default:
			return ""
		}
	}
	return ""
}

func assignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// simpleCommands cuts a shell command into simple ones, each a list of words
// without their quotes. It knows quotes, escapes, comments and the signs that
// separate commands; it expands nothing.
func simpleCommands(text string) [][]string {
	var (
		out   [][]string
		words []string
		word  strings.Builder
		open  bool // a word has begun, be it empty
		quote rune
	)
	endWord := func() {
		if open {
			words = append(words, word.String())
			word.Reset()
			open = false
		}
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			out = append(out, words)
			words = nil
		}
	}
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '\\' && quote != '\'' && i+1 < len(runes):
			i++
			if runes[i] != '\n' {
				word.WriteRune(runes[i])
				open = true
			}
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == '#' && !open:
			for i+1 < len(runes) && runes[i+1] != '\n' {
				i++
			}
		case strings.ContainsRune("\n;&|()`{}", r):
			endCommand()
		case r == ' ' || r == '\t' || r == '\r':
			endWord()
		default:
			word.WriteRune(r)
			open = true
		}
	}
	endCommand()
	return out
}
