package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"orihon"
	"orihon/follow"
	"orihon/internal/redact"
	"orihon/memory"
	"orihon/runs"
	"orihon/transfer"
	"orihon/workmem"
)

// channel is a way on which text reaches the disk or a model.
type channel struct {
	name string
	// short says that only a secret alone can stand there, and no line of text.
	short bool
	run   func(*bench, []planted) error
}

// channels are all ways that are tried, in the order of the report.
func channels() []channel {
	list := []channel{
		{name: "statement", run: (*bench).statements},
		{name: "title and tags", run: (*bench).fields},
		{name: "edit", run: (*bench).edits},
		{name: "prompt", run: (*bench).prompts},
		{name: "prompt that is remembered", run: (*bench).asked},
		{name: "tool input", run: (*bench).inputs},
		{name: "tool output", run: (*bench).outputs},
		{name: "answer and report", run: (*bench).answers},
		{name: "transcript catch-up", run: (*bench).told},
		{name: "daily log and episode", run: (*bench).worked},
		{name: "compaction and brief", run: (*bench).compacted},
		{name: "summary", run: (*bench).summed},
		{name: "note by hand", run: (*bench).notes},
		{name: "documents", run: (*bench).documents},
		{name: "working memory", run: (*bench).working},
		{name: "export", run: (*bench).exports},
		{name: "branch", short: true, run: (*bench).branches},
		{name: "tool name", short: true, run: (*bench).toolNames},
		{name: "folder name", short: true, run: (*bench).folders},
		{name: "session id", short: true, run: (*bench).sessionIDs},
		{name: "event ids", short: true, run: (*bench).eventIDs},
		{name: "agent kind", short: true, run: (*bench).agentKinds},
		{name: "reasons", run: (*bench).reasons},
		{name: "hook", run: (*bench).hooks},
		{name: "hook.log", short: true, run: (*bench).hookLog},
	}
	for _, f := range foreignForms() {
		list = append(list, channel{name: "import " + f.name, run: func(b *bench, all []planted) error { return b.imported(f, all) }})
	}
	return list
}

func (b *bench) statements(all []planted) error {
	for _, part := range parts(all, 40) {
		var list []orihon.Statement
		for i := range part {
			list = append(list, orihon.Statement{Text: fmt.Sprintf("For deploy number %s%d: %s", part[i].kind.Name, i, part[i].text)})
		}
		if err := ignoreRefused(b.see(b.m.RememberAll(b.ctx, list))); err != nil {
			return err
		}
		if err := ignoreRefused(b.see(b.m.Remember(b.ctx, list[len(list)-1]))); err != nil {
			return err
		}
	}
	return b.recalled("deploy number")
}

func (b *bench) fields(all []planted) error {
	for n, part := range parts(all, 16) {
		list := texts(part)
		if err := ignoreRefused(b.see(b.m.Remember(b.ctx, orihon.Statement{
			Text: fmt.Sprintf("Release train %d leaves from platform %d", n, n*7), Title: strings.Join(list, "\n"), Tags: list, Triggers: list,
			Aliases: list, NeededWhen: list, Evidence: list, Session: list[0],
		}))); err != nil {
			return err
		}
	}
	return b.recalled("release train")
}

func (b *bench) edits(all []planted) error {
	for n, part := range parts(all, 16) {
		out, err := b.m.Remember(b.ctx, orihon.Statement{Text: fmt.Sprintf("Locomotive %d is painted in colour %d", n, n*3)})
		if err != nil {
			return err
		}
		if err := ignoreRefused(b.see(b.m.Items().Edit(b.ctx, out.Item.ID, func(it *memory.Item) error {
			it.Content += "\n\n" + strings.Join(texts(part), "\n\n")
			it.Title = part[0].text
			it.Metadata.Tags = texts(part)
			return nil
		}))); err != nil {
			return err
		}
	}
	return b.recalled("locomotive colour")
}

func (b *bench) prompts(all []planted) error {
	return each(all, func(i int, p *planted) error {
		return b.see(b.session.Prompt(b.ctx, fmt.Sprint("p", i), "please look: "+p.text))
	})
}

func (b *bench) asked(all []planted) error {
	return each(all, func(i int, p *planted) error {
		return b.see(b.session.Prompt(b.ctx, fmt.Sprint("p", i), fmt.Sprintf("Remember: for deploy number %d, %s", i, p.text)))
	})
}

func (b *bench) inputs(all []planted) error {
	return each(all, func(i int, p *planted) error {
		return b.session.Action(b.ctx, follow.Action{ID: fmt.Sprint("t", i), Tool: "Bash", Input: input(p), Output: "done"})
	})
}

func (b *bench) outputs(all []planted) error {
	return each(all, func(i int, p *planted) error {
		return errors.Join(
			b.session.Action(b.ctx, follow.Action{ID: fmt.Sprint("t", i), Tool: "Bash", Input: json.RawMessage(`{"command":"cat x"}`), Output: "output:\n" + p.text}),
			b.session.Action(b.ctx, follow.Action{ID: fmt.Sprint("u", i), Tool: "Bash", Output: strings.Repeat("a line of output\n", 40) + p.text, Error: true}))
	})
}

func (b *bench) answers(all []planted) error {
	return each(all, func(i int, p *planted) error {
		return errors.Join(b.session.Answer(b.ctx, fmt.Sprint("p", i), "I saw this. "+p.text), b.session.Report(b.ctx, fmt.Sprint("r", i), "Explore", "It says: "+p.text))
	})
}

func (b *bench) told(all []planted) error {
	return each(all, func(i int, p *planted) error {
		id := fmt.Sprint(i)
		return b.session.Tell(b.ctx,
			follow.TranscriptEntry{User: true, Prompt: "c" + id, Text: p.text},
			follow.TranscriptEntry{ID: "d" + id, Interim: true, Text: "thinking. " + p.text}, follow.TranscriptEntry{ID: "e" + id, Prompt: "c" + id, Text: p.text},
			follow.TranscriptEntry{Action: &follow.Action{ID: "v" + id, Tool: "Bash", Input: input(p), Output: p.text}})
	})
}

func (b *bench) worked(all []planted) error {
	for n, part := range parts(all, 24) {
		s, err := b.m.Session(b.ctx, fmt.Sprint("w", n), follow.Client{Name: "claude-code"})
		if err != nil {
			return err
		}
		err = each(part, func(i int, p *planted) error {
			id := fmt.Sprint(n, ".", i)
			_, err := s.Prompt(b.ctx, "a"+id, "We decided to use this from now on. "+p.text)
			return errors.Join(err,
				s.Action(b.ctx, follow.Action{ID: "b" + id, Tool: "Edit", Input: input(p), Output: p.text}),
				s.Action(b.ctx, follow.Action{ID: "c" + id, Tool: "Bash", Input: input(p), Output: "error: " + p.text, Error: true}),
				s.Answer(b.ctx, "a"+id, "Done, next step: "+p.text))
		})
		if err := errors.Join(err, s.End(b.ctx, "exit")); err != nil {
			return err
		}
	}
	return errors.Join(b.m.Sessions().Work(b.ctx), b.recalled("what did we decide last time?"))
}

func (b *bench) compacted(all []planted) error {
	for n, part := range parts(all, 24) {
		err := each(part, func(i int, p *planted) error {
			_, err := b.session.Prompt(b.ctx, fmt.Sprint("p", n, ".", i), "Always mind this: "+p.text)
			return err
		})
		if err := errors.Join(err, b.see(b.session.Begin(b.ctx, "resume")),
			b.session.Compact(b.ctx, "auto", "summary:\n\n"+strings.Join(texts(part), "\n\n")),
			b.see(b.session.Begin(b.ctx, "compact"))); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) summed(all []planted) error {
	if err := errors.Join(b.prompts(all), b.inputs(all), b.outputs(all), b.answers(all)); err != nil {
		return err
	}
	run, err := b.session.Context(b.ctx)
	if err != nil {
		return err
	}
	for _, agent := range []string{"summarizer-adaptive", "summarizer-chapter", "summarizer-events", "summarizer-errors"} {
		got, err := run.Summarize(b.ctx, runs.SummaryOptions{Agent: agent})
		if errors.Is(err, memory.ErrInvalid) {
			continue // an agent of another name
		}
		if err := b.see(got, err); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) notes(all []planted) error {
	if err := b.m.Register(b.ctx); err != nil {
		return err
	}
	p := b.m.Project()
	for _, folder := range []string{p.Personal, p.Shared} {
		err := each(all, func(i int, p *planted) error {
			return b.write(filepath.Join(folder, fmt.Sprintf("note-%d.md", i)), fmt.Sprintf("# Harbour note %d\n\n- the pier is long\n\n%s\n", i, p.text))
		})
		if err != nil {
			return err
		}
	}
	if err := b.write(filepath.Join(p.Personal, "MEMORY.md"), strings.Join(texts(all), "\n\n")+"\n\n"); err != nil {
		return err
	}
	return errors.Join(b.see(b.session.Begin(b.ctx, "startup")), b.recalled("harbour note pier"))
}

func (b *bench) documents(all []planted) error {
	err := each(all, func(i int, p *planted) error {
		return b.write(filepath.Join(b.project, fmt.Sprintf("doc-%d.md", i)), fmt.Sprintf("# Lighthouse %d\n\nThe lamp turns.\n\n%s\n", i, p.text))
	})
	if err != nil {
		return err
	}
	if err := b.see(b.m.Documents().Index(b.ctx, nil)); err != nil {
		return err
	}
	return b.see(b.m.Recall(b.ctx, memory.Query{Text: "lighthouse lamp", Documents: true, MaxTokens: 20000}))
}

func (b *bench) working(all []planted) error {
	s, err := workmem.Open(filepath.Join(b.home(), "run"), &workmem.Options{Redact: func(text string) string {
		text, _ = redact.Text(redact.Private(text))
		return text
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	tool := &workmem.MemoryTool{Store: s}
	return each(all, func(i int, p *planted) error {
		raw, err := json.Marshal(map[string]any{"command": "create", "path": fmt.Sprintf("%s/detail/%d.md", workmem.MemoryRoot, i), "file_text": p.text + "\n"})
		if err != nil {
			return err
		}
		if answer, failed := tool.Do(b.ctx, raw); failed {
			return errors.New(answer)
		}
		return nil
	})
}

func (b *bench) exports(all []planted) error {
	if err := errors.Join(b.statements(all), b.fields(all)); err != nil {
		return err
	}
	for _, markdown := range []bool{false, true} {
		if _, err := b.m.Transfer().Export(b.ctx, &b.shown, &transfer.ExportOptions{Markdown: markdown}); err != nil {
			return err
		}
	}
	_, err := b.m.Backup(b.ctx, io.Discard)
	return err
}
