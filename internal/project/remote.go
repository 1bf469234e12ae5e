package project

import (
	"net/url"
	"path"
	"runtime"
	"strings"
	"unicode"
)

// remote is a git URL, taken apart: either a name that is the same for every
// way to reach the repository ("github.com/a/b"), or a path on this machine.
type remote struct {
	Name string
	Path string
}

// parseRemote reads a git URL in any of its forms. User names, passwords, ports
// and the ending .git are dropped, the host is lower case; the path is too
// where the host is known not to care. What cannot be a URL gives the zero
// value.
func parseRemote(raw string) remote {
	raw = strings.TrimSpace(raw)
	if raw == "" || strings.ContainsFunc(raw, unicode.IsControl) {
		return remote{}
	}
	if scheme, rest, ok := strings.Cut(raw, "://"); ok && wordOnly(scheme) {
		if strings.EqualFold(scheme, "file") {
			return remote{Path: filePath(rest)}
		}
		authority, p, _ := strings.Cut(rest, "/")
		p, _, _ = strings.Cut(p, "?")
		p, _, _ = strings.Cut(p, "#")
		if plain, err := url.PathUnescape(p); err == nil && !strings.ContainsFunc(plain, unicode.IsControl) {
			p = plain
		}
		return named(authority, p)
	}
	// helper::address names a transport, the address follows.
	if helper, address, ok := strings.Cut(raw, "::"); ok && wordOnly(helper) {
		return parseRemote(address)
	}
	colon := strings.IndexByte(raw, ':')
	if host := strings.LastIndexByte(raw, '['); host >= 0 && strings.IndexByte(raw, ']') > host {
		// [::1]:path or user@[host:port]:path
		end := strings.IndexByte(raw, ']')
		if rest, ok := strings.CutPrefix(raw[end+1:], ":"); ok && !strings.Contains(raw[:host], "/") {
			return named(raw[:end+1], rest)
		}
	}
	drive := runtime.GOOS == "windows" && colon == 1
	if slash := strings.IndexByte(raw, '/'); colon > 0 && !drive && (slash < 0 || colon < slash) {
		return named(raw[:colon], raw[colon+1:])
	}
	return remote{Path: raw}
}

func named(authority, p string) remote {
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	host := strings.ToLower(authority)
	if rest, ok := strings.CutPrefix(host, "["); ok {
		host, _, _ = strings.Cut(rest, "]")
		if strings.Count(host, ":") == 1 { // [host:port]
			host, _, _ = strings.Cut(host, ":")
		}
	} else {
		host, _, _ = strings.Cut(host, ":")
	}
	host = strings.TrimSuffix(host, ".")
	// The big hosts answer ssh on the https port under names of their own.
	for _, alias := range []string{"ssh.", "altssh.", "www."} {
		if known, ok := strings.CutPrefix(host, alias); ok && caseless(known) {
			host = known
		}
	}
	p = strings.Trim(path.Clean("/"+p), "/")
	p = strings.TrimSuffix(p, ".git")
	p = strings.TrimRight(p, "/")
	if host == "" || p == "" {
		return remote{}
	}
	if caseless(host) {
		p = strings.ToLower(p)
	}
	return remote{Name: host + "/" + p}
}

// caseless reports whether a host treats the case of repository paths as
// equal.
func caseless(host string) bool {
	return host == "github.com" || host == "gitlab.com" || host == "bitbucket.org"
}

// filePath is the path of a file URL behind "file://", with or without a host.
func filePath(rest string) string {
	if !strings.HasPrefix(rest, "/") {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			return ""
		}
		rest = "/" + after
	}
	if plain, err := url.PathUnescape(rest); err == nil && !strings.ContainsFunc(plain, unicode.IsControl) {
		rest = plain
	}
	if runtime.GOOS == "windows" && len(rest) > 2 && rest[2] == ':' {
		rest = rest[1:]
	}
	return rest
}

func wordOnly(s string) bool {
	for _, r := range s {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '-' && r != '.' {
			return false
		}
	}
	return s != ""
}
