package orihon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file calls down into others of its package, and none of them calls back up:
// whoever reads a package from its main path on is led in one direction.
func TestNoCallsBetweenFilesRunInACircle(t *testing.T) {
	t.Parallel()
	packages, exports := listed(t)
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range packages {
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
		pkg, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		calls := make(map[string]map[string]string) // file → file → one of the calls
		for id, obj := range info.Uses {
			fn, ok := obj.(*types.Func)
			if !ok || fn.Pkg() != pkg || !fn.Pos().IsValid() {
				continue
			}
			if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				continue
			}
			from, to := filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(fn.Pos()).Filename)
			if from != to {
				if calls[from] == nil {
					calls[from] = make(map[string]string)
				}
				calls[from][to] = max(calls[from][to], fn.Name())
			}
		}
		if circle := circleIn(calls); circle != nil {
			var told []string
			for i, from := range circle[:len(circle)-1] {
				told = append(told, from+" calls "+calls[from][circle[i+1]]+" of "+circle[i+1])
			}
			t.Errorf("%s: calls run in a circle: %s", p.ImportPath, strings.Join(told, ", "))
		}
	}
}

type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listed are our packages, and where the compiler's summaries of all lie.
func listed(t *testing.T) (own []listedPackage, exports map[string]string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	exports = make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return own, exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/") {
			own = append(own, p)
		}
	}
}

// circleIn is one of the circles in a graph, its first file again at its end; nil
// when there is none.
func circleIn(calls map[string]map[string]string) []string {
	done := make(map[string]bool)
	var path []string
	var walk func(file string) []string
	walk = func(file string) []string {
		if i := slices.Index(path, file); i >= 0 {
			return append(slices.Clone(path[i:]), file)
		}
		if done[file] {
			return nil
		}
		path = append(path, file)
		for _, to := range slices.Sorted(maps.Keys(calls[file])) {
			if circle := walk(to); circle != nil {
				return circle
			}
		}
		path, done[file] = path[:len(path)-1], true
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(calls)) {
		if circle := walk(file); circle != nil {
			return circle
		}
	}
	return nil
}
