package hostile

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A row is one folder that somebody made, and what must not happen when Ann
// works in it. What holds on every row stands in [play].
type row struct {
	// name says in words what the folder tries.
	name string
	// short rows are those of which a short run plays every other one.
	short bool
	// clone has make write the files of a repository that is then cloned by
	// git; else make writes the folder as an archive unpacks it.
	clone bool
	// own says that the folder is Ann's own project: make writes into it what
	// a pull brings. What is private in it must go on being found.
	own bool
	// accepted says that Ann has accepted what the folder says, or wrote it
	// herself: it may be believed.
	accepted bool
	// imports says that the row's commands take the text into Ann's memory.
	imports bool
	// linked says that the folder is Ann's project payroll by right: a twin of
	// rows that only claim to be.
	linked bool
	// asks says that the folder claims to be a project that Ann knows, so that
	// the session's start must say how to tie it.
	asks bool
	// finds says that the text of the folder is worth finding: recall must
	// show it, marked.
	finds bool
	// narrows says that the folder's configuration turns down what is
	// injected, which it may.
	narrows bool

	// before makes ready what Ann has, when it is more than usual.
	before func(s *sandbox)
	// make makes the folder.
	make func(s *sandbox)
	// after changes what a clone has made.
	after func(s *sandbox)
	// dir is where the client runs, when it is not the folder itself.
	dir string
	// prompts are played besides the usual ones.
	prompts []string
	// commands are played after the usual ones.
	commands [][]string
	// then changes the folder behind those commands, before the second session;
	// the folder is judged by what comes after.
	then func(s *sandbox)
	// may lists what those commands may change in the folder besides .orihon.
	may []string
	// also plays what no command line can, after the commands.
	also func(s *sandbox) []*result
	// check looks at what else must not have happened.
	check func(v *verdict)
}

// table is all rows.
func table() []row {
	return slices.Concat(gitRows(), identityRows(), worktreeRows(), sharedRows(), hidingRows(), localRows(), linkRows(), settingRows(), markRows(), walkRows(), commandRows(), brokenRows(), importRows(), twinRows())
}

// least is how many rows there must be. A short run plays every other one of those
// that say so; .ci/long plays all rows.
const least = 70

func TestHostile(t *testing.T) {
	needProgram(t)
	rows := table()
	if len(rows) < least {
		t.Errorf("%d rows, want at least %d", len(rows), least)
	}
	var mu sync.Mutex
	played, bad, short := 0, map[string][]failure{}, 0
	t.Run("row", func(t *testing.T) {
		for i := range rows {
			r := &rows[i]
			if r.short {
				short++
			}
			if brief() && (!r.short || short%2 == 0) {
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				failures := play(t, r)
				mu.Lock()
				defer mu.Unlock()
				played++
				if len(failures) == 0 {
					return
				}
				bad[r.name] = failures
				t.Fail()
			})
		}
	})
	t.Log(summary(played, bad))
}

// summary lists what did not hold, by row, and counts.
func summary(played int, bad map[string][]failure) string {
	var b strings.Builder
	names := make([]string, 0, len(bad))
	for name := range bad {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "\n%s\n", name)
		byCheck := map[string][]string{}
		var checks []string
		for _, f := range bad[name] {
			if byCheck[f.check] == nil {
				checks = append(checks, f.check)
			}
			byCheck[f.check] = append(byCheck[f.check], f.evidence)
		}
		for _, c := range checks {
			fmt.Fprintf(&b, "  not held: %s\n", c)
			const most = 3
			for i, e := range byCheck[c] {
				if i == most {
					fmt.Fprintf(&b, "    … and %d more\n", len(byCheck[c])-most)
					break
				}
				fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(e, "\n", "\n    "))
			}
		}
	}
	fmt.Fprintf(&b, "\n%d rows, %d held", played, played-len(bad))
	return b.String()
}

// play makes a row's world, plays it and returns what did not hold.
func play(t *testing.T, r *row) []failure {
	s := newSandbox(t)
	if r.own {
		s.project = s.payroll()
		s.at = s.project
	}
	if r.before != nil {
		r.before(s)
		s.at = s.project
	}
	if r.clone {
		s.clone(r.make)
		if r.after != nil {
			r.after(s)
		}
	} else {
		r.make(s)
	}
	s.settle()
	dir := filepath.Join(s.project, filepath.FromSlash(r.dir))
	around := func() map[string]string { return snapshot(s.root, s.orihonHome(), s.project, s.canary) }
	outside, inside := around(), snapshot(s.project)

	v := &verdict{s: s}
	v.inside = s.session(dir, "s1", slices.Concat(prompts, r.prompts))
	if !v.hung() {
		v.inside = append(v.inside, s.commands(dir)...)
	}
	if !v.hung() {
		v.inside = append(v.inside, s.each(dir, r.commands...)...)
	}
	if r.also != nil && !v.hung() {
		v.inside = append(v.inside, r.also(s)...)
	}
	if r.then != nil && !v.hung() {
		r.then(s)
		inside = snapshot(s.project)
		v.inside = append(v.inside, s.commands(dir)...)
	}
	if !v.hung() { // what the first session has left behind comes out in a second
		v.inside = append(v.inside, s.begin(dir, "s2", prompts[1:2])...)
	}
	s.settle()
	after := snapshot(s.project)
	if !v.hung() {
		v.home = s.atHome()
		s.settle()
	}
	v.common()
	v.nothingRan()
	v.nothingSent()
	v.keepsToItself(changes(outside, around()), changes(inside, after), r.dir, r.may)
	v.files()
	v.modes()
	if !r.own && !r.linked {
		v.private()
	}
	if !r.accepted {
		v.foreign()
	}
	if !r.accepted && !r.imports {
		v.unlearned()
	}
	if len(v.home) > 0 {
		v.remembers(!r.narrows)
	}
	if r.asks {
		v.asks()
	}
	if r.finds && !v.hung() {
		v.found("what the folder says is found", v.inside, bait)
	}
	if r.check != nil && !v.hung() {
		r.check(v)
	}
	slices.SortStableFunc(v.failures, func(a, b failure) int { return cmp.Compare(a.check, b.check) })
	return v.failures
}

// hung reports whether something did not come to an end: then the rest of the
// play would only wait, too.
func (v *verdict) hung() bool {
	return slices.ContainsFunc(v.inside, func(r *result) bool { return r.hung })
}
