package checkpoint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"orihon/internal/jsonl"
	"orihon/internal/project"
)

// toolchain is how projects of one language are measured. Of several that a
// project shows the first counts.
type toolchain struct {
	name    string
	markers []string // files, any of which shows it
	plan    func(d *detector) plan
}

func toolchains() []toolchain {
	return []toolchain{
		{"Go", []string{"go.mod"}, golang},
		{"Rust", []string{"Cargo.toml"}, rust},
		{"Java (Maven)", []string{"pom.xml"}, maven},
		{"Java (Gradle)", []string{"build.gradle", "build.gradle.kts"}, gradle},
		{"Python", []string{"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini"}, python},
		{"Node", []string{"package.json"}, node},
	}
}

// detector looks at a project's folder.
type detector struct{ root string }

// detect is the plan that the project's files show; empty when they show none.
func (c *Checkpoints) detect() plan {
	d := &detector{c.h.Project.Root}
	for _, t := range toolchains() {
		if d.has(t.markers...) {
			p := t.plan(d)
			p.toolchain = t.name
			return p
		}
	}
	return plan{}
}

func (d *detector) has(names ...string) bool {
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(d.root, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Texts that say that something is not installed, or cannot be fetched.
var (
	goAbsent     = []string{"dial tcp", "toolchain not available", "module lookup disabled by"}
	rustAbsent   = []string{"failed to download", "failed to get `", "no matching package"}
	mavenAbsent  = []string{"PluginResolutionException", "Could not transfer artifact", "Could not resolve dependencies"}
	pythonAbsent = []string{"No module named pytest", "unrecognized arguments: --cov"}
)

// but is a command that prints one of these texts where something is missing.
func (c command) but(absent []string) command {
	c.absent = absent
	return c
}

// command runs a program from the PATH outside of the project.
func (d *detector) command(words ...string) command {
	path, err := project.Program(words[0], d.root)
	if err != nil {
		return command{missing: words[0] + " is not installed"}
	}
	return command{words: words, path: path}
}

// one are the commands of a measure that takes one.
func (d *detector) one(words ...string) []command { return []command{d.command(words...)} }

// none is a measure that such projects do not have.
func none(why string) []command { return []command{{missing: why}} }

func golang(d *detector) plan {
	tests := d.command("go", "test", "-json", "-count=1", "-coverprofile="+profileFile, "./...")
	tests.profile = tests.missing == ""
	return plan{
		build: []command{d.command("go", "build", "-o", os.DevNull, "./...").but(goAbsent)},
		tests: []command{tests.but(goAbsent)}, tested: true,
	}
}

func rust(d *detector) plan {
	p := plan{
		build:    []command{d.command("cargo", "build", "--quiet", "--all-targets").but(rustAbsent)},
		tests:    []command{d.command("cargo", "test", "--quiet", "--no-fail-fast").but(rustAbsent)},
		coverage: none("cargo-llvm-cov is not installed"),
	}
	if d.command("cargo-llvm-cov").missing == "" {
		p.coverage = d.one("cargo", "llvm-cov", "--summary-only")
	}
	return p
}

func maven(d *detector) plan {
	return plan{
		build:    []command{d.command("mvn", "-B", "-q", "test-compile").but(mavenAbsent)},
		tests:    []command{d.command("mvn", "-B", "test").but(mavenAbsent)},
		coverage: none("nothing shows how: set checkpoint.coverage"),
	}
}

func gradle(d *detector) plan {
	return plan{
		build:    d.one("gradle", "--quiet", "testClasses"),
		tests:    d.one("gradle", "--console=plain", "test"),
		coverage: none("nothing shows how: set checkpoint.coverage"),
	}
}

// python tests with pytest where the project names it, else with unittest.
func python(d *detector) plan {
	name := "python3"
	if runtime.GOOS == "windows" {
		name = "python"
	}
	tests := func(words ...string) []command {
		const none = 5
		c := d.command(append([]string{name, "-m"}, words...)...).but(pythonAbsent)
		c.empty = none
		return []command{c}
	}
	p := plan{build: none("Python builds nothing"), tests: tests("unittest"), coverage: none("the project names no pytest-cov: set checkpoint.coverage")}
	named := d.text("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt")
	switch {
	case strings.Contains(named, "pytest-cov"):
		p.tests, p.tested = tests("pytest", "-q", "-p", "no:cacheprovider", "--cov"), true
	case d.has("pytest.ini", "conftest.py") || strings.Contains(named, "pytest"):
		p.tests = tests("pytest", "-q", "-p", "no:cacheprovider")
	}
	return p
}

// text is what small files say, one behind the other.
func (d *detector) text(names ...string) string {
	const most = 1 << 20 // bytes
	var b strings.Builder
	for _, name := range names {
		path := filepath.Join(d.root, name)
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > most {
			continue
		}
		if data, err := jsonl.ReadFile(path); err == nil {
			b.Write(data)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// node runs the scripts that package.json has for it, with the package manager
// whose lock file is there.
func node(d *detector) plan {
	manager := "npm"
	for _, m := range []struct{ lock, name string }{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if d.has(m.lock) {
			manager = m.name
		}
	}
	var about struct {
		Scripts map[string]string `json:"scripts"`
	}
	_ = json.Unmarshal([]byte(d.text("package.json")), &about) // what cannot be read has no scripts
	script := func(names ...string) []command {
		for _, name := range names {
			if text := about.Scripts[name]; text != "" && !strings.Contains(text, "no test specified") {
				return d.one(manager, "run", name)
			}
		}
		return none("package.json has no script " + names[0])
	}
	return plan{build: script("build"), tests: script("test"), coverage: script("coverage", "test:coverage")}
}
