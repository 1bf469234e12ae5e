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
		if containsAny(low, lists.Phrases(c)...) {
			return strings.ReplaceAll(c, "-", "_")
		}
	}
	return ""
}

var preferences = [...]string{
	"commit-style", "quote-style", "indent-style", "naming-convention", "test-first", "documentation-level",
	"verbosity", "explanation-depth", "language",
}

// Topic is what a statement is about when nobody has said so.
func Topic(text string) memory.Topic {
	if PreferenceCategory(text) != "" {
		return memory.Preference
	}
	return topicOf(text, "")
}
