package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// Sources is where settings come from. Every part may be missing.
type Sources struct {
	UserFile    string // the user's config.yaml
	ProjectFile string // the project's config.yaml, not trusted
	Env         func(name string) (string, bool)
	Flags       map[string]string // by key

	// Home is where relative paths of the user's programs start, and Root where
	// those of the project's do; Accepts says whether the person accepted a
	// program of the project's file by its hash. Nil accepts none.
	Home, Root string
	Accepts    func(hash string) bool
}

// Problem is one setting, or one file, that was left out.
type Problem struct {
	File string // empty for the environment and flags
	Line int    // from 1; 0 when it concerns the whole file
	Key  string // empty when it concerns the whole file
	Text string // what is wrong and how to mend it
	// Mended says that something else is used, which Text names: of settings that
	// contradict each other, or name what is not there.
	Mended bool

	cause error
}

// Error names the place and what is wrong there.
func (p *Problem) Error() string {
	switch {
	case p.File != "" && p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
	case p.File != "":
		return p.File + ": " + p.Text
	}
	return p.Text
}

// Unwrap is [memory.ErrInvalid], or [memory.ErrRefused] for what a project's
// file may not set.
func (p *Problem) Unwrap() error { return p.cause }

// maxFile bounds a configuration file, in bytes.
const maxFile = 1 << 20

// Load reads all layers. The configuration is always complete and usable; the
// error joins a [*Problem] for everything that was left out, see [Problems].
func Load(s Sources) (*Config, error) {
	l := loader{config: Default(), sources: &s}
	l.config.origin = map[string]string{}
	l.file(s.UserFile, nil)
	if s.ProjectFile != "" {
		base := *l.config
		l.file(s.ProjectFile, &base)
	}
	if s.Env != nil {
		all := settings()
		for i := range all {
			env := all[i].env()
			if text, ok := s.Env(env); ok && text != "" {
				k := all[i].key()
				l.text(&k, text, "environment "+env)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Flags)) {
		if k := findKey(name); k != nil {
			l.text(k, s.Flags[name], "flag")
			continue
		}
		p := &Problem{Key: name, Text: "flag: " + unknown(name), cause: memory.ErrInvalid}
		if optionOf(name) == "" {
			l.report(p)
			continue
		}
		var v any
		if json.Unmarshal([]byte(s.Flags[name]), &v) != nil {
			v = s.Flags[name]
		}
		l.own = append(l.own, ownOption{v, p})
	}
	l.agree()
	return l.config, errors.Join(l.problems...)
}

// Problems takes the error of [Load] apart.
func Problems(err error) []*Problem {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var out []*Problem
	for _, e := range joined.Unwrap() {
		if p, ok := errors.AsType[*Problem](e); ok {
			out = append(out, p)
		}
	}
	return out
}

type loader struct {
	config   *Config
	sources  *Sources
	problems []error
	own      []ownOption
	agent    bool // the file is an agent's, which names programs below its folder alone
}

// ownOption is a key under context_builder.options that no setting has: an option
// of a plug-in, or, where the strategy is another one, a mistake.
type ownOption struct {
	value any
	*Problem
}

// text takes a value from the environment or a flag; lists are separated by
// commas.
func (l *loader) text(k *Key, text, origin string) {
	v, err := k.parse(k.split(text)...)
	if err != nil {
		l.report(&Problem{Key: k.Name, Text: origin + ": " + err.Error(), cause: memory.ErrInvalid})
		return
	}
	l.set(k, v, origin)
}

// split takes the text of a list apart; other values stay whole.
func (k *Key) split(text string) []string {
	if k.Type != "list" {
		return []string{text}
	}
	out := []string{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func (l *loader) set(k *Key, v reflect.Value, origin string) {
	if k.Project == Runs && (origin == "flag" || strings.HasPrefix(origin, "environment ")) {
		v = located(v, "") // as a shell has it: from the working directory
	}
	l.config.field(k).Set(v)
	l.config.origin[k.Name] = origin
}

// file takes the settings of one file. base is set for a project's file: the
// configuration it may narrow.
func (l *loader) file(path string, base *Config) {
	if path == "" {
		return
	}
	data, err := read(path, base != nil)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var doc *yaml.Node
	if err == nil {
		doc, err = parseFile(path, data)
	}
	if err != nil {
		p, ok := errors.AsType[*Problem](err)
		if !ok {
			p = &Problem{File: path, Text: err.Error(), cause: memory.ErrInvalid}
		}
		l.report(p)
		return
	}
	l.take(path, leaves(doc), base)
}

// take takes the settings that a file holds.
func (l *loader) take(path string, found []leaf, base *Config) {
	s := l.sources
	seen := map[string]int{}
	for _, e := range found {
		if e.name == modelsKey {
			models, wrong := parseModels(path, e, base != nil)
			for _, p := range wrong {
				l.report(p)
			}
			if base == nil {
				l.config.Models = models
			}
			continue
		}
		k, problem := e.key()
		if first := seen[e.name]; problem == "" && first > 0 {
			l.report(&Problem{File: path, Line: e.line, Key: e.name, Text: fmt.Sprintf("%s is set twice: also in line %d, which does not count", e.name, first), cause: memory.ErrInvalid})
		}
		seen[e.name] = e.line
		if problem != "" {
			p := &Problem{File: path, Line: e.line, Key: e.name, Text: problem, cause: memory.ErrInvalid}
			if v, ok := e.plain(); ok && optionOf(e.name) != "" {
				l.own = append(l.own, ownOption{v, p})
			} else {
				if optionOf(e.name) != "" {
					p.Text += "; a plug-in takes what JSON has: texts, numbers, true and false, lists, and sections with names"
				}
				l.report(p)
			}
			continue
		}
		v, err := e.value(k)
		if err != nil {
			l.report(&Problem{File: path, Line: e.line, Key: k.Name, Text: err.Error(), cause: memory.ErrInvalid})
			continue
		}
		if base != nil && k.Project == Offering {
			l.offer(k, v.Interface().([]string), e.line)
			continue
		}
		if base != nil {
			if why := k.widens(base, v); why != "" {
				l.report(&Problem{File: path, Line: e.line, Key: k.Name, Text: k.Name + " is ignored: " + why, cause: memory.ErrRefused})
				continue
			}
		}
		if base != nil && k.Project == Runs {
			p := program(k, v, s.Root)
			p.File, p.Line = path, e.line
			if p.Hash != "" {
				p.Accepted = s.Accepts != nil && s.Accepts(p.Hash)
				l.config.programs = append(l.config.programs, p)
			}
			if p.Problem != "" || p.Hash != "" && !p.Accepted {
				why := cmp.Or(p.Problem, fmt.Sprintf("it names a program of this repository that you have not accepted, %q: see what it is and accept it with orihon review --repository", clipped(format(v))))
				l.report(&Problem{File: path, Line: e.line, Key: k.Name, Text: k.Name + " is ignored: " + why, cause: memory.ErrRefused})
				continue
			}
			v = p.value
		} else if k.Project == Runs {
			if why := outside(v, s.Home); l.agent && why != "" {
				l.report(&Problem{File: path, Line: e.line, Key: k.Name, Text: k.Name + ": " + why, cause: memory.ErrInvalid})
				continue
			}
			v = located(v, s.Home)
		}
		if base != nil && k.Project == Add {
			v = reflect.AppendSlice(reflect.ValueOf(slices.Clone(base.field(k).Interface().([]string))), v)
		}
		l.set(k, v, fmt.Sprintf("%s:%d", path, e.line))
	}
}

// offer notes what a project's file would have run.
func (l *loader) offer(k *Key, entries []string, line int) {
	if l.config.offered == nil {
		l.config.offered = make(map[string][]Offer)
	}
	for _, e := range entries {
		l.config.offered[k.Name] = append(l.config.offered[k.Name], Offer{Key: k.Name, Text: e, Line: line})
	}
}

// Offer is an entry that the project's file has for a setting, and that counts
// only once the person has accepted it.
type Offer struct {
	Key  string
	Text string
	Line int // of the setting, from 1
}

// Offered is what the project's file offers for a setting.
func (c *Config) Offered(name string) []Offer { return c.offered[name] }

// read reads a configuration file. A project's may not be a symlink: what it
// leads to would be quoted in messages.
func read(path string, strict bool) ([]byte, error) {
	stat := os.Stat
	if strict {
		stat = os.Lstat
	}
	info, err := stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file; nothing of it is used")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("it is larger than %d bytes; nothing of it is used", maxFile)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile))
}
