package wording

import (
	"regexp"
	"strings"
	"sync"
)

// injected is what this program itself puts before an agent.
var injected = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<orihon-memory>.*?(?:</orihon-memory>|$)`)
})

// WithoutInjected takes out of a text what this program put before an agent:
// quoted back, it must not become knowledge.
func WithoutInjected(text string) string {
	if !strings.Contains(text, "<orihon-memory>") {
		return text
	}
	return injected().ReplaceAllString(text, "")
}
