package checkpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"orihon/internal/child"
	"orihon/internal/home"
	"orihon/internal/project"
	"orihon/internal/redact"
)

// State is what came of a measure.
type State string

// The states.
const (
	OK      State = "ok"
	Failed  State = "failed"
	Unknown State = "unknown" // it could not be measured, and Why says why
)

// Result is what came of building.
type Result struct {
	State State `json:"state"`
	// Why says why it is unknown, or the last that was printed where it failed.
	Why string `json:"why,omitempty"`
}

func (r *Result) known() bool { return r.State == OK || r.State == Failed }

// Tests is what came of testing.
type Tests struct {
	Result
	Counted bool `json:"counted"` // the numbers were printed in a form that is known
	Passed  int  `json:"passed"`
	Failed  int  `json:"failed"`
	Skipped int  `json:"skipped"`
}

// Coverage is how much of the code the tests run.
type Coverage struct {
	Result
	Counted bool    `json:"counted"`
	Percent float64 `json:"percent"`
}

// Measures is what the project is like at one time.
type Measures struct {
	Files     int      `json:"files"`               // that git tracks
	Toolchain string   `json:"toolchain,omitempty"` // that the project's files show
	Build     Result   `json:"build"`
	Tests     Tests    `json:"tests"`
	Coverage  Coverage `json:"coverage"`
}

// command is one program to run. Without a program the measure is unknown, for the
// reason in missing.
type command struct {
	words   []string
	path    string
	missing string
	// profile says that it writes Go's profile of coverage to the file that stands
	// for profileFile in its words.
	profile bool
	// absent are texts that it prints where something that it needs is missing, and
	// empty is the code it exits with where there are no tests; 0 is none.
	absent []string
	empty  int
}

const profileFile = "{profile}"

// plan is what to run for each measure.
type plan struct {
	toolchain              string
	build, tests, coverage []command
	// tested says that the tests measure the coverage as well.
	tested bool
}

// measure counts and runs. An unknown measure is no error; only the end of ctx is.
func (c *Checkpoints) measure(ctx context.Context, work *project.Checkout, o *Options) (m Measures, err error) {
	if o == nil {
		o = &Options{}
	}
	if m.Files, err = work.Files(ctx); err != nil {
		return m, err
	}
	if o.Skip {
		off := Result{Unknown, "not measured"}
		m.Build, m.Tests.Result, m.Coverage.Result = off, off, off
		return m, nil
	}
	p := c.plan()
	m.Toolchain = p.toolchain
	m.Build = c.run(ctx, o, "build", p.build, func(string) {})

	var tests counter
	var cover percentage
	see := tests.line
	if p.tested && !p.tests[0].profile {
		see = func(line string) { tests.line(line); cover.line(line) }
	}
	m.Tests = Tests{Result: c.runProfiled(ctx, o, "tests", p.tests, see, &cover)}
	if n := tests.sum(); n > 0 && m.Tests.known() {
		m.Tests.Counted, m.Tests.Passed, m.Tests.Failed, m.Tests.Skipped = true, tests.passed, tests.failed, tests.skipped
	}
	m.Coverage = Coverage{Result: m.Tests.Result}
	if !p.tested {
		m.Coverage.Result = c.runProfiled(ctx, o, "coverage", p.coverage, cover.line, &cover)
	}
	switch {
	case !m.Coverage.known():
	case !cover.found:
		m.Coverage.Result = Result{Unknown, "no percentage was printed in a form that is known"}
	default:
		m.Coverage = Coverage{Result: Result{State: OK}, Counted: true, Percent: cover.value}
	}
	return m, ctx.Err()
}

// runProfiled is run for commands that may write a profile of coverage, which is
// read then.
func (c *Checkpoints) runProfiled(ctx context.Context, o *Options, what string, all []command, see func(string), cover *percentage) Result {
	for i := range all {
		if !all[i].profile {
			continue
		}
		dir, err := os.MkdirTemp("", "orihon-cover-")
		if err != nil {
			return Result{Unknown, err.Error()}
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "profile")
		all[i].words = append([]string(nil), all[i].words...)
		for j, w := range all[i].words {
			all[i].words[j] = strings.ReplaceAll(w, profileFile, path)
		}
		defer func() { cover.profile(path) }()
	}
	return c.run(ctx, o, what, all, see)
}

// run runs the commands of one measure, each within its time, until one fails.
func (c *Checkpoints) run(ctx context.Context, o *Options, what string, all []command, see func(string)) Result {
	if len(all) == 0 {
		return Result{Unknown, "nothing shows how: set checkpoint." + what}
	}
	for i := range all {
		if why := all[i].missing; why != "" {
			return Result{Unknown, why}
		}
		shown := strings.Join(all[i].words, " ")
		if o.Tell != nil {
			o.Tell(what, shown)
		}
		last, absent := "", ""
		_, _, err := child.Run(ctx, child.Command{
			Path: all[i].path, Args: all[i].words[1:], Dir: c.h.Project.Root, Timeout: c.h.Config.Checkpoint.Timeout,
			Env: append(project.Env(c.h.Project.Root), "ORIHON_CHILD=1", "PYTHONDONTWRITEBYTECODE=1", "CI=1", "NO_COLOR=1"),
			Each: func(line string) {
				line = plain(line)
				see(line)
				last = cmp.Or(said(line), last)
				if hasAny(line, all[i].absent...) {
					absent = cmp.Or(absent, said(line))
				}
			},
		})
		var exit *exec.ExitError
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return Result{Unknown, fmt.Sprintf("%s took longer than %s (checkpoint.timeout)", shown, c.h.Config.Checkpoint.Timeout)}
		case errors.As(err, &exit) && absent != "":
			return Result{Unknown, c.short(absent)}
		case errors.As(err, &exit) && exit.ExitCode() == all[i].empty:
			return Result{Unknown, "there are no tests"}
		case errors.As(err, &exit):
			return Result{Failed, c.short(last)}
		case err != nil:
			return Result{Unknown, c.short(shown + ": " + err.Error())}
		}
	}
	return Result{State: OK}
}

// said is what a line tells a person: of an event of go test -json its output.
func said(line string) string {
	if !strings.HasPrefix(line, "{") {
		return line
	}
	var e struct{ Output string }
	if json.Unmarshal([]byte(line), &e) != nil {
		return line
	}
	return plain(e.Output)
}

// plan takes the commands of the settings and, for what they leave open, those that
// the project's files show.
func (c *Checkpoints) plan() plan {
	p := c.detect()
	for _, s := range []struct {
		setting string
		to      *[]command
	}{{"checkpoint.build", &p.build}, {"checkpoint.tests", &p.tests}, {"checkpoint.coverage", &p.coverage}} {
		set := c.h.Commands(s.setting)
		if len(set) == 0 {
			if own, err := c.h.Config.Get(s.setting); err == nil && own != "" {
				*s.to = none("it runs a file of the project that you have not accepted: orihon review --repository")
			}
			continue
		}
		if *s.to = nil; s.setting != "checkpoint.build" {
			p.tested = false
		}
		for i := range set {
			*s.to = append(*s.to, c.configured(&set[i]))
		}
	}
	return p
}

func (c *Checkpoints) configured(set *home.Command) command {
	path, err := c.h.Program(set)
	if err != nil {
		return command{missing: err.Error()}
	}
	return command{words: set.Words, path: path}
}

// short is one line of what was printed, as it may be kept.
func (c *Checkpoints) short(line string) string {
	const most = 200 // characters
	line, _ = c.h.Redactor.Text(line)
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most-1]) + "…"
	}
	return line
}

// plain is a line without colours and other control characters.
func plain(line string) string {
	for {
		before, after, found := strings.Cut(line, "\x1b[")
		if !found {
			return strings.TrimSpace(redact.Printable(line))
		}
		line = before + strings.TrimLeft(strings.TrimLeft(after, "0123456789;?"), "mKGJH")
	}
}
