package capture

import (
	"slices"
	"unicode/utf8"

	"orihon/internal/reader"
)

// What becomes of an order, by what the reader holds of it: docs/benchmarks.md.
const (
	notMeant = 0.7  // as likely meant for nothing: it is not kept
	loose    = 0.5  // as likely meant for nothing, it is not kept for its words alone
	meant    = 0.15 // as likely a statement: it is kept
	leant    = 0.30 // as likely a statement, it is kept for words that only lean to it
	hardly   = 0.05 // as likely a statement, the agent is asked about words of an order
)

// Clauses of a prompt beside which the reader knows an order too little.
const (
	alone = 2
	few   = 4
)

// reminder is the rule of a sentence that ends in what is not to be forgotten, which may
// be for now: "…, 記得 …".
const reminder = "記得"

// leans reports whether its words ask only as far as the reader holds it for a statement.
func (w *wish) leans() bool { return w.Rule == laterOn || w.Rule == noting }

// held reports whether the reader holds what such words ask for to be a statement.
func (w *wish) held(o *reader.Opinion) bool {
	if w.Rule == laterOn && o.Kind != reader.Instruction && o.Kind != reader.Preference {
		return false // of what may come
	}
	return !w.unsure && o.Idle < loose && o.Said >= leant
}

// likely is how likely a wish is to be kept, by its words and what the reader holds of
// it: 1 when it is, 0 when nobody is to be asked.
func (w *wish) likely(o *reader.Opinion) float64 {
	asks := w.Rule != "" && !w.leans()
	plain := o.Clauses <= few && plainOrder(w.Text)
	switch {
	case w.leans() && w.held(o):
		return 1
	case w.leans() && w.ordering == "":
		return 0
	case asks && w.Rule != reminder && !w.unsure && o.Idle < notMeant && (o.Said >= meant || plain || o.Clauses == 1 && o.Idle < loose):
		return 1
	case asks && o.Idle < notMeant, (asks || lasts(w.Text)) && o.Clauses <= alone, plain && o.Idle < loose:
		return StatedLikely
	case asks, o.Idle < loose && o.Said >= hardly:
		return StatedMaybe
	}
	return 0
}

// plainOrder reports whether a text begins with what is to be done or not.
func plainOrder(text string) bool {
	low := asciiLower(text)
	return forbids(low) || low[0] < utf8.RuneSelf && imperative(" "+low) || startsWithAny(low, lists.Phrases("from-now-on-zh")...)
}

// ordering reports whether a sentence that asks for nothing in so many words has words
// of an order.
func ordering(sentence string) bool {
	low := asciiLower(sentence)
	if isQuestion(low) || reported(low) {
		return false
	}
	return lasts(low) || !momentary(low) && (containsAny(low, lists.Phrases("order-zh")...) || hasPhrase(low, lists.Phrases("order")))
}

// lasts reports whether a sentence says that something begins and goes on.
func lasts(sentence string) bool {
	low := asciiLower(sentence)
	return containsAny(low, lists.Phrases("lasts-zh")...) || hasPhrase(low, lists.Phrases("lasts"))
}

func hasPhrase(low string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(w string) bool { return hasWord(low, w) })
}
