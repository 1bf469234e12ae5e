package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orihon/internal/config"
	"orihon/memory"
)

func TestModelsAreAListInTheirOrder(t *testing.T) {
	c, problems := load(t, `
models:
  - type: ollama
    model: qwen3:8b
    size: small
  - {name: work, type: anthropic, model: claude-haiku, key_env: WORK_KEY, timeout: 30s, price_input: 1, price_output: 5}
  - type: claude
  - {type: codex, enabled: true}
`, "")
	if len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	want := []config.Model{
		{Type: "ollama", Name: "ollama", Model: "qwen3:8b", Enabled: true, Size: "small", Timeout: 2 * time.Minute},
		{Type: "anthropic", Name: "work", Model: "claude-haiku", KeyEnv: "WORK_KEY", Enabled: true, Size: "any", Timeout: 30 * time.Second, PriceInput: 1, PriceOutput: 5},
		{Type: "claude", Name: "claude", Size: "any", Timeout: 2 * time.Minute},
		{Type: "codex", Name: "codex", Enabled: true, Size: "any", Timeout: 2 * time.Minute},
	}
	if diff := cmp.Diff(want, c.Models, cmpopts.IgnoreUnexported(config.Model{})); diff != "" {
		t.Error(diff)
	}
	if at := c.Models[1].Origin(); !strings.HasSuffix(at, "user.yaml:6") {
		t.Error(at)
	}
}

func TestAnEntryWithAMistakeIsLeftOutWhole(t *testing.T) {
	for entry, want := range map[string]string{
		"{model: x}":                                    "user.yaml:3: invalid models: an entry says no type: want anthropic, openai, ollama, claude, codex, gemini; this entry is left out",
		"{type: bedrock, model: x}":                     `user.yaml:3: invalid models.type "bedrock": want anthropic, openai, ollama, claude, codex, gemini; this entry is left out`,
		"{type: openai}":                                "user.yaml:3: invalid models: openai says no model: name the one that is to answer; this entry is left out",
		"{type: openai, model: x, api_key: sk-123}":     "user.yaml:3: invalid models.api_key: put the key into an environment variable, and the variable's name into key_env; this entry is left out",
		"{type: openai, model: x, key_env: sk-12 }":     "user.yaml:3: invalid models.key_env: want the name of an environment variable, such as OPENAI_API_KEY, not the key; this entry is left out",
		"{type: openai, model: x, host: y}":             `user.yaml:3: invalid models: unknown "host": want type, name, model, url, key_env, enabled, size, timeout, price_input, price_output, price_cache_read, price_cache_write; this entry is left out`,
		"{type: openai, model: x, url: 'http://a:b@c'}": "user.yaml:3: invalid models.url: want an address such as http://127.0.0.1:11434, without a password; this entry is left out",
		"{type: openai, model: x, name: ok}":            "user.yaml:3: invalid models: there are two of the name ok: give one another name; this entry is left out",
		"{type: gemini, url: 'http://127.0.0.1'}":       "user.yaml:3: invalid models: gemini is a program and has no url; this entry is left out",
		"ollama": "user.yaml:3: invalid models: want entries such as `- {type: ollama, model: qwen3}`; this entry is left out",
	} {
		c, problems := load(t, "models:\n  - {name: ok, type: ollama, model: m}\n  - "+entry+"\n", "")
		if len(c.Models) != 1 || c.Models[0].Name != "ok" || cmp.Diff([]string{want}, problems) != "" {
			t.Errorf("%s: %d models, %s", entry, len(c.Models), cmp.Diff([]string{want}, problems))
		}
	}
}

func TestAProjectListsNoModels(t *testing.T) {
	c, problems := load(t, "models: [{type: ollama, model: m}]\n", "models: [{type: openai, model: m, url: 'https://evil.example'}]\nspend: {enabled: false, daily_tokens: 5}\n")
	if len(c.Models) != 1 || c.Models[0].Type != "ollama" || len(problems) != 1 || !strings.Contains(problems[0], "only your own config.yaml may list models") {
		t.Errorf("%+v, %q", c.Models, problems)
	}
	if c.Spend.Enabled || c.Spend.DailyTokens != 5 {
		t.Errorf("%+v", c.Spend)
	}
	if _, problems := load(t, "", "spend: {daily_tokens: 0, call_tokens: 0}\n"); len(problems) != 2 {
		t.Errorf("a project took the bounds away: %q", problems)
	}
}

func TestEnableModelChangesOneLine(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "config.yaml"), "# mine\nmodels:\n  - type: ollama # at home\n    model: m\n  - {name: b, type: claude}\n")
	for _, step := range []struct {
		name string
		on   bool
	}{{"b", true}, {"ollama", false}} {
		if err := config.EnableModel(path, step.name, step.on); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	const want = "# mine\nmodels:\n  - type: ollama # at home\n    model: m\n    enabled: false\n  - {name: b, type: claude, enabled: true}\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if err := config.EnableModel(path, "none", true); !errors.Is(err, memory.ErrNotFound) {
		t.Error(err)
	}
}
