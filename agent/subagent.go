package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
)

const (
	subAgentTime = 10 * time.Minute
	// maxDepth is how many agents may stand below each other.
	maxDepth = 3
)

// subAgents is the folder of sub-agents' runs in that of their parent.
const subAgents = "io/sub_agents"

// subAgent is a tool that is another agent. It gets the task and what it shares
// with this one; this one gets its report and nothing else of it.
type subAgent struct {
	r    *run // of the parent: used by fork alone, which the loop calls
	tool *ToolDef
	def  *Definition
	run  func(context.Context, Options, Task) (Outcome, error)
}

func newSubAgent(r *run, tool *ToolDef, run func(context.Context, Options, Task) (Outcome, error)) (Tool, error) {
	if slices.Contains(window.Summarizers(), tool.AgentPath) {
		return &summarizer{r, tool, run}, nil
	}
	if r.o.depth >= maxDepth {
		return nil, fmt.Errorf("%w agent: at most %d stand below each other", memory.ErrRefused, maxDepth)
	}
	dir := filepath.Join(r.def.Dir, tool.AgentPath)
	switch {
	case strings.HasPrefix(tool.AgentPath, "@"):
		if r.o.Installed == nil {
			return nil, fmt.Errorf("agent %s: %w", tool.AgentPath, memory.ErrNotFound)
		}
		var err error
		if dir, err = r.o.Installed(tool.AgentPath); err != nil {
			return nil, err
		}
	case r.def.Dir == "":
		return nil, fmt.Errorf("%w agent_path %q: this agent has no folder", memory.ErrInvalid, tool.AgentPath)
	default:
		if err := within(r.def.Dir, tool.AgentPath); err != nil {
			return nil, fmt.Errorf("agent_path: %w", err)
		}
	}
	def, err := Read(dir)
	if err != nil {
		return nil, err
	}
	return &subAgent{r, tool, def, run}, nil
}

// Spec implements [Tool].
func (s *subAgent) Spec() llm.ToolSpec {
	return llm.ToolSpec{
		Name: s.tool.Name, Description: cmp.Or(s.tool.Description, s.def.Description),
		Schema: schemaOf([]Parameter{
			{Name: "task", Required: true, Description: "What the sub-agent is to do, whole: it sees nothing of this conversation."},
			{Name: "files", Type: TypeList, Description: "Paths that matter for it."},
			{Name: "depends_on", Type: TypeList, Description: "Ids of sub-agents whose reports it needs."},
			{Name: "retry", Type: TypeBoolean, Description: "It failed before: it is told how."},
		}),
	}
}

// Call is never called: a sub-agent is forked.
func (s *subAgent) Call(context.Context, Call) (string, error) {
	return "", errors.ErrUnsupported
}

// report is a report with the id by which another sub-agent depends on it.
type report struct {
	ID string `json:"agent_id"`
	window.Report
}

// fork takes from the parent's run what the sub-agent shares, and returns what
// runs it.
func (s *subAgent) fork(ctx context.Context, c Call) (func(context.Context) (string, error), error) {
	var in struct {
		Task      string   `json:"task"`
		Files     []string `json:"files"`
		DependsOn []string `json:"depends_on"`
		Retry     bool     `json:"retry"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil || strings.TrimSpace(in.Task) == "" {
		return nil, fmt.Errorf("%w input: %s needs a task, as a text", memory.ErrInvalid, s.tool.Name)
	}
	main := window.Main{View: s.r.view, Context: s.known(ctx, in.Task)}
	for _, f := range in.Files {
		if within(s.r.place.work, f) == nil {
			main.Files = append(main.Files, window.Piece{Name: f})
		}
	}
	main.Agents, main.LastError = s.earlier()
	forked, err := window.Fork(main, window.Task{ID: c.ID, Text: in.Task, DependsOn: in.DependsOn, Retry: in.Retry}, nil)
	if err != nil {
		return nil, err
	}
	o := *s.r.o
	o.Definition, o.depth, o.parent = s.def, o.depth+1, s.r.view.Journal().Path()
	dir := filepath.Join(s.r.dir, filepath.FromSlash(subAgents), c.ID)
	o.Folder, o.Session, o.Flush, o.Work = func(string) string { return dir }, nil, nil, s.r.place.work
	o.extra = strings.TrimSpace(forked.Input(0).System)
	o.check = func(answer string) error {
		_, err := window.ParseReport(reportIn(answer))
		var long window.ReportTooLong
		if errors.As(err, &long) {
			return nil // it is shortened
		}
		return err
	}
	tell := s.r.o.Observe
	o.Observe = func(e Event) {
		e.Agent = cmp.Or(e.Agent, s.tool.Name)
		tell(e)
	}
	parent := s.r.dir
	return func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.tool.Timeout, subAgentTime))
		defer cancel()
		out, err := s.run(ctx, o, Task{Text: in.Task, Run: c.ID})
		s.r.below.add(out.Status)
		if err != nil {
			return "", err
		}
		return s.reported(out, c.ID, parent)
	}, nil
}

// known is what memory knows of the task; nothing when it cannot be asked.
func (s *subAgent) known(ctx context.Context, task string) []window.Piece {
	if s.r.recallTokens() == 0 {
		return nil
	}
	got, err := s.r.o.Memory.Recall(ctx, memory.Query{Text: task, MaxTokens: s.r.recallTokens(), Session: s.r.id})
	if err != nil || got.Text == "" {
		return nil
	}
	return []window.Piece{{Name: "memory, for the task: " + head(task, 200), Text: got.Text}}
}

// earlier are the reports that sub-agents gave in this run, and the last failure
// among them.
func (s *subAgent) earlier() (all []window.AgentSummary, failed string) {
	for _, e := range s.r.view.ByType(journal.Report) {
		var m journal.Message
		var rep report
		if s.r.view.Decode(e, &m) != nil || json.Unmarshal([]byte(m.Text), &rep) != nil {
			continue
		}
		all = append(all, window.AgentSummary{Agent: rep.ID, Text: rep.Summary})
		if failed = ""; rep.Status == "failed" {
			failed = rep.Summary
		}
	}
	return all, failed
}

// reported is what the parent gets of a sub-agent that has ended.
func (s *subAgent) reported(out Outcome, id, parent string) (string, error) {
	store := func(name string, data []byte) error {
		return jsonl.WriteFile(filepath.Join(parent, filepath.FromSlash(name)), data)
	}
	rep, err := window.StoreReport(reportIn(out.Answer), id, s.tool.Name, store)
	if err != nil {
		rep = window.Report{Status: "partial", Summary: head(strings.TrimSpace(out.Answer), 1000), Warnings: []string{"it gave no report in the form that was asked for"}}
		if out.Reason != Answered {
			rep.Status, rep.Summary = "failed", cmp.Or(out.Detail, "it ended without an answer: "+out.Reason)
		}
		if rep.Summary == "" {
			rep.Status, rep.Summary = "failed", "it answered nothing"
		}
		if name := fmt.Sprintf("tasks/%s/agent_%s_full_output.json", id, s.tool.Name); len(out.Answer) > 1000 && store(name, []byte(out.Answer)) == nil {
			rep.FullOutput = name
		}
	}
	raw, err := json.Marshal(report{id, rep})
	return string(raw), err
}
