package orihon_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// forTheModule are functions of public packages that only others of ours call, see
// docs/ROUGH_EDGES.md.
var forTheModule = []string{
	"Documents.Saying", "Documents.Source", "PurgeIndex", "Options.Redactor",
	"Blamed.Fixes", "Met.Tried", "Met.Helped", "Told.Requests", "Told.Fixes", "Touch.Outcome", "Works.Check",
	"Instincts.Observations", "Peeked.Hot", "SessionCall.Call",
}

// What a program gets from a public package it can name, and go doc shows its
// fields: no type of an internal package, and no alias of one. Only constructors
// that take a home, which the handle opens, are for this module.
func TestPublicPackagesShowNoInternalType(t *testing.T) {
	t.Parallel()
	own, exports := listed(t)
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range own {
		if strings.Contains(p.ImportPath, "/internal/") || strings.Contains(p.ImportPath, "/cmd/") {
			continue
		}
		pkg, err := imports.Import(p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			for what, shown := range shownBy(pkg.Scope().Lookup(name)) {
				if slices.ContainsFunc(forTheModule, func(name string) bool { return what == name || strings.HasPrefix(what, name+" ") }) {
					continue
				}
				if text := types.TypeString(shown, nil); strings.Contains(text, module+"/internal/") {
					t.Errorf("%s: %s is or has %s", p.ImportPath, what, text)
				}
			}
		}
	}
}

// shownBy are the types that go doc shows of a name, by where they stand.
func shownBy(obj types.Object) map[string]types.Type {
	out := make(map[string]types.Type)
	if !obj.Exported() {
		return out
	}
	signature := func(name string, f *types.Func) {
		params := f.Signature().Params()
		out[name+" results"] = f.Signature().Results()
		for i := range params.Len() {
			switch types.TypeString(params.At(i).Type(), nil) {
			case "*" + module + "/internal/home.Home", "*" + module + "/internal/verbs.Verbs":
			default:
				out[name+" "+params.At(i).Name()] = params.At(i).Type()
			}
		}
	}
	named, ok := obj.Type().(*types.Named)
	f, isFunc := obj.(*types.Func)
	switch {
	case isFunc:
		signature(obj.Name(), f)
		return out
	case !ok || obj.Parent() != named.Obj().Parent() || obj.Name() != named.Obj().Name(): // a value, or an alias
		out[obj.Name()] = types.Unalias(obj.Type())
		return out
	}
	for f := range named.Methods() {
		if f.Exported() {
			signature(obj.Name()+"."+f.Name(), f)
		}
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		out[obj.Name()] = named.Underlying()
		return out
	}
	for field := range s.Fields() {
		if field.Exported() {
			out[obj.Name()+"."+field.Name()] = field.Type()
		}
	}
	return out
}
