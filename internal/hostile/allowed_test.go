package hostile

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// securityPage says what Orihon starts and touches. Two tables of it are read
// here: one whose first column is called Program, one whose first is called
// Path and which also has the columns Access and By. Of a program's cell the
// first word in backquotes counts, of a path's everything in backquotes.
//
//	| Program | When |
//	| --- | --- |
//	| `git log` | behind the end of a session |
//
//	| Path | Access | By | Why |
//	| --- | --- | --- | --- |
//	| `/proc/**` | read | all | the runtime looks at its own process |
//	| `<parents>/.git` | look | orihon | where the project begins |
//
// Access is look (is it there, what is it), read, write or connect; each
// includes the one before it, connect apart. By is the program that may, or
// all. In a path * stands for a part of a name, ** for any names, ~ for the
// person's home, $TMPDIR for the folder of temporary files, $PATH for every
// folder that programs are looked for in, <parents> for every folder above the
// project, <known> for the folders of known projects, and <links> for what a symlink
// in the project leads to. By
// themselves $PATH and <links> stand for the folders above, too, since a path is
// followed step by step. Orihon's home, the project and Orihon itself need no
// row.
const securityPage = "docs/SECURITY.md"

// allowed is what the page allows.
type allowed struct {
	programs map[string]bool // base names
	paths    []allowedPath
}

type allowedPath struct {
	pattern, access, by string
}

// readAllowed takes the tables out of a Markdown page.
func readAllowed(page string) *allowed {
	a := &allowed{programs: map[string]bool{}}
	var head []string
	for l := range strings.Lines(page) {
		l = strings.TrimSpace(l)
		if !strings.HasPrefix(l, "|") {
			head = nil
			continue
		}
		cells := strings.Split(strings.Trim(l, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if head == nil {
			for _, c := range cells {
				head = append(head, strings.ToLower(c))
			}
			continue
		}
		if strings.HasPrefix(cells[0], "---") || strings.HasPrefix(cells[0], ":--") {
			continue
		}
		cell := func(name string) string {
			for i, h := range head {
				if h == name && i < len(cells) {
					return strings.ToLower(strings.Trim(cells[i], "`"))
				}
			}
			return ""
		}
		found := values(cells[0])
		switch head[0] {
		case "program":
			if words := strings.Fields(found[0]); len(words) > 0 {
				a.programs[path.Base(words[0])] = true
			}
		case "path":
			for _, value := range found {
				a.paths = append(a.paths, allowedPath{pattern: value, access: cell("access"), by: cell("by")})
			}
		}
	}
	return a
}

// values are the words of a cell that stand in backquotes; without any, the
// cell is one.
func values(cell string) []string {
	parts := strings.Split(cell, "`")
	if len(parts) < 3 {
		return []string{cell}
	}
	var out []string
	for i := 1; i < len(parts); i += 2 {
		out = append(out, parts[i])
	}
	return out
}

// places are what the short forms of a path stand for.
type places struct {
	home, tmp, project string
	path, links, known []string
}

// allows reports whether a program may touch a path so.
func (a *allowed) allows(p places, t touch) bool {
	for _, row := range a.paths {
		if row.by != "" && row.by != "all" && row.by != t.by {
			continue
		}
		if !includes(row.access, t.access) {
			continue
		}
		for _, pattern := range p.spelled(row.pattern) {
			if matches(pattern, t.path) {
				return true
			}
		}
	}
	return false
}

// includes reports whether an access is part of another.
func includes(may, access string) bool {
	order := []string{"look", "read", "write"}
	at := func(s string) int {
		for i, o := range order {
			if o == s {
				return i
			}
		}
		return -1
	}
	return may == access || at(access) >= 0 && at(may) >= at(access)
}

// spelled writes the short forms of a pattern out.
func (p places) spelled(pattern string) []string {
	if rest, ok := strings.CutPrefix(pattern, "<parents>"); ok {
		var out []string
		for dir := filepath.Dir(p.project); ; dir = filepath.Dir(dir) {
			out = append(out, path.Clean(dir+rest))
			if dir == filepath.Dir(dir) {
				return out
			}
		}
	}
	if rest, ok := strings.CutPrefix(pattern, "$PATH"); ok {
		return under(p.path, rest)
	}
	if pattern == "<known>" {
		return p.known
	}
	if rest, ok := strings.CutPrefix(pattern, "<links>"); ok {
		return under(p.links, rest)
	}
	if rest, ok := strings.CutPrefix(pattern, "~"); ok {
		return []string{p.home + rest}
	}
	if rest, ok := strings.CutPrefix(pattern, "$TMPDIR"); ok {
		return []string{p.tmp + rest}
	}
	return []string{pattern}
}

// under is every folder with the rest of a path behind it; without one, the
// folders above them, too.
func under(dirs []string, rest string) []string {
	var out []string
	for _, dir := range dirs {
		out = append(out, path.Clean(dir+rest))
		for up := filepath.Dir(dir); rest == "" && up != filepath.Dir(up); up = filepath.Dir(up) {
			out = append(out, up)
		}
	}
	return out
}

// matches knows * and **; a pattern that ends in /** holds its folder, too.
func matches(pattern, name string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/**"); ok && !strings.Contains(dir, "*") {
		return name == dir || strings.HasPrefix(name, dir+"/")
	}
	expr := regexp.QuoteMeta(pattern)
	expr = strings.ReplaceAll(expr, `\*\*`, ".*")
	expr = strings.ReplaceAll(expr, `\*`, "[^/]*")
	ok, err := regexp.MatchString("^"+expr+"$", name)
	return err == nil && ok
}

// thePage reads the page; missing says that there is none yet.
func thePage(t *testing.T) (a *allowed, missing bool) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(securityPage)))
	if err != nil {
		return readAllowed(""), true
	}
	return readAllowed(string(data)), false
}

func TestTheTablesOfThePageAreRead(t *testing.T) {
	a := readAllowed("# Security\n\n| Program | When |\n| --- | --- |\n| `git log` (`a/b.go`) | now |\n| `sh -c \"$EDITOR …\"` | then |\n\ntext\n\n" +
		"| Path | Access | By | Why |\n|---|---|---|---|\n| `/proc/**` | read | all | x |\n| `$PATH`, `$PATH/git` | look | | x |\n| `<links>` | look | | x |\n| `~/.gitconfig` | read | git | x |\n| `<parents>/.git` | look | orihon | x |\n| `$TMPDIR/orihon-*` | write | | x |\n\n| Other | Path |\n|---|---|\n| `/x` | y |\n")
	if diff := cmp.Diff(map[string]bool{"git": true, "sh": true}, a.programs); diff != "" {
		t.Errorf("programs (-want +got):\n%s", diff)
	}
	p := places{home: "/home/ann", tmp: "/tmp", project: "/home/ann/src/p", path: []string{"/bin", "/usr/bin/"}, links: []string{"/home/ann/.ssh/id"}}
	for _, tt := range []struct {
		t    touch
		want bool
	}{
		{touch{path: "/proc/self/maps", access: "read", by: "git"}, true},
		{touch{path: "/proc", access: "look", by: "git"}, true},
		{touch{path: "/procfs", access: "read", by: "git"}, false},
		{touch{path: "/proc/self/oom", access: "write", by: "git"}, false},
		{touch{path: "/home/ann/.gitconfig", access: "look", by: "git"}, true},
		{touch{path: "/home/ann/.gitconfig", access: "read", by: "orihon"}, false},
		{touch{path: "/home/ann/.git", access: "look", by: "orihon"}, true},
		{touch{path: "/.git", access: "look", by: "orihon"}, true},
		{touch{path: "/home/ann/.git", access: "read", by: "orihon"}, false},
		{touch{path: "/home/ben/.git", access: "look", by: "orihon"}, false},
		{touch{path: "/tmp/orihon-12", access: "write", by: "orihon"}, true},
		{touch{path: "/tmp/orihon-12/x", access: "write", by: "orihon"}, false},
		{touch{path: "/usr/bin/git", access: "look", by: "orihon"}, true},
		{touch{path: "/usr", access: "look", by: "orihon"}, true},
		{touch{path: "/usr/git", access: "look", by: "orihon"}, false},
		{touch{path: "/home/ann/.ssh", access: "look", by: "orihon"}, true},
		{touch{path: "/home/ann/.ssh/id", access: "read", by: "orihon"}, false},
		{touch{path: "/sbin/git", access: "look", by: "orihon"}, false},
		{touch{path: "/x", access: "look", by: "orihon"}, false},
	} {
		if got := a.allows(p, tt.t); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.t, got, tt.want)
		}
	}
}
