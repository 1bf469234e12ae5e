package capture

import (
	"testing"

	"orihon/memory"
)

func TestPreferenceCategory(t *testing.T) {
	for text, want := range map[string]string{
		"Use tabs, not spaces":                        "indent_style",
		"以後縮排一律用 4 個空格":                               "indent_style",
		"缩进用 2 个空格":                                   "indent_style",
		"Prefer single quotes in TypeScript":          "quote_style",
		"字串一律用雙引號":                                    "quote_style",
		"Name Python functions in snake_case":         "naming_convention",
		"變數命名要完整":                                     "naming_convention",
		"Commit messages follow Conventional Commits": "commit_style",
		"提交信息用英文写":                                    "commit_style",
		"Write the test before the code":              "test_first",
		"先写测试再写实现":                                    "test_first",
		"Every exported function has a doc comment":   "documentation_level",
		"Always answer in Traditional Chinese":        "language",
		"以後都用中文回答":                                    "language",
		"Keep answers short":                          "verbosity",
		"回答請簡潔":                                       "verbosity",
		"Explain why, not only what":                  "explanation_depth",
		"Never touch the vendor folder":               "",
		"We deploy with make ship":                    "",
		"這個表有三個索引":                                    "",
	} {
		if got := PreferenceCategory(text); got != want {
			t.Errorf("PreferenceCategory(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestTopic(t *testing.T) {
	for text, want := range map[string]memory.Topic{
		"use tabs": memory.Preference, "以後都用 tabs": memory.Preference, "Never use Redis for the session cache": memory.Preference,
		"回答請簡潔": memory.Preference, "We deploy with make ship, never with kubectl directly": memory.Fact,
		"timeout 30s": memory.Fact, "逾時設為 30 秒": memory.Fact, "We decided to store orders in Postgres": memory.Decision,
		"陷阱：匯出前要先關掉快取": memory.Pitfall, "Before a release, run make check": memory.Procedure,
		"keep answers short": memory.Preference, "no emojis in replies": memory.Preference, "回答要短一點": memory.Preference, "解释少一点，直接给代码": memory.Preference,
		"Summaries go to Ruta": memory.Fact, "回覆介面逾時 5 秒": memory.Fact, "the answer service runs on 8080": memory.Fact,
	} {
		if got := Topic(text); got != want {
			t.Errorf("Topic(%q) = %s, want %s", text, got, want)
		}
	}
}
