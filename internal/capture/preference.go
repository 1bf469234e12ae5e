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
	for _, c := range preferences {
		if containsAny(low, c.phrases()...) {
			return c.category
		}
	}
	return ""
}

var preferences = [...]struct {
	category string
	phrases  func() []string
}{
	{"commit_style", lists.Phrases("commit-style")},
	{"quote_style", lists.Phrases("quote-style")},
	{"indent_style", lists.Phrases("indent-style")},
	{"naming_convention", lists.Phrases("naming-convention")},
	{"test_first", lists.Phrases("test-first")},
	{"documentation_level", lists.Phrases("documentation-level")},
	{"verbosity", lists.Phrases("verbosity")},
	{"explanation_depth", lists.Phrases("explanation-depth")},
	{"language", lists.Phrases("language")},
}

// Topic is what a statement is about when nobody has said so.
func Topic(text string) memory.Topic {
	if PreferenceCategory(text) != "" {
		return memory.Preference
	}
	return topicOf(text, "")
}
