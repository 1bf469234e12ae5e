package config_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/config"
)

// reference is the page that describes every setting.
const reference = "../../docs/CONFIGURATION.md"

// examples holds a value for each setting that is not its default.
var examples = map[string]string{
	"language": "zh-Hant", "user": "ann", "roles": "programmer,planner", "local": "true",
	"project.trust_remotes": "github.com/acme",
	"recall.threshold":      "0.8", "recall.threshold_min": "0.6", "recall.adaptive": "false",
	"recall.max_tokens": "2000", "recall.budget_short": "800", "recall.budget_medium": "2000", "recall.budget_long": "3000",
	"recall.hook_chars": "4000", "recall.session_tokens": "8000", "recall.start_tokens": "1500", "recall.heard_tokens": "200", "recall.candidates": "100", "recall.max_terms": "16",
	"recall.common_share": "0.2", "recall.turns": "never", "recall.blind_spot": "false", "recall.action": "false",
	"recall.recency_weight": "0.1", "recall.access_weight": "0", "recall.fusion": "rrf",
	"recall.without": "vectors,diversity", "recall.show_sources": "false",
	"embedder.provider": "ollama", "embedder.model": "nomic-embed-text", "embedder.url": "http://127.0.0.1:11434",
	"embedder.dimensions": "512", "embedder.key_env": "MY_API_KEY", "embedder.timeout": "500ms",
	"embedder.batch_timeout": "2m", "embedder.batch": "16", "embedder.query_prefix": "query: ", "embedder.document_prefix": "passage: ",
	"capture.enabled": "false", "capture.explicit": "false", "capture.episodes": "false", "capture.failures": "false", "capture.daily_log": "false",
	"extract.statements": "false", "extract.session_tokens": "480", "extract.conflicts": "false", "extract.phrases": "false", "capture.phrases": "false", "capture.changes": "false", "capture.doubts": "false",
	"extract.quick": "false", "extract.turns": "false", "extract.deep": "false", "extract.consolidation": "false",
	"capture.notice": "ask", "capture.preferences": "false", "capture.habits": "false", "capture.agent_saves": "5", "memory.clients": "false",
	"context_builder.strategy": "two_layer", "context_builder.options.window_size": "30", "context_builder.options.checkpoint_interval": "20",
	"context_builder.options.checkpoint_prompt": "What was reached?", "context_builder.options.recent_size": "30", "context_builder.options.summary_max_tokens": "2000",
	"context_builder.options.update_interval": "10", "context_builder.options.summary_style": "detailed", "context_builder.options.fallback_interval": "30",
	"context_builder.options.enable_query_tool": "false", "context_builder.options.offload_tokens": "5000", "context_builder.options.fold_at": "0.7",
	"context_builder.options.fold_at_tokens": "120000", "context_builder.options.fold_every": "10", "context_builder.options.keep_turns": "8",
	"context_builder.options.working": "0.4", "context_builder.options.short_term": "0.1", "context_builder.options.long_term": "0.1",
	"context_builder.options.retrieved": "0.05", "context_builder.options.dynamic": "0.05", "context_builder.options.cooldown": "10",
	"context_builder.options.expected_turns": "20", "context_builder.options.cache_read_price": "0.5", "context_builder.options.cache_write_price": "1",
	"context_builder.options.implicit_recall": "false", "context_builder.options.recall_from": "0.5", "context_builder.options.idle_turns": "20", "context_builder.options.overview_at": "0.8", "context_builder.options.client_window": "1000000", "context_builder.options.compact_at": "0.9", "context_builder.options.compact_to": "0.5", "context_builder.options.compact_turns": "5", "context_builder.options.compact_calls": "3", "context_builder.hook.type": "off", "context_builder.hook.command": "python3,${AGENT_HOME}/builder.py",
	"context_builder.hook.timeout": "10s", "context_builder.plugin_path": "/home/ann/builder.js",
	"auto_summarize.enabled": "true", "auto_summarize.trigger.iteration_interval": "25", "auto_summarize.trigger.token_threshold": "20000",
	"auto_summarize.summarizer_agent": "summarizer-errors",
	"memory.extra_dirs":               "docs/decisions", "memory.core_lines": "50", "memory.atom_lines": "300", "memory.short_messages": "20", "memory.short_tokens": "8000", "memory.flush_tokens": "40000", "memory_index.auto": "true",
	"rag.enabled": "true", "rag.hooks": "true", "rag.max_file_bytes": "262144", "rag.include": "docs/,*.md", "rag.exclude": "*.csv",
	"redact.off":    "high-entropy",
	"spend.enabled": "false", "spend.daily_tokens": "200000", "spend.daily_cost": "0.5", "spend.call_tokens": "20000",
	"hooks.timeout_ms": "3000", "hooks.detach": "false",
	"session.reuse_seconds": "0", "session.orphan_unused": "5m", "session.orphan_idle": "2h", "session.orphan_max": "7d", "session.compress_after": "720h",
	"guard.off": "drift,health", "guard.stop_gate": "true", "guard.tokens": "200", "guard.documents": "internal/store/** = docs/FORMAT.md",
	"guard.knowledge": "docs/knowledge", "guard.hooks": "stop scripts/check", "guard.content_checks": "scripts/check-page", "guard.hook_timeout": "500ms",
	"checkpoint.build": "make all", "checkpoint.tests": "make test", "checkpoint.coverage": "make cover", "checkpoint.timeout": "20m",
	"sync.interval": "10m", "decay.per_month": "0.02", "log.level": "debug",
}

// modelExamples are those of an entry of models:.
var modelExamples = map[string]string{
	"type": "ollama", "name": "home", "model": "qwen3:8b", "url": "http://127.0.0.1:8080/v1", "key_env": "MY_API_KEY", "enabled": "false",
	"size": "small", "timeout": "30s", "price_input": "1", "price_output": "5", "price_cache_read": "0.1", "price_cache_write": "1.25",
}

// values says what a key may be.
func values(k *config.Key) string {
	values := map[string]string{"bool": "true or false", "int": "whole number", "duration": "time", "string": "text", "list": "list"}[k.Type]
	switch {
	case values == "":
		values = k.Type
	case k.Enum != nil:
		values = "one of `" + strings.Join(k.Enum, "`, `") + "`"
	}
	if k.Max != "" {
		values += " from " + k.Min + " to " + k.Max
	}
	return values
}

// described is the part of the page that lists the settings.
func described(t *testing.T) string {
	var b strings.Builder
	section := "\x00"
	for _, k := range config.Keys() {
		head, _, nested := strings.Cut(k.Name, ".")
		if !nested {
			head = "General"
		}
		if head != section {
			section = head
			fmt.Fprintf(&b, "## %s\n\n", head)
		}
		def := "none"
		if k.Default != "" {
			def = "`" + k.Default + "`"
		}
		may := map[config.Allowance]string{
			config.OnlyUser: "not read from a project's file", config.Lower: "a project's file may only lower it",
			config.Raise: "a project's file may only raise it", config.Unset: "a project's file counts where yours does not set it",
			config.Add: "a project's file may only add to it", config.Runs: "a project's file counts once you accepted the program", config.Anything: "a project's file may set it",
			config.Offering: "what a project's file adds runs only once you have accepted it (`orihon review --repository`)",
		}[k.Project]
		if k.Project == config.Lower && k.Type == "bool" {
			may = "a project's file may only switch it off"
		}
		if may == "" {
			t.Errorf("%s: no words for what a project may do: %q", k.Name, k.Project)
		}
		example, ok := examples[k.Name]
		if !ok {
			t.Errorf("%s has no example", k.Name)
		}
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\n- %s; default %s; example `%s`\n- `%s`; %s\n\n", k.Name, k.Doc, values(&k), def, example, k.Env, may)
	}
	fmt.Fprint(&b, "## models\n\nA list, in your own file alone. What an entry may say:\n\n")
	for _, k := range config.ModelKeys() {
		name := strings.TrimPrefix(k.Name, "models.")
		def := ""
		if k.Default != "" {
			def = "; default `" + k.Default + "`"
		}
		if modelExamples[name] == "" {
			t.Errorf("%s has no example", k.Name)
		}
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\n- %s%s; example `%s`\n\n", k.Name, k.Doc, values(&k), def, modelExamples[name])
	}
	return b.String()
}

func TestThePageDescribesEverySetting(t *testing.T) {
	const begin, end = "<!-- settings: begin -->\n", "<!-- settings: end -->"
	page, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), "\r\n", "\n")
	before, rest, ok := strings.Cut(text, begin)
	had, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s lacks the marks around its settings", reference)
	}
	want := "\n" + described(t)
	if *update {
		if err := os.WriteFile(reference, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, had); diff != "" {
		t.Errorf("run go test ./internal/config -run Page -update:\n%s", diff)
	}
}

func TestExamplesOfThePageAreValid(t *testing.T) {
	for _, k := range config.Keys() {
		example := examples[k.Name]
		if example == k.Default {
			t.Errorf("the example of %s is its default", k.Name)
		}
		c, err := config.Load(config.Sources{Flags: map[string]string{k.Name: example}})
		if k.Name == "context_builder.plugin_path" {
			if err == nil || !strings.Contains(err.Error(), "there is no such file") {
				t.Errorf("%s of nobody: %v", k.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
		} else if got := get(t, c, k.Name); got != example && k.Type != "duration" {
			t.Errorf("%s is %q, want %q", k.Name, got, example)
		}
	}
	for name := range examples {
		if _, err := config.Default().Get(name); err != nil {
			t.Errorf("example: %v", err)
		}
	}
	page, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) == 0 {
		t.Error("the page shows no file")
	}
	for _, b := range blocks {
		if _, problems := load(t, b[1], ""); problems != nil {
			t.Errorf("%s\n%q", b[1], problems)
		}
	}
}
