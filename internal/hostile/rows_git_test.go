package hostile

import (
	"os"
	"path/filepath"
	"strings"
)

// commandConfig names a program in every setting by which git runs one.
func commandConfig(program string) string {
	return strings.ReplaceAll(`
[core]
	sshCommand = PROGRAM
	fsmonitor = PROGRAM
	pager = PROGRAM
	editor = PROGRAM
	askPass = PROGRAM
	gitProxy = PROGRAM
	alternateRefsCommand = PROGRAM
	attributesFile = .attributes
[pager]
	log = PROGRAM
	ls-files = PROGRAM
[gpg]
	program = PROGRAM
[gpg "ssh"]
	program = PROGRAM
[log]
	showSignature = true
[diff]
	external = PROGRAM
[diff "evil"]
	textconv = PROGRAM
	command = PROGRAM
[filter "evil"]
	clean = PROGRAM
	smudge = PROGRAM
	process = PROGRAM
	required = true
[credential]
	helper = !PROGRAM
[alias]
	log = !PROGRAM
	ls-files = !PROGRAM
[sequence]
	editor = PROGRAM
[uploadpack]
	packObjectsHook = PROGRAM
[trailer "evil"]
	command = PROGRAM
	cmd = PROGRAM
[interactive]
	diffFilter = PROGRAM
`, "PROGRAM", program)
}

// fetchConfig makes every missing object be fetched from a remote.
func fetchConfig(url string) string {
	return "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = " + url + "\n\tpromisor = true\n\tpartialclonefilter = blob:none\n"
}

// formatOne is needed for extensions to count.
const formatOne = "[core]\n\trepositoryformatversion = 1\n"

// dropObject removes one object that git log needs: the commit before the last.
func (s *sandbox) dropObject(gitDir string) {
	s.t.Helper()
	s.runGit(filepath.Dir(gitDir), "--git-dir="+gitDir, "-c", "user.name=M", "-c", "user.email=m@example.org", "commit", "-q", "--allow-empty", "-m", "Second")
	id := s.runGit(filepath.Dir(gitDir), "--git-dir="+gitDir, "rev-parse", "HEAD^")
	s.must(os.RemoveAll(filepath.Join(gitDir, "objects", id[:2], id[2:])))
}

// bareLookalike commits a bare repository as ordinary files, with .orihon in
// it, so that it is a project of its own.
func (s *sandbox) bareLookalike(name, config string, missing bool) {
	s.t.Helper()
	outer := s.at
	dir := s.path(filepath.Join(name, "HEAD"))
	dir = filepath.Dir(dir)
	s.at = dir
	s.commit(dir)
	if missing {
		s.dropObject(filepath.Join(dir, ".git"))
	}
	for _, part := range []string{"HEAD", "config", "objects", "refs", "index"} {
		s.must(rename(filepath.Join(dir, ".git", part), filepath.Join(dir, part)))
	}
	s.must(os.RemoveAll(filepath.Join(dir, ".git")))
	text := s.read("config")
	s.write("config", strings.Replace(text, "bare = false", "bare = false\n\tworktree = .", 1)+config)
	s.mkdir("refs/heads")
	s.write("refs/.keep", "") // git carries no empty folder
	s.write("objects/.keep", "")
	s.write(".orihon/memory/MEMORY.md", "# Notes\n\n- "+baitText+"\n")
	s.at = outer
}

func gitRows() []row {
	evil := func(s *sandbox) string { return s.evil("tools/evil") }
	return []row{{
		name: "git/archive whose config names a program everywhere", short: true,
		make: func(s *sandbox) {
			p := evil(s)
			s.write(".gitattributes", "* filter=evil diff=evil\n")
			s.write("main.go", "package main\n")
			s.realGit(commandConfig(p))
			s.write("main.go", "package main // changed\n")
		},
	}, {
		name: "git/archive whose config names a program by a relative path",
		make: func(s *sandbox) {
			evil(s)
			s.write("main.go", "package main\n")
			s.realGit(commandConfig("./tools/evil"))
		},
	}, {
		name: "git/archive whose hooks are programs",
		make: func(s *sandbox) {
			s.write("main.go", "package main\n")
			s.realGit("")
			for _, hook := range []string{"post-index-change", "post-checkout", "pre-auto-gc", "reference-transaction", "post-commit", "pre-commit", "fsmonitor-watchman", "query-watchman"} {
				s.evil(".git/hooks/" + hook)
			}
		},
	}, {
		name: "git/archive whose missing commit is fetched over ssh", short: true,
		make: func(s *sandbox) {
			p := evil(s)
			s.write("main.go", "package main\n")
			s.commit(s.at)
			s.dropObject(filepath.Join(s.at, ".git"))
			s.appendTo(".git/config", formatOne+fetchConfig("ssh://git@evil.example/x.git")+"[core]\n\tsshCommand = "+p+"\n")
		},
	}, {
		name: "git/archive whose missing commit is fetched by a helper program",
		make: func(s *sandbox) {
			p := evil(s)
			s.write("main.go", "package main\n")
			s.commit(s.at)
			s.dropObject(filepath.Join(s.at, ".git"))
			s.appendTo(".git/config", formatOne+fetchConfig("ext::"+p+" x")+"[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n")
		},
	}, {
		name: "git/archive whose missing commit is fetched by another upload-pack",
		make: func(s *sandbox) {
			p := evil(s)
			s.write("main.go", "package main\n")
			s.commit(s.at)
			s.dropObject(filepath.Join(s.at, ".git"))
			s.appendTo(".git/config", formatOne+fetchConfig("file:///nowhere")+"\tuploadpack = "+p+"\n")
		},
	}, {
		name: "git/archive whose remote is served by a helper of its own name",
		make: func(s *sandbox) {
			s.write("main.go", "package main\n")
			s.commit(s.at)
			s.dropObject(filepath.Join(s.at, ".git"))
			s.appendTo(".git/config", formatOne+fetchConfig("evil::x")+"[protocol]\n\tallow = always\n")
		},
	}, {
		name: "git/committed bare look-alike in a sub-folder", short: true, clone: true, dir: "vendor/lib",
		make: func(s *sandbox) {
			p := s.program(s.outside("evil"))
			s.bareLookalike("vendor/lib", formatOne+fetchConfig("ssh://git@evil.example/x.git")+"[core]\n\tsshCommand = "+p+"\n\tfsmonitor = "+p+"\n", true)
		},
	}, {
		name: "git/bare look-alike in a sub-folder of an archive", dir: "vendor/lib",
		make: func(s *sandbox) {
			p := evil(s)
			s.bareLookalike("vendor/lib", formatOne+fetchConfig("ssh://git@evil.example/x.git")+"[core]\n\tsshCommand = "+p+"\n\tfsmonitor = "+p+"\n", true)
		},
	}, {
		name: "git/bare look-alike that is the folder itself",
		make: func(s *sandbox) {
			p := s.program(s.outside("evil"))
			s.bareLookalike(".", formatOne+fetchConfig("ssh://git@evil.example/x.git")+commandConfig(p), true)
		},
	}, {
		name: "git/config that includes another file",
		make: func(s *sandbox) {
			p := evil(s)
			s.write("main.go", "package main\n")
			s.write("more.config", commandConfig(p))
			s.realGit("[include]\n\tpath = ../more.config\n[includeIf \"gitdir:**\"]\n\tpath = ../more.config\n")
		},
	}, {
		name: "git/configuration of the worktree names a program",
		make: func(s *sandbox) {
			p := evil(s)
			s.write("main.go", "package main\n")
			s.realGit(formatOne + "[extensions]\n\tworktreeConfig = true\n")
			s.write(".git/config.worktree", commandConfig(p))
		},
	}, {
		name: "git/.git file that leads to a repository with programs", dir: "work",
		make: func(s *sandbox) {
			p := evil(s)
			s.write("store/main.go", "package main\n")
			s.at = filepath.Join(s.project, "store")
			s.realGit(commandConfig(p))
			s.at = s.project
			s.write("work/.git", "gitdir: ../store/.git\n")
			s.write("work/.orihon/memory/MEMORY.md", "# Notes\n")
		},
	}, {
		name: "git/sub-module whose config names programs", dir: "sub",
		make: func(s *sandbox) {
			p := evil(s)
			s.write("sub/main.go", "package main\n")
			s.at = filepath.Join(s.project, "sub")
			s.realGit(commandConfig(p))
			s.at = s.project
			s.git("")
			s.must(rename(s.path("sub/.git"), s.path(".git/modules/sub")))
			s.write("sub/.git", "gitdir: ../.git/modules/sub\n")
		},
	}, {
		name: "git/mailmap, attributes and ignore file are pipes",
		make: func(s *sandbox) {
			s.write("main.go", "package main\n")
			s.realGit("[core]\n\texcludesFile = pipe\n\tattributesFile = pipe\n[mailmap]\n\tfile = pipe\n")
			for _, name := range []string{".mailmap", ".gitattributes", ".gitignore", "pipe", ".git/info/exclude-pipe"} {
				s.pipe(name)
			}
		},
	}, {
		name: "git/HEAD, config and refs are pipes", short: true,
		make: func(s *sandbox) {
			s.mkdir(".git/objects")
			for _, name := range []string{".git/HEAD", ".git/config", ".git/refs", ".git/packed-refs", ".git/commondir", ".git/orihon-local"} {
				s.pipe(name)
			}
		},
	}, {
		name: "git/.git is a pipe",
		make: func(s *sandbox) {
			s.pipe(".git")
			s.write(".orihon/memory/MEMORY.md", "# Notes\n")
		},
	}, {
		name: "git/archive whose last commit is signed",
		make: func(s *sandbox) {
			p := evil(s)
			s.write("main.go", "package main\n")
			s.realGit(commandConfig(p))
			tree := s.runGit(s.at, "-c", "alias.log=", "-c", "core.fsmonitor=false", "rev-parse", "HEAD^{tree}")
			s.write("commit.txt", "tree "+tree+"\nauthor M <m@example.org> 1793520000 +0000\ncommitter M <m@example.org> 1793520000 +0000\n"+
				"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----\n\nSigned\n")
			id := s.runGit(s.at, "hash-object", "-t", "commit", "-w", "commit.txt")
			s.write(".git/refs/heads/main", id+"\n")
			s.must(os.RemoveAll(s.canary))
			s.mkdir(s.canary)
		},
	}, {
		name: "git/branch and file names that are options of git", clone: true,
		make: func(s *sandbox) {
			s.write("--upload-pack=evil", "x\n")
			s.write("--output=pwned", "x\n")
			s.write("-c", "x\n")
			s.write(".orihon/memory/shared/--exec=x.md", atom())
		},
	}}
}
