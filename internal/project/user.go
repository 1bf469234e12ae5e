package project

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"orihon/memory"
)

// GitUser is the name that git knows the user by in the project at root, as it
// can stand in a scope: user.name, else the local part of user.email, from the
// repository's configuration, else from the first of the global files that has
// one. Without either it is made from fallback, usually the system's user name.
func GitUser(root, fallback string, global ...string) string {
	var name, email string
	take := func(settings []setting) {
		var n, e string
		for _, s := range settings {
			if s.Section == "user" && s.Sub == "" {
				switch s.Key { // the last one in a file wins
				case "name":
					n = s.Value
				case "email":
					e = s.Value
				}
			}
		}
		if name == "" {
			name = slug(n)
		}
		if email == "" {
			local, _, _ := strings.Cut(e, "@")
			email = slug(local)
		}
	}
	if r, ok := enclosing(root); ok {
		take(r.config())
	}
	for _, path := range global {
		if name == "" {
			take(readGitConfig(path))
		}
	}
	if i := strings.LastIndexAny(fallback, `\/`); i >= 0 {
		fallback = fallback[i+1:] // DOMAIN\user
	}
	for _, s := range []string{name, email, slug(fallback)} {
		if s != "" {
			return s
		}
	}
	return "user"
}

// slug makes a name of a person one that [memory.ValidName] accepts; empty when
// nothing of it can stay.
func slug(s string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToLower(strings.TrimSpace(s))) {
		if r == utf8.RuneError {
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-@+", r) {
			if !unicode.IsSpace(r) || strings.HasSuffix(b.String(), "-") {
				continue
			}
			r = '-'
		}
		if b.Len()+utf8.RuneLen(r) > 64 {
			break
		}
		b.WriteRune(r)
	}
	out := strings.Trim(b.String(), ".-")
	if !memory.ValidName(out) {
		return ""
	}
	return out
}
