package window

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// segments cuts a shell line at the signs that separate commands, outside of
// quotes, and says which sign stands before each.
func segments(line string) (out []string, signs []string) {
	var quote byte
	start, sign := 0, ""
	end := func(at int) {
		if text := strings.TrimSpace(line[start:at]); text != "" {
			out, signs = append(out, text), append(signs, sign)
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
		case c == '\'' || c == '"':
			quote = c
		case c == '&' && (i > 0 && line[i-1] == '>' || i+1 < len(line) && line[i+1] == '>'):
		case c == ';' || c == '&' || c == '|' || c == '\n':
			end(i)
			sign, start = string(c), i+1
			if i+1 < len(line) && line[i+1] == c && c != '\n' {
				sign, start = sign+sign, i+2
				i++
			}
		}
	}
	end(len(line))
	return out, signs
}

// essence is what a shell line is about: without the change of folder before it
// and the filters behind it.
func essence(line string) string {
	all, signs := segments(line)
	var kept []string
	for i, text := range all {
		words := slices.DeleteFunc(strings.Fields(text), func(w string) bool {
			return w == "2>&1" || w == ">/dev/null" || w == "2>/dev/null"
		})
		if len(words) == 0 {
			continue
		}
		switch path.Base(words[0]) {
		case "cd", "pushd", "export", "source", "set", "echo", "true", "sleep":
			continue
		case "tail", "head", "tee", "cat", "less", "wc", "grep", "sort":
			if signs[i] == "|" {
				continue
			}
		}
		kept = append(kept, strings.Join(words, " "))
	}
	if len(kept) == 0 {
		return oneLine(line)
	}
	return strings.Join(kept, " && ")
}

// commitSubject is the first line of the message of a "git commit", or nothing.
func commitSubject(command string) string {
	i := strings.Index(command, "commit")
	if i < 0 || !strings.Contains(command, "git") && !strings.Contains(command, "hg ") && !strings.Contains(command, "jj ") {
		return ""
	}
	rest := command[i:]
	for _, flag := range [...]string{" -m ", " -am ", " --message ", " --message=", " -m", " -a -m "} {
		if _, after, ok := strings.Cut(rest, flag); ok {
			return messageLine(after)
		}
	}
	return ""
}

// messageLine is the first line of a shell word: quoted, or a here-document.
func messageLine(word string) string {
	word = strings.TrimSpace(word)
	if strings.Contains(firstLine(word), "<<") { // "$(cat <<'EOF'
		_, word, _ = strings.Cut(word, "\n")
		return oneLine(firstLine(strings.TrimSpace(word)))
	}
	if word == "" {
		return ""
	}
	if q := word[0]; q == '"' || q == '\'' {
		body := word[1:]
		if end := strings.IndexByte(body, q); end >= 0 {
			body = body[:end]
		}
		return oneLine(firstLine(strings.TrimSpace(body)))
	}
	return ""
}

// commitReport reads what git prints of a commit: "[main 1a2b3c4] subject".
func commitReport(output string) (hash, subject string) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "[") {
			continue
		}
		head, after, ok := strings.Cut(line[1:], "] ")
		words := strings.Fields(head)
		if !ok || len(words) < 2 {
			continue
		}
		h := words[len(words)-1]
		if len(h) >= 7 && len(h) <= 40 && strings.Trim(h, "0123456789abcdef") == "" {
			return h, oneLine(after)
		}
	}
	return "", ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// slashed is a path with forward slashes: journals travel between systems.
func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// relative is a path below the working directory, else the path itself.
func relative(cwd, file string) string {
	file, cwd = slashed(file), strings.TrimSuffix(slashed(cwd), "/")
	if rest, ok := strings.CutPrefix(file, cwd+"/"); ok && cwd != "" {
		return rest
	}
	return file
}
