package project

import (
	"net/netip"
	"net/url"
	"path"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// remote is a git URL, taken apart: either a name that is the same for every
// way to reach the repository ("github.com/a/b"), or a path on this machine.
type remote struct {
	Name string
	Path string
}

// maxURL is how long a URL may be, in bytes.
const maxURL = 4096

// parseRemote reads a git URL in any of its forms. User names, passwords, ports
// and the ending .git are dropped, the host is lower case; the path is too
// where the host is known not to care. What is not clearly one repository on
// one host, or one path, gives the zero value: whoever reads it otherwise than
// we do would be led elsewhere.
func parseRemote(raw string) remote {
	raw = strings.TrimSpace(raw)
	if raw == "" || len(raw) > maxURL || !utf8.ValidString(raw) || strings.ContainsFunc(raw, unicode.IsControl) {
		return remote{}
	}
	if scheme, rest, ok := strings.Cut(raw, "://"); ok && wordOnly(scheme) {
		return parseURL(lower(scheme), rest)
	}
	if colon := strings.IndexByte(raw, ':'); colon > 0 && !strings.Contains(raw[:colon], "/") && !(runtime.GOOS == "windows" && colon == 1) {
		return scpLike(raw)
	}
	return local(raw)
}

// parseURL reads what stands behind "scheme://". The authority ends at the
// first /, ? or # (RFC 3986, 3.2).
func parseURL(scheme, rest string) remote {
	switch scheme {
	case "file":
		return filePath(rest)
	case "ssh", "git", "http", "https", "ftp", "ftps", "git+ssh", "ssh+git":
	default:
		return remote{}
	}
	// A server may tell repositories apart by a query, and git and the servers
	// disagree on what a fragment is.
	if strings.ContainsAny(rest, `?#\`) {
		return remote{}
	}
	authority, p, _ := strings.Cut(rest, "/")
	host, ok := hostOf(authority)
	if !ok {
		return remote{}
	}
	plain, err := url.PathUnescape(p)
	if err != nil || !utf8.ValidString(plain) || strings.Count(plain, "/") != strings.Count(p, "/") {
		return remote{} // an escaped / is no separator
	}
	return named(host, plain)
}

// hostOf takes the host out of an authority: [userinfo@]host[:port].
func hostOf(authority string) (string, bool) {
	if user, after, ok := strings.Cut(authority, "@"); ok {
		if strings.ContainsAny(user, "/?#[]@\\ ") || strings.Contains(after, "@") {
			return "", false
		}
		authority = after
	}
	var host, port string
	if inner, ok := strings.CutPrefix(authority, "["); ok {
		address, after, closed := strings.Cut(inner, "]")
		ip, err := netip.ParseAddr(address)
		if !closed || err != nil || !ip.Is6() || ip.Zone() != "" || after != "" && after[0] != ':' {
			return "", false
		}
		host, port = ip.String(), strings.TrimPrefix(after, ":")
	} else {
		host, port, _ = strings.Cut(authority, ":")
		if !plainHost(host) {
			return "", false
		}
	}
	if strings.ContainsFunc(port, func(r rune) bool { return r < '0' || r > '9' }) {
		return "", false
	}
	return host, true
}

// plainHost reports whether a host is a name or an IPv4 address, with nothing in
// it that some reader would decode, cut off or take for an option.
func plainHost(host string) bool {
	odd := func(r rune) bool {
		return !strings.ContainsRune("-._", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}
	return host != "" && host[0] != '-' && host[0] != '.' && !strings.Contains(host, "..") && !strings.ContainsFunc(host, odd)
}

// scpLike reads [user@]host:path, [user@][::1]:path and [user@host:port]:path.
// helper::address is none of them: that leaves it to a program where to go. Nor
// is something://.
func scpLike(raw string) remote {
	end := strings.IndexByte(raw, ':')
	if open := strings.IndexByte(raw, '['); open >= 0 && open < end {
		if end = strings.Index(raw, "]:") + 1; end == 0 {
			return remote{}
		}
	}
	authority, p := raw[:end], raw[end+1:]
	if inner, ok := strings.CutPrefix(authority, "["); ok && strings.Count(inner, ":") <= 1 { // else it is an address
		authority = strings.TrimSuffix(inner, "]")
	}
	host, ok := hostOf(authority)
	if !ok || strings.HasPrefix(p, ":") || strings.HasPrefix(p, "//") {
		return remote{}
	}
	return named(host, p)
}

// named makes the name of a path on a host.
func named(host, p string) remote {
	host = strings.TrimSuffix(lower(host), ".")
	// The big hosts answer ssh on the https port under names of their own.
	for _, alias := range []string{"ssh.", "altssh.", "www."} {
		if known, ok := strings.CutPrefix(host, alias); ok && caseless(known) {
			host = known
		}
	}
	if strings.ContainsFunc(p, unicode.IsControl) || strings.Contains(p, `\`) {
		return remote{}
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "." || part == ".." {
			return remote{} // where that leads, only the server knows
		}
	}
	p = strings.TrimRight(strings.TrimSuffix(strings.Trim(path.Clean("/"+p), "/"), ".git"), "/")
	if host == "" || p == "" {
		return remote{}
	}
	if caseless(host) {
		p = lower(p)
	}
	return remote{Name: host + "/" + p}
}

// caseless reports whether a host treats the case of repository paths as
// equal.
func caseless(host string) bool {
	return host == "github.com" || host == "gitlab.com" || host == "bitbucket.org"
}

// lower makes letters of ASCII small, and no others: some of those become
// letters of ASCII by it.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// filePath is the path of a file URL behind "file://", of this machine.
func filePath(rest string) remote {
	host, p, ok := strings.Cut(rest, "/")
	if !ok || host != "" && lower(host) != "localhost" {
		return remote{}
	}
	plain, err := url.PathUnescape("/" + p)
	if err != nil || !utf8.ValidString(plain) || strings.ContainsFunc(plain, unicode.IsControl) {
		return remote{}
	}
	if runtime.GOOS == "windows" && len(plain) > 2 && plain[2] == ':' {
		plain = plain[1:]
	}
	return local(plain)
}

// local is a path on this machine. One that begins with two separators may be
// another machine's, which would be asked just to look.
func local(p string) remote {
	if len(p) > 1 && strings.ContainsRune(`/\`, rune(p[0])) && strings.ContainsRune(`/\`, rune(p[1])) {
		return remote{}
	}
	return remote{Path: p}
}

func wordOnly(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+-.", r)
	})
}
