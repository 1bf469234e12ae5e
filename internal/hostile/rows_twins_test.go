package hostile

import (
	"os"
	"path/filepath"
	"strings"
)

// twinRows are harmless: what the other rows only claim is true in them, so it
// must work.
func twinRows() []row {
	const shared = ".orihon/memory/shared/"
	// known wants Ann's private memory in the folder, and what she tells there
	// in her project.
	known := func(v *verdict) {
		v.found("Ann's own folder has what she told", v.inside, salaryWord)
		v.found("Ann's own folder adds to what she told", v.home, ownWord)
	}
	// standing wants a word among the standing rules.
	standing := func(word string) func(v *verdict) {
		return func(v *verdict) {
			for _, r := range v.inside {
				context, _, _ := r.context()
				for _, l := range lines(context) {
					if strings.Contains(l.text, word) && strings.Contains(l.heading, "📎") {
						return
					}
				}
			}
			v.fail("what Ann stands by is a standing rule", "%s is none in any session's start", word)
		}
	}
	run := func(s *sandbox, dir string, args ...string) {
		s.t.Helper()
		if r := s.run(dir, "", args...); r.code != 0 {
			s.t.Logf("%s: exit %d: %s", r.about, r.code, r.stderr)
		}
	}
	clone := func(s *sandbox) {
		s.git("[remote \"origin\"]\n\turl = git@git.example.com:acme/payroll.git\n")
		s.write("README.md", "# Payroll\n")
	}
	return []row{{
		name: "twin/Ann's clone, tied by her yes", short: true, linked: true,
		make: func(s *sandbox) {
			clone(s)
			run(s, s.project, "project", "link", "--yes")
		},
		check: known,
	}, {
		name: "twin/Ann's clone of a remote that she trusts", linked: true,
		before: func(s *sandbox) {
			s.write(filepath.Join(s.orihonHome(), "config.yaml"), "project:\n  trust_remotes: [git.example.com/acme]\n")
		},
		make: clone, check: known,
	}, {
		name: "twin/Mallory's folder, whatever remote Ann trusts",
		before: func(s *sandbox) {
			s.write(filepath.Join(s.orihonHome(), "config.yaml"), "project:\n  trust_remotes: [git.example.com/acme]\n")
		},
		make: func(s *sandbox) {
			s.git("[remote \"origin\"]\n\turl = https://evil.example?@git.example.com/acme/payroll\n")
		},
	}, {
		name: "twin/linked worktree of Ann's project", short: true, linked: true,
		before: func(s *sandbox) {
			s.at = s.payroll()
			s.must(os.RemoveAll(s.path(".git")))
			s.write("README.md", "# Payroll\n")
			s.realGit("[remote \"origin\"]\n\turl = " + payrollRemote + "\n")
			s.must(os.RemoveAll(s.project))
			s.runGit(s.payroll(), "worktree", "add", "-q", s.project, "-b", "feature")
		},
		make: func(s *sandbox) {}, check: known,
	}, {
		name: "twin/folder below Ann's project", own: true, linked: true, dir: "deep/below",
		make:  func(s *sandbox) { s.mkdir("deep/below") },
		check: known,
	}, {
		name: "twin/shared rule that Ann wrote by the program", short: true, own: true, accepted: true, finds: true,
		make: func(s *sandbox) {
			run(s, s.project, "init")
			run(s, s.project, "remember", "--scope", "shared", "--topic", "preference", baitText)
		},
		check: standing(bait),
	}, {
		name: "twin/shared rule that Ann accepted", short: true, accepted: true, finds: true,
		make: func(s *sandbox) {
			s.commit(s.at)
			s.write(shared+"rules.md", atom("id: 01939f00-0000-7000-8000-00000000aaaa"))
			run(s, s.project, "review", "--repository")
			run(s, s.project, "review", "--repository", "--accept")
		},
		check: standing(bait),
	}, {
		name: "twin/folder of private memory that Ann made in the project", accepted: true, linked: true,
		make: func(s *sandbox) {
			s.git("")
			run(s, s.project, "init", "--local")
		},
		check: func(v *verdict) {
			if len(holding(filepath.Join(v.s.project, ".orihon", "local"), ownWord)) == 0 {
				v.fail("Ann's own local folder is used", "%s is not in it", ownWord)
			}
		},
	}, {
		name: "twin/hooks installed in a plain folder", may: []string{".claude"}, commands: [][]string{{"install", "claude-code"}},
		make: func(s *sandbox) { s.git("") },
		check: func(v *verdict) {
			if _, err := os.Stat(filepath.Join(v.s.project, ".claude", "settings.json")); err != nil {
				v.fail("install writes the settings", "%v", err)
			}
		},
	}, {
		name: "twin/folder that nothing is known of", make: func(s *sandbox) {
			s.git("[remote \"origin\"]\n\turl = https://git.example.org/mallory/toolbox.git\n")
		},
		check: func(v *verdict) {
			context, message, _ := v.inside[0].context()
			if strings.Contains(context+message, "project link") {
				v.fail("a folder that nothing is known of is asked nothing", "%q", context+message)
			}
			v.found("what is told is remembered", v.inside, ownWord)
		},
	}}
}
