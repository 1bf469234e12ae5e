package orihon_test

import (
	"path/filepath"
	"strings"
	"testing"

	"orihon/follow"
)

// What MEMORY.md says stands before the agent once, whether a session begins
// with it or its client imports it.
func TestTheCoreFileStandsInTheWindowOnce(t *testing.T) {
	const (
		core   = "# Core\n\n- The harbour ferry is deployed with make ship.\n- 渡輪用 make ship 部署。\n"
		said   = "deployed with make ship"
		prompt = "How is the harbour ferry deployed?"
	)
	long := core + strings.Repeat("\n- Nothing about anything in particular stands in this line of the file.", 200)
	imports := "<!-- orihon: begin -->\n@.orihon/memory/IDENTITY.md\n@.orihon/memory/MEMORY.md\n<!-- orihon: end -->\n"
	tests := []struct {
		name, client, claude, core, changed string
		begin, prompt                       bool // where it is expected
	}{
		{"begun with it", "claude-code", "", core, "", true, false},
		{"imported by the client", "claude-code", imports, core, "", false, false},
		{"imported for a client that knows no imports", "other", imports, core, "", true, false},
		{"something else is imported", "claude-code", "@docs/MEMORY.md\n", core, "", true, false},
		{"changed since", "claude-code", "", core, strings.ReplaceAll(core, "ferry", "ferry (new)"), true, true},
		{"too long to begin with", "claude-code", "", strings.Repeat("- Nothing about anything in particular stands in this line of the file.\n", 300) + "\n\n# Last\n\n" + core, "", false, true},
		{"too long, and imported", "claude-code", imports, long, "", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			file := filepath.Join(p.dir, ".orihon", "memory", "MEMORY.md")
			write(t, file, tt.core)
			if tt.claude != "" {
				write(t, filepath.Join(p.dir, "CLAUDE.md"), "# Ours\n\n"+tt.claude)
			}
			mustSync(t, p.trusting(t))
			step := func(do func(s *follow.Session) (follow.Injection, error)) bool {
				t.Helper()
				m := p.open(t, readOnly)
				defer m.Close()
				s, err := m.Session(t.Context(), "s1", follow.Client{Name: tt.client})
				if err != nil {
					t.Fatal(err)
				}
				in, err := do(s)
				if err != nil {
					t.Fatal(err)
				}
				return strings.Contains(in.Text, said)
			}
			if got := step(func(s *follow.Session) (follow.Injection, error) { return s.Begin(t.Context(), "startup") }); got != tt.begin {
				t.Errorf("begun with it: %v, want %v", got, tt.begin)
			}
			if tt.changed != "" {
				write(t, file, tt.changed)
				mustSync(t, p.open(t))
			}
			if got := step(func(s *follow.Session) (follow.Injection, error) { return s.Prompt(t.Context(), "p1", prompt) }); got != tt.prompt {
				t.Errorf("recalled: %v, want %v", got, tt.prompt)
			}
		})
	}
}
