package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// words cuts a command line as a shell does, as far as the pages need it. What
// stands behind a comment, a pipe or a redirection is left out.
func words(line string) []string {
	quoted := regexp.MustCompile(`"[^"]*"|'[^']*'`)
	line = quoted.ReplaceAllString(line, "TEXT")
	line, _, _ = strings.Cut(line, " #")
	line = regexp.MustCompile(`[;|<>]`).Split(line, 2)[0]
	return strings.Fields(line)
}

// TestCommandsOfThePagesExist holds every command line that a page shows to the
// commands and flags there are. What comes of it is not looked at.
func TestCommandsOfThePagesExist(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	pages = append(pages, guides(t)...)
	shown := regexp.MustCompile("(?m)(?:^\\$ |`|&& )(orihon [^`\n]+)")
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			line := words(m[1])[1:]
			if len(line) == 0 || line[0] == strings.ToUpper(line[0]) { // "orihon COMMAND"
				continue
			}
			found++
			if line[0] == "work" || line[0] == "hook" || line[0] == pluginVerb {
				continue // run by the program and its client
			}
			if err := known(line); err != nil {
				t.Errorf("%s: %s: %v", page, m[1], err)
			}
		}
		if found == 0 && (strings.HasSuffix(page, "GUIDE.md") || strings.HasSuffix(page, "README.md")) {
			t.Errorf("%s shows no command", page)
		}
	}
}

// known reports what of a command line does not exist.
func known(line []string) error {
	a := &app{in: strings.NewReader(""), out: io.Discard, errs: io.Discard, env: func(string) (string, bool) { return "", false }}
	root := a.root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	// Arguments that stand for several words, and choices, are no flags.
	var plain []string
	open := false
	for _, word := range line {
		switch word = strings.Trim(word, "[](),."); {
		case word == "…":
			open = true
		case word == "":
		case word == strings.ToUpper(word):
			plain = append(plain, "1") // a name for any value
		case strings.Contains(word, "|") && strings.HasPrefix(word, "-"):
			plain = append(plain, word[:strings.IndexByte(word, '|')])
		default:
			plain = append(plain, word)
		}
	}
	cmd, rest, err := root.Find(plain)
	if err != nil {
		return err
	}
	if cmd.HasSubCommands() {
		if open {
			return nil // any of them
		}
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return fmt.Errorf("%s has no command %q", cmd.CommandPath(), rest[0])
		}
	}
	cmd.InitDefaultHelpFlag()
	for i, word := range rest {
		// A flag whose value the page leaves out.
		if strings.HasPrefix(word, "--") && !strings.Contains(word, "=") {
			if f := cmd.Flag(word[2:]); f != nil && f.NoOptDefVal == "" && i == len(rest)-1 {
				rest = append(rest, "1")
			}
		}
	}
	return cmd.ParseFlags(rest)
}

func guides(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/guides/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	return pages
}

// TestCommandsOfTheGuidesRun runs each guide from top to bottom in a folder and a
// home of its own: a fence with a file's name is that file, a fence of sh is run,
// line by line.
func TestCommandsOfTheGuidesRun(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("SKIPPED: no shell here:", err)
	}
	fence := regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")
	for _, page := range guides(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		dir, home, ran := t.TempDir(), t.TempDir(), 0
		for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
			if m[2] != "" {
				if err := os.WriteFile(filepath.Join(dir, m[2]), []byte(m[3]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if m[1] != "sh" {
				continue
			}
			for line := range strings.Lines(m[3]) {
				ran++
				cmd := exec.CommandContext(t.Context(), sh, "-c", line)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "RUNNING="+filepath.Join(home, "running"), "ORIHON_HOOKS_DETACH=false")
				if out, err := cmd.CombinedOutput(); err != nil && strings.Contains(line, ".py") {
					if _, missing := exec.LookPath("python3"); missing != nil {
						t.Log("SKIPPED:", line)
						continue
					}
					t.Errorf("%s: %s%v\n%s", page, line, err, out)
				} else if err != nil {
					t.Errorf("%s: %s%v\n%s", page, line, err, out)
				}
			}
		}
		if ran == 0 {
			t.Errorf("%s shows no command", page)
		}
	}
}
