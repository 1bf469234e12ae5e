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
	Language string   `yaml:"language" enum:"auto,en,zh-Hant,zh-Hans" project:"any" doc:"Language of injected text; auto follows the script of the prompt."`
	User     string   `yaml:"user" check:"name" project:"no" doc:"Who you are in personal scopes; empty means git's user."`
	Roles    []string `yaml:"roles" check:"name" project:"no" doc:"Roles you hold on projects."`
	Local    bool     `yaml:"local" project:"no" doc:"Keep private memory under the project instead of the home, for containers."`

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
	TrustRemotes []string `yaml:"trust_remotes" check:"remote" project:"no" doc:"Hosts, or hosts with an owner (github.com/acme), whose clones are linked with the project they name without a question; none by default."`
}

// Recall is what comes back, and how much of it.
type Recall struct {
	Threshold     float64  `yaml:"threshold" range:"0..1" project:"raise" doc:"Least relevance of a passage to be injected. For statements it is the same at every prompt; for the rest it adapts to the kind of question."`
	ThresholdMin  float64  `yaml:"threshold_min" range:"0..1" project:"raise" doc:"How far the threshold is lowered when nothing passes it."`
	Adaptive      bool     `yaml:"adaptive" project:"no" doc:"Move the threshold by whether the passages injected lately were used."`
	MaxTokens     int      `yaml:"max_tokens" range:"0..100000" project:"lower" doc:"Token budget of one recall; 0 means by the length of the prompt."`
	BudgetShort   int      `yaml:"budget_short" range:"0..100000" project:"lower" doc:"Token budget for prompts below 50 characters."`
	BudgetMedium  int      `yaml:"budget_medium" range:"0..100000" project:"lower" doc:"Token budget for prompts of 50 to 199 characters."`
	BudgetLong    int      `yaml:"budget_long" range:"0..100000" project:"lower" doc:"Token budget for longer prompts."`
	HookChars     int      `yaml:"hook_chars" range:"0..10000" project:"lower" doc:"Most characters one hook injects; clients cut off more than 10,000."`
	StartTokens   int      `yaml:"start_tokens" range:"0..10000" project:"lower" doc:"Most tokens of what a session begins with; 0 leaves it out."`
	SessionTokens int      `yaml:"session_tokens" range:"0..1000000" project:"lower" doc:"Most tokens injected in one session."`
	Candidates    int      `yaml:"candidates" range:"1..10000" project:"lower" doc:"Candidates looked at for each way of finding."`
	MaxTerms      int      `yaml:"max_terms" range:"1..100" project:"no" doc:"Rarest words of a prompt that make the query."`
	CommonShare   float64  `yaml:"common_share" range:"0.01..1" project:"no" doc:"Query words that stand in more than this share of the passages are dropped when rarer ones are there."`
	Turns         string   `yaml:"turns" enum:"auto,always,never" project:"no" doc:"Whether turns of past conversations are injected: auto leaves out what only asks or acknowledges, unless the prompt asks about the past."`
	BlindSpot     bool     `yaml:"blind_spot" project:"lower" doc:"Say so, once per topic, when nothing is known."`
	Action        bool     `yaml:"action" project:"lower" doc:"Before a command or an edit, after a tool failed, and when a sub-agent starts: say what is known of it, in at most 150 tokens, five times between two prompts."`
	RecencyWeight float64  `yaml:"recency_weight" range:"0..1" project:"any" doc:"Share of recency in the order of what passed the threshold."`
	AccessWeight  float64  `yaml:"access_weight" range:"0..1" project:"any" doc:"Share of past use in the order of what passed the threshold."`
	Fusion        string   `yaml:"fusion" enum:"weighted,rrf" project:"any" doc:"How the ways of finding are put together: by a weighted sum of their scores, or by reciprocal ranks."`
	Without       []string `yaml:"without" project:"no" doc:"Ranking stages left out to see their worth: neighbours, vectors, speakers, dates, times, sessions, questions, populations, brevity, recency, access, diversity."`
	ShowSources   bool     `yaml:"show_sources" project:"no" doc:"Name the file and line of every injected passage."`
}

// Embedder is what finds passages by meaning. A project's file sets none of it:
// prompts would go where its author wants.
type Embedder struct {
	Provider       string        `yaml:"provider" enum:"builtin,static,ollama,openai" project:"no" doc:"What embeds texts: builtin (no model, no network), static (orihon model), ollama, openai (any server with its API)."`
	Model          string        `yaml:"model" project:"no" doc:"Name of the model; empty means the provider's usual one."`
	URL            string        `yaml:"url" check:"url" project:"no" doc:"Address of the server; empty means the provider's own."`
	Dimensions     int           `yaml:"dimensions" range:"0..65536" project:"no" doc:"Length of the vectors asked of a server; 0 leaves it to the model."`
	KeyEnv         string        `yaml:"key_env" check:"env" project:"no" doc:"Environment variable that holds the API key; empty means OPENAI_API_KEY for OpenAI's own server and none for others."`
	Timeout        time.Duration `yaml:"timeout" range:"50ms..1m" project:"no" doc:"How long a prompt waits for its vector before it is answered without."`
	BatchTimeout   time.Duration `yaml:"batch_timeout" range:"1s..1h" project:"no" doc:"How long one batch of passages may take."`
	Batch          int           `yaml:"batch" range:"1..2048" project:"no" doc:"Passages in one request to a server."`
	QueryPrefix    string        `yaml:"query_prefix" check:"raw" project:"no" doc:"What stands before every question, as some models want it."`
	DocumentPrefix string        `yaml:"document_prefix" check:"raw" project:"no" doc:"What stands before every passage, as some models want it."`
}

// Capture is what is kept of a session.
type Capture struct {
	Enabled     bool   `yaml:"enabled" project:"lower" doc:"Keep anything of a session at all."`
	Explicit    bool   `yaml:"explicit" project:"lower" doc:"Keep what a prompt asks to remember."`
	Episodes    bool   `yaml:"episodes" project:"lower" doc:"Write a summary of each request at the end of a session."`
	Failures    bool   `yaml:"failures" project:"lower" doc:"Keep what failed in a session and how it was mended."`
	DailyLog    bool   `yaml:"daily_log" project:"lower" doc:"Write conversations to the daily log."`
	Notice      string `yaml:"notice" enum:"off,ask,sure,all" project:"no" doc:"What you state in passing (decisions, tastes, orders, facts, pitfalls): sure keeps the sure, asks about the likely; ask asks; all keeps both."`
	Preferences bool   `yaml:"preferences" project:"lower" doc:"Learn from the code and the commits how the project is written."`
	Habits      bool   `yaml:"habits" project:"lower" doc:"Learn habits from what is corrected, done and mended again and again, and tell the agent those that fit."`
	AgentSaves  int    `yaml:"agent_saves" range:"0..10000" project:"lower" doc:"How often an agent may save, change or forget something by itself in one session (orihon mcp); three times as often in an hour over all sessions of one server; 0 lets it only read."`
}

// Extract is what the language models of models: are asked about a session, behind
// it. Without models nothing of it happens.
type Extract struct {
	Statements    bool `yaml:"statements" project:"lower" doc:"Ask about what you state by the way where the built-in reader is not sure: a small model whether it is worth keeping, a large one for its words. What neither can tell waits for you, as without a model."`
	SessionTokens int  `yaml:"session_tokens" range:"0..100000" project:"lower" doc:"Most tokens of your own words that models read in one session for extract.statements; the last twelfth is for yes or no alone."`
	Quick         bool `yaml:"quick" project:"lower" doc:"Read each answer of 100 characters or more with a small model, for what this session will need after a compaction."`
	Turns         bool `yaml:"turns" project:"lower" doc:"Read what was said since the last time with a small model, from 500 characters and every two minutes at most, for at most three provisional statements."`
	Deep          bool `yaml:"deep" project:"lower" doc:"Read the same with a large model, whose version takes the place of the quick one."`
	Consolidation bool `yaml:"consolidation" project:"lower" doc:"Read the whole session with a large model when it ends, at most 20,000 characters, for at most five provisional statements that are not known yet."`
	Conflicts     bool `yaml:"conflicts" project:"lower" doc:"Ask a small model how two statements stand to each other where the rules cannot tell, before what a session taught is kept."`
}

// ContextBuilder is how contexts are built: the strategies of package window, or
// a program or a script in their place.
type ContextBuilder struct {
	Strategy      string         `yaml:"strategy" enum:"auto,sliding_window,sliding_window_checkpoints,two_layer,milestone,query_on_demand,folding,working_memory,custom,plugin" project:"any" doc:"Strategy that builds a context where none is named; auto is sliding_window, and folding for orihon context. working_memory shows a session's own overview, which hooks then give its agent, too. custom runs hook.command, plugin the file of plugin_path."`
	Options       ContextOptions `yaml:"options"`
	Hook          ContextHook    `yaml:"hook"`
	PluginPath    string         `yaml:"plugin_path" check:"program" project:"program" doc:"Script (.js or .ts) with buildContext(ctx), for the strategy plugin. It sees the run and nothing else."`
	PluginOptions []string       `yaml:"plugin_options" check:"pair" project:"any" doc:"What the script gets as ctx.options, each as name=value; a value is JSON where it can be read as that, else text."`
}

// ContextOptions tune the strategies; each reads what concerns it. Defaults are
// those of package window.
type ContextOptions struct {
	WindowSize         int     `yaml:"window_size" range:"1..100000" project:"any" doc:"sliding_window and sliding_window_checkpoints: newest iterations that are shown."`
	CheckpointInterval int     `yaml:"checkpoint_interval" range:"1..100000" project:"any" doc:"sliding_window_checkpoints: iterations between two one-sentence checkpoints."`
	CheckpointPrompt   string  `yaml:"checkpoint_prompt" check:"raw" project:"no" doc:"sliding_window_checkpoints: what a model is asked for a checkpoint; empty is the built-in question."`
	RecentSize         int     `yaml:"recent_size" range:"1..100000" project:"any" doc:"two_layer and query_on_demand: newest iterations that are shown."`
	SummaryMaxTokens   int     `yaml:"summary_max_tokens" range:"100..100000" project:"any" doc:"two_layer: most tokens of the running story."`
	UpdateInterval     int     `yaml:"update_interval" range:"1..100000" project:"any" doc:"two_layer: iterations between two updates of the story."`
	SummaryStyle       string  `yaml:"summary_style" enum:"concise,detailed" project:"any" doc:"two_layer: how the story is told."`
	FallbackInterval   int     `yaml:"fallback_interval" range:"1..100000" project:"any" doc:"milestone: iterations of a chapter in which no milestone was named."`
	EnableQueryTool    bool    `yaml:"enable_query_tool" project:"any" doc:"query_on_demand: offer the model the tools query_history and summarize_phase."`
	OffloadTokens      int     `yaml:"offload_tokens" range:"100..1000000" project:"any" doc:"Largest output of a tool that enters whole, never more than an eighth of the window; of a larger one head, tail and a reference do."`
	FoldAt             float64 `yaml:"fold_at" range:"0.1..1" project:"any" doc:"folding: share of the window from which is folded at once."`
	FoldAtTokens       int     `yaml:"fold_at_tokens" range:"0..10000000" project:"any" doc:"folding: the same in tokens; 0 goes by the share."`
	FoldEvery          int     `yaml:"fold_every" range:"0..100000" project:"any" doc:"folding: iterations between two looks at what to fold; 0 goes by how full the window is: 50 below half, 20 up to 80 %, 5 above."`
	KeepTurns          int     `yaml:"keep_turns" range:"1..1000" project:"any" doc:"folding: newest iterations that are never folded."`
	Working            float64 `yaml:"working" range:"0.05..0.9" project:"any" doc:"folding: share of the window for iterations in full. The five shares come to at most 1."`
	ShortTerm          float64 `yaml:"short_term" range:"0.01..0.9" project:"any" doc:"folding: share for iterations without redundant output."`
	LongTerm           float64 `yaml:"long_term" range:"0.01..0.9" project:"any" doc:"folding: share for folds."`
	Retrieved          float64 `yaml:"retrieved" range:"0.01..0.9" project:"any" doc:"folding: share for what was opened again."`
	Dynamic            float64 `yaml:"dynamic" range:"0.01..0.9" project:"any" doc:"folding: share for where things stand."`
	Cooldown           int     `yaml:"cooldown" range:"1..1000" project:"any" doc:"folding: iterations without folding after a fold that was worth nothing."`
	ExpectedTurns      int     `yaml:"expected_turns" range:"1..10000" project:"any" doc:"folding: turns to come, over which a fold has to pay for writing the prompt cache anew."`
	CacheReadPrice     float64 `yaml:"cache_read_price" range:"0.001..10" project:"no" doc:"folding: price of a token read from the prompt cache, where one that is not cached costs 1."`
	CacheWritePrice    float64 `yaml:"cache_write_price" range:"0.001..10" project:"no" doc:"folding: price of a token written to the prompt cache."`
	ImplicitRecall     bool    `yaml:"implicit_recall" project:"any" doc:"folding: open a fold by itself when the present names what it is about."`
	RecallFrom         float64 `yaml:"recall_from" range:"0.01..1" project:"any" doc:"folding: importance from which such a fold opens."`
	IdleTurns          int     `yaml:"idle_turns" range:"1..1000" project:"any" doc:"working_memory: turns without a change of the overview until the default strategy shows the history beside it."`
	OverviewAt         float64 `yaml:"overview_at" range:"0.6..0.95" project:"any" doc:"working_memory: share of the window from which the oldest messages are compacted."`
	ClientWindow       int     `yaml:"client_window" range:"1000..10000000" project:"any" doc:"working_memory: tokens of the window of a client that builds its own messages, for what hooks tell its agent of it."`
	CompactAt          float64 `yaml:"compact_at" range:"0.1..1" project:"any" doc:"Compaction of messages: share of the window from which anything is done."`
	CompactTo          float64 `yaml:"compact_to" range:"0.1..1" project:"any" doc:"Compaction: share of the window that is aimed at once it is."`
	CompactTurns       int     `yaml:"compact_turns" range:"1..1000" project:"any" doc:"Compaction: newest turns that stay as they are."`
	CompactCalls       int     `yaml:"compact_calls" range:"1..1000" project:"any" doc:"Compaction: newest tool calls that stay in full."`
}

// ContextHook is the program of the strategy custom.
type ContextHook struct {
	Type    string        `yaml:"type" enum:"script,off" project:"no" doc:"Kind of hook: script starts a process; off starts none, and the default strategy builds."`
	Command []string      `yaml:"command" check:"program" project:"program" doc:"Program that builds the context, and its arguments; no shell reads them. It gets the question as JSON on its standard input and answers with {\"messages\": …}. ${AGENT_HOME} is the home of Orihon, where relative paths start."`
	Timeout time.Duration `yaml:"timeout" range:"100ms..10m" project:"lower" doc:"How long it may take until the default strategy builds instead."`
}

// AutoSummarize is when a part of a run is summed up without being asked.
type AutoSummarize struct {
	Enabled bool        `yaml:"enabled" project:"lower" doc:"Sum up a run by itself while its context is built, with any strategy."`
	Trigger AutoTrigger `yaml:"trigger"`
	Agent   string      `yaml:"summarizer_agent" check:"program" project:"program" doc:"Who sums up: summarizer-chapter, summarizer-events, summarizer-errors, summarizer-adaptive, or the path of a program that answers as orihon context summarize --request - does."`
}

// AutoTrigger is what a summary waits for: either is enough.
type AutoTrigger struct {
	IterationInterval int `yaml:"iteration_interval" range:"1..100000" project:"any" doc:"Iterations since the last summary."`
	TokenThreshold    int `yaml:"token_threshold" range:"100..10000000" project:"any" doc:"Tokens of what was said and done since."`
}

// Memory is where memory is and how large its files should be.
type Memory struct {
	ExtraDirs []string `yaml:"extra_dirs" check:"path" project:"no" doc:"Further folders of Markdown to index; relative ones start at the folder of each project."`
	Clients   bool     `yaml:"clients" project:"no" doc:"Index what coding agents' programs remember by themselves (Claude Code, Codex, Gemini CLI); it is never written."`
	CoreLines int      `yaml:"core_lines" range:"1..1000" project:"any" doc:"Lines of MEMORY.md from which the doctor warns."`
	AtomLines int      `yaml:"atom_lines" range:"1..10000" project:"any" doc:"Lines of an atom from which the doctor warns."`
}

// MemoryIndex is what is written for clients that have no hooks.
type MemoryIndex struct {
	Auto bool `yaml:"auto" project:"no" doc:"Do what orihon memory-index does whenever sessions have been worked up, for clients that have no hooks."`
}

// RAG is whether, and which of, the project's own files are found beside memory.
type RAG struct {
	Enabled      bool     `yaml:"enabled" project:"lower" doc:"Index the project's files at every sync and let recall show passages of them beside memory."`
	Hooks        bool     `yaml:"hooks" project:"lower" doc:"Let hooks show them too; budgets under 3,000 tokens never hold any."`
	MaxFileBytes int      `yaml:"max_file_bytes" range:"1..104857600" project:"lower" doc:"Size in bytes from which a file is not indexed."`
	Include      []string `yaml:"include" check:"glob" project:"unset" doc:"Patterns as in .gitignore, from the project's folder: only files that match are indexed; none means all."`
	Exclude      []string `yaml:"exclude" check:"glob" project:"add" doc:"Patterns as in .gitignore of files that are not indexed, besides what git ignores."`
}

// Redact is what counts as a secret.
type Redact struct {
	Off []string `yaml:"off" project:"no" doc:"Names of secret rules that are switched off."`
}

// Spend bounds what language models may take. Without models nothing is spent.
type Spend struct {
	Enabled     bool    `yaml:"enabled" project:"lower" doc:"Ask the models of models: at all."`
	DailyTokens int     `yaml:"daily_tokens" range:"0..1000000000" project:"lower" doc:"Most tokens a day, of prompts and answers, over all models, features and projects: a call that might go beyond is not made. 0 sets no bound."`
	DailyCost   float64 `yaml:"daily_cost" range:"0..1000000" project:"no" doc:"Most money a day, in the currency of the models' prices; 0 sets no bound. A model without prices costs nothing."`
	CallTokens  int     `yaml:"call_tokens" range:"0..10000000" project:"lower" doc:"Most tokens of one prompt; 0 sets no bound."`
}

// Hooks is how hooks run.
type Hooks struct {
	TimeoutMS int  `yaml:"timeout_ms" range:"50..60000" project:"lower" doc:"Milliseconds after which a hook gives up and stays silent."`
	Detach    bool `yaml:"detach" project:"lower" doc:"Leave heavy work to a process of its own that outlives the hook."`
}

// Session is how the states of sessions are reused and cleaned up.
type Session struct {
	ReuseSeconds  int           `yaml:"reuse_seconds" range:"0..3600" project:"no" doc:"Age in seconds up to which a new session takes over an unused one whose process is gone."`
	OrphanUnused  time.Duration `yaml:"orphan_unused" range:"1m..8760h" project:"no" doc:"A session whose process is gone and that never saw a prompt ends after this time."`
	OrphanIdle    time.Duration `yaml:"orphan_idle" range:"1m..8760h" project:"no" doc:"A session whose process is gone ends after this time without an event."`
	OrphanMax     time.Duration `yaml:"orphan_max" range:"1h..8760h" project:"no" doc:"Any session ends after this time without an event."`
	CompressAfter time.Duration `yaml:"compress_after" range:"0s..87600h" project:"no" doc:"A session that has ended is compressed after this time without an event; it is read, searched and resumed as before. 0 compresses none."`
}

// Guard is what the guardian of a session watches for, and says.
type Guard struct {
	Off           []string      `yaml:"off" enum:"stop_gate,content_gate,hooks,escalation,repeats,drift,health" project:"no" doc:"Names of rules that are switched off: content_gate, hooks, escalation, repeats, drift, health."`
	StopGate      bool          `yaml:"stop_gate" project:"no" doc:"Keep an agent from stopping, at most twice, while files that it changed are neither in memory nor in the documents they belong to."`
	Tokens        int           `yaml:"tokens" range:"0..4000" project:"lower" doc:"Most tokens of all reminders of one session; 0 says nothing. What blocks a call or a stop is not counted."`
	Documents     []string      `yaml:"documents" check:"belongs" project:"add" doc:"Which document describes which files, as PATTERN = DOCUMENT with a pattern as in .gitignore: whoever changes the files is reminded of the document."`
	Knowledge     string        `yaml:"knowledge" check:"glob" project:"no" doc:"Folder of the project whose pages have a form, once it holds an _INDEX.md: a page that breaks it is not written. Empty is none."`
	Hooks         []string      `yaml:"hooks" check:"hook" project:"offer" doc:"Commands that may say or block something, as EVENT PROGRAM ARGUMENTS with the event start, prompt, before, after or stop; no shell reads them."`
	ContentChecks []string      `yaml:"content_checks" check:"command" project:"offer" doc:"Commands that get a page of the knowledge folder before it is written and say what is wrong with it, as PROGRAM ARGUMENTS; no shell reads them."`
	HookTimeout   time.Duration `yaml:"hook_timeout" range:"50ms..10s" project:"lower" doc:"How long the commands of one event may take together."`
}

// Checkpoint is how orihon checkpoint measures the work.
type Checkpoint struct {
	Build    []string      `yaml:"build" check:"command" project:"offer" doc:"Commands that build the project, as PROGRAM ARGUMENTS; no shell reads them. Empty is what the project's files show: Go, Rust, Java, Python or Node."`
	Tests    []string      `yaml:"tests" check:"command" project:"offer" doc:"Commands that test it, likewise. How many tests passed and failed is read from what they print."`
	Coverage []string      `yaml:"coverage" check:"command" project:"offer" doc:"Commands that measure how much of it the tests cover, likewise. The percentage is read from what they print."`
	Timeout  time.Duration `yaml:"timeout" range:"1s..2h" project:"lower" doc:"How long each of these commands may take."`
}

// Sync is how the index follows the text.
type Sync struct {
	Interval time.Duration `yaml:"interval" range:"1m..24h" project:"raise" doc:"How often long-running processes look at all files again."`
}

// Decay is how trust fades.
type Decay struct {
	PerMonth float64 `yaml:"per_month" range:"0..1" project:"raise" doc:"Confidence lost for every 30 days without use."`
}

// Log is what is written to the log file.
type Log struct {
	Level string `yaml:"level" enum:"debug,info,warn,error" project:"no" doc:"Least severity that is logged."`
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
		Capture: Capture{Enabled: true, Explicit: true, Episodes: true, Failures: true, DailyLog: true, Notice: "sure", Preferences: true, Habits: true, AgentSaves: 20},
		Extract: Extract{Statements: true, SessionTokens: 240, Quick: true, Turns: true, Deep: true, Consolidation: true, Conflicts: true},
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
		Memory:        Memory{Clients: true, CoreLines: 30, AtomLines: 200},
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
