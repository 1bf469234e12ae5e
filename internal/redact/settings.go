package redact

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Files of settings that hold credentials, whatever their values are called.

// Settings is [Redactor.Text] for what such a file says: every value goes that its form
// shows to be one, but for small numbers, switches and references.
func (r *Redactor) Settings(s string) (clean string, found []Finding) {
	s, found = r.Text(s)
	if r.off[credential] {
		return s, found
	}
	sc := scan{s: s, off: &r.off}
	sc.settings(0, len(s))
	sc.assignments(0, len(s))
	if len(sc.spans) == 0 {
		return s, found
	}
	spans := merge(sc.spans)
	s = replaced(s, spans, func(span) string { return mark(credential) })
	return s, append(found, Finding{names[credential], len(spans)})
}

// CredentialFile reports whether a path names a file that holds credentials: by its own
// name, or by that and its folder's.
func CredentialFile(file string) bool {
	file = strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	base, ext := filepath.Base(file), filepath.Ext(file)
	stem := strings.TrimSuffix(base, ext)
	switch {
	case slices.ContainsFunc(strings.FieldsFunc(base, func(r rune) bool { return r == '.' || r == '-' || r == '_' }), func(w string) bool { return listed(w, exampleFile) }):
		return false
	case base == ".env", strings.HasPrefix(base, ".env."), ext == ".env", listed(base, credentialFile):
		return true
	case listed(filepath.Base(filepath.Dir(file))+"/"+base, credentialFile):
		return true
	}
	return listed(stem, secretsFile) && (ext == "" && stem != "secret" && stem != "secrets" || listed(strings.TrimPrefix(ext, "."), settingsExt))
}

// ShowsCredentials reports whether a tool's call reads or writes a file that holds
// credentials: its path is given as such, or stands in a command.
func ShowsCredentials(input json.RawMessage) bool {
	var in map[string]any
	if json.Unmarshal(input, &in) != nil {
		return false
	}
	for key, value := range in {
		text, ok := value.(string)
		low := strings.ToLower(key)
		switch {
		case !ok:
		case strings.Contains(low, "command") || low == "cmd":
			if commandShows(text) {
				return true
			}
		case placeKey(key) && CredentialFile(text):
			return true
		}
	}
	return false
}

// placeKey reports whether a field of a call says where something is.
func placeKey(key string) bool {
	low := strings.ToLower(key)
	return strings.Contains(low, "path") || strings.HasSuffix(low, "file") || strings.HasSuffix(low, "filename")
}

// commandShows reports whether a command line works on a file that holds credentials, by
// a program that shows or writes what files hold.
func commandShows(line string) bool {
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("\n;|&()", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 && (words[0] == "sudo" || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		shows := listed(filepath.Base(words[0]), fileShower)
		for i, w := range words[1:] {
			into := strings.TrimLeft(w, "<>")
			if CredentialFile(strings.Trim(into, "\"'")) && (shows || into != w || strings.HasSuffix(words[i], ">") || strings.HasSuffix(words[i], "<")) {
				return true
			}
		}
	}
	return false
}

// settings notes the values of the lines from..to: what stands behind the names of JSON,
// of YAML, of INI and of the environment.
func (sc *scan) settings(from, to int) {
	block := -1 // how deep the key of a block stands whose lines are its value
	for at := from; at < to; {
		line := sc.line(at, to-at)
		start := at + len(line) - len(withoutNumber(line))
		at += len(line) + 1
		text := strings.TrimRight(sc.s[start:at-1], " \t\r")
		depth := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case block >= 0 && depth > block:
			sc.settingValue(start, start+len(text))
			continue
		case text == "" || text[0] == '#' || text[0] == ';':
			continue
		}
		block = -1
		if strings.Contains(text, `":`) || strings.Contains(text, `" :`) {
			sc.quotedSettings(start, start+len(text))
			continue
		}
		n := settingSign(text)
		value := strings.TrimLeft(text[n:], " \t")
		switch {
		case n == 0 || value == "", text[n-1] != '=' && value[0] != '"' && strings.Contains(value, ": "):
		case strings.Trim(value, "|>+-123456789") == "":
			block = depth
		default:
			sc.settingValue(start+len(text)-len(value), start+len(text))
		}
	}
}

// withoutNumber is a line without its indentation, a line number as tools put it before
// what they read, and the sign of a patch or a list.
func withoutNumber(line string) string {
	line = strings.TrimLeft(line, " \t")
	if number := strings.TrimLeft(line, "0123456789"); number != line {
		if rest, ok := strings.CutPrefix(number, "→"); ok {
			line = rest
		} else if rest, ok := strings.CutPrefix(number, "\t"); ok {
			line = rest
		}
	}
	return strings.TrimLeft(line, " \t+-")
}

// settingSign is the place behind the sign that parts a name from its value; 0 without
// one.
func settingSign(text string) int {
	for _, sign := range [...]string{"=", ": ", ":"} {
		if n := strings.Index(text, sign); n > 0 && !strings.ContainsAny(strings.TrimSpace(strings.TrimPrefix(text[:n], "export ")), " \t") {
			return n + len(sign)
		}
	}
	return 0
}

// quotedSettings notes the strings of a line that are values, and the words behind keys.
func (sc *scan) quotedSettings(from, to int) {
	for i := from; i < to; {
		n := strings.IndexByte(sc.s[i:to], '"')
		if n < 0 {
			return
		}
		i += n
		end := i + 1
		for end < to && sc.s[end] != '"' {
			if sc.s[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, to)
		if rest := strings.TrimLeft(sc.s[min(end+1, to):to], " "); !strings.HasPrefix(rest, ":") {
			sc.settingValue(i+1, end)
		}
		i = end + 1
	}
}

// settingValue notes a value, unless it hides nothing.
func (sc *scan) settingValue(from, to int) {
	if f, t, quoted := quotedText(sc.s[:to], from); quoted && t > f {
		from, to = f, t
	}
	v := strings.TrimRight(sc.s[from:to], " ,")
	if trimmed := strings.Trim(v, "\"'"); len(trimmed) < len(v) {
		from += strings.Index(v, trimmed)
		v = trimmed
	}
	const small = 5 // digits
	if len(v) < 3 || markAt(v, 0) > 0 || digits.all(v) && len(v) <= small || reference(v, inData) && !strings.Contains(v, "://") || placeholder(v) {
		return
	}
	sc.valued(credential, from, from+len(v))
}

// assignments notes the values of NAME=value within the lines from..to, as commands have
// them.
func (sc *scan) assignments(from, to int) {
	s := sc.s[:to]
	for i := from + 1; i < to; i++ {
		if s[i] != '=' || !wordDash.has(s[i-1]) {
			continue
		}
		end := i + 1
		if f, t, quoted := quotedText(s, end); quoted && t > f {
			end = t
			sc.settingValue(f, t)
		} else {
			for end < to && tight.has(s[end]) {
				end++
			}
			sc.settingValue(i+1, end)
		}
		i = end
	}
}

// pastedFile takes the values of a file that holds credentials and stands below a line
// that ends in its name: "my .env:".
func (sc *scan) pastedFile(from, to int) {
	const longest, most = 80, 16 << 10 // bytes of a path, of a file
	s := sc.s
	start, end := from, to
	for start > 0 && from-start < longest && (wordDashDot.has(s[start-1]) || s[start-1] == '/' || s[start-1] == '~') {
		start--
	}
	for end < len(s) && end-to < longest && wordDashDot.has(s[end]) {
		end++
	}
	rest := strings.Trim(sc.line(end, longest), " \t\r`*\"'")
	if !CredentialFile(s[start:end]) || rest != ":" && rest != "：" {
		return
	}
	begin := end + len(sc.line(end, longest)) + 1
	if begin >= len(s) {
		return
	}
	file := s[begin:min(len(s), begin+most)]
	stop := strings.Index(strings.TrimLeft(file, "\r\n"), "\n\n")
	if fenced := strings.TrimLeft(file, "\r\n"); strings.HasPrefix(fenced, "```") {
		stop = strings.Index(fenced[3:], "\n```") + 3
	}
	if stop < 3 {
		stop = len(strings.TrimLeft(file, "\r\n"))
	}
	stop += len(file) - len(strings.TrimLeft(file, "\r\n"))
	sc.settings(begin, begin+min(stop, len(file)))
}
