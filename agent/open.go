package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/inert"
	"orihon/internal/jsonl"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
)

// open opens a run and settles what an earlier end has left.
func (a *Agent) open(ctx context.Context, task Task) (_ *run, err error) {
	if task.Run == "" || strings.TrimSpace(task.Text) == "" && !task.Resume {
		return nil, fmt.Errorf("%w task: it needs a text", memory.ErrInvalid)
	}
	r := &run{o: &a.o, def: a.def, id: task.Run, dir: a.o.Folder(task.Run), shrunk: 1, known: map[asking]int32{}, gauge: newGauge(), unlock: func() {}}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	if r.unlock, err = lock(ctx, filepath.Join(r.dir, lockFile)); err != nil {
		return nil, fmt.Errorf("run %s: %w", r.id, err)
	}
	rec, err := r.identify(a, task)
	if err != nil {
		return nil, err
	}
	log, err := journal.Open(r.dir, &journal.Options{Now: a.o.Now, Logger: a.o.Logger})
	if err != nil {
		return nil, err
	}
	if r.view, err = log.View(ctx); err != nil {
		return nil, err
	}
	return r, r.begin(ctx, a, task, rec)
}

// lock takes the lock of a run. What a killed process had begun to start may hold it
// for a moment.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	const tries, pause = 20, 50 * time.Millisecond
	for range tries {
		unlock, free, err := jsonl.TryLock(path)
		if free || err != nil {
			if err != nil {
				unlock = func() {}
			}
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return func() {}, ctx.Err()
		case <-time.After(pause):
		}
	}
	return func() {}, fmt.Errorf("%w: another process is at it", memory.ErrRefused)
}

// identify reads run.json of a run that goes on, or writes that of a new one.
func (r *run) identify(a *Agent, task Task) (record, error) {
	rec, err := readRecord(r.dir)
	switch {
	case task.Resume && err == nil && rec.Agent != a.def.Name:
		return rec, fmt.Errorf("%w run %s: it is of the agent %s", memory.ErrInvalid, r.id, rec.Agent)
	case task.Resume:
		return rec, err
	case err == nil:
		return rec, fmt.Errorf("%w run %s: there is one already: resume it", memory.ErrInvalid, r.id)
	}
	rec = record{
		Version: recordNow, Agent: a.def.Name, AgentVersion: a.def.Version, AgentDir: a.def.Dir, Work: a.work,
		ContinueFrom: task.ContinueFrom, Created: a.o.Now().UTC(),
	}
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return rec, err
	}
	return rec, jsonl.WriteFile(filepath.Join(r.dir, runFile), append(data, '\n'))
}

// begin tells memory and the journal that the run starts or goes on, and prepares
// what the loop needs.
func (r *run) begin(ctx context.Context, a *Agent, task Task, rec record) error {
	source := "startup"
	if task.Resume {
		source = "resume"
		r.recount()
	}
	opening := r.follow(ctx, source, rec.Work)
	if err := r.settle(ctx); err != nil {
		return err
	}
	before, err := r.before(ctx, rec.ContinueFrom)
	if err != nil {
		return err
	}
	if err := r.given(ctx, task); err != nil {
		return err
	}
	r.place = place{home: r.def.Dir, work: a.work, run: r.id, journal: r.view.Journal().Path(), env: a.o.Env}
	if a.o.parent != "" {
		r.place.journal = a.o.parent
	}
	for _, p := range r.def.Mended {
		r.notice("%v", p)
	}
	if err := r.furnish(); err != nil {
		return err
	}
	if r.tools, err = newToolbox(ctx, r, a.below); err != nil {
		return err
	}
	if r.check = a.o.check; r.check == nil && len(r.def.Schema) > 0 {
		r.check, r.strict = func(answer string) error { return holds(r.def.Schema, reportIn(answer)) }, true
	}
	r.system = strings.Join(parts(r.def.Prompt, a.o.extra, opening, before), "\n\n")
	r.o.Observe(Event{Kind: EventStarted, Run: r.id, Iteration: r.view.LastIteration(), Text: r.def.Name})
	r.hook(ctx, r.def.Hooks.Start, Event{Kind: EventStarted, Run: r.id})
	return nil
}

// parts are the texts that say something.
func parts(all ...string) []string {
	var out []string
	for _, text := range all {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// follow tells memory of the run, and the journal where memory does not. Memory
// that fails is left out.
func (r *run) follow(ctx context.Context, source, work string) (opening string) {
	last := r.lastSeq()
	if r.o.Session != nil && on(r.def.Memory.Capture) {
		s, err := r.o.Session(ctx, r.id)
		if err == nil {
			in, begun := s.Begin(ctx, source)
			if err = begun; err == nil {
				r.session, opening = s, in.Text
			}
		}
		if err != nil {
			r.notice("memory does not follow this run: %v", err)
		}
	}
	r.catchUp(ctx)
	for _, e := range r.view.From(last + 1) {
		if e.Type == journal.RunStarted {
			return opening
		}
	}
	if err := r.write(ctx, journal.RunStarted, "", journal.Run{Source: source, CWD: work, Client: "orihon"}); err != nil {
		r.notice("the journal does not say that the run starts: %v", err)
	}
	return opening
}

// settle answers the calls that an earlier end left open. Nobody knows what became
// of them, and none is made again.
func (r *run) settle(ctx context.Context) error {
	for _, e := range r.view.ByType(journal.ActionRequest) {
		var a journal.Action
		if _, done := r.view.ResultOf(e.ID); done || e.ID == "" || r.view.Decode(e, &a) != nil {
			continue
		}
		key := r.key(callKey(a.Tool, a.Input), 0)
		if err := r.write(ctx, journal.ActionResult, e.ID, journal.Result{Tool: a.Tool, Error: true, Output: unknownOutcome + " Idempotency key: " + key}); err != nil {
			return err
		}
	}
	return nil
}

// unknownOutcome begins the result of a call whose outcome is unknown.
const unknownOutcome = "Outcome unknown: the run was interrupted while this call was under way, and the call was not repeated. " +
	"It may or may not have taken effect. Look what is the case before you call again; an equal call carries the same idempotency key."

// recount reads from the journal what a run has used, and which calls it made.
func (r *run) recount() {
	for _, e := range r.view.ByType(journal.ContextBuilt) {
		var b built
		if r.view.Decode(e, &b) == nil {
			r.status.add(llm.Usage(b.Usage), b.Cost)
			r.gauge.learn(b.Estimate, b.Usage.Input)
		}
	}
	for _, e := range r.view.ByType(journal.ActionRequest) {
		var a journal.Action
		var res journal.Result
		if done, ok := r.view.ResultOf(e.ID); ok && r.view.Decode(e, &a) == nil && r.view.Decode(done, &res) == nil && !strings.HasPrefix(res.Output, unknownOutcome) {
			r.known[callKey(a.Tool, a.Input)]++
		}
	}
}

// before is what a run knows of the one it continues.
func (r *run) before(ctx context.Context, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	log, err := journal.Open(dir, &journal.Options{Logger: r.o.Logger})
	if err != nil {
		return "", err
	}
	v, err := log.View(ctx)
	if err != nil {
		return "", err
	}
	if len(v.Events()) == 0 {
		return "", fmt.Errorf("run %w: %s has no journal", memory.ErrNotFound, dir)
	}
	text := window.Fold(v.ReadOnly(), 0, "")
	for _, t := range []journal.Type{journal.AssistantMessage, journal.Report} {
		if all := v.ByType(t); len(all) > 0 {
			text += "\n\nIts last words:\n" + v.Text(all[len(all)-1])
		}
	}
	r.earlier = journal.Folder(dir)
	return "You go on from an earlier run, whose iterations " + earlierTool + " opens. " + inert.Rule + "\n" + inert.Data("earlier run", text), nil
}

// given puts the task before the model, or makes sure that there is one.
func (r *run) given(ctx context.Context, task Task) error {
	if text := strings.TrimSpace(task.Text); text != "" {
		r.prompt = fmt.Sprintf("task-%d", len(r.view.ByType(journal.UserMessage))+1)
		return r.say(ctx, text, "")
	}
	asked := r.view.ByType(journal.UserMessage)
	if len(asked) == 0 {
		return fmt.Errorf("%w run %s: it was given no task yet: give it one", memory.ErrInvalid, r.id)
	}
	r.prompt = asked[len(asked)-1].ID
	if answers := r.view.ByType(journal.AssistantMessage); len(answers) > 0 {
		acts := r.view.ByType(journal.ActionRequest)
		last := answers[len(answers)-1].Seq
		if last > asked[len(asked)-1].Seq && (len(acts) == 0 || last > acts[len(acts)-1].Seq) {
			return fmt.Errorf("%w run %s: it has answered: give it another task", memory.ErrInvalid, r.id)
		}
	}
	return nil
}
