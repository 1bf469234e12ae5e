package project

import (
	"path/filepath"
	"strings"
)

// setting is one entry of a git configuration file. Section and Key are lower
// case, Sub is as written.
type setting struct {
	Section, Sub, Key, Value string
}

// readGitConfig reads a configuration file; an unreadable one is empty.
func readGitConfig(path string) []setting {
	data, err := readRegular(path)
	if err != nil {
		return nil
	}
	return parseGitConfig(string(data))
}

// parseGitConfig reads git's configuration syntax leniently: what makes no
// sense is skipped, and nothing is included from other files.
func parseGitConfig(text string) []setting {
	var out []setting
	section, sub := "", ""
	text = strings.TrimPrefix(text, "\ufeff")
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n\v\f")
		switch {
		case text == "":
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			section, sub, text = sectionHead(text[1:])
		default:
			var s setting
			s, text = entry(text)
			if s.Key != "" && section != "" {
				s.Section, s.Sub = section, sub
				out = append(out, s)
			}
		}
	}
	return out
}

// sectionHead reads `remote "origin"]` and the old form `remote.origin]`. A
// head without its bracket names no section, so that its entries are dropped.
func sectionHead(text string) (section, sub, rest string) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			return "", "", text[i:]
		case ']':
			section, sub, _ = strings.Cut(strings.TrimSpace(text[:i]), ".")
			return strings.ToLower(section), sub, text[i+1:]
		case '"':
			section = strings.ToLower(strings.TrimSpace(text[:i]))
			sub, rest = quoted(text[i+1:])
			line, after, _ := strings.Cut(rest, "\n")
			_, tail, closed := strings.Cut(line, "]")
			if !closed {
				return "", "", after
			}
			return section, sub, tail + "\n" + after
		}
	}
	return "", "", ""
}

// quoted reads up to the closing quote or the end of the line.
func quoted(text string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:]
		case c == '\n':
			return b.String(), text[i:]
		case c == '\\' && i+1 < len(text) && text[i+1] != '\n':
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// entry reads `key = value` with its quotes, escapes, continued lines and
// comment. A key without a value means true.
func entry(text string) (setting, string) {
	end := strings.IndexAny(text, "=\n#;")
	if end < 0 || text[end] != '=' {
		key, rest, _ := strings.Cut(text, "\n")
		if i := strings.IndexAny(key, "#;"); i >= 0 {
			key = key[:i]
		}
		return setting{Key: strings.ToLower(strings.TrimSpace(key)), Value: "true"}, rest
	}
	s := setting{Key: strings.ToLower(strings.TrimSpace(text[:end]))}
	text = text[end+1:]
	var (
		b       strings.Builder
		inside  bool // within quotes
		keep    int  // length up to which blanks are part of the value
		started bool
	)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			s.Value = b.String()[:keep]
			return s, text[i+1:]
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			if text[i] == '\n' {
				continue
			}
			b.WriteString(unescape.Replace(text[i : i+1]))
			started, keep = true, b.Len()
		case c == '"':
			inside, started, keep = !inside, true, b.Len()
		case !inside && (c == '#' || c == ';'):
			s.Value = b.String()[:keep]
			_, rest, _ := strings.Cut(text[i:], "\n")
			return s, rest
		case !inside && (c == ' ' || c == '\t' || c == '\r'):
			if started {
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
			started, keep = true, b.Len()
		}
	}
	s.Value = b.String()[:keep]
	return s, ""
}

// unescape is what the letters stand for that a backslash may stand before.
var unescape = strings.NewReplacer("n", "\n", "t", "\t", "b", "\b")

// remoteURL is the URL of origin, else of the remote that is named first.
func remoteURL(settings []setting) string {
	first := ""
	for _, s := range settings {
		if s.Section != "remote" || s.Key != "url" || s.Value == "" {
			continue
		}
		if s.Sub == "origin" {
			return s.Value
		}
		if first == "" {
			first = s.Value
		}
	}
	return first
}

func (r repository) config() []setting {
	return readGitConfig(filepath.Join(r.Common, "config"))
}
