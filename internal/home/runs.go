package home

import (
	"strings"

	"orihon/internal/project"
	"orihon/runs"
	"orihon/window"
)

// Runs opens runs: sessions of this project, transcripts and journals.
func (h *Home) Runs() *runs.Runs {
	return runs.New(&runs.Options{
		Sessions: h.Project.Sessions(), Folder: func(id string) string { return h.Project.Session(h.CleanID(id)) },
		Strategy: h.Config.Strategy(), Build: h.contextOptions(), Language: h.Config.Language, HookChars: h.Config.Recall.HookChars,
		RedactOff: h.Config.Redact.Off, Now: h.Now, Logger: h.Log,
	})
}

// contextOptions are the settings of contexts as package window takes them.
func (h *Home) contextOptions() *window.Options {
	out := h.Config.Building()
	out.Custom.Command = h.hookCommand(out.Custom.Command)
	out.Custom.AgentHome, out.Custom.Env = h.Project.Home, h.programEnv()
	summarizer := &out.AutoSummarize.Options.Program
	summarizer.AgentHome, summarizer.Env = h.Project.Home, h.programEnv()
	out.Plugin.Host, out.WorkingMemory.Compact.Now, out.Logger = h.pluginHost, h.Now, h.Log
	return out
}

// Compaction is how the settings want lists of messages to be compacted.
func (h *Home) Compaction() *window.CompactOptions {
	o := h.Config.Compaction()
	o.Now = h.Now
	return o
}

// hookCommand finds the program of a command on the PATH outside of the project, as
// everything that is started is. What is not found is told when it is started.
func (h *Home) hookCommand(command []string) []string {
	if len(command) == 0 || strings.ContainsAny(command[0], `/\`) {
		return command
	}
	found, err := project.Program(command[0], h.Project.Root)
	if err != nil {
		return command
	}
	return append([]string{found}, command[1:]...)
}

// programEnv is the environment of a program, with that PATH.
func (h *Home) programEnv() []string { return project.Env(h.Project.Root) }
