package gateway

import (
	"orihon/internal/tokens"
	"orihon/llm"
)

// prompt estimates what a request's prompt takes.
func prompt(r llm.Request) int64 {
	var n int64
	for _, m := range r.Messages {
		n += words(m) + 4
	}
	for _, t := range r.Tools {
		n += int64(tokens.Estimate(t.Description)+tokens.Estimate(string(t.Schema))) + 16
	}
	if r.Schema != nil {
		n += int64(tokens.Estimate(string(r.Schema.JSON)))
	}
	return n
}

func words(m llm.Message) int64 {
	n := tokens.Estimate(m.Text)
	for _, c := range m.Calls {
		n += tokens.Estimate(string(c.Input)) + 16
	}
	if m.Result != nil {
		n += tokens.Estimate(m.Result.Text)
	}
	for _, t := range m.Reasoning {
		n += tokens.Estimate(t.Text)
	}
	return int64(n)
}

// atMost is more than what a request's prompt takes: half a token a byte, which no
// text of words needs, and what a server puts around messages and tools.
func atMost(r llm.Request) int64 {
	n := 500
	for _, m := range r.Messages {
		n += len(m.Text)/2 + 20
		for _, c := range m.Calls {
			n += len(c.Input)/2 + 30
		}
		if m.Result != nil {
			n += len(m.Result.Text)/2 + 20
		}
		for _, t := range m.Reasoning {
			n += (len(t.Text) + len(t.Signature)) / 2
		}
	}
	for _, t := range r.Tools {
		n += (len(t.Description)+len(t.Schema)+len(t.Name))/2 + 100
	}
	if r.Schema != nil {
		n += len(r.Schema.JSON)
	}
	return int64(n)
}
