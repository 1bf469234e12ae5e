package config

import (
	"path/filepath"

	"orihon/window"
)

// Strategy is the one that builds contexts; empty is the default, which builds also
// where the program of another one is switched off, or is not there.
func (c *Config) Strategy() string {
	b := &c.ContextBuilder
	switch {
	case b.Strategy == "auto",
		b.Strategy == window.Custom && (b.Hook.Type != "script" || len(b.Hook.Command) == 0 || b.hookGone),
		b.Strategy == window.Plugin && b.PluginPath == "":
		return ""
	}
	return b.Strategy
}

// Building is what tunes the strategies, as package window takes it. Where programs
// run, and with which environment, is for the caller to say.
func (c *Config) Building() *window.Options {
	b, o, a := &c.ContextBuilder, &c.ContextBuilder.Options, &c.AutoSummarize
	out := &window.Options{
		WindowSize: o.WindowSize, CheckpointInterval: o.CheckpointInterval, CheckpointPrompt: o.CheckpointPrompt,
		RecentSize: o.RecentSize, SummaryMaxTokens: o.SummaryMaxTokens, UpdateInterval: o.UpdateInterval, SummaryStyle: o.SummaryStyle,
		FallbackInterval: o.FallbackInterval, NoQueryTool: !o.EnableQueryTool, OffloadTokens: o.OffloadTokens,
		Folding: window.FoldingOptions{
			Trigger: o.FoldAt, TriggerTokens: o.FoldAtTokens, KeepTurns: o.KeepTurns, Period: o.FoldEvery, Cooldown: o.Cooldown,
			Working: o.Working, ShortTerm: o.ShortTerm, LongTerm: o.LongTerm, Retrieved: o.Retrieved, Dynamic: o.Dynamic,
			ExpectedTurns: o.ExpectedTurns, CacheReadPrice: o.CacheReadPrice, CacheWrite: o.CacheWritePrice, NoRecall: !o.ImplicitRecall, RecallFrom: o.RecallFrom,
		},
		Plugin: window.PluginOptions{Path: b.PluginPath, Options: b.PluginOptions},
		AutoSummarize: window.AutoSummarize{
			Enabled: a.Enabled, IterationInterval: a.Trigger.IterationInterval, TokenThreshold: a.Trigger.TokenThreshold, Summarizer: a.Agent,
		},
		WorkingMemory: window.WorkingMemoryOptions{IdleTurns: o.IdleTurns, CompactAt: o.OverviewAt, Compact: *c.Compaction()},
	}
	if b.Hook.Type == "script" {
		out.Custom = window.CustomOptions{Command: b.Hook.Command, Timeout: b.Hook.Timeout}
	}
	if !builtIn(a.Agent) && filepath.IsAbs(a.Agent) {
		out.AutoSummarize.Options.Program.Command = []string{a.Agent}
	}
	return out
}

// Compaction is how lists of messages are compacted.
func (c *Config) Compaction() *window.CompactOptions {
	o := &c.ContextBuilder.Options
	return &window.CompactOptions{Threshold: o.CompactAt, Target: o.CompactTo, KeepTurns: o.CompactTurns, KeepCalls: o.CompactCalls}
}
