package home

import (
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/project"
	"orihon/internal/trust"
)

// Command is a program that the settings have run.
type Command struct {
	Entry string   // as it stands in the settings
	Event string   // of guard.hooks
	Words []string // the program and its arguments
	// File and Line are where a repository chooses: the project's file, or for one of
	// the person's own the first file of the project that it names, and line 0.
	File string
	Line int
	// Hash is of what would run, where that is a repository's choice: the
	// project's file names it, or it is a file of the project. Text is the same for
	// the person to read.
	Hash, Text string
	// Refused says why it cannot run; empty when it can.
	Refused string
}

// Commands are those of a setting that may run: the person's own, and what is a
// repository's choice once the person has accepted it by content. A change asks
// again, also where the repository is trusted from now on.
func (h *Home) Commands(setting string) []Command {
	return slices.DeleteFunc(h.commands(setting), func(c Command) bool {
		return c.Refused != "" || c.Hash != "" && !h.book.AcceptedItself(c.Hash)
	})
}

// UnacceptedCommands are those that are a repository's choice and that the person
// has not accepted.
func (h *Home) UnacceptedCommands() []Command {
	return slices.DeleteFunc(h.allCommands(), func(c Command) bool {
		return c.Hash == "" && (c.Refused == "" || c.Line == 0) || h.book.AcceptedItself(c.Hash) || h.book.Rejected(c.Hash)
	})
}

// AcceptedCommands are those that are a repository's choice and that the person accepted.
func (h *Home) AcceptedCommands() []Command {
	return slices.DeleteFunc(h.allCommands(), func(c Command) bool { return c.Hash == "" || !h.book.AcceptedItself(c.Hash) })
}

func (h *Home) allCommands() []Command {
	return slices.Concat(h.commands("guard.hooks"), h.commands("guard.content_checks"),
		h.commands("checkpoint.build"), h.commands("checkpoint.tests"), h.commands("checkpoint.coverage"))
}

func (h *Home) commands(setting string) []Command {
	var out []Command
	for _, entry := range h.own(setting) {
		out = append(out, h.command(setting, entry, 0))
	}
	for _, o := range h.Config.Offered(setting) {
		out = append(out, h.command(setting, o.Text, o.Line))
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

// command reads an entry of a setting and the files that it names.
func (h *Home) command(setting, entry string, line int) Command {
	c := Command{Entry: entry, File: h.Project.Config(), Line: line, Words: strings.Fields(entry)}
	if setting == "guard.hooks" && len(c.Words) > 0 {
		c.Event, c.Words = c.Words[0], c.Words[1:]
	}
	if len(c.Words) == 0 {
		c.Refused = "it names no program"
		return c
	}
	n, err := trust.ReadNamed(h.Project.Root, setting+": "+entry, c.Words)
	if err != nil {
		c.Text, c.Refused = setting+": "+entry, err.Error()
		return c
	}
	if len(n.Files) > 0 || line > 0 {
		c.Hash, c.Text = n.Hash, n.Text
	}
	if line == 0 && len(n.Files) > 0 {
		c.File = filepath.Join(h.Project.Root, n.Files[0])
	}
	c.Words[0] = n.Words[0]
	switch path := filepath.IsAbs(c.Words[0]); {
	case line > 0 && len(n.Files) == 0:
		c.Refused = "it names no file of the project, so that nothing shows what would run: name the script"
	case line > 0 && path && !project.Within(h.Project.Root, c.Words[0]), !path && strings.ContainsAny(c.Words[0], `/\`):
		c.Refused = c.Words[0] + " is no file of the project"
	}
	return c
}

// Program is the path of the program that a command runs: a file, or what the name
// finds outside of the project.
func (h *Home) Program(c *Command) (string, error) {
	if filepath.IsAbs(c.Words[0]) {
		return c.Words[0], nil
	}
	return project.Program(c.Words[0], h.Project.Root)
}
