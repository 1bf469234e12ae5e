package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/config"
	"orihon/memory"
)

func TestSetKeepsTheRestOfTheFile(t *testing.T) {
	for _, tt := range []struct{ name, before, key, value, after string }{
		{"new file", "", "recall.threshold", "0.8", "recall:\n  threshold: 0.8\n"},
		{"comments alone", "# 我的設定\n", "language", "zh-Hant", "# 我的設定\nlanguage: zh-Hant\n"},
		{
			"a value with comments",
			"# top\nrecall:\n  # why\n  threshold: 0.6 # less\n  max_terms: 9\n# end\nuser: 小明\n",
			"recall.threshold", "0.65",
			"# top\nrecall:\n  # why\n  threshold: 0.65 # less\n  max_terms: 9\n# end\nuser: 小明\n",
		},
		{"into its section", "recall:\n  max_terms: 9\nuser: a\n", "recall.turns", "never", "recall:\n  max_terms: 9\n  turns: never\nuser: a\n"},
		{"into an empty section", "recall:\nuser: a\n", "recall.turns", "never", "recall:\n  turns: never\nuser: a\n"},
		{"where it is written flat", "recall.turns: auto\n", "recall.turns", "never", "recall.turns: never\n"},
		{"a list", "roles: [a] # mine\n", "roles", "art, planner", "roles: [art, planner] # mine\n"},
		{"an empty list", "roles: [a]\n", "roles", "", "roles: []\n"},
		{"a word that looks like a number", "", "user", "007", "user: \"007\"\n"},
		{"a time", "", "sync.interval", "90m", "sync:\n  interval: 1h30m\n"},
		{"a prefix with its space", "", "embedder.query_prefix", "search_query: ", "embedder:\n  query_prefix: 'search_query: '\n"},
		{"the short form of a section", "embedder: ollama # here\nuser: a\n", "embedder.model", "bge-m3", "embedder:\n  provider: ollama # here\n  model: bge-m3\nuser: a\n"},
		{"the short form itself", "embedder: ollama # here\n", "embedder.provider", "static", "embedder:\n  provider: static # here\n"},
		{"what is unknown stays", "later: 1\n", "user", "a", "later: 1\nuser: a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.yaml")
			if tt.before != "" {
				write(t, path, tt.before)
			}
			if err := config.Set(path, tt.key, tt.value, config.UserLayer); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tt.after {
				t.Errorf("got %q, %v; want %q", got, err, tt.after)
			}
		})
	}
}

func TestSetRefusesWhatLoadWouldNotTake(t *testing.T) {
	for _, tt := range []struct {
		before, key, value string
		layer              config.Layer
		want               error
	}{
		{"user: a\n", "recall.threshold", "2", config.UserLayer, memory.ErrInvalid},
		{"user: a\n", "recall.treshold", "0.2", config.UserLayer, memory.ErrNotFound},
		{"user: a\n", "recall", "0.2", config.UserLayer, memory.ErrNotFound},
		{"user: [\n", "user", "b", config.UserLayer, memory.ErrInvalid},
		{"- a\n", "user", "b", config.UserLayer, memory.ErrInvalid},
		{"recall: 5\n", "recall.turns", "never", config.UserLayer, memory.ErrInvalid},
		{"language: en\n", "user", "b", config.ProjectLayer, memory.ErrRefused},
		{"language: en\n", "memory.extra_dirs", "../x", config.ProjectLayer, memory.ErrRefused},
	} {
		path := write(t, filepath.Join(t.TempDir(), "config.yaml"), tt.before)
		err := config.Set(path, tt.key, tt.value, tt.layer)
		if !errors.Is(err, tt.want) {
			t.Errorf("Set(%s, %s) in %q gave %v, want %v", tt.key, tt.value, tt.before, err, tt.want)
		}
		if got, _ := os.ReadFile(path); string(got) != tt.before {
			t.Errorf("the refused Set left %q", got)
		}
	}
	if _, err := config.Default().Get("recall.treshold"); !errors.Is(err, memory.ErrNotFound) || !strings.Contains(err.Error(), "recall.threshold") {
		t.Errorf("Get of an unknown key gave %v", err)
	}
}

func FuzzSet(f *testing.F) {
	for _, s := range []string{"", "# c\n", "recall:\n  threshold: 0.1 # x\n", "recall: {turns: auto}\n", "a: &x\n  b: 1\nrecall: *x\n", "user: |\n  a\n", "%YAML 1.1\n---\n"} {
		f.Add(s, "0.5")
	}
	f.Fuzz(func(t *testing.T, before, value string) {
		path := write(t, filepath.Join(t.TempDir(), "c.yaml"), before)
		if config.Set(path, "recall.common_share", value, config.UserLayer) != nil {
			if got, _ := os.ReadFile(path); string(got) != before {
				t.Errorf("a refused Set left %q of %q", got, before)
			}
			return
		}
		c, err := config.Load(config.Sources{UserFile: path, Flags: map[string]string{"recall.max_terms": "3"}})
		if !strings.HasPrefix(c.Origin("recall.common_share"), path) {
			t.Errorf("%q in %q is not read back: %v", value, before, err)
		}
	})
}
