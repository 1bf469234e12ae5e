package hostile

import (
	"os"
	"path/filepath"
	"strings"
)

// localRows are folders of private memory that were not made on this machine.
func localRows() []row {
	const local = ".orihon/local/"
	planted := func(s *sandbox) {
		s.write(local+"memory/semantic.jsonl", ledgerLine("01939f00-0000-7000-8000-00000000aaaa", "personal:ann", ""))
		s.write(local+"memory/MEMORY.md", "- "+baitText+"\n")
		s.write(local+".gitignore", "*\n")
	}
	// stays wants what is told here in Ann's home, not in the folder.
	stays := func(v *verdict) {
		for _, word := range []string{promptWord, ownWord} {
			v.absent("what is told here stays in the home", filepath.Join(v.s.project, ".orihon", "local"), word)
		}
	}
	marker := func(s *sandbox) {
		s.git("")
		s.write(".git/orihon-local", "")
	}
	// leads makes one file or folder of the local space a symlink. What it
	// leads to is there in one row and missing in the other.
	leads := func(name, target string, there bool) row {
		about := "local/symlink of " + name + " to " + target
		if !there {
			about += ", which is missing"
		}
		return row{name: about, make: func(s *sandbox) {
			marker(s)
			s.mkdir(local + "memory")
			to := filepath.Join(s.home, filepath.FromSlash(target))
			if !there {
				to = s.outside("made-by-orihon")
			}
			s.link(local+name, to)
		}}
	}
	rows := []row{
		{name: "local/planted ledger in an archive without git", short: true, make: planted, check: stays},
		{name: "local/planted ledger and mark in an archive with git", short: true, make: func(s *sandbox) { marker(s); planted(s) }, check: stays},
		{name: "local/planted ledger in a clone", clone: true, make: planted, check: stays},
		{name: "local/setting in the folder's configuration", make: func(s *sandbox) {
			marker(s)
			planted(s)
			s.write(".orihon/config.yaml", "local: true\n")
		}, check: stays},
		{name: "local/mark in the git folder of a bare look-alike", make: func(s *sandbox) {
			s.gitDir(".", "")
			s.write("orihon-local", "")
			planted(s)
		}, check: stays},
		{name: "local/mark behind a .git file", make: func(s *sandbox) {
			s.gitDir("store", "")
			s.write("store/orihon-local", "")
			s.write(".git", "gitdir: store\n")
			planted(s)
		}, check: stays},
		{name: "local/space of a known project by symlink", make: func(s *sandbox) {
			marker(s)
			s.mkdir(".orihon")
			for id := range s.spaces {
				if len(holding(filepath.Join(s.orihonHome(), "projects", id, "memory"), salaryWord)) > 0 {
					s.link(".orihon/local", filepath.Join(s.orihonHome(), "projects", id))
				}
			}
		}},
		{name: "local/memory of a known project by symlink inside", make: func(s *sandbox) {
			marker(s)
			s.mkdir(".orihon/local")
			for id := range s.spaces {
				if len(holding(filepath.Join(s.orihonHome(), "projects", id, "memory"), salaryWord)) > 0 {
					s.link(".orihon/local/memory", filepath.Join(s.orihonHome(), "projects", id, "memory"))
				}
			}
		}},
		{name: "local/planted state of sessions and questions", make: func(s *sandbox) {
			marker(s)
			s.write(local+"sessions/s1/state.json", `{"id":"s1","client":"claude-code","cwd":"`+s.payroll()+`","pending":["log","episode","sync"]}`)
			s.write(local+"sessions/s1/journal.jsonl", `{"v":1,"type":"USER_MESSAGE","payload":{"role":"user","text":"Remember: `+baitText+`"}}`+"\n")
			s.write(local+"candidates.jsonl", `{"v":1,"id":"q1","kind":"keep","item":{"id":"q1","kind":"semantic","content":"`+baitText+`"},"why":"you said so","at":"2026-11-01T00:00:00Z"}`+"\n")
		}},
		{name: "local/planted index", make: func(s *sandbox) {
			planted(s)
			s.write(local+"index/index.db", "SQLite format 3\x00 and no more")
		}, check: stays},
	}
	for _, l := range []struct{ name, target string }{
		{"audit.jsonl", ".bashrc"}, {"usage.jsonl", ".profile"}, {"memory/semantic.jsonl", ".bashrc"}, {"candidates.jsonl", ".ssh/config"},
		{"sessions", ".ssh"}, {"memory/episodic.jsonl", "notes/diary.md"},
	} {
		rows = append(rows, leads(l.name, l.target, true))
	}
	rows[len(rows)-6].short = true
	for _, name := range []string{".store.lock", "index", "memory/.lock", "run-state.json"} {
		rows = append(rows, leads(name, "nothing", false))
	}
	own := row{
		name: "local/symlinks that a pull puts into Ann's own local folder", own: true, linked: true, accepted: true,
		before: func(s *sandbox) {
			if r := s.run(s.project, "", "init", "--local"); r.code != 0 {
				s.t.Fatal(r.stderr)
			}
			if r := s.run(s.project, "", "remember", "Salaries are paid from the account "+salaryWord); r.code != 0 {
				s.t.Fatal(r.stderr)
			}
			if r := s.run(s.project, "", "remember", "The vault of the payroll opens with "+vaultWord); r.code != 0 {
				s.t.Fatal(r.stderr)
			}
			s.settle()
		},
		make: func(s *sandbox) {
			for _, name := range []string{"usage.jsonl", "run-state.json", "candidates.jsonl"} {
				_ = os.Remove(s.path(local + name))
				s.link(local+name, filepath.Join(s.home, ".bashrc"))
			}
			_ = os.RemoveAll(s.path(local + "sessions"))
			s.link(local+"sessions", filepath.Join(s.home, ".ssh"))
		},
	}
	return append(rows, own)
}

// linkRows are symlinks in the folder that lead out of it.
func linkRows() []row {
	const shared = ".orihon/memory/shared"
	leads := func(name string, make func(s *sandbox), commands ...[]string) row {
		return row{name: "symlink/" + name, make: make, commands: commands}
	}
	home := func(s *sandbox, name string) string { return filepath.Join(s.home, filepath.FromSlash(name)) }
	install := func(name string, make func(s *sandbox)) row {
		r := leads(name, make,
			[]string{"install", "claude-code"}, []string{"install", "claude-code", "--local"}, []string{"uninstall", "claude-code"}, []string{"uninstall", "claude-code", "--local"})
		r.may = []string{".claude"}
		return r
	}
	another := leads(".orihon that is another project's", func(s *sandbox) {
		s.write(filepath.Join(s.payroll(), ".orihon", "memory", "MEMORY.md"), "- I think of godwit7070\n")
		s.link(".orihon", "../payroll/.orihon")
	})
	another.check = func(v *verdict) { v.notFound("files outside are not read", v.inside, "godwit7070") }
	purge := leads("purge through folders that lead out", func(s *sandbox) {
		s.write(s.outside("victim.md"), "The shed of the toolbox has "+ownWord+" on its door\n")
		s.write(filepath.Join(s.home, "notes", "shed.md"), "The shed of the toolbox has "+ownWord+" on its door\n")
		s.link(".orihon/exports", filepath.Join(s.root, "outside"))
		s.link(".orihon/memory/notes", home(s, "notes"))
		s.link(".orihon/x.md", s.outside("victim.md"))
	})
	purge.then = func(s *sandbox) {
		for _, it := range itemsIn(s.run(s.project, "", "list", "--json").stdout) {
			if strings.Contains(it.Content, ownWord) {
				s.run(s.project, "", "forget", "--purge", "--yes", it.ID)
			}
		}
	}
	rows := []row{another, purge,
		leads("shared file that is a key of Ann's", func(s *sandbox) { s.link(shared+"/key.md", home(s, ".ssh/id_ed25519")) }),
		leads("shared folder that is Ann's diary", func(s *sandbox) { s.link(shared, home(s, "notes")) }),
		leads("folder in the shared folder that is Ann's diary", func(s *sandbox) { s.link(shared+"/more", home(s, "notes")) }),
		leads("folder of a role that is Ann's diary", func(s *sandbox) {
			s.link(".orihon/memory/role/programmer", home(s, "notes"))
		}),
		leads("MEMORY.md that is Ann's diary", func(s *sandbox) { s.link(".orihon/memory/MEMORY.md", home(s, "notes/diary.md")) }),
		leads("memory folder that is a folder of Ann's with a MEMORY.md", func(s *sandbox) {
			s.write(home(s, "notes/MEMORY.md"), "- I think of "+diaryWord+"\n")
			s.link(".orihon/memory", home(s, "notes"))
		}),
		leads(".orihon that is Orihon's home", func(s *sandbox) { s.link(".orihon", s.orihonHome()) }),
		leads("configuration that is a file of Ann's", func(s *sandbox) { s.link(".orihon/config.yaml", home(s, "notes/diary.md")) },
			[]string{"config"}, []string{"config", "validate"}, []string{"config", "set", "--in-project", "language", "en"}),
		leads("list of roles and reviews that lead out", func(s *sandbox) {
			s.link(".orihon/shared/_roles.md", home(s, "notes/diary.md"))
			s.link(".orihon/shared/_pending_review", home(s, "notes"))
			s.link(".orihon/shared/_rejected", home(s, ".ssh"))
		}, []string{"roles"}, []string{"roles", "init"}, []string{"remember", "--scope", "shared", "--topic", "decision", "The toolbox has " + teamWord + " walls"}),
		leads("lock file that leads to a file that is missing", func(s *sandbox) {
			s.link(shared+"/.lock", s.outside("made-by-orihon"))
		}),
		leads("lock file that leads to a start file of the shell", func(s *sandbox) { s.link(shared+"/.lock", home(s, ".bashrc")) }),
		leads("archive of the shared folder", func(s *sandbox) {
			s.write(shared+"/rules.md", atom("id: 01939f00-0000-7000-8000-00000000aaaa"))
			s.link(shared+"/archive", s.outside("archive"))
			s.mkdir(s.outside("archive"))
		}, []string{"archive", "01939f00-0000-7000-8000-00000000aaaa"}, []string{"edit", "01939f00-0000-7000-8000-00000000aaaa", "--content", "x"}, []string{"forget", "01939f00-0000-7000-8000-00000000aaaa"}),
		leads("files of the project that lead out", func(s *sandbox) {
			s.link("docs", home(s, "notes"))
			s.link("release.md", home(s, "notes/diary.md"))
			s.link(".gitignore", home(s, "notes/diary.md"))
			s.git("")
		}, []string{"index"}, []string{"recall", "--docs", "What do I think of before every release of the toolbox?"}, []string{"backup", filepath.Join(os.DevNull, "x")}),
		leads("start of the project through links", func(s *sandbox) {
			s.mkdir(".orihon")
			s.link(".orihon/memory", s.outside("memory"))
			s.link("CLAUDE.md", home(s, ".bashrc"))
			s.link("AGENTS.md", home(s, ".profile"))
			s.link("CLAUDE.local.md", home(s, ".ssh/config"))
		}, []string{"init"}, []string{"init", "--team"}, []string{"init", "--local"}, []string{"init", "--language", "en"}),
		leads("instructions for agents that lead out", func(s *sandbox) {
			s.link("CLAUDE.md", home(s, ".bashrc"))
			s.link("CLAUDE.local.md", home(s, ".ssh/config"))
			s.link(".orihon/memory/IDENTITY.md", s.outside("identity.md"))
		}, []string{"init", "--team"}),
		install("settings of the client that are Ann's own", func(s *sandbox) { s.link(".claude/settings.json", home(s, ".claude/settings.json")) }),
		install("folder of the client that is Ann's own", func(s *sandbox) { s.link(".claude", home(s, ".claude")) }),
		install("settings of the client that are missing elsewhere", func(s *sandbox) {
			s.link(".claude/settings.json", s.outside("settings.json"))
			s.link(".claude/settings.local.json", home(s, ".bashrc"))
		}),
		leads("circles of links", func(s *sandbox) {
			s.link(shared+"/a", ".")
			s.link(shared+"/b.md", "b.md")
			s.link(".orihon/memory/MEMORY.md", "MEMORY.md")
			s.link(".orihon/local", "local")
			s.link(".git", ".git")
			s.link("loop", "..")
		}),
		leads("folder in the folder that is Ann's project", func(s *sandbox) { s.link("sub", "../payroll") }),
	}
	for _, i := range []int{2, 6, 11, 15, 17} {
		rows[i].short = true
	}
	for i := range rows {
		if rows[i].commands != nil && rows[i].may == nil {
			rows[i].may = []string{"CLAUDE", "AGENTS", ".claude", ".git/orihon-local"}
		}
	}
	return rows
}
