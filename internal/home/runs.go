package home

import (
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/project"
	"orihon/runs"
	"orihon/window"
)

// Runs opens runs: sessions of this project, transcripts and journals.
func (h *Home) Runs() *runs.Runs {
	return runs.New(&runs.Options{
		Sessions: h.Project.Sessions(), Folder: func(id string) string { return h.Project.Session(h.CleanID(id)) },
		Strategy: h.strategy(), Build: h.contextOptions(), Language: h.Config.Language, HookChars: h.Config.Recall.HookChars,
		RedactOff: h.Config.Redact.Off, Now: h.Now, Logger: h.Log,
	})
}

// strategy is the one that the settings name; the default where its program is switched
// off, or was left out of the settings.
func (h *Home) strategy() string {
	b := &h.Config.ContextBuilder
	switch {
	case b.Strategy == window.Custom && (b.Hook.Type != "script" || len(b.Hook.Command) == 0),
		b.Strategy == window.Plugin && b.PluginPath == "":
		return ""
	}
	return b.Strategy
}

// contextOptions are the settings of contexts as package window takes them.
func (h *Home) contextOptions() *window.Options {
	b, o := &h.Config.ContextBuilder, &h.Config.ContextBuilder.Options
	out := &window.Options{
		WindowSize: o.WindowSize, CheckpointInterval: o.CheckpointInterval, CheckpointPrompt: o.CheckpointPrompt,
		RecentSize: o.RecentSize, SummaryMaxTokens: o.SummaryMaxTokens, UpdateInterval: o.UpdateInterval, SummaryStyle: o.SummaryStyle,
		FallbackInterval: o.FallbackInterval, NoQueryTool: !o.EnableQueryTool, OffloadTokens: o.OffloadTokens,
		Folding: window.FoldingOptions{
			Trigger: o.FoldAt, TriggerTokens: o.FoldAtTokens, KeepTurns: o.KeepTurns, Period: o.FoldEvery, Cooldown: o.Cooldown,
			Working: o.Working, ShortTerm: o.ShortTerm, LongTerm: o.LongTerm, Retrieved: o.Retrieved, Dynamic: o.Dynamic,
			ExpectedTurns: o.ExpectedTurns, CacheReadPrice: o.CacheReadPrice, CacheWrite: o.CacheWritePrice, NoRecall: !o.ImplicitRecall, RecallFrom: o.RecallFrom,
		},
		Plugin:        window.PluginOptions{Path: b.PluginPath, Options: b.PluginOptions, Host: h.pluginHost},
		AutoSummarize: h.autoSummarize(),
		WorkingMemory: window.WorkingMemoryOptions{IdleTurns: o.IdleTurns, CompactAt: o.OverviewAt, Compact: *h.Compaction()},
		Logger:        h.Log,
	}
	if b.Hook.Type == "script" {
		out.Custom = window.CustomOptions{Command: h.hookCommand(b.Hook.Command), AgentHome: h.Project.Home, Env: h.programEnv(), Timeout: b.Hook.Timeout}
	}
	return out
}

// Compaction is how the settings want lists of messages to be compacted.
func (h *Home) Compaction() *window.CompactOptions {
	o := &h.Config.ContextBuilder.Options
	return &window.CompactOptions{Threshold: o.CompactAt, Target: o.CompactTo, KeepTurns: o.CompactTurns, KeepCalls: o.CompactCalls, Now: h.Now}
}

func (h *Home) autoSummarize() window.AutoSummarize {
	a := &h.Config.AutoSummarize
	out := window.AutoSummarize{
		Enabled: a.Enabled, IterationInterval: a.Trigger.IterationInterval, TokenThreshold: a.Trigger.TokenThreshold, Summarizer: a.Agent,
	}
	if !slices.Contains(window.Summarizers(), a.Agent) && filepath.IsAbs(a.Agent) {
		out.Options.Program = window.CustomOptions{Command: []string{a.Agent}, AgentHome: h.Project.Home, Env: h.programEnv()}
	}
	return out
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
