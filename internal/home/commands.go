package home

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/config"
	"orihon/internal/project"
)

// Command is a program that the settings have run.
type Command struct {
	Setting string   // such as "guard.hooks"
	Entry   string   // as it stands in the settings
	Event   string   // of guard.hooks
	Words   []string // the program and its arguments
	// Offered says that the project's file names it, not the person's own.
	Offered bool
	Line    int    // of the project's file, from 1
	Hash    string // of what would run, of one that is offered
	Text    string // what the person would accept: the command, and the files it names
	// Refused says why it cannot run; empty when it can.
	Refused string
}

// maxScript bounds a file that a command names, in bytes.
const maxScript = 1 << 20

// Commands are those of a setting: the person's own, and those of the project's
// file that the person has accepted with the files they name. A change of either
// asks again, also where the repository is trusted from now on.
func (h *Home) Commands(setting string) []Command {
	var out []Command
	for _, c := range h.commands(setting) {
		if c.Refused == "" && (!c.Offered || h.book.AcceptedItself(c.Hash)) {
			out = append(out, c)
		}
	}
	return out
}

// UnacceptedCommands are those that the project's file offers and the person has
// not accepted.
func (h *Home) UnacceptedCommands() []Command {
	var out []Command
	for _, setting := range [...]string{"guard.hooks", "guard.content_checks", "checkpoint.build", "checkpoint.tests", "checkpoint.coverage"} {
		for _, c := range h.commands(setting) {
			if c.Offered && !h.book.AcceptedItself(c.Hash) {
				out = append(out, c)
			}
		}
	}
	return out
}

func (h *Home) commands(setting string) []Command {
	var out []Command
	for _, entry := range h.own(setting) {
		out = append(out, parseCommand(setting, entry))
	}
	for _, o := range h.Config.Offered(setting) {
		out = append(out, h.offered(o))
	}
	return out
}

// own are the entries of the person's own settings.
func (h *Home) own(setting string) []string {
	switch c := h.Config; setting {
	case "guard.hooks":
		return c.Guard.Hooks
	case "guard.content_checks":
		return c.Guard.ContentChecks
	case "checkpoint.build":
		return c.Checkpoint.Build
	case "checkpoint.tests":
		return c.Checkpoint.Tests
	case "checkpoint.coverage":
		return c.Checkpoint.Coverage
	}
	return nil
}

func parseCommand(setting, entry string) Command {
	c := Command{Setting: setting, Entry: entry, Words: strings.Fields(entry)}
	if setting == "guard.hooks" && len(c.Words) > 0 {
		c.Event, c.Words = c.Words[0], c.Words[1:]
	}
	return c
}

// offered reads the files that a command of the project names: they are what the
// person accepts.
func (h *Home) offered(o config.Offer) Command {
	c := parseCommand(o.Key, o.Text)
	c.Offered, c.Line = true, o.Line
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", c.Setting, c.Entry)
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00", c.Setting, c.Entry)
	root, err := os.OpenRoot(h.Project.Root)
	if err != nil {
		c.Refused = "the project's folder cannot be read"
		return c
	}
	defer root.Close()
	named := 0
	for _, w := range c.Words {
		name := filepath.Clean(filepath.FromSlash(w))
		if !filepath.IsLocal(name) {
			continue
		}
		info, err := root.Lstat(name)
		if err != nil || info.IsDir() {
			continue
		}
		if !info.Mode().IsRegular() || info.Size() > maxScript {
			c.Refused = w + " is no regular file of at most 1 MiB"
			return c
		}
		script, err := root.ReadFile(name)
		if err != nil {
			c.Refused = w + " cannot be read"
			return c
		}
		named++
		fmt.Fprintf(sum, "%s\x00%x\x00", w, sha256.Sum256(script))
		fmt.Fprintf(&text, "%s:\n%s\n", w, script)
	}
	if named == 0 {
		c.Refused = "it names no file of the project, so that nothing shows what would run: name the script"
	}
	c.Hash, c.Text = hex.EncodeToString(sum.Sum(nil)), text.String()
	return c
}

// Program is the path of the program that a command runs: a file of the project,
// or one found outside of it.
func (h *Home) Program(c *Command) (string, error) {
	if name := filepath.Clean(filepath.FromSlash(c.Words[0])); strings.ContainsAny(c.Words[0], `/\`) && filepath.IsLocal(name) {
		return filepath.Join(h.Project.Root, name), nil
	} else if filepath.IsAbs(name) && !c.Offered {
		return name, nil
	}
	return project.Program(c.Words[0], h.Project.Root)
}
