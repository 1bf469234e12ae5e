package follow

import (
	_ "embed"
	"path/filepath"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/terms"
)

//go:embed words.txt
var wordLists terms.Lists

var lists = wordLists.Keep()

// codeNames are the names in a text that no prose has: flags (--max-retries),
// names with an underscore, and names with a capital inside. Each stands once.
func codeNames(text string) []string {
	var out []string
	seen := make(map[string]bool)
	for i := 0; i < len(text); {
		if !nameByte(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && nameByte(text[i]) {
			i++
		}
		if word := strings.TrimRight(text[from:i], "-"); len(word) <= 64 && !seen[word] && codeName(word) {
			seen[word] = true
			out = append(out, word)
		}
		if flag := strings.TrimLeft(text[from:i], "-"); len(flag) <= 64 && !seen[flag] && codeName(flag) {
			seen[flag] = true
			out = append(out, flag)
		}
	}
	return out
}

func nameByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '-'
}

// codeName reports a word that is code wherever it stands.
func codeName(w string) bool {
	if flag, ok := strings.CutPrefix(w, "--"); ok {
		return len(flag) >= 3 && letter(flag[0]) && !strings.HasPrefix(flag, "-")
	}
	if len(w) < 5 || strings.Contains(w, "-") || !letter(w[0]) {
		return false
	}
	for i := 1; i < len(w); i++ {
		if w[i] == '_' && i+1 < len(w) && letter(w[i+1]) && letter(w[i-1]) || upper(w[i]) && !upper(w[i-1]) && letter(w[i-1]) {
			return true
		}
	}
	return false
}

func letter(b byte) bool { return 'a' <= b && b <= 'z' || upper(b) }

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

// defines reports whether a line of code makes a name: a definition of it, its
// key at the beginning, or the text of a flag or of a variable of the
// environment. A line that only uses it does not.
func defines(line, name string) bool {
	at := strings.Index(line, name)
	if at < 0 {
		return false
	}
	before, after := line[:at], line[at+len(name):]
	if strings.HasPrefix(name, "--") {
		return true
	}
	if quote := strings.TrimRight(before, "-"); quote != "" && strings.ContainsRune("\"'`", rune(quote[len(quote)-1])) {
		return name == strings.ToUpper(name) // the name of a variable
	}
	words := strings.Fields(before)
	after = strings.TrimLeft(after, " \t")
	switch {
	case len(words) == 0:
		return strings.HasPrefix(after, ":") || strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") ||
			strings.HasPrefix(after, "(") && strings.HasSuffix(strings.TrimSpace(after), "{")
	case lists.Words("definers")[strings.ToLower(words[len(words)-1])]:
		return true
	case words[0] == "func" && strings.HasSuffix(strings.TrimSpace(before), ")"): // a method
		return strings.HasPrefix(after, "(") || strings.HasPrefix(after, "[")
	}
	return words[0] == "export" && len(words) == 1
}

// named is how a person would call a call.
func named(call *activity.Action) string {
	const most = 80 // characters
	name := call.Tool
	switch {
	case call.Command != "":
		name = call.Line().Essence()
	case len(call.Files) > 0:
		name += " " + activity.Base(call.Files[0])
	}
	if r := []rune(name); len(r) > most {
		name = string(r[:most]) + "…"
	}
	return "`" + strings.ReplaceAll(name, "`", "'") + "`"
}

// inProject is the path of a file below the project's folder, with slashes;
// empty for any other file.
func (s *Session) inProject(file string) string {
	if !filepath.IsAbs(file) && !strings.HasPrefix(file, "/") {
		file = filepath.Join(s.start.CWD, file)
	}
	for _, root := range [...]string{s.v.Project.Root, s.start.CWD} {
		if rel := activity.Relative(root, file); rel != file && filepath.IsLocal(filepath.FromSlash(rel)) && root != "" {
			return rel
		}
	}
	if rel := s.v.InProject(file); filepath.IsLocal(filepath.FromSlash(rel)) {
		return rel
	}
	return ""
}
