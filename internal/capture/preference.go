package capture

import (
	"strings"

	"orihon/memory"
)

// PreferenceCategory says what a preference is about, in the words of the
// specification of preferences: indent_style, quote_style, naming_convention,
// commit_style, test_first, documentation_level, language, verbosity or
// explanation_depth; empty when it is about something else. The first that fits
// counts.
func PreferenceCategory(text string) string {
	low := " " + strings.ToLower(text) + " "
	for _, c := range [...]struct {
		name  string
		words []string
	}{
		{"commit_style", []string{"commit message", "commit subject", "conventional commit", "commit title", "提交訊息", "提交信息", "提交說明", "提交说明", "commit 訊息", "commit 信息"}},
		{"quote_style", []string{"single quote", "double quote", "single-quote", "double-quote", "單引號", "单引号", "雙引號", "双引号"}},
		{"indent_style", []string{"indent", " tabs", "spaces for", "use spaces", "縮排", "缩进", "縮進", "用 tab", "用tab", "空格縮", "空格缩"}},
		{"naming_convention", []string{"snake_case", "camelcase", "pascalcase", "kebab-case", "naming convention", "命名"}},
		{"test_first", []string{"tests first", "test first", "test-first", "write the test before", "write tests before", " tdd ", "先寫測試", "先写测试"}},
		{"documentation_level", []string{"docstring", "doc comment", "code comments", "comments in code", "寫註解", "写注释", "文件註解", "文档注释"}},
		{"verbosity", []string{"be brief", "be concise", "short answers", "keep answers short", "don't explain too much", "簡短", "简短", "簡潔", "简洁", "少廢話", "少废话"}},
		{"explanation_depth", []string{"explain why", "explain your reasoning", "explain in detail", "step by step", "詳細解釋", "详细解释", "說明原因", "说明原因"}},
		{"language", []string{"answer in ", "reply in ", "respond in ", "speak english", "speak chinese", "in english", "in chinese", "用中文", "用英文", "用繁體", "用繁体", "用簡體", "用简体", "中文回", "英文回"}},
	} {
		for _, w := range c.words {
			if strings.Contains(low, w) {
				return c.name
			}
		}
	}
	return ""
}

// Topic is what a statement is about when nobody has said so.
func Topic(text string) memory.Topic {
	if PreferenceCategory(text) != "" {
		return memory.Preference
	}
	return topicOf(text, "")
}
