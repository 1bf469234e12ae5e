package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/journal"
	"orihon/llm"
)

const (
	maxAttempts = 5 // of one request
	maxShrinks  = 3 // of the context, where it is refused
	maxUrges    = 2 // in a row
)

// refusal is an answer by which the model refuses to go on.
type refusal struct{ stop string }

func (e *refusal) Error() string { return "the model refused: " + e.stop }

// ask sends a request until it is answered. What fails is asked again after a
// pause, as long as the provider says but no longer than is patient; a prompt that
// is refused is built smaller.
func (r *run) ask(ctx context.Context, messages []llm.Message) (llm.Response, error) {
	shrinks := 0
	for attempt := 1; ; attempt++ {
		r.estimate = r.estimated(messages)
		resp, err := r.generate(ctx, messages)
		if err == nil {
			return resp, r.answered(&resp)
		}
		var f *llm.Failure
		_ = errors.As(err, &f)
		switch {
		case ctx.Err() != nil:
			return resp, ctx.Err()
		case (errors.Is(err, llm.ErrTooLong) || f != nil && f.Request) && shrinks < maxShrinks:
			shrinks++
			r.shrunk *= 0.75
			r.o.Observe(Event{Kind: EventRetry, Run: r.id, Text: r.o.Redact("the request was refused, so it is asked smaller: " + err.Error())})
			recalled := ""
			if len(messages) > r.sentTo {
				recalled = messages[r.sentTo].Text
			}
			if messages, err = r.build(ctx, recalled); err != nil {
				return resp, err
			}
			continue
		case f == nil || f.Settled || f.Request || attempt == maxAttempts || errors.Is(err, llm.ErrSpent):
			return resp, err
		}
		wait := max(f.RetryAfter, min(time.Second<<(attempt-1), r.o.Patience/4))
		if wait > r.o.Patience {
			return resp, err
		}
		r.o.Observe(Event{Kind: EventRetry, Run: r.id, Text: r.o.Redact(fmt.Sprintf("asked again in %s: %v", wait.Round(time.Millisecond), err))})
		select {
		case <-ctx.Done():
			return resp, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// generate asks once, and tells the answer as it comes where the model can.
func (r *run) generate(ctx context.Context, messages []llm.Message) (llm.Response, error) {
	req := llm.Request{Messages: messages, Tools: r.tools.specs, MaxTokens: r.maxAnswer(), Temperature: r.def.LLM.Temperature, Cache: r.cacheable(messages)}
	s, ok := r.o.Model.(llm.Streamer)
	if !ok {
		return r.o.Model.Generate(ctx, req)
	}
	return s.Stream(ctx, req, func(d llm.Delta) {
		switch {
		case d.Text != "":
			r.o.Observe(Event{Kind: EventText, Run: r.id, Text: d.Text})
		case d.Reasoning != "":
			r.o.Observe(Event{Kind: EventReasoning, Run: r.id, Text: d.Reasoning})
		}
	})
}

// cacheable are the messages up to which later requests begin alike: the system's,
// and all but what was recalled for this turn.
func (r *run) cacheable(messages []llm.Message) []int {
	system := 0
	for system < len(messages) && messages[system].Role == llm.System {
		system++
	}
	var out []int
	for _, i := range []int{system - 1, r.sentTo - 1} {
		if i >= 0 && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// answered takes note of what an answer took, and gives each of its calls an id of
// its own in the run.
func (r *run) answered(resp *llm.Response) error {
	u := resp.Usage
	r.status.add(u, resp.Cost)
	r.status.Window, r.status.Context = r.window(), int(u.Input+u.Output)
	if u.Input == 0 {
		r.status.Context = scaled(r.estimate, r.gauge.ratio)
	}
	seen := map[string]bool{}
	for i := range resp.Message.Calls {
		c := &resp.Message.Calls[i]
		if id := c.ID; !validToolName(id) || seen[id] || r.view.Requested(id) {
			c.ID = fmt.Sprintf("call_%d_%d", r.lastSeq()+1, i+1)
		}
		seen[c.ID] = true
	}
	if resp.Stop == "refusal" || resp.Stop == "content_filter" {
		return &refusal{strings.TrimSpace(resp.Stop + " " + head(resp.Message.Text, 200))}
	}
	return r.measured(r.estimate, u)
}

// note writes an answer into the journal in one piece, and waits until it is on
// disk: from here on its calls may take effect.
func (r *run) note(ctx context.Context, resp *llm.Response) error {
	ctx = context.WithoutCancel(ctx)
	var events []journal.Event
	var broken error
	add := func(t journal.Type, id string, payload any) {
		e, err := journal.New(t, id, payload)
		broken = errors.Join(broken, err)
		events = append(events, e)
	}
	m := &resp.Message
	for _, t := range m.Reasoning {
		text, signature := r.o.Redact(t.Text), t.Signature
		if text != t.Text {
			signature = "" // it was given for other words
		}
		add(journal.Thought, "", journal.Message{Role: journal.RoleAssistant, Text: text, Reasoning: true, Signature: signature, Sealed: t.Sealed})
	}
	text := r.o.Redact(m.Text)
	switch {
	case strings.TrimSpace(text) == "":
	case len(m.Calls) > 0:
		add(journal.Thought, "", journal.Message{Role: journal.RoleAssistant, Text: text})
	default:
		r.answer = text
		add(journal.AssistantMessage, journal.AnswerID(r.prompt, text), journal.Message{Role: journal.RoleAssistant, Text: text})
	}
	for _, c := range m.Calls {
		add(journal.ActionRequest, c.ID, journal.Action{Tool: c.Tool, Input: r.clean(c.Input)})
	}
	add(journal.ContextBuilt, "", built{
		Messages: r.sentTo, Estimate: r.estimate, Usage: spent(resp.Usage), Cost: resp.Cost, Backend: resp.Backend, Stop: resp.Stop,
	})
	if broken != nil {
		return broken
	}
	if _, err := r.view.Append(ctx, events...); err != nil {
		return err
	}
	return r.view.Journal().Sync()
}

// clean takes secrets out of an input, whose bytes stay as they are where it holds
// none.
func (r *run) clean(input json.RawMessage) json.RawMessage {
	if len(input) == 0 || r.o.Redact(string(input)) == string(input) {
		return input
	}
	var v any
	if json.Unmarshal(input, &v) != nil {
		return nil
	}
	out, err := json.Marshal(cleaned(v, r.o.Redact))
	if err != nil {
		return nil
	}
	if text := r.o.Redact(string(out)); text != string(out) {
		out, _ = json.Marshal(map[string]string{"redacted": text}) // texts always encode
	}
	return out
}

func cleaned(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = cleaned(v[i], clean)
		}
	case map[string]any:
		for k := range v {
			v[k] = cleaned(v[k], clean)
		}
	}
	return v
}

// unfit is why an answer that calls nothing does not end the run, as the model is
// told, and as the outcome says when it stays so; empty where it ends it. One that
// was cut off or that is no report is sent back, but taken in the end.
func (r *run) unfit(resp *llm.Response) (complaint, detail string) {
	cut := resp.Stop == "max_tokens" || resp.Stop == "length"
	if strings.TrimSpace(resp.Message.Text) == "" && !cut {
		return "You answered nothing. Go on with the task, or say what came of it.", "the model answered nothing"
	}
	if r.check != nil {
		if err := r.check(resp.Message.Text); err != nil {
			complaint = "Your answer cannot be used: " + err.Error() + ". Answer again, in the form that was asked for."
			if r.strict {
				detail = "the answer does not hold to " + schemaFile + ": " + err.Error()
			}
		}
	}
	if cut {
		complaint = fmt.Sprintf("Your answer was cut off after %d tokens. Go on, in smaller steps.", resp.Usage.Output)
	}
	if strings.TrimSpace(resp.Message.Text) == "" {
		detail = "the answer was cut off before it said anything: raise llm.max_tokens"
	}
	return complaint, detail
}

// final tells whether an answer that calls nothing ends the run, and how. One that
// is unfit is sent back, [maxUrges] times.
func (r *run) final(ctx context.Context, resp *llm.Response) (reason, detail string) {
	complaint, detail := r.unfit(resp)
	spent := r.urged >= maxUrges
	if complaint == "" || spent && detail == "" {
		return Answered, ""
	}
	r.urged++
	r.prompt = fmt.Sprintf("urge-%d", r.lastSeq()+1)
	// Also the last time: a run that is resumed goes on with it.
	if err := r.say(ctx, complaint, "orihon"); err != nil {
		return Failed, fmt.Sprintf("the answer was not sent back: %v", err)
	}
	if spent {
		return Failed, fmt.Sprintf("%s, %d times in a row", detail, r.urged)
	}
	return "", ""
}
