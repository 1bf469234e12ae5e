package project_test

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/project"
)

func TestRemotesAreOneNameHoweverTheyAreReached(t *testing.T) {
	for _, tt := range []struct{ url, name, path string }{
		{"git@github.com:Acme/Shop.git", "github.com/acme/shop", ""},
		{"ssh://git@GitHub.com:22/acme/shop", "github.com/acme/shop", ""},
		{"ssh://git@ssh.github.com:443/acme/shop.git", "github.com/acme/shop", ""},
		{"https://user:p%40ss@github.com/acme/shop.git/", "github.com/acme/shop", ""},
		{"https://token@gitlab.com/group/Sub/Shop", "gitlab.com/group/sub/shop", ""},
		{"git+ssh://git@example.com/~lin/Shop.git", "example.com/~lin/Shop", ""},
		{"example.com:Acme/Shop.git", "example.com/Acme/Shop", ""},
		{"git@example.com:/srv/git/shop.git", "example.com/srv/git/shop", ""},
		{"https://example.com/%E5%95%86%E5%BA%97.git", "example.com/商店", ""},
		{"ssh://git@[::1]:2222/a/b", "::1/a/b", ""},
		{"git@[::1]:a/b", "::1/a/b", ""},
		{"[git@example.com:2222]:a/b", "example.com/a/b", ""},
		{"file:///srv/git/shop.git", "", "/srv/git/shop.git"},
		{"file://localhost/srv/my%20shop", "", "/srv/my shop"},
		{"/srv/git/shop.git", "", "/srv/git/shop.git"},
		{"../商店", "", "../商店"},
		{"./a:b", "", "./a:b"},
		{"https://example.com/", "", ""},
		{"https:///a/b", "", ""},
		{"  ", "", ""},
		{"https://example.com/a\nb", "", ""},
		{"https://Example.com:8443/Acme/Shop", "example.com/Acme/Shop", ""},
		{"git://example.com//a///b", "example.com/a/b", ""},
		{"lin@git-host:shop", "git-host/shop", ""},
		{"git@example.com:my shop.git", "example.com/my shop", ""},
		{"ssh://[FE80::1]/a", "fe80::1/a", ""},
		{"https://Bücher.example/a", "bücher.example/a", ""},

		// The authority ends at the first /, ? or #, and what is read in two
		// ways names nothing.
		{"http://evil?@example.com/victim", "", ""},
		{"http://evil#@example.com/victim", "", ""},
		{"http://evil/?@example.com/victim", "", ""},
		{"http://evil\\@example.com/victim", "", ""},
		{"http://evil\\.example.com/victim", "", ""},
		{"https://a@evil@example.com/victim", "", ""},
		{"https://example.com@evil/victim", "evil/victim", ""},
		{"https://example.com:80@evil/victim", "evil/victim", ""},
		{"https://example.com:port/victim", "", ""},
		{"https://example.com:80:80/victim", "", ""},
		{"https://example.com/acme/shop?x=1", "", ""},
		{"https://example.com/acme/shop#x", "", ""},
		{"https://example.com/evil/../victim", "", ""},
		{"https://example.com/evil/%2e%2e/victim", "", ""},
		{"https://example.com/./victim", "", ""},
		{"https://example.com/acme%2Fvictim", "", ""},
		{"https://example.com/acme%5Cvictim", "", ""},
		{"https://example.com/acme%00victim", "", ""},
		{"https://example.com/acme%zzvictim", "", ""},
		{"https://example.com/acme%ffvictim", "", ""},
		{"https://example%2ecom/victim", "", ""},
		{"https://exam ple.com/victim", "", ""},
		{"https://example..com/victim", "", ""},
		{"https://.example.com/victim", "", ""},
		{"https://-oProxyCommand=x/victim", "", ""},
		{"https://[::1/victim", "", ""},
		{"https://[::1]evil/victim", "", ""},
		{"https://[1.2.3.4]/victim", "", ""},
		{"https://bitbuc\u212aet.org/a/b", "bitbuc\u212aet.org/a/b", ""}, // the sign of kelvins
		{"https://ｇithub.com/a/b", "ｇithub.com/a/b", ""},
		{"gopher://example.com/victim", "", ""},
		{"hg::https://example.com/a/b", "", ""},
		{"ext::sh -c evil example.com/victim", "", ""},
		{"evil?@example.com:victim", "", ""},
		{"a@evil@example.com:victim", "", ""},
		{"-oProxyCommand=x:victim", "", ""},
		{"example.com:a\\b", "", ""},
		{"example.com:../victim", "", ""},
		{"[example.com:victim", "", ""},
		{"[a@b@example.com:22]:victim", "", ""},
		{"file://evil/srv/victim", "", ""},
		{"file://localhost", "", ""},
		{"file:///srv/%zz", "", ""},
		{"//evil/share/victim", "", ""},
		{"https://example.com/\xff", "", ""},
		{"https://example.com/" + strings.Repeat("a", 5000), "", ""},
	} {
		name, path := project.ParseRemote(tt.url)
		if name != tt.name || path != tt.path {
			t.Errorf("%q is %q, %q; want %q, %q", tt.url, name, path, tt.name, tt.path)
		}
	}
}

func TestGitConfigIsReadAsGitDoes(t *testing.T) {
	text := "\ufeff[core]\r\n\tbare = false ; yes\r\n" +
		"[Remote \"ori\\\"gin\"] url = \"a # b\" c   # comment\n" +
		"[remote.old]\n URL = x\\\n  y\n" +
		"[user] name = 林 小明\n[alias]\n\tst\n  lg = \"log\\t\\\"x\\\"\"\n" +
		"[include]\n path = other\n[broken\nkey = dropped\n[user]\nemail=a@b\\"
	want := []project.Setting{
		{Section: "core", Key: "bare", Value: "false"},
		{Section: "remote", Sub: `ori"gin`, Key: "url", Value: "a # b c"},
		{Section: "remote", Sub: "old", Key: "url", Value: "x  y"},
		{Section: "user", Key: "name", Value: "林 小明"},
		{Section: "alias", Key: "st", Value: "true"},
		{Section: "alias", Key: "lg", Value: "log\t\"x\""},
		{Section: "include", Key: "path", Value: "other"},
		{Section: "user", Key: "email", Value: `a@b\`},
	}
	if diff := cmp.Diff(want, project.ParseGitConfig(text)); diff != "" {
		t.Error(diff)
	}
}

func TestGitUserIsAValidName(t *testing.T) {
	for _, tt := range []struct{ local, global, fallback, want string }{
		{"", "[user]\nname = Jane  Q. Doe\n", "os", "jane-q.-doe"},
		{"[user]\nname = 林小明\n", "[user]\nname = Jane\n", "os", "林小明"},
		{"[user]\nemail = lin@example.com\n", "[user]\nname = \"!!!\"\n", "os", "lin"},
		{"[user]\nname = A\nname = ../B\n", "", "os", "b"},
		{"", "", `DOMAIN\José`, "josé"},
		{"", "", "/", "user"},
		{"", "[user]\nname = " + strings.Repeat("界", 40) + "\n", "os", strings.Repeat("界", 21)},
	} {
		dir := realDir(t)
		write(t, filepath.Join(dir, "p", ".git", "HEAD"), "ref: refs/heads/main\n")
		write(t, filepath.Join(dir, "p", ".git", "config"), tt.local)
		write(t, filepath.Join(dir, "gitconfig"), tt.global)
		got := project.GitUser(filepath.Join(dir, "p"), tt.fallback, filepath.Join(dir, "none"), filepath.Join(dir, "gitconfig"))
		if got != tt.want {
			t.Errorf("GitUser(%q, %q, %q) = %q, want %q", tt.local, tt.global, tt.fallback, got, tt.want)
		}
	}
}

func FuzzParseRemote(f *testing.F) {
	for _, s := range []string{"http://evil?@host/victim", "http://evil\\@host/victim", "https://h/%2e%2e/x", "git@github.com:a/b.git", "ssh://u:p@h:1/a", "file:///x", "[u@h:1]:p", "a::b::c", "://", "[", "h:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		name, path := project.ParseRemote(raw)
		if name != "" && path != "" {
			t.Errorf("%q is both %q and %q", raw, name, path)
		}
		if name != "" && (strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.ContainsAny(name, "\n\x00")) {
			t.Errorf("%q is named %q", raw, name)
		}
		host, rest, _ := strings.Cut(name, "/")
		if strings.ContainsAny(host, "@?#\\ %[]") {
			t.Errorf("%q has the host %q", raw, host)
		}
		for part := range strings.SplitSeq(rest, "/") {
			if name != "" && (part == "" || part == "." || part == ".." || strings.Contains(part, "\\")) {
				t.Errorf("%q is named %q", raw, name)
			}
		}
		// Where the name is read from a URL, everybody else reads that host, too.
		if scheme, after, ok := strings.Cut(strings.TrimSpace(raw), "://"); ok && name != "" && !strings.Contains(scheme, ":") {
			u, err := url.Parse("https://" + after)
			if err != nil {
				return // stricter than we are
			}
			theirs := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
			if !slices.Contains([]string{host, "ssh." + host, "altssh." + host, "www." + host}, theirs) && !strings.Contains(host, ":") && strings.ToLower(host) != theirs {
				t.Errorf("%q is on the host %q, others read %q", raw, host, theirs)
			}
		}
	})
}

func FuzzParseGitConfig(f *testing.F) {
	for _, s := range []string{"[remote \"origin\"]\nurl = x\n", "[a.b]c=\"d\\\n", "[\"", "=\n[x]=", "[x]\n#\n;\ny", "[a]b=\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range project.ParseGitConfig(text) {
			if s.Section == "" || s.Key == "" || strings.ToLower(s.Section) != s.Section {
				t.Errorf("setting %+v from %q", s, text)
			}
		}
	})
}
