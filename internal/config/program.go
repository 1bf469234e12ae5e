package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"orihon/internal/trust"
	"orihon/memory"
)

// Program is what a project's file wants to have run. It counts once the person
// accepted it by its hash, which covers the setting and the content of every file
// of the project that the setting names, and nothing that such a file loads.
type Program struct {
	Key      string
	File     string // the configuration file
	Line     int
	Hash     string // empty for what runs nothing of a repository's choice
	Text     string // the setting, then the files it names, for the person to read
	Accepted bool
	Problem  string // why it can never count; empty when it can

	value reflect.Value
}

// Programs are what the project's file wants to have run, accepted or not.
func (c *Config) Programs() []Program { return slices.Clone(c.programs) }

// program reads a setting of a project's file that may name programs, and makes
// the paths of its files absolute.
func program(k *Key, v reflect.Value, root string) Program {
	p := Program{Key: k.Name, value: v}
	words, list := v.Interface().([]string)
	if !list {
		words = []string{v.String()}
	}
	if len(words) == 0 || !list && (words[0] == "" || builtIn(words[0])) {
		return p
	}
	n, err := trust.ReadNamed(root, k.Name+": "+format(v), words)
	p.Text, p.Hash = n.Text, n.Hash
	switch {
	case err != nil:
		p.Problem = err.Error()
	case list:
		p.value = reflect.ValueOf(n.Words)
	case len(n.Files) == 0:
		p.Problem = words[0] + " is no file in the project's folder"
	default:
		p.value = reflect.ValueOf(n.Words[0])
	}
	return p
}

const builtInPrefix = "summarizer-"

// builtIn reports whether a summariser comes with the program and runs nothing of
// anybody else's.
func builtIn(name string) bool {
	return strings.HasPrefix(name, builtInPrefix) && !strings.ContainsAny(name, `/\.`)
}

// located makes the relative path of one program absolute, from a folder or, where
// that is empty, from the working directory. The words of a command stay: its
// program is looked for on the PATH, and its arguments mean what they mean to it.
func located(v reflect.Value, dir string) reflect.Value {
	if v.Kind() != reflect.String {
		return v
	}
	path := v.String()
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~/") {
		path = filepath.Join(home, path[2:])
	}
	if path == "" || builtIn(path) || filepath.IsAbs(path) {
		return reflect.ValueOf(path)
	}
	if dir == "" {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		return reflect.ValueOf(path)
	}
	return reflect.ValueOf(filepath.Join(dir, path))
}

// outside says why a path of an agent's file counts for nothing; empty for one below
// its folder.
func outside(v reflect.Value, dir string) string {
	if v.Kind() != reflect.String || v.String() == "" || builtIn(v.String()) {
		return ""
	}
	local := filepath.IsLocal(v.String())
	if real, err := filepath.EvalSymlinks(filepath.Join(dir, v.String())); local && err == nil {
		rel, err := filepath.Rel(dir, real)
		local = err == nil && filepath.IsLocal(rel)
	}
	if local {
		return ""
	}
	return fmt.Sprintf("%v %q: name a file below the agent's folder", memory.ErrInvalid, clipped(v.String()))
}
