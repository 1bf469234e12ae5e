package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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

// maxProgram bounds a file that is accepted by its content, in bytes.
const maxProgram = 1 << 20

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
	if k.Type == "string" && root != "" && !filepath.IsAbs(words[0]) {
		words = []string{filepath.Join(root, words[0])}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", k.Name, format(v))
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%q\x00", k.Name, words)
	words = slices.Clone(words)
	for i, w := range words {
		path := w
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || !inside(root, path) {
			if k.Type == "string" {
				p.Problem = fmt.Sprintf("%s is no file in the project's folder", w)
			}
			continue
		}
		if info.Size() > maxProgram {
			p.Problem = fmt.Sprintf("%s is larger than %d bytes, which nobody reads before accepting it", w, maxProgram)
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			p.Problem = err.Error()
			continue
		}
		fmt.Fprintf(sum, "%s\x00%d\x00%s", path, len(content), content)
		fmt.Fprintf(&text, "\n%s:\n%s\n", w, content)
		words[i] = path
	}
	p.Text, p.Hash = text.String(), hex.EncodeToString(sum.Sum(nil))
	if list {
		p.value = reflect.ValueOf(words)
	} else {
		p.value = reflect.ValueOf(words[0])
	}
	return p
}

// inside reports whether a path lies in a folder, symlinks followed.
func inside(root, path string) bool {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return false
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// builtIn reports whether a summariser comes with the program and runs nothing of
// anybody else's.
func builtIn(name string) bool {
	return strings.HasPrefix(name, "summarizer-") && !strings.ContainsAny(name, `/\.`)
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
