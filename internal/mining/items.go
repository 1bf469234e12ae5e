package mining

import (
	"path"
	"slices"
	"strings"

	"orihon/internal/activity"
)

// Of a call several things can be said that another may share with it: the program
// and what it is to do, the file, its folder and its ending. Each is a kind of step.
//
//	run:git commit   run:make dictionary   edit:docs/STATUS.md   edit:*.proto   read:design/specs/*

// steps are the kinds of step that an observation is one of, the closest first; line is
// its command.
func steps(o *Observation, line *activity.Line) []string {
	switch {
	case o.Input.Command != "":
		return commandSteps(line)
	case o.Input.File != "":
		verb := "edit:"
		if o.Input.Reads {
			verb = "read:"
		}
		return fileSteps(verb, o.Input.File)
	}
	return []string{"use:" + o.Tool}
}

func fileSteps(verb, file string) []string {
	out := []string{verb + file}
	dir, ext := path.Dir(file), path.Ext(file)
	if _, second, ok := strings.Cut(strings.TrimPrefix(path.Base(file), "."), "."); ok && strings.Contains(second, ".") {
		ext = "." + second // handler.up.sql, button.test.ts
	}
	if dir != "." {
		out = append(out, verb+dir+"/*"+ext)
	}
	if base := strings.TrimSuffix(path.Base(file), ext); strings.ContainsAny(base, "_-") && ext != "" {
		at := strings.LastIndexAny(base, "_-")
		out = append(out, verb+"*"+base[at:]+ext) // *_test.go
	}
	if ext != "" {
		out = append(out, verb+"*"+ext)
	}
	return out
}

// commandSteps are the commands of a line, each with what it is to do.
func commandSteps(line *activity.Line) []string {
	var out []string
	for i := range line.Commands {
		c := &line.Commands[i]
		if c.Program == "" || slices.Contains(passed, c.Program) {
			continue
		}
		for _, s := range commandStep(c.Program, c.Words) {
			if s = "run:" + s; !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// passed are programs that say nothing about what a line is for.
var passed = []string{"cd", "echo", "true", "false", "sleep", "tail", "head", "wc", "sort", "uniq", "tee", "export", "set", "printf", "pushd", "popd", "xargs", "test", "["}

// runners run what is named behind them.
var runners = []string{"npm", "pnpm", "yarn", "bun", "npx", "uv", "poetry", "make", "just", "task", "mise", "docker", "kubectl", "go", "cargo", "git", "gh", "bundle", "rails", "php", "dotnet", "mix", "python", "python3", "node", "deno", "terraform", "helm", "gradle", "gradlew", "mvn"}

func commandStep(program string, words []string) []string {
	name := []string{program}
	var flags []string
	most := 2
	if slices.Contains(runners, program) {
		most = 3
	}
	for _, w := range words[min(1, len(words)):] {
		switch {
		case strings.HasPrefix(w, "-"):
			if f, _, _ := strings.Cut(w, "="); len(f) > 2 && len(f) < 24 {
				flags = append(flags, f)
			}
		case len(name) < most && named(w) && !strings.Contains(w, "="):
			name = append(name, w)
		default:
			most = 0
		}
	}
	out := []string{strings.Join(name, " ")}
	for _, f := range flags {
		if strings.HasPrefix(f, "--") {
			out = append(out, name[0]+subOf(name)+" "+f)
		}
	}
	if len(name) > 2 {
		out = append(out, strings.Join(name[:2], " "))
	}
	return out
}

func subOf(name []string) string {
	if len(name) > 1 {
		return " " + name[1]
	}
	return ""
}

// named is a word that names what to do rather than a number or a text.
func named(w string) bool {
	return len(w) < 40 && w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-./@") == "" && strings.Trim(w, "0123456789.-/") != ""
}
