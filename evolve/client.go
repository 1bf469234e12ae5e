package evolve

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/internal/terms"
)

// place is where a client reads a file of a kind, below its folder; it is the same
// below evolved/.
func place(kind Kind, name string) string {
	if kind == Skill {
		return filepath.Join("skills", name, "SKILL.md")
	}
	return filepath.Join(string(kind)+"s", name+".md")
}

// calls are the kinds among which a name means one thing: a command and a skill
// are both called by /name.
func calls(kind Kind) []Kind {
	if kind == Command || kind == Skill {
		return []Kind{Command, Skill}
	}
	return []Kind{kind}
}

// shelf is what clients have already, by kind and name.
type shelf struct {
	taken map[string]string // kind and name, to what has it
	said  map[string]bag    // path, to the words of a file that is not ours
}

// Bounds of what is read of a client's folders.
const (
	maxFiles = 2000
	maxRead  = 64 << 10 // bytes of a file
)

// shelf looks at what the client has, for the user and for the project. What was
// made before has its name; ours are the paths of its copies.
func (e *Evolver) shelf(o *Options, before []*made, ours map[string]bool) *shelf {
	s := &shelf{taken: make(map[string]string), said: make(map[string]bag)}
	for _, m := range before {
		s.take(m.Name, m.Kind, "another group of habits")
	}
	for _, dir := range []string{o.ClientDir, e.projectDir()} {
		if dir == "" {
			continue
		}
		for _, kind := range kinds() {
			s.look(filepath.Join(dir, string(kind)+"s"), kind, ours)
		}
		s.read(filepath.Join(dir, "CLAUDE.md"), ours)
	}
	s.read(filepath.Join(e.h.Project.Root, "CLAUDE.md"), ours)
	s.read(filepath.Join(e.h.Project.Root, "AGENTS.md"), ours)
	return s
}

func (e *Evolver) projectDir() string { return filepath.Join(e.h.Project.Root, ".claude") }

// look notes the names in one folder of a client. Symlinks are not followed.
func (s *shelf) look(dir string, kind Kind, ours map[string]bool) {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if n++; err != nil || n > maxFiles {
			return fs.SkipAll
		}
		name, isText := strings.CutSuffix(d.Name(), ".md")
		if d.IsDir() || !isText || kind == Skill && d.Name() != "SKILL.md" {
			return nil
		}
		if kind == Skill {
			name = filepath.Base(filepath.Dir(path))
		}
		if !ours[path] {
			s.take(name, kind, path)
			s.read(path, ours)
		}
		return nil
	})
}

func (s *shelf) read(path string, ours map[string]bool) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxRead || ours[path] {
		return
	}
	data, err := jsonl.ReadFile(path)
	if err != nil {
		return
	}
	b := make(bag)
	for _, t := range terms.Index(string(data)) {
		b[t] = true
	}
	s.said[path] = b
}

func (s *shelf) take(name string, kind Kind, by string) {
	for _, k := range calls(kind) {
		if key := string(k) + "/" + strings.ToLower(name); s.taken[key] == "" {
			s.taken[key] = by
		}
	}
}

// free is the first name that nothing has yet, and what had the one that was
// wished for.
func (s *shelf) free(name string, kind Kind) (free, clash string) {
	for n, try := 1, name; ; n++ {
		by := s.taken[string(kind)+"/"+try]
		if lists().Words("reserved")[try] {
			by = "the client itself"
		}
		if by == "" {
			return try, clash
		}
		if clash == "" {
			clash = name + " is taken by " + by
		}
		try = name + "-habits"
		if n > 1 {
			try += "-" + strconv.Itoa(n)
		}
	}
}

// covering is a file of the client that says nearly all that the habits say; empty
// when there is none.
func (s *shelf) covering(group []Habit) string {
	const nearly = 0.9
	for path, has := range s.said {
		held := true
		for i := range group {
			b := newBag(group[i].Trigger + "\n" + group[i].Action)
			if held = len(b) > 0 && float64(b.both(has)) >= nearly*float64(len(b)); !held {
				break
			}
		}
		if held {
			return path
		}
	}
	return ""
}

// confined refuses a path that a symlink leads out of the client's folder.
func (e *Evolver) confined(dir, path string) error {
	if dir == e.projectDir() {
		return project.Confine(e.h.Project.Root, path)
	}
	return project.Confine(dir, path)
}
