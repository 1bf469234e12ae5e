// Package config holds every setting of Orihon with its default, its bounds and
// its documentation, and reads them from their layers: defaults, the user's
// config.yaml, the project's config.yaml, the environment, flags; later layers
// win.
//
// It does not decide where the files are, and it never stops anything: [Load]
// always gives a complete configuration, and names what it left out. The
// project's file may have been written by somebody else, so that it cannot
// widen what is read, kept or sent.
//
// Start with [Config], which is the list of settings, then [Load].
package config

import (
	"slices"
	"time"

	"orihon/memory"
)

// Config is every setting. The tags carry what the documentation, the checks
// and the JSON schema are made of: doc, range ("least..most"), enum, and
// project, which limits what a project's file may do: "no" nothing, "lower" and
// "raise" only that, "add" entries to those of the layers below, "offer" commands
// and "program" one that run once the person has accepted them by content.
type Config struct {
	Language string   `yaml:"language" enum:"auto,en,zh-Hant,zh-Hans" project:"any"`
	User     string   `yaml:"user" check:"name" project:"no"`
	Roles    []string `yaml:"roles" check:"name" project:"no"`
	Local    bool     `yaml:"local" project:"no"`

	Project        Project        `yaml:"project"`
	Recall         Recall         `yaml:"recall"`
	Embedder       Embedder       `yaml:"embedder"`
	Capture        Capture        `yaml:"capture"`
	Extract        Extract        `yaml:"extract"`
	ContextBuilder ContextBuilder `yaml:"context_builder"`
	AutoSummarize  AutoSummarize  `yaml:"auto_summarize"`
	Memory         Memory         `yaml:"memory"`
	MemoryIndex    MemoryIndex    `yaml:"memory_index"`
	RAG            RAG            `yaml:"rag"`
	Redact         Redact         `yaml:"redact"`
	Spend          Spend          `yaml:"spend"`
	Hooks          Hooks          `yaml:"hooks"`
	Session        Session        `yaml:"session"`
	Guard          Guard          `yaml:"guard"`
	Checkpoint     Checkpoint     `yaml:"checkpoint"`
	Sync           Sync           `yaml:"sync"`
	Decay          Decay          `yaml:"decay"`
	Log            Log            `yaml:"log"`

	// Models are the language models to ask, the one to ask first, first. They
	// are no setting: only the user's own file has them.
	Models []Model

	origin   map[string]string  // key → where its value was set; absent means default
	offered  map[string][]Offer // key → what the project's file offers
	programs []Program          // that the project's file names
}

// Asks reports whether there is a language model that may be asked.
func (c *Config) Asks() bool {
	return c.Spend.Enabled && slices.ContainsFunc(c.Models, func(m Model) bool { return m.Enabled })
}

// Project is which folders are believed to be what they say.
type Project struct {
	TrustRemotes []string `yaml:"trust_remotes" check:"remote" project:"no"`
}

// Recall is what comes back, and how much of it.
type Recall struct {
	Threshold     float64  `yaml:"threshold" range:"0..1" project:"raise"`
	ThresholdMin  float64  `yaml:"threshold_min" range:"0..1" project:"raise"`
	Adaptive      bool     `yaml:"adaptive" project:"no"`
	MaxTokens     int      `yaml:"max_tokens" range:"0..100000" project:"lower"`
	BudgetShort   int      `yaml:"budget_short" range:"0..100000" project:"lower"`
	BudgetMedium  int      `yaml:"budget_medium" range:"0..100000" project:"lower"`
	BudgetLong    int      `yaml:"budget_long" range:"0..100000" project:"lower"`
	HookChars     int      `yaml:"hook_chars" range:"0..10000" project:"lower"`
	StartTokens   int      `yaml:"start_tokens" range:"0..10000" project:"lower"`
	HeardTokens   int      `yaml:"heard_tokens" range:"0..10000" project:"lower"`
	SessionTokens int      `yaml:"session_tokens" range:"0..1000000" project:"lower"`
	Candidates    int      `yaml:"candidates" range:"1..10000" project:"lower"`
	MaxTerms      int      `yaml:"max_terms" range:"1..100" project:"no"`
	CommonShare   float64  `yaml:"common_share" range:"0.01..1" project:"no"`
	Turns         string   `yaml:"turns" enum:"auto,always,never" project:"no"`
	BlindSpot     bool     `yaml:"blind_spot" project:"lower"`
	Action        bool     `yaml:"action" project:"lower"`
	RecencyWeight float64  `yaml:"recency_weight" range:"0..1" project:"any"`
	AccessWeight  float64  `yaml:"access_weight" range:"0..1" project:"any"`
	Fusion        string   `yaml:"fusion" enum:"weighted,rrf" project:"any"`
	Without       []string `yaml:"without" project:"no"`
	ShowSources   bool     `yaml:"show_sources" project:"no"`
}

// Embedder is what finds passages by meaning. A project's file sets none of it:
// prompts would go where its author wants.
type Embedder struct {
	Provider       string        `yaml:"provider" enum:"builtin,static,ollama,openai" project:"no"`
	Model          string        `yaml:"model" project:"no"`
	URL            string        `yaml:"url" check:"url" project:"no"`
	Dimensions     int           `yaml:"dimensions" range:"0..65536" project:"no"`
	KeyEnv         string        `yaml:"key_env" check:"env" project:"no"`
	Timeout        time.Duration `yaml:"timeout" range:"50ms..1m" project:"no"`
	BatchTimeout   time.Duration `yaml:"batch_timeout" range:"1s..1h" project:"no"`
	Batch          int           `yaml:"batch" range:"1..2048" project:"no"`
	QueryPrefix    string        `yaml:"query_prefix" check:"raw" project:"no"`
	DocumentPrefix string        `yaml:"document_prefix" check:"raw" project:"no"`
}

// Capture is what is kept of a session.
type Capture struct {
	Enabled     bool   `yaml:"enabled" project:"lower"`
	Explicit    bool   `yaml:"explicit" project:"lower"`
	Episodes    bool   `yaml:"episodes" project:"lower"`
	Failures    bool   `yaml:"failures" project:"lower"`
	DailyLog    bool   `yaml:"daily_log" project:"lower"`
	Notice      string `yaml:"notice" enum:"off,ask,sure,all" project:"no"`
	Preferences bool   `yaml:"preferences" project:"lower"`
	Habits      bool   `yaml:"habits" project:"lower"`
	Phrases     bool   `yaml:"phrases" project:"lower"`
	Changes     bool   `yaml:"changes" project:"lower"`
	Doubts      bool   `yaml:"doubts" project:"lower"`
	AgentSaves  int    `yaml:"agent_saves" range:"0..10000" project:"lower"`
}

// Extract is what the language models of models: are asked about a session, behind
// it. Without models nothing of it happens.
type Extract struct {
	Statements    bool `yaml:"statements" project:"lower"`
	SessionTokens int  `yaml:"session_tokens" range:"0..100000" project:"lower"`
	Quick         bool `yaml:"quick" project:"lower"`
	Turns         bool `yaml:"turns" project:"lower"`
	Deep          bool `yaml:"deep" project:"lower"`
	Consolidation bool `yaml:"consolidation" project:"lower"`
	Conflicts     bool `yaml:"conflicts" project:"lower"`
	Phrases       bool `yaml:"phrases" project:"lower"`
}

// ContextBuilder is how contexts are built: the strategies of package window, or
// a program or a script in their place.
type ContextBuilder struct {
	Strategy   string         `yaml:"strategy" enum:"auto,sliding_window,sliding_window_checkpoints,two_layer,milestone,query_on_demand,folding,working_memory,custom,plugin" project:"any"`
	Options    ContextOptions `yaml:"options"`
	Hook       ContextHook    `yaml:"hook"`
	PluginPath string         `yaml:"plugin_path" check:"program" project:"program"`
	// PluginOptions are what the files and flags say under options, in the plug-in's
	// own words too. No key is theirs.
	PluginOptions map[string]any

	hookGone bool // its program is not there
}

// ContextOptions tune the strategies; each reads what concerns it. Defaults are
// those of package window.
type ContextOptions struct {
	WindowSize         int     `yaml:"window_size" range:"1..100000" project:"any"`
	CheckpointInterval int     `yaml:"checkpoint_interval" range:"1..100000" project:"any"`
	CheckpointPrompt   string  `yaml:"checkpoint_prompt" check:"raw" project:"no"`
	RecentSize         int     `yaml:"recent_size" range:"1..100000" project:"any"`
	SummaryMaxTokens   int     `yaml:"summary_max_tokens" range:"100..100000" project:"any"`
	UpdateInterval     int     `yaml:"update_interval" range:"1..100000" project:"any"`
	SummaryStyle       string  `yaml:"summary_style" enum:"concise,detailed" project:"any"`
	FallbackInterval   int     `yaml:"fallback_interval" range:"1..100000" project:"any"`
	EnableQueryTool    bool    `yaml:"enable_query_tool" project:"any"`
	OffloadTokens      int     `yaml:"offload_tokens" range:"100..1000000" project:"any"`
	FoldAt             float64 `yaml:"fold_at" range:"0.1..1" project:"any"`
	FoldAtTokens       int     `yaml:"fold_at_tokens" range:"0..10000000" project:"any"`
	FoldEvery          int     `yaml:"fold_every" range:"0..100000" project:"any"`
	KeepTurns          int     `yaml:"keep_turns" range:"1..1000" project:"any"`
	Working            float64 `yaml:"working" range:"0.05..0.9" project:"any"`
	ShortTerm          float64 `yaml:"short_term" range:"0.01..0.9" project:"any"`
	LongTerm           float64 `yaml:"long_term" range:"0.01..0.9" project:"any"`
	Retrieved          float64 `yaml:"retrieved" range:"0.01..0.9" project:"any"`
	Dynamic            float64 `yaml:"dynamic" range:"0.01..0.9" project:"any"`
	Cooldown           int     `yaml:"cooldown" range:"1..1000" project:"any"`
	ExpectedTurns      int     `yaml:"expected_turns" range:"1..10000" project:"any"`
	CacheReadPrice     float64 `yaml:"cache_read_price" range:"0.001..10" project:"no"`
	CacheWritePrice    float64 `yaml:"cache_write_price" range:"0.001..10" project:"no"`
	ImplicitRecall     bool    `yaml:"implicit_recall" project:"any"`
	RecallFrom         float64 `yaml:"recall_from" range:"0.01..1" project:"any"`
	IdleTurns          int     `yaml:"idle_turns" range:"1..1000" project:"any"`
	OverviewAt         float64 `yaml:"overview_at" range:"0.6..0.95" project:"any"`
	ClientWindow       int     `yaml:"client_window" range:"1000..10000000" project:"any"`
	CompactAt          float64 `yaml:"compact_at" range:"0.1..1" project:"any"`
	CompactTo          float64 `yaml:"compact_to" range:"0.1..1" project:"any"`
	CompactTurns       int     `yaml:"compact_turns" range:"1..1000" project:"any"`
	CompactCalls       int     `yaml:"compact_calls" range:"1..1000" project:"any"`
}

// ContextHook is the program of the strategy custom.
type ContextHook struct {
	Type    string        `yaml:"type" enum:"script,off" project:"any"`
	Command []string      `yaml:"command" check:"program" project:"program"`
	Timeout time.Duration `yaml:"timeout" range:"100ms..10m" project:"lower"`
}

// AutoSummarize is when a part of a run is summed up without being asked.
type AutoSummarize struct {
	Enabled bool        `yaml:"enabled" project:"lower"`
	Trigger AutoTrigger `yaml:"trigger"`
	Agent   string      `yaml:"summarizer_agent" check:"program" project:"program"`
}

// AutoTrigger is what a summary waits for: either is enough.
type AutoTrigger struct {
	IterationInterval int `yaml:"iteration_interval" range:"1..100000" project:"any"`
	TokenThreshold    int `yaml:"token_threshold" range:"100..10000000" project:"any"`
}

// Memory is where memory is, how large its files should be, and what a run that goes
// on has of it.
type Memory struct {
	ExtraDirs []string `yaml:"extra_dirs" check:"path" project:"no"`
	Clients   bool     `yaml:"clients" project:"no"`
	CoreLines int      `yaml:"core_lines" range:"1..1000" project:"any"`
	AtomLines int      `yaml:"atom_lines" range:"1..10000" project:"any"`

	ShortMessages int `yaml:"short_messages" range:"1..1000" project:"lower"`
	ShortTokens   int `yaml:"short_tokens" range:"100..1000000" project:"lower"`
	FlushTokens   int `yaml:"flush_tokens" range:"1000..1000000" project:"lower"`
}

// MemoryIndex is what is written for clients that have no hooks.
type MemoryIndex struct {
	Auto bool `yaml:"auto" project:"no"`
}

// RAG is whether, and which of, the project's own files are found beside memory.
type RAG struct {
	Enabled      bool     `yaml:"enabled" project:"lower"`
	Hooks        bool     `yaml:"hooks" project:"lower"`
	MaxFileBytes int      `yaml:"max_file_bytes" range:"1..104857600" project:"lower"`
	Include      []string `yaml:"include" check:"glob" project:"unset"`
	Exclude      []string `yaml:"exclude" check:"glob" project:"add"`
}

// Redact is what counts as a secret.
type Redact struct {
	Off []string `yaml:"off" project:"no"`
}

// Spend bounds what language models may take. Without models nothing is spent.
type Spend struct {
	Enabled     bool    `yaml:"enabled" project:"lower"`
	DailyTokens int     `yaml:"daily_tokens" range:"0..1000000000" project:"lower"`
	DailyCost   float64 `yaml:"daily_cost" range:"0..1000000" project:"no"`
	CallTokens  int     `yaml:"call_tokens" range:"0..10000000" project:"lower"`
}

// Hooks is how hooks run.
type Hooks struct {
	TimeoutMS int  `yaml:"timeout_ms" range:"50..60000" project:"lower"`
	Detach    bool `yaml:"detach" project:"lower"`
}

// Session is how the states of sessions are reused and cleaned up.
type Session struct {
	ReuseSeconds  int           `yaml:"reuse_seconds" range:"0..3600" project:"no"`
	OrphanUnused  time.Duration `yaml:"orphan_unused" range:"1m..8760h" project:"no"`
	OrphanIdle    time.Duration `yaml:"orphan_idle" range:"1m..8760h" project:"no"`
	OrphanMax     time.Duration `yaml:"orphan_max" range:"1h..8760h" project:"no"`
	CompressAfter time.Duration `yaml:"compress_after" range:"0s..87600h" project:"no"`
}

// Guard is what the guardian of a session watches for, and says.
type Guard struct {
	Off           []string      `yaml:"off" enum:"stop_gate,content_gate,hooks,escalation,repeats,drift,health" project:"no"`
	StopGate      bool          `yaml:"stop_gate" project:"no"`
	Tokens        int           `yaml:"tokens" range:"0..4000" project:"lower"`
	Documents     []string      `yaml:"documents" check:"belongs" project:"add"`
	Knowledge     string        `yaml:"knowledge" check:"glob" project:"no"`
	Hooks         []string      `yaml:"hooks" check:"hook" project:"offer"`
	ContentChecks []string      `yaml:"content_checks" check:"command" project:"offer"`
	HookTimeout   time.Duration `yaml:"hook_timeout" range:"50ms..10s" project:"lower"`
}

// Checkpoint is how orihon checkpoint measures the work.
type Checkpoint struct {
	Build    []string      `yaml:"build" check:"command" project:"offer"`
	Tests    []string      `yaml:"tests" check:"command" project:"offer"`
	Coverage []string      `yaml:"coverage" check:"command" project:"offer"`
	Timeout  time.Duration `yaml:"timeout" range:"1s..2h" project:"lower"`
}

// Sync is how the index follows the text.
type Sync struct {
	Interval time.Duration `yaml:"interval" range:"1m..24h" project:"raise"`
}

// Decay is how trust fades.
type Decay struct {
	PerMonth float64 `yaml:"per_month" range:"0..1" project:"raise"`
}

// Log is what is written to the log file.
type Log struct {
	Level string `yaml:"level" enum:"debug,info,warn,error" project:"no"`
}

// Default is the configuration with nothing set. Its lists are empty.
func Default() *Config {
	return &Config{
		Language: "auto",
		Recall: Recall{
			Threshold:     0.7,
			ThresholdMin:  0.5,
			Adaptive:      true,
			BudgetShort:   1500,
			BudgetMedium:  3000,
			BudgetLong:    5000,
			HookChars:     10000,
			StartTokens:   2500,
			HeardTokens:   600,
			SessionTokens: 20000,
			Candidates:    60,
			MaxTerms:      12,
			CommonShare:   0.30,
			Turns:         "auto",
			BlindSpot:     true,
			Action:        true,
			RecencyWeight: 0.2,
			AccessWeight:  0.1,
			Fusion:        "weighted",
			ShowSources:   true,
		},
		Embedder: Embedder{
			Provider:     "builtin",
			Timeout:      300 * time.Millisecond,
			BatchTimeout: time.Minute,
			Batch:        64,
		},
		Capture: Capture{Enabled: true, Explicit: true, Episodes: true, Failures: true, DailyLog: true, Notice: "sure", Preferences: true, Habits: true, Phrases: true, Changes: true, Doubts: true, AgentSaves: 20},
		Extract: Extract{Statements: true, SessionTokens: 240, Quick: true, Turns: true, Deep: true, Consolidation: true, Conflicts: true, Phrases: true},
		ContextBuilder: ContextBuilder{
			Strategy: "auto",
			Options: ContextOptions{
				WindowSize: 50, CheckpointInterval: 50, RecentSize: 50, SummaryMaxTokens: 5000, UpdateInterval: 20, SummaryStyle: "concise",
				FallbackInterval: 50, EnableQueryTool: true, OffloadTokens: 20_000,
				FoldAt: 0.8, KeepTurns: 5, Working: 0.3, ShortTerm: 0.2, LongTerm: 0.2, Retrieved: 0.1, Dynamic: 0.1,
				Cooldown: 5, ExpectedTurns: 10, CacheReadPrice: 0.1, CacheWritePrice: 1.25, ImplicitRecall: true, RecallFrom: 0.3,
				IdleTurns: 10, OverviewAt: 0.75, ClientWindow: 200_000, CompactAt: 0.8, CompactTo: 0.6, CompactTurns: 10, CompactCalls: 5,
			},
			Hook: ContextHook{Type: "script", Timeout: 30 * time.Second},
		},
		AutoSummarize: AutoSummarize{Trigger: AutoTrigger{IterationInterval: 50, TokenThreshold: 50_000}, Agent: "summarizer-chapter"},
		Memory:        Memory{Clients: true, CoreLines: 30, AtomLines: 200, ShortMessages: 50, ShortTokens: 20_000, FlushTokens: 20_000},
		RAG:           RAG{MaxFileBytes: 1 << 20},
		Spend:         Spend{Enabled: true, DailyTokens: 1_000_000, CallTokens: 100_000},
		Hooks:         Hooks{TimeoutMS: 5000, Detach: true},
		Session: Session{
			ReuseSeconds:  60,
			OrphanUnused:  10 * time.Minute,
			OrphanIdle:    30 * time.Minute,
			OrphanMax:     24 * time.Hour,
			CompressAfter: 7 * 24 * time.Hour,
		},
		Guard: Guard{Tokens: 400, Knowledge: "docs/ai", HookTimeout: time.Second},

		Checkpoint: Checkpoint{Timeout: 10 * time.Minute},

		Sync:  Sync{Interval: 30 * time.Minute},
		Decay: Decay{PerMonth: memory.IdleDecay},
		Log:   Log{Level: "warn"},
	}
}
