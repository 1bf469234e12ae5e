package recall

import (
	"slices"
	"strings"
)

// Intent is what a prompt is after. It moves the threshold and prefers kinds.
type Intent string

// The intents.
const (
	Debugging Intent = "debugging"
	Coding    Intent = "coding"
	Design    Intent = "design"
	QA        Intent = "qa"
	Recalling Intent = "recall" // asks about the past itself
	Other     Intent = "other"
)

// cues are phrases that speak for an intent, in order of precedence: a prompt
// that asks about the past is about the past even when it names an error. They
// match anywhere in the lower-cased prompt; English words that could be part of
// others carry their borders.
var cues = [...]cue{
	{Recalling, lists.Phrases("recalling")}, {Debugging, lists.Phrases("debugging")}, {Design, lists.Phrases("design")},
	{Coding, lists.Phrases("coding")}, {QA, lists.Phrases("qa")},
}

type cue struct {
	intent  Intent
	phrases func() []string
}

// Classify names the intent of a prompt by its first cue; about a microsecond
// for every hundred characters.
func Classify(prompt string) Intent {
	const most = 4000
	if len(prompt) > most {
		prompt = prompt[:most/2] + prompt[len(prompt)-most/2:]
	}
	text := " " + strings.ToLower(prompt) + " "
	for _, c := range cues {
		if contains(text, c.phrases()) {
			return c.intent
		}
	}
	return Other
}

// threshold is the base for the intent: debugging may be loose, since a hint
// is worth its tokens; code and answers must not be misled.
func (i Intent) threshold(base float64) float64 {
	switch i {
	case Debugging:
		return base - 0.1
	case Coding:
		return base + 0.05
	case QA:
		return base + 0.1
	}
	return base
}

// addressed reports whether a prompt asks what the agent itself said, alone or
// with the user ("what did we say about …"): only then is an answer of its as
// good a source as what people said.
func addressed(prompt string) bool {
	text := strings.ToLower(prompt)
	if contains(text, addressing()) {
		return true
	}
	for _, subject := range [...]string{"you ", "你", "您", "我們", "我们"} {
		for _, rest := range strings.Split(text, subject)[1:] {
			if said(rest) {
				return true
			}
		}
	}
	return false
}

// said reports whether what follows "you" is that something was said.
func said(rest string) bool {
	for _, between := range betweens() {
		rest = strings.TrimPrefix(rest, between)
	}
	return slices.ContainsFunc(saidWords(), func(verb string) bool { return strings.HasPrefix(rest, verb) })
}

var (
	addressing = lists.Phrases("addressed")
	betweens   = lists.Phrases("between")
	saidWords  = lists.Phrases("said")
)
