package gitignore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orihon/internal/gitignore"
)

func TestPatternsMeanWhatTheManualSays(t *testing.T) {
	for _, tc := range []struct {
		name, patterns string
		ignored, kept  string // paths with blanks between; a slash at the end makes a folder
	}{
		{"blank lines and comments", "\n   \n# a\n", "", "a # a"},
		{"escaped number sign", `\#a`, "#a b/#a", "a"},
		{"escaped exclamation mark", `\!a`, "!a", "a"},
		{"trailing blanks", "a   ", "a", ""},
		{"a name matches at any depth", "frotz", "frotz a/frotz a/b/frotz frotz/", "frotzen"},
		{"a slash at the end means folders", "frotz/", "frotz/ a/frotz/", "frotz a/frotz"},
		{"a slash in the middle ties to the folder", "doc/frotz/", "doc/frotz/", "a/doc/frotz/ doc/frotz"},
		{"a slash at the beginning does so too", "/foo", "foo foo/", "a/foo"},
		{"a star stops at slashes", "foo/*", "foo/test.json foo/bar/", "foo/bar/hello.c foo/"},
		{"star without slash", "*.o", "a.o b/c.o .o", "a.o.c"},
		{"question mark", "a?c", "abc aéc a記c", "ac abbc a/c"},
		{"sets", "[a-c]x", "ax bx", "dx x"},
		{"negated sets", "[!a-c]x", "dx 記x", "ax"},
		{"caret negates as well", "[^a]x", "bx", "ax"},
		{"bracket in a set", "[]a]x", "]x ax", "bx"},
		{"class in a set", "v[[:digit:]]", "v1", "va"},
		{"open set is an ordinary bracket", "[ab", "[ab", "a"},
		{"leading double star", "**/foo", "foo a/foo a/b/foo", "foob"},
		{"leading double star with more", "**/foo/bar", "foo/bar a/foo/bar", "foo/a/bar"},
		{"trailing double star", "abc/**", "abc/a abc/d/e", "abc/ x/abc/a"},
		{"double star in the middle", "a/**/b", "a/b a/x/b a/x/y/b", "ab x/a/b"},
		{"double star among letters", "a**b", "ab axxb c/axb", "a/b"},
		{"double star behind letters", "a**/b", "ab a/b a/x/y/b ax/y/b", "b x/a/b axxb"},
		{"two double stars", "**/a/**/z", "a/z x/a/y/z a/a/z", "z a"},
		{"last one wins", "*.html\n!foo.html", "a.html", "foo.html"},
		{"last one wins, again", "!foo.html\n*.html", "foo.html", ""},
		{"all but one folder", "/*\n!/foo\n/foo/*\n!/foo/bar", "x foo/x", "foo/ foo/bar"},
		{"backslash takes a star as it is", `a\*b`, "a*b", "axb"},
		{"backslash at the end matches nothing", `a\`, "", `a a\`},
		{"kept blank", `a\ `, "a\u0020", "b"},
		{"Windows line ends", "a\r\nb\r\n", "a b", "c"},
		{"byte order mark", "\ufeffa", "a", ""},
		{"Chinese", "草稿/\n*備份*", "草稿/ a/草稿/ 舊備份.md", "草稿"},
		{"only a slash", "/", "", "a a/"},
		{"only stars", "**", "a a/b", ""},
	} {
		l := gitignore.Parse(tc.patterns)
		for want, list := range map[bool]string{true: tc.ignored, false: tc.kept} {
			for path := range strings.SplitSeq(list, " ") {
				if path == "" || path == "#" {
					continue
				}
				if tc.name == "kept blank" && want {
					path = "a "
				}
				name, folder := strings.CutSuffix(path, "/")
				if got, _ := l.Match(name, folder); got != want {
					t.Errorf("%s: %q ignores %q: %v, want %v", tc.name, tc.patterns, path, got, want)
				}
			}
		}
	}
}

func TestTheNearestFileDecides(t *testing.T) {
	top := gitignore.Top(gitignore.Parse("*.tmp\nlocal")).Under("", gitignore.Parse("*.log\n/only\n!local"))
	deep := top.Under("a/b", gitignore.Parse("!keep.log\n/here"))
	for _, tc := range []struct {
		path string
		want bool
	}{
		{"x.log", true}, {"a/b/x.log", true}, {"a/b/keep.log", false}, {"a/keep.log", true}, {"x.tmp", true},
		{"only", true}, {"a/b/only", false}, {"a/b/here", true}, {"a/b/c/here", false}, {"here", false}, {"a/b/local", false},
	} {
		if got := deep.Ignored(tc.path, false); got != tc.want {
			t.Errorf("%s: ignored %v, want %v", tc.path, got, tc.want)
		}
	}
	var none *gitignore.Tree
	if none.Ignored("x", false) {
		t.Error("nothing ignores something")
	}
}

// git itself is asked about patterns and paths made at random.
func TestGitAgrees(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: there is no git to compare with")
	}
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		cmd := exec.Command(git, append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir, "GIT_CONFIG_GLOBAL="+filepath.Join(dir, "none"))
		cmd.Stdin = strings.NewReader(stdin)
		out, _ := cmd.Output() // 1 means that nothing is ignored
		return string(out)
	}
	run("", "init", "-q")
	var paths []string
	for _, a := range []string{"a", "b", "ab", "a.b", "*"} {
		for _, b := range []string{"a", "b", "ab", ".a"} {
			for _, c := range []string{"a", "b", "a.b"} {
				paths = append(paths, a+"/"+b+"/"+c)
			}
		}
	}
	for _, p := range paths {
		full := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Skip("SKIPPED: ", err) // a star cannot be in a name on every system
		}
		if err := os.WriteFile(full, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pattern := rapid.StringMatching(`!?/?(\*\*/)?[ab.*?]{1,3}(/(\*\*|[ab*?]|\[a-b\]|\\\*))?(/[ab*]{1,2})?/?`)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pattern, 1, 4).Draw(rt, "patterns"), "\n")
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o600); err != nil {
			rt.Fatal(err)
		}
		want := make(map[string]bool)
		for p := range strings.Lines(run(strings.Join(paths, "\n"), "-c", "core.quotePath=false", "check-ignore", "--stdin")) {
			want[strings.TrimSuffix(p, "\n")] = true
		}
		tree := gitignore.Top(nil).Under("", gitignore.Parse(text))
		for _, p := range paths {
			got := false
			parts := strings.Split(p, "/")
			for i := 1; i <= len(parts) && !got; i++ {
				got = tree.Ignored(strings.Join(parts[:i], "/"), i < len(parts))
			}
			if got != want[p] {
				rt.Fatalf("%q: %s ignored %v, git says %v", text, p, got, want[p])
			}
		}
	})
}

func FuzzMatch(f *testing.F) {
	f.Add("**/a*[!b]\n!x/", "a/b/c")
	f.Add("[[:alpha:]-z]\\", "記/憶")
	f.Add(strings.Repeat("*a", 30), strings.Repeat("a", 60))
	f.Add(strings.Repeat("**/a/", 20), strings.Repeat("a/", 60))
	f.Fuzz(func(t *testing.T, patterns, path string) {
		l := gitignore.Parse(patterns)
		ignored, decided := l.Match(path, false)
		if ignored && !decided || decided && l.Empty() {
			t.Errorf("%q, %q: ignored %v, decided %v", patterns, path, ignored, decided)
		}
	})
}
