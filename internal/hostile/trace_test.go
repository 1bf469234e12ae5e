package hostile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestTrace plays a session and a person's commands under strace, in a harmless
// folder and in one that tries to lead elsewhere. Every program that was started
// and every path outside of Orihon's home and the folder must stand in
// docs/SECURITY.md.
func TestTrace(t *testing.T) {
	needProgram(t)
	strace := tracing(t)
	page, missing := thePage(t)
	if missing {
		t.Errorf("there is no %s; what was touched follows", securityPage)
	}
	for _, folder := range []struct {
		name string
		make func(s *sandbox)
	}{
		{"harmless", func(s *sandbox) {
			for i := range 8 {
				s.write(fmt.Sprintf("src/file%d.go", i), "package main\n\nfunc main() {\n\tprintln(\"toolbox\")\n}\n")
				s.commit(s.at)
			}
			s.write(".orihon/memory/MEMORY.md", "# Core\n\n- The toolbox is green\n")
			s.write(".orihon/memory/shared/rules.md", atom())
		}},
		{"plain", func(s *sandbox) { s.write("README.md", "# Toolbox\n") }},
		{"hostile", func(s *sandbox) {
			p := s.evil("tools/evil")
			s.write("src/main.go", "package main\n")
			s.commit(s.at)
			s.dropObject(filepath.Join(s.at, ".git"))
			s.appendTo(".git/config", formatOne+fetchConfig("ssh://git@evil.example/x.git")+commandConfig(p)+"[include]\n\tpath = "+filepath.Join(s.home, "notes", "diary.md")+"\n")
			s.write(".git/objects/info/alternates", filepath.Join(s.payroll(), ".git", "objects")+"\n")
			s.write(".git/commondir", ".\n")
			s.link(".mailmap", filepath.Join(s.home, "notes", "diary.md"))
			s.link(".gitattributes", filepath.Join(s.home, "notes", "diary.md"))
			s.link(".gitignore", filepath.Join(s.home, "notes", "diary.md"))
			s.link("docs", filepath.Join(s.home, "notes"))
			s.link(".orihon/memory/shared/key.md", filepath.Join(s.home, ".ssh", "id_ed25519"))
			s.link(".orihon/memory/MEMORY.md", filepath.Join(s.home, "notes", "diary.md"))
			s.link(".orihon/memory/shared/more", filepath.Join(s.home, "notes"))
			s.write(".orihon/config.yaml", "memory:\n  extra_dirs: ["+filepath.Join(s.home, "notes")+", docs]\nembedder:\n  provider: ollama\n  url: http://127.0.0.1:9\n")
		}},
	} {
		t.Run(folder.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			folder.make(s)
			s.settle()
			links := s.links()
			s.traced(strace)
			s.session(s.project, "s1", prompts)
			s.commands(s.project)
			s.each(s.project, []string{"init"}, []string{"index"}, []string{"recall", "--docs", prompts[1]}, []string{"install", "claude-code", "--dry-run"}, []string{"status"}, []string{"stats"}, []string{"roles"})
			s.settle()
			seen := s.trace(t)
			if len(seen) == 0 {
				t.Fatal("strace has written nothing")
			}
			report(t, page, s, links, seen)
		})
	}
}

// tracing gives the command line of strace, or skips.
func tracing(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux has strace")
	}
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED: strace is not installed")
	}
	out := filepath.Join(t.TempDir(), "trace")
	for _, quick := range [][]string{{"--seccomp-bpf"}, nil} {
		argv := append([]string{path, "-f", "-y", "-xx", "-qq", "-s", "8192", "-e", "trace=%file,%process,%network"}, quick...)
		probe := exec.Command(argv[0], append(argv[1:], "-o", out, "true")...)
		if err = probe.Run(); err == nil {
			if data, _ := os.ReadFile(out); bytes.Contains(data, []byte("execve")) {
				return argv
			}
		}
	}
	t.Skipf("SKIPPED: strace may not trace here: %v", err)
	return nil
}

// traced has everything that the sandbox starts from now on traced.
func (s *sandbox) traced(strace []string) {
	dir := filepath.Join(s.root, "trace")
	s.must(os.MkdirAll(dir, 0o700))
	n := 0
	s.wrap = func(where string) []string {
		n++
		name := filepath.Join(dir, fmt.Sprintf("%03d", n))
		s.must(os.WriteFile(name+".dir", []byte(where), 0o600))
		return append(slices.Clone(strace), "-o", name, "--")
	}
}

// links are the places that symlinks in the project lead to.
func (s *sandbox) links() []string {
	var out []string
	_ = filepath.WalkDir(s.project, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type()&os.ModeSymlink != 0 {
			if target, err := filepath.EvalSymlinks(path); err == nil {
				out = append(out, target)
			}
		}
		return nil
	})
	return out
}

// trace reads what strace has written, without what lies in Orihon's home and
// the project.
func (s *sandbox) trace(t *testing.T) map[touch]string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(s.root, "trace", "*.dir"))
	s.must(err)
	out := map[touch]string{}
	for _, d := range dirs {
		where, err := os.ReadFile(d)
		s.must(err)
		text, err := os.ReadFile(strings.TrimSuffix(d, ".dir"))
		s.must(err)
		tr := newTracer(string(where))
		for l := range strings.Lines(string(text)) {
			tr.line(l)
		}
		if len(tr.broken) > 0 {
			t.Errorf("%d lines of the trace could not be read, such as %q", len(tr.broken), tr.broken[0])
		}
		for touched, l := range tr.seen {
			within := func(dir string) bool { return touched.path == dir || strings.HasPrefix(touched.path, dir+"/") }
			ours := within(s.orihonHome()) || within(s.project)
			if touched.access == "run" || touched.access == "dial" || !ours {
				out[touched] = l
			}
		}
	}
	return out
}

// report fails the test for what the page does not list. What is alike is put
// together, as rows that could stand in the page.
func report(t *testing.T, page *allowed, s *sandbox, links []string, seen map[touch]string) {
	t.Helper()
	p := places{home: s.home, tmp: filepath.Join(s.root, "tmp"), project: s.project, path: filepath.SplitList(s.bin + string(os.PathListSeparator) + os.Getenv("PATH")), links: links, known: []string{s.payroll()}}
	rows := map[string]string{}
	for touched, l := range seen {
		switch touched.access {
		case "run":
			name := filepath.Base(touched.path)
			switch {
			case touched.by != "" && touched.by != filepath.Base(program):
				t.Errorf("%s was started by %s", touched.path, touched.by)
			case name != filepath.Base(program) && !page.programs[name]:
				t.Errorf("%s was started, and is not in %s", touched.path, securityPage)
			}
			continue
		case "dial":
			t.Errorf("%s reaches for the network: %s", touched.by, l)
			continue
		}
		if touched.path == program || touched.path == filepath.Dir(program) || page.allows(p, touched) {
			continue
		}
		rows[fmt.Sprintf("| `%s` | %s | %s |", p.short(touched.path), touched.access, touched.by)] = l
	}
	var lines []string
	for row := range rows {
		lines = append(lines, row)
	}
	slices.Sort(lines)
	if len(lines) > 0 {
		t.Errorf("%d paths are not in %s:\n%s", len(lines), securityPage, strings.Join(lines, "\n"))
	}
}

var number = strings.NewReplacer("0", "#", "1", "#", "2", "#", "3", "#", "4", "#", "5", "#", "6", "#", "7", "#", "8", "#", "9", "#")

// short writes a path as the page would.
func (p places) short(path string) string {
	for _, dir := range p.spelled("<parents>") {
		if path == dir {
			return "<parents>"
		}
		if name := filepath.Base(path); filepath.Dir(path) == dir && (name == ".git" || name == ".orihon") {
			return "<parents>/" + name
		}
	}
	if filepath.Base(path) == "git" && slices.Contains(p.path, filepath.Dir(path)) {
		return "$PATH/git"
	}
	if rest, ok := strings.CutPrefix(path, p.tmp+"/"); ok {
		return "$TMPDIR/" + rest
	}
	if rest, ok := strings.CutPrefix(path, p.home+"/"); ok {
		return "~/" + rest
	}
	if strings.HasPrefix(path, "/proc/") {
		return number.Replace(path)
	}
	return path
}
