package journal

import (
	"path"
	"slices"
	"strings"
)

// EntityKind is what an [Entity] is a name of.
type EntityKind string

// The kinds of entities.
const (
	FileEntity   EntityKind = "file"
	Identifier   EntityKind = "identifier"
	CommitEntity EntityKind = "commit" // a hash of version control
	URLEntity    EntityKind = "url"
)

// Entity is a name in a text that can be looked for again.
type Entity struct {
	Kind EntityKind `json:"kind"`
	Name string     `json:"name"`
}

// longestEntity bounds a name, in bytes: what is longer is data.
const longestEntity = 120

// Entities returns the names in a text, in their order, with repeats: files
// with their paths, identifiers of code, commit hashes, URLs.
func Entities(text string) []Entity {
	var out []Entity
	for i := 0; i < len(text); {
		if !inName(text[i]) {
			// The letter of an escape is not the first of a name: "\nDone".
			if text[i] == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 't' || text[i+1] == 'r') {
				i++
			}
			i++
			continue
		}
		start := i
		for i < len(text) && inName(text[i]) {
			i++
		}
		// A URL goes on behind its "://".
		if strings.HasPrefix(text[i:], "://") && slices.Contains(schemes[:], text[start:i]) {
			for i < len(text) && inURL(text[i]) {
				i++
			}
			if url := strings.TrimRight(text[start:i], ".,;:!?)'"); len(url) <= 2*longestEntity && len(url) > len("ftp://") {
				out = append(out, Entity{URLEntity, url})
			}
			continue
		}
		if e, ok := entity(text[start:i]); ok {
			out = append(out, e)
		}
	}
	return out
}

// inName reports the characters of paths and identifiers.
func inName(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("_-./$~@", c) >= 0
}

func inURL(c byte) bool {
	return c > ' ' && c < 0x7f && !strings.ContainsRune("<>\"`\\{}|^", rune(c))
}

var schemes = [...]string{"http", "https", "ssh", "git", "file", "ftp", "ws", "wss", "postgres", "redis", "s3"}

// entity tells what a run of name characters is; prose and numbers are nothing.
func entity(word string) (Entity, bool) {
	for strings.HasPrefix(word, "./") {
		word = word[2:]
	}
	word = strings.TrimRight(strings.TrimLeft(word, "-.@"), "-./@$~")
	if len(word) < 3 || len(word) > longestEntity {
		return Entity{}, false
	}
	switch {
	case isFile(word):
		return Entity{FileEntity, word}, true
	case isCommit(word):
		return Entity{CommitEntity, word}, true
	case isIdentifier(word):
		return Entity{Identifier, word}, true
	}
	return Entity{}, false
}

// isFile reports a name with an extension of letters, or a path of several
// parts that begins like one.
func isFile(w string) bool {
	base := path.Base(w)
	dot := strings.LastIndexByte(base, '.')
	if dot > 0 && strings.Contains(extensions, " "+strings.ToLower(base[dot+1:])+" ") {
		return true
	}
	return strings.Count(w, "/") >= 2 && (dot > 0 && len(base)-dot <= 5 || strings.HasPrefix(w, "/") || strings.HasPrefix(w, "~/"))
}

// extensions are those that make a name one of a file, with a blank on either side
// of each.
const extensions = " go mod sum md mdx txt json jsonl yaml yml toml sh bash zsh py pyi js jsx ts tsx mjs cjs css scss html htm xml " +
	"sql rs c h cc cpp hpp java kt swift rb php cs lua vue svelte proto lock log csv tsv env ini cfg conf tmpl golden patch " +
	"diff png jpg jpeg gif svg pdf ipynb tf gradle zip gz db sqlite dart ex exs erl hs ml scala clj r m mm zig nix bat ps1 "

// isCommit reports 7 to 40 hexadecimal digits, letters and numbers among them.
func isCommit(w string) bool {
	const digits, letters = "0123456789", "abcdef"
	return len(w) >= 7 && len(w) <= 40 && strings.Trim(w, digits+letters) == "" && strings.ContainsAny(w, digits) && strings.ContainsAny(w, letters)
}

// isIdentifier reports a name as code has it: with an underscore, with a capital
// behind a small letter, or of several parts joined by dots.
func isIdentifier(w string) bool {
	letters, humps, marks := 0, 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case 'a' <= c && c <= 'z':
			letters++
		case 'A' <= c && c <= 'Z':
			letters++
			if i > 0 && ('a' <= w[i-1] && w[i-1] <= 'z') {
				humps++
			}
		case c == '_':
			marks++
		case c == '/', c == '~', c == '@', c == '$':
			return false
		case c == '.' && i > 1 && i+1 < len(w) && 'a' <= w[i+1]|0x20 && w[i+1]|0x20 <= 'z':
			marks++
		}
	}
	return letters >= 3 && (humps > 0 || marks > 0) && !gluedSentence(w)
}

// gluedSentence reports two sentences without a blank between them: "done.Now".
func gluedSentence(w string) bool {
	switch w[strings.LastIndexByte(w, '.')+1:] {
	case "Let", "But", "Now", "Wait", "So", "And", "The", "This", "That", "It", "I", "If", "Actually", "Looking", "However", "Also", "Then", "We", "Here", "There":
		return strings.IndexByte(w, '.') > 0
	}
	return false
}

// entityIndex has the events in which an entity is named. It takes up new
// events when it is asked.
type entityIndex struct {
	upto   int
	events map[string][]int32 // by name; a file by its base name as well
}

// ByEntity returns the events that name an entity, oldest first. A file is
// found by its path and by its base name.
func (v *View) ByEntity(name string) []Event {
	v = v.whole()
	v.indexEntities()
	return v.at(v.entities.events[name])
}

func (v *View) indexEntities() {
	x := &v.entities
	if x.events == nil {
		x.events = map[string][]int32{}
	}
	for ; x.upto < len(v.events); x.upto++ {
		at := int32(x.upto)
		put := func(name string) {
			list := x.events[name]
			if n := len(list); n == 0 || list[n-1] != at {
				x.events[name] = append(list, at)
			}
		}
		text := v.Text(v.events[x.upto])
		for _, e := range Entities(text[:min(len(text), searchable)]) {
			put(e.Name)
			if e.Kind == FileEntity {
				if base := path.Base(e.Name); base != e.Name {
					put(base)
				}
			}
		}
	}
}
