package memory

import (
	"fmt"
	"strings"
	"unicode"
)

// Scope is who may see an item: "global", "shared", "role:<name>" or
// "personal:<user>".
type Scope string

// The scopes without a name in them.
const (
	Global Scope = "global" // this user, in every project
	Shared Scope = "shared" // everybody on the project
)

// Role is the scope of those who hold the named role on the project.
func Role(name string) Scope { return Scope("role:" + name) }

// Personal is the scope of one user in this project.
func Personal(user string) Scope { return Scope("personal:" + user) }

// ParseScope checks a scope. The name in a role or personal scope becomes part
// of a path, so it may hold only letters, digits and the signs . _ - @ +.
func ParseScope(s string) (Scope, error) {
	if s == string(Global) || s == string(Shared) {
		return Scope(s), nil
	}
	kind, name, ok := strings.Cut(s, ":")
	if !ok || (kind != "role" && kind != "personal") {
		return "", fmt.Errorf("%w scope %q: want global, shared, role:<name> or personal:<you>", ErrInvalid, s)
	}
	if !ValidName(name) {
		return "", fmt.Errorf("%w scope %q: the name may hold only letters, digits and . _ - @ +", ErrInvalid, s)
	}
	return Scope(s), nil
}

// ValidName reports whether a user or role name can stand in a scope and in a
// path: not empty, at most 64 bytes, no leading dot, no separators.
func ValidName(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '.' {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-@+", r) {
			return false
		}
	}
	return true
}

// Name is the role or user named in the scope; empty for global and shared.
func (s Scope) Name() string {
	_, name, _ := strings.Cut(string(s), ":")
	return name
}

// Private reports whether the scope is written to the user's own home and
// never to the repository.
func (s Scope) Private() bool {
	return s == Global || strings.HasPrefix(string(s), "personal:")
}

// Viewer is who is asking: it decides which scopes are visible.
type Viewer struct {
	User  string
	Roles []string
}

// Scopes lists every scope the viewer may see, in a fixed order.
func (v Viewer) Scopes() []Scope {
	out := []Scope{Global, Shared}
	for _, r := range v.Roles {
		out = append(out, Role(r))
	}
	if v.User != "" {
		out = append(out, Personal(v.User))
	}
	return out
}
