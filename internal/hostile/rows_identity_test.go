package hostile

import (
	"os"
	"path/filepath"
	"strings"
)

// claims is a row of an archive whose configuration has this remote.
func claims(name, url string) row {
	return row{
		name: "identity/" + name,
		make: func(s *sandbox) {
			s.git("[remote \"origin\"]\n\turl = " + strings.ReplaceAll(url, "HOME", s.home) + "\n")
		},
	}
}

// identityRows are folders that call themselves a project of Ann's.
func identityRows() []row {
	plain := claims("archive whose remote is that of a known project", payrollRemote)
	plain.asks, plain.short = true, true
	user := claims("remote with the known host behind a user name that ends the host", "http://evil.example?@git.example.com/acme/payroll")
	user.short = true
	rows := []row{plain, user,
		claims("remote with the known host behind a fragment", "http://evil.example#@git.example.com/acme/payroll"),
		claims("remote with the known host behind a backslash", `"http://evil.example\\@git.example.com/acme/payroll"`),
		claims("remote on another port of the known host", "https://git.example.com:8443/acme/payroll.git"),
		claims("remote by another scheme", "http://git.example.com/acme/payroll"),
		claims("remote that goes up a folder", "https://git.example.com/mallory/../acme/payroll.git"),
		claims("remote with letters written out", "https://git.example.com/%61cme/p%61yroll.git"),
		claims("remote behind a helper's name", "ext::https://git.example.com/acme/payroll.git"),
		claims("remote in the short form of ssh", "mallory@git.example.com:acme/payroll.git"),
		claims("remote that is the path of a known project", "HOME/src/payroll"),
		claims("remote that is a file URL of a known project", "file://HOME/src/payroll/.git"),
		claims("remote that is a relative path to a known project", "../payroll"),
		claims("remote that is a relative path without a folder", "../../src/payroll/.git"),
	}
	return append(rows, []row{{
		name: "identity/clone with a remote that somebody set to the known one", asks: true, clone: true,
		make:  func(s *sandbox) { s.write("README.md", "# Toolbox\n") },
		after: func(s *sandbox) { s.runGit(s.project, "remote", "set-url", "origin", payrollRemote) },
	}, {
		name: "identity/clone of a clone that claims the known remote",
		make: func(s *sandbox) {
			s.gitDir("inner/.git", "[remote \"origin\"]\n\turl = "+payrollRemote+"\n")
			s.git("[remote \"origin\"]\n\turl = ./inner\n")
		},
	}, {
		name: "identity/second remote of the configuration is the known one",
		make: func(s *sandbox) {
			s.git("[remote \"aaa\"]\n\turl = " + payrollRemote + "\n[remote \"upstream\"]\n\turl = https://git.example.org/m/x.git\n")
		},
	}, {
		name: "identity/.git file that leads to a known project", short: true,
		make: func(s *sandbox) {
			s.write(".git", "gitdir: "+filepath.Join(s.payroll(), ".git")+"\n")
		},
	}, {
		name: "identity/.git file that leads to a known project by a relative path",
		make: func(s *sandbox) { s.write(".git", "gitdir: ../payroll/.git\n") },
	}, {
		name: "identity/.git symlink that leads to a known project", short: true,
		make: func(s *sandbox) { s.link(".git", "../payroll/.git") },
	}, {
		name: "identity/commondir that leads to a known project",
		make: func(s *sandbox) {
			s.git("")
			s.write(".git/commondir", filepath.Join(s.payroll(), ".git")+"\n")
		},
	}, {
		name: "identity/commondir behind a .git file that leads to a known project",
		make: func(s *sandbox) {
			s.gitDir("store", "")
			s.write("store/commondir", "../../payroll/.git\n")
			s.write(".git", "gitdir: store\n")
		},
	}, {
		name: "identity/configuration that is a symlink to that of a known project",
		make: func(s *sandbox) {
			s.git("")
			s.must(os.Remove(s.path(".git/config")))
			s.link(".git/config", filepath.Join(s.payroll(), ".git", "config"))
		},
	}, {
		name: "identity/bare look-alike with the known remote",
		make: func(s *sandbox) {
			s.gitDir(".", "[remote \"origin\"]\n\turl = "+payrollRemote+"\n")
		},
	}, {
		name: "identity/sub-module with the known remote", dir: "sub", asks: true,
		make: func(s *sandbox) {
			s.git("[remote \"origin\"]\n\turl = https://git.example.org/mallory/toolbox.git\n[submodule \"sub\"]\n\turl = " + payrollRemote + "\n")
			s.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = "+payrollRemote+"\n")
			s.gitDir(".git/modules/sub", "\tworktree = ../../../sub\n[remote \"origin\"]\n\turl = "+payrollRemote+"\n")
			s.write("sub/.git", "gitdir: ../.git/modules/sub\n")
		},
	}, {
		name: "identity/committed bare look-alike with the known remote in a sub-folder", clone: true, dir: "lib",
		make: func(s *sandbox) {
			s.gitDir("lib", "[remote \"origin\"]\n\turl = "+payrollRemote+"\n")
			s.write("lib/refs/.keep", "")
			s.write("lib/objects/.keep", "")
			s.mkdir("lib/.orihon")
			s.write("lib/.orihon/memory/MEMORY.md", "# Notes\n")
		},
	}, {
		name: "identity/record of the registry that the folder brings",
		make: func(s *sandbox) {
			for id := range s.spaces {
				s.write(".orihon/projects/"+id+"/project.json", `{"id":"`+id+`","name":"x","keys":["dir:`+s.project+`"],"paths":["`+s.project+`"]}`)
			}
			s.write(".orihon/projects.json", `{"keys":{"dir:`+s.project+`":"0123456789ab"}}`)
		},
	}, {
		name: "identity/place of a forgotten project under another remote",
		before: func(s *sandbox) {
			// Ann worked here before; then the folder was replaced.
			s.git("[remote \"origin\"]\n\turl = https://git.example.com/ann/toolbox.git\n")
			if r := s.run(s.project, "", "remember", "The vault of the old toolbox opens with bittern5599"); r.code != 0 {
				s.t.Fatal(r.stderr)
			}
			s.settle()
			s.must(os.RemoveAll(s.project))
			s.must(os.MkdirAll(s.project, 0o700))
		},
		make: func(s *sandbox) {
			s.git("[remote \"origin\"]\n\turl = https://git.example.org/mallory/toolbox.git\n")
		},
		check: func(v *verdict) { v.notFound("what is private elsewhere stays out", v.inside, "bittern5599") },
	}}...)
}

// worktreeRows are folders that call themselves a worktree of Ann's project.
func worktreeRows() []row {
	return []row{{
		name: "worktree/name of a worktree that is registered elsewhere", short: true,
		before: func(s *sandbox) {
			s.at = s.payroll()
			s.gitDir(".git/worktrees/feature", "")
			s.must(os.Remove(s.path(".git/worktrees/feature/config")))
			s.write(".git/worktrees/feature/commondir", "../..\n")
			s.write(".git/worktrees/feature/gitdir", filepath.Join(s.home, "src", "feature", ".git")+"\n")
		},
		make: func(s *sandbox) {
			s.write(".git", "gitdir: "+filepath.Join(s.payroll(), ".git", "worktrees", "feature")+"\n")
		},
	}, {
		name: "worktree/name of a worktree that was never registered",
		make: func(s *sandbox) {
			s.write(".git", "gitdir: "+filepath.Join(s.payroll(), ".git", "worktrees", "ghost")+"\n")
		},
	}, {
		name: "worktree/own git folder that names the folder back and shares a known one",
		make: func(s *sandbox) {
			s.gitDir("store/worktrees/x", "")
			s.write("store/worktrees/x/commondir", filepath.Join(s.payroll(), ".git")+"\n")
			s.write("store/worktrees/x/gitdir", filepath.Join(s.project, ".git")+"\n")
			s.write(".git", "gitdir: store/worktrees/x\n")
		},
	}, {
		name: "worktree/own common folder that names the folder back and claims the known remote", asks: true,
		make: func(s *sandbox) {
			s.gitDir("store/.git", "[remote \"origin\"]\n\turl = "+payrollRemote+"\n")
			s.gitDir("store/.git/worktrees/x", "")
			s.write("store/.git/worktrees/x/commondir", "../..\n")
			s.write("store/.git/worktrees/x/gitdir", filepath.Join(s.project, ".git")+"\n")
			s.write(".git", "gitdir: store/.git/worktrees/x\n")
		},
	}, {
		name: "worktree/worktrees folder that is a symlink into the archive",
		make: func(s *sandbox) {
			// The way to the known common folder goes back through the archive.
			s.gitDir("store/.git/worktrees/x", "")
			s.write("store/.git/worktrees/x/commondir", "../../../../../payroll/.git\n")
			s.write("store/.git/worktrees/x/gitdir", "../../../../.git\n")
			s.link("wt", "store/.git/worktrees")
			s.write(".git", "gitdir: wt/x\n")
		},
	}}
}
