package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"orihon/journal"
	"orihon/llm"
	"orihon/window"
)

// over tells whether a limit ends the run here.
func (r *run) over(ctx context.Context) (reason, detail string) {
	l := r.def.Limits
	most := cmp.Or(l.MaxIterations, 50)
	switch {
	case ctx.Err() != nil:
		return r.stopped(ctx)
	case r.status.Iterations >= most:
		return Limited, fmt.Sprintf("%d iterations are over (limits.max_iterations)", most)
	case l.Tokens > 0 && r.status.Input+r.status.Output >= l.Tokens:
		return Limited, fmt.Sprintf("%d tokens are used (limits.tokens)", l.Tokens)
	}
	return "", ""
}

// errTime is why the context of a run ends that took its time.
var errTime = errors.New("the time of the run is over")

// limited is the context of a run with its time limit.
func (r *run) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if t := r.def.Limits.Time; t > 0 {
		return context.WithTimeoutCause(ctx, t, errTime)
	}
	return context.WithCancel(ctx)
}

// stopped tells whose end it is when a context ended.
func (r *run) stopped(ctx context.Context) (reason, detail string) {
	if errors.Is(context.Cause(ctx), errTime) {
		return Limited, fmt.Sprintf("%s are over (limits.time)", r.def.Limits.Time)
	}
	return Interrupted, ""
}

// broken ends a run at an error: of ctx, of the model, or of its own files.
func (r *run) broken(ctx context.Context, err error) (Outcome, error) {
	if ctx.Err() != nil {
		reason, detail := r.stopped(ctx)
		return r.end(ctx, reason, detail)
	}
	var refused *refusal
	if errors.As(err, &refused) {
		return r.end(ctx, Refused, refused.Error())
	}
	var failed *llm.Failure
	if errors.As(err, &failed) || errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrSpent) || errors.Is(err, llm.ErrTooLong) || errors.Is(err, window.ErrBudget) {
		return r.end(ctx, Failed, err.Error())
	}
	out, _ := r.end(ctx, Failed, err.Error())
	return out, err
}

// end writes how the run ended. What memory makes of it is not waited for here.
func (r *run) end(ctx context.Context, reason, detail string) (Outcome, error) {
	ctx = context.WithoutCancel(ctx)
	detail = r.o.Redact(detail)
	out := Outcome{Run: r.id, Dir: r.dir, Reason: reason, Detail: detail, Status: r.status}
	if reason == Answered {
		out.Answer = r.answer
		r.o.Observe(Event{Kind: EventAnswer, Run: r.id, Text: r.answer})
	}
	last := r.lastSeq()
	if r.session != nil {
		if reason == Answered {
			if err := r.session.Answer(ctx, r.prompt, r.answer); err != nil {
				r.notice("memory did not take note of the answer: %v", err)
			}
		}
		if err := r.session.End(ctx, reason); err != nil {
			r.notice("memory did not take note of the end: %v", err)
		}
		r.catchUp(ctx)
	}
	var err error
	if ended := r.view.ByType(journal.RunEnded); len(ended) == 0 || ended[len(ended)-1].Seq <= last {
		err = r.write(ctx, journal.RunEnded, "", journal.Run{Reason: reason})
	}
	if serr := r.view.Journal().Sync(); err == nil {
		err = serr
	}
	e := Event{Kind: EventEnded, Run: r.id, Reason: reason, Text: detail, Status: &r.status}
	r.hook(ctx, r.def.Hooks.End, e)
	r.o.Observe(e)
	return out, err
}

// close waits for what goes on beside the loop and lets go of everything.
func (r *run) close() {
	r.later.Wait()
	if r.tools != nil {
		r.tools.close()
	}
	if r.notes != nil {
		_ = r.notes.Close()
	}
	r.unlock()
}
