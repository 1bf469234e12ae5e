package orihon_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// walk is one table of steps in docs/ARCHITECTURE.md, and the counts under it.
type walk struct {
	title string
	steps []step
	said  string // "17 files …; 4 climbs …"
}

type step struct {
	file  string
	funcs []string
	climb bool
}

// walks reads the tables that have a column of climbs.
func walks(t *testing.T, page string) (out []walk) {
	t.Helper()
	row := regexp.MustCompile("^\\| (\\d+) \\| `([^`]+)` \\| ([^|]+) \\|.*\\| (yes|no) \\|$")
	quoted := regexp.MustCompile("`([^`]+)`")
	var title string
	inside := false
	for line := range strings.Lines(strings.ReplaceAll(page, "\r\n", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		switch m := row.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "#"):
			title, inside = strings.TrimLeft(line, "# "), false
		case strings.HasPrefix(line, "| step |"):
			out, inside = append(out, walk{title: title}), true
		case inside && strings.HasPrefix(line, "Counted"):
			out[len(out)-1].said, inside = line, false
		case m != nil && inside:
			w := &out[len(out)-1]
			if want := fmt.Sprint(len(w.steps) + 1); m[1] != want {
				t.Errorf("%s: step %s stands where %s belongs", title, m[1], want)
			}
			s := step{file: m[2], climb: m[4] == "yes"}
			for _, f := range quoted.FindAllStringSubmatch(m[3], -1) {
				s.funcs = append(s.funcs, f[1])
			}
			w.steps = append(w.steps, s)
		case inside && strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "| ---"):
			t.Errorf("%s: no step: %s", title, line)
		}
	}
	return out
}

// functions are those of a Go file, methods with the type they are of.
func functions(t *testing.T, file string) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil
	}
	out := make(map[string]bool)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			of := fn.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if id, ok := of.(*ast.Ident); ok {
				name = id.Name + "." + name
			}
		}
		out[name] = true
	}
	return out
}

func TestTheWalksAreWhatTheCodeSays(t *testing.T) {
	counted := regexp.MustCompile(`: (\d+) files, at most (\d+) were set; (\d+) climbs?, at most (\d+)\.`)
	all := walks(t, read(t, "docs/ARCHITECTURE.md"))
	if len(all) != 3 {
		t.Fatalf("%d walks, want those of a statement, a prompt and an event", len(all))
	}
	// A whole event takes in the walk of a prompt.
	all[2].steps = append(all[2].steps, all[1].steps...)
	for _, w := range all {
		files, climbs := make(map[string]bool), 0
		for _, s := range w.steps {
			files[s.file] = true
			if s.climb {
				climbs++
			}
			if _, err := os.Stat(s.file); err != nil {
				t.Errorf("%s: %v", w.title, err)
				continue
			}
			have := functions(t, s.file)
			if len(s.funcs) == 0 {
				t.Errorf("%s: no function is named in %s", w.title, s.file)
			}
			for _, f := range s.funcs {
				if !have[f] {
					t.Errorf("%s: %s has no function %s", w.title, s.file, f)
				}
			}
		}
		m := counted.FindStringSubmatch(w.said)
		if m == nil {
			t.Errorf("%s: no count: %q", w.title, w.said)
			continue
		}
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[1+i])
		}
		if n[0] != len(files) || n[2] != climbs {
			t.Errorf("%s: the table has %d files and %d climbs, under it stands %q", w.title, len(files), climbs, w.said)
		}
		if len(files) > n[1] || climbs > n[3] {
			t.Errorf("%s: %d files and %d climbs are more than was set: %q", w.title, len(files), climbs, w.said)
		}
	}
}
