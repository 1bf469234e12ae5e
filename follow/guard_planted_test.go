package follow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

// planted is one case of testdata/planted.txt.
type planted struct {
	name  string
	line  int
	steps []step
}

// step is one line of a case with what is indented below it.
type step struct {
	line       int
	verb, rest string
	body       []string
}

func readPlanted(t *testing.T) (cases []planted) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "planted.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(data), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  "):
			c := &cases[len(cases)-1]
			s := &c.steps[len(c.steps)-1]
			s.body = append(s.body, line[2:])
		case verb == "case":
			cases = append(cases, planted{name: rest, line: n + 1})
		default:
			c := &cases[len(cases)-1]
			c.steps = append(c.steps, step{line: n + 1, verb: verb, rest: rest})
		}
	}
	return cases
}

// stage plays a case in a home and a project of its own.
type stage struct {
	t         *testing.T
	home, dir string
	settings  map[string]string
	session   int
	calls     int
	said      string // at the last event
}

func (s *stage) do(fn func(ctx context.Context, se *follow.Session) error) {
	s.t.Helper()
	m, err := orihon.Open(s.t.Context(), &orihon.Options{Home: s.home, Dir: s.dir, User: "ann", GitConfig: []string{}, Settings: s.settings})
	if err != nil {
		s.t.Fatal(err)
	}
	defer m.Close()
	se, err := m.Session(s.t.Context(), fmt.Sprint("s", s.session), follow.Client{Name: "test", CWD: s.dir})
	if err == nil {
		err = fn(s.t.Context(), se)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) begin() {
	s.do(func(ctx context.Context, se *follow.Session) error {
		in, err := se.Begin(ctx, "startup")
		s.said = in.Text
		if err != nil {
			return err
		}
		return se.Work(ctx)
	})
}

func (s *stage) act(tool string, input map[string]any, output string, failed bool) {
	raw, err := json.Marshal(input)
	if err != nil {
		s.t.Fatal(err)
	}
	s.calls++
	s.do(func(ctx context.Context, se *follow.Session) error {
		a := follow.Action{ID: fmt.Sprint("t", s.calls), Tool: tool, Input: raw, Output: output, Error: failed}
		if err := se.Action(ctx, a); err != nil {
			return err
		}
		s.said = se.Reminder().Text
		return nil
	})
}

func (s *stage) write(file, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) play(st step) {
	s.t.Helper()
	body := strings.Join(st.body, "\n")
	path := filepath.Join(s.dir, filepath.FromSlash(st.rest))
	switch st.verb {
	case "prompt":
		s.do(func(ctx context.Context, se *follow.Session) error {
			in, err := se.Prompt(ctx, fmt.Sprint("p", st.line), st.rest)
			s.said = in.Text
			return err
		})
	case "edit":
		var old, added []string
		for _, l := range st.body {
			if text, ok := strings.CutPrefix(l, "- "); ok {
				old = append(old, text)
			} else {
				added = append(added, strings.TrimPrefix(strings.TrimPrefix(l, "+"), " "))
			}
		}
		gone, now := strings.Join(old, "\n"), strings.Join(added, "\n")
		data, _ := os.ReadFile(path)
		s.write(st.rest, strings.Replace(string(data), gone, now, 1))
		s.act("Edit", map[string]any{"file_path": path, "old_string": gone, "new_string": now}, "The file has been updated.", false)
	case "write":
		s.write(st.rest, body+"\n")
		s.act("Write", map[string]any{"file_path": path, "content": body + "\n"}, "File created.", false)
	case "run":
		s.act("Bash", map[string]any{"command": st.rest}, body, false)
	case "fail":
		s.act("Bash", map[string]any{"command": st.rest}, "Exit code 1\n"+body, true)
	case "broken":
		tool, file, _ := strings.Cut(st.rest, " ")
		s.act(tool, map[string]any{"file_path": filepath.Join(s.dir, file), "old_string": body, "new_string": "x"}, "<tool_use_error>"+body+"</tool_use_error>", true)
	case "next":
		s.do(func(ctx context.Context, se *follow.Session) error { return se.End(ctx, "exit") })
		s.session++
		s.begin()
	default:
		s.t.Fatalf("planted.txt:%d: there is no %q", st.line, st.verb)
	}
}

// spoke are the rules that the audit names for a session, and their reasons.
func (s *stage) spoke() (rules []string) {
	m, err := orihon.Open(s.t.Context(), &orihon.Options{Home: s.home, Dir: s.dir, User: "ann", GitConfig: []string{}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer m.Close()
	records, err := m.Items().Audits(s.t.Context(), &memory.AuditFilter{Op: memory.AuditGuard})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range records {
		rules = append(rules, strings.TrimPrefix(r.By, "guard: "))
		if r.Why == "" || r.Session == "" {
			s.t.Errorf("the audit does not say why %s spoke, or where: %+v", r.By, r)
		}
	}
	return rules
}

// TestPlanted plays cases that were written before the rules: what should be
// noticed is, and nothing else.
func TestPlanted(t *testing.T) {
	wants, found, quiets, broken := 0, 0, 0, 0
	for _, c := range readPlanted(t) {
		t.Run(c.name, func(t *testing.T) {
			s := &stage{t: t, home: filepath.Join(t.TempDir(), "home"), dir: t.TempDir(), settings: map[string]string{}}
			steps := c.steps
			for len(steps) > 0 && (steps[0].verb == "file" || steps[0].verb == "map") {
				if st := steps[0]; st.verb == "file" {
					s.write(st.rest, strings.Join(st.body, "\n")+"\n")
				} else {
					s.settings["guard.documents"] = st.rest
				}
				steps = steps[1:]
			}
			s.begin()
			heard := 0
			for _, st := range steps {
				var rules []string
				if st.verb == "want" || st.verb == "quiet" {
					all := s.spoke()
					rules, heard = all[heard:], len(all)
				}
				switch st.verb {
				case "want":
					wants++
					rule, text, _ := strings.Cut(st.rest, " ")
					if strings.Join(rules, " ") == rule && strings.Contains(s.said, text) {
						found++
					} else {
						t.Errorf("planted.txt:%d: %v said %q, want %s with %q", st.line, rules, s.said, rule, text)
					}
				case "quiet":
					quiets++
					if strings.Contains(s.said, "orihon: ") || len(rules) > 0 {
						broken++
						t.Errorf("planted.txt:%d: %v said %q, want silence", st.line, rules, s.said)
					}
				default:
					s.play(st)
				}
			}
		})
	}
	t.Logf("found %d of %d, broke the silence %d of %d times", found, wants, broken, quiets)
}
