package capture

import (
	"path"
	"slices"
	"strings"
)

// simple is one simple command of a shell line: its text as typed, and the
// sign that stands before it ("" for the first).
type simple struct {
	sign, text string
}

// simples cuts a shell line at the signs that separate commands, outside of
// quotes. It expands nothing.
func simples(line string) []simple {
	var (
		out   []simple
		sign  string
		start int
		quote byte
	)
	end := func(at int) {
		if text := strings.TrimSpace(line[start:at]); text != "" {
			out = append(out, simple{sign, text})
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '&' && (i > 0 && line[i-1] == '>' || i+1 < len(line) && line[i+1] == '>'):
			// A redirection: 2>&1, &>file.
		case c == ';' || c == '&' || c == '|' || c == '\n':
			end(i)
			size := 1
			if i+1 < len(line) && line[i+1] == c && c != '\n' && c != ';' {
				size = 2
			}
			sign = strings.ReplaceAll(line[i:i+size], "\n", ";")
			start = i + size
			i = start - 1
		}
	}
	end(len(line))
	return out
}

// essence is what a shell line is about: without the change of folder before
// it, and without the filters and redirections that only shorten what it
// prints. Two runs of the same command have the same essence.
func essence(line string) string {
	var b strings.Builder
	for _, c := range simples(line) {
		words := slices.DeleteFunc(strings.Fields(c.text), func(w string) bool {
			return w == "2>&1" || w == ">/dev/null" || w == "2>/dev/null"
		})
		if len(words) == 0 {
			continue
		}
		switch program(words) {
		case "cd", "pushd", "export", "source", "set", "echo", "true":
			continue
		case "tail", "head", "tee", "cat", "less", "wc", "grep", "sort":
			if c.sign == "|" {
				continue
			}
		}
		switch {
		case b.Len() == 0:
		case c.sign == ";":
			b.WriteString("; ")
		default:
			b.WriteString(" " + c.sign + " ")
		}
		b.WriteString(strings.Join(words, " "))
	}
	if b.Len() == 0 {
		return oneLine(line)
	}
	return b.String()
}

// program is the name of the program that the words of a command start.
func program(words []string) string {
	for _, w := range words {
		name, _, assigned := strings.Cut(w, "=")
		if assigned && name != "" && !strings.ContainsAny(name, "/-.'\"$") {
			continue
		}
		switch w {
		case "sudo", "time", "env", "command", "exec", "(", "{", "!":
			continue
		}
		return strings.TrimSuffix(path.Base(strings.ReplaceAll(w, `\`, "/")), ".exe")
	}
	return ""
}

// looks reports a shell line that only looks at something: its failing means
// that nothing was found, and its success changes nothing.
func looks(line string) bool {
	all := simples(line)
	return len(all) > 0 && !slices.ContainsFunc(all, func(c simple) bool {
		switch program(strings.Fields(c.text)) {
		case "cd", "ls", "cat", "head", "tail", "less", "grep", "rg", "egrep", "find", "fd", "test", "[", "which", "type",
			"diff", "cmp", "pgrep", "ps", "pwd", "wc", "sort", "uniq", "cut", "awk", "echo", "true", "stat", "file", "tree", "jq":
			return false
		}
		return vcsQuery(c.text) == "" && !strings.HasPrefix(c.text, "git status")
	})
}

// vcsQueries are the questions to version control in a shell line.
func vcsQueries(line string) []string {
	var out []string
	for _, c := range simples(line) {
		if q := vcsQuery(c.text); q != "" {
			out = append(out, q)
		}
	}
	return out
}

// vcsQuery is the command itself when it asks a version control system for its
// log, or to blame, show or compare; else nothing.
func vcsQuery(command string) string {
	words := strings.Fields(command)
	name := program(words)
	switch name {
	case "git", "hg", "svn", "jj":
	default:
		return ""
	}
	at := slices.IndexFunc(words, func(w string) bool { return program([]string{w}) == name })
	for i := at + 1; i < len(words); i++ {
		switch w := words[i]; w {
		case "-C", "-c", "-R", "--git-dir", "--work-tree":
			i++ // its value
		case "log", "blame", "annotate", "show", "diff":
			return oneLine(strings.Join(words[at:], " "))
		default:
			if !strings.HasPrefix(w, "-") {
				return ""
			}
		}
	}
	return ""
}
