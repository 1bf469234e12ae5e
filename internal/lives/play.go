package lives

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"orihon/internal/mcptools"
)

// Options are how [Run] plays.
type Options struct {
	Dir string // for homes; the caller removes it
	// Program runs the program that is measured in a project, with a home of its
	// own, and returns what it prints. It must not leave work behind.
	Program func(ctx context.Context, home, project string, stdin []byte, args ...string) ([]byte, error)
	// Server says how the program's server of tools is started in the same way. With it
	// the agent has the tools, and does what Answers say, by the prompt.
	Server  func(home, project string, args ...string) mcptools.Command
	Answers map[string]Answer
	// Asked is told what the agent is asked, by several goroutines; nil tells nobody.
	Asked func(Asked)
	// Start begins every session as a client does, so that what is told then
	// counts as well. Without it a prompt is all there is.
	Start    bool
	Together bool // all lives in one project
	// Others are memories of other people that stand in each store besides.
	Others   []Memory
	Workers  int // lives played at once; 0 is one
	Progress func(done, all int)
}

// Run gives the memories of each life to a home of its own, plays its prompts
// and sessions by the client's events, and says what reached the agent. Every
// prompt finds memory as it was before the first.
func Run(ctx context.Context, lives []Life, o *Options) (*Report, error) {
	if o.Together {
		lives = []Life{together(lives)}
	}
	played, err := playAll(ctx, lives, o)
	if err != nil {
		return nil, err
	}
	return report(lives, played), nil
}

// playAll plays each life in a home of its own.
func playAll(ctx context.Context, lives []Life, o *Options) ([][]moment, error) {
	played := make([][]moment, len(lives))
	errs := make([]error, len(lives))
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range max(1, o.Workers) {
		wg.Go(func() {
			for i := range next {
				played[i], errs[i] = play(ctx, &lives[i], filepath.Join(o.Dir, fmt.Sprint(i)), o)
				mu.Lock()
				if done++; o.Progress != nil {
					o.Progress(done, len(lives))
				}
				mu.Unlock()
			}
		})
	}
	for i := range lives {
		next <- i
	}
	close(next)
	wg.Wait()
	return played, errors.Join(errs...)
}

// together pours lives into one, each ID behind the number of its life.
func together(lives []Life) Life {
	all := Life{Name: "together", Language: "mixed"}
	for n, l := range lives {
		own := func(id string) string { return fmt.Sprintf("%d.%s", n, id) }
		ids := func(list []string) []string {
			out := make([]string, len(list))
			for i, id := range list {
				out[i] = own(id)
			}
			return out
		}
		turns := func(list []Turn) []Turn {
			out := make([]Turn, len(list))
			for i, t := range list {
				t.ID, t.Need, t.AlsoOK = own(t.ID), ids(t.Need), ids(t.AlsoOK)
				out[i] = t
			}
			return out
		}
		for _, m := range l.Memories {
			m.ID = own(m.ID)
			all.Memories = append(all.Memories, m)
		}
		for _, s := range l.Past {
			all.Past = append(all.Past, PastSession{ID: own(s.ID), Turns: turns(s.Turns)})
		}
		for _, p := range l.Prompts {
			p.ID, p.Need, p.AlsoOK = own(p.ID), ids(p.Need), ids(p.AlsoOK)
			all.Prompts = append(all.Prompts, p)
		}
		for _, s := range l.Sessions {
			all.Sessions = append(all.Sessions, Session{ID: own(s.ID), Branch: s.Branch, Turns: turns(s.Turns)})
		}
	}
	return all
}

// moment is a point at which something may reach the agent.
type moment struct {
	*Prompt
	tool   bool
	follow bool // not the first prompt of its session
	given  given
	tokens float64
	// before is what stands in the window already, begun the passages that the session
	// began with.
	before map[string]bool
	begun  []string
}

// player plays one life.
type player struct {
	life          *Life
	o             *Options
	home, project string
	mentions      *mentions
	moments       []moment

	asks    []Asked
	started string       // what a session of the past began with
	heard   func() error // called when a prompt was heard, before the agent answers

	session string
	begun   []string
	window  map[string]bool
	calls   int
}

func play(ctx context.Context, l *Life, dir string, o *Options) ([]moment, error) {
	defer os.RemoveAll(dir)
	p := &player{life: l, o: o, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), mentions: l.mentions()}
	if err := p.fill(ctx); err != nil {
		return nil, fmt.Errorf("life %s: %w", l.Name, err)
	}
	saved := filepath.Join(dir, "saved")
	if err := os.CopyFS(saved, os.DirFS(p.home)); err != nil {
		return nil, err
	}
	play := func(name, branch string, turns []Turn) error {
		if err := errors.Join(os.RemoveAll(p.home), os.CopyFS(p.home, os.DirFS(saved)), p.checkout(branch)); err != nil {
			return err
		}
		if err := p.begin(ctx, "played-"+name); err != nil {
			return fmt.Errorf("life %s, %s: %w", l.Name, name, err)
		}
		for i := range turns {
			if err := p.turn(ctx, turns, i); err != nil {
				return fmt.Errorf("life %s, %s, turn %d: %w", l.Name, name, i+1, err)
			}
		}
		return nil
	}
	for i := range l.Prompts {
		if err := play(fmt.Sprint("p", i), "", []Turn{{Who: byUser, Prompt: l.Prompts[i]}}); err != nil {
			return nil, err
		}
	}
	for i := range l.Sessions {
		if err := play(fmt.Sprint("s", i), l.Sessions[i].Branch, l.Sessions[i].Turns); err != nil {
			return nil, err
		}
	}
	return p.moments, nil
}

// checkout makes the project a repository on a branch.
func (p *player) checkout(branch string) error {
	git := filepath.Join(p.project, ".git")
	return errors.Join(
		os.MkdirAll(filepath.Join(git, "objects"), 0o700), os.MkdirAll(filepath.Join(git, "refs"), 0o700),
		os.WriteFile(filepath.Join(git, "config"), []byte("[core]\n\trepositoryformatversion = 0\n"), 0o600),
		os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/"+cmp.Or(branch, "main")+"\n"), 0o600),
	)
}

// fill has the program remember the life.
func (p *player) fill(ctx context.Context) error {
	if err := errors.Join(os.MkdirAll(p.home, 0o700), p.checkout("")); err != nil {
		return err
	}
	if _, err := p.o.Program(ctx, p.home, p.project, nil, "init"); err != nil {
		return err
	}
	if p.o.Server != nil {
		if err := p.equip(); err != nil {
			return err
		}
	}
	if err := p.crowd(ctx); err != nil {
		return err
	}
	for _, m := range p.life.Memories {
		if m.typed {
			continue
		}
		args := []string{"remember"}
		for _, phrase := range m.NeededWhen {
			args = append(args, "--needed-when", phrase)
		}
		if _, err := p.o.Program(ctx, p.home, p.project, nil, append(args, "--", m.Text)...); err != nil {
			return fmt.Errorf("memory %s: %w", m.ID, err)
		}
	}
	for _, s := range p.life.Past {
		if err := p.past(ctx, &s); err != nil {
			return fmt.Errorf("past session %s: %w", s.ID, err)
		}
	}
	_, err := p.o.Program(ctx, p.home, p.project, nil, "sync")
	return err
}

// past plays a session that is over; nothing of it is scored.
func (p *player) past(ctx context.Context, s *PastSession) error {
	scored := p.moments
	defer func() { p.moments = scored }()
	p.started = ""
	if err := p.event(ctx, "past-"+s.ID, "SessionStart", map[string]any{"source": "startup"}, func(text string) { p.started = strings.TrimSpace(text) }); err != nil {
		return err
	}
	p.session = "past-" + s.ID
	for i := range s.Turns {
		if err := p.turn(ctx, s.Turns, i); err != nil {
			return err
		}
	}
	return p.event(ctx, p.session, "SessionEnd", map[string]any{"reason": "other"}, nil)
}

// begin opens a session with an empty window.
func (p *player) begin(ctx context.Context, session string) error {
	p.session, p.window, p.begun = session, make(map[string]bool), nil
	if !p.o.Start {
		return nil
	}
	return p.event(ctx, session, "SessionStart", map[string]any{"source": "startup"}, func(text string) {
		g := p.mentions.find(text)
		p.begun = g.texts
		for id := range g.ids {
			p.window[id] = true
		}
	})
}

// turn plays one turn. An answer ends a turn of the agent when the user speaks
// next; what an agent says before it goes on is told to nobody.
func (p *player) turn(ctx context.Context, turns []Turn, i int) error {
	t := &turns[i]
	switch t.Who {
	case byUser:
		m := p.moment(&t.Prompt, false)
		m.follow = i > 0
		var told string
		take := m.take(p)
		err := p.event(ctx, p.session, "UserPromptSubmit", map[string]any{"prompt": t.Text, "prompt_id": fmt.Sprintf("%s-%d", p.session, i)}, func(context string) {
			told = context
			take(p.withoutQuestions(context))
		})
		p.moments = append(p.moments, *m)
		if err != nil || p.o.Server == nil {
			return err
		}
		return p.answer(ctx, t.Text, told)
	case byAssistant:
		if i+1 < len(turns) && turns[i+1].Who != byUser {
			return nil
		}
		return p.event(ctx, p.session, "Stop", map[string]any{"last_assistant_message": t.Text, "prompt_id": fmt.Sprintf("%s-answer-%d", p.session, i)}, nil)
	case byTool:
		return p.tool(ctx, t)
	}
	return fmt.Errorf("turn of %q", t.Who)
}

// tool plays a tool call, before and after it ran.
func (p *player) tool(ctx context.Context, t *Turn) error {
	p.calls++
	m := p.moment(&t.Prompt, true)
	call := func(more map[string]any) map[string]any {
		more["tool_name"], more["tool_input"], more["tool_use_id"] = t.Tool, t.Input, fmt.Sprintf("call-%d", p.calls)
		return more
	}
	if err := p.event(ctx, p.session, "PreToolUse", call(map[string]any{}), m.take(p)); err != nil {
		return err
	}
	if t.Tool == "Task" {
		if err := p.event(ctx, p.session, "SubagentStart", map[string]any{"agent_id": fmt.Sprintf("agent-%d", p.calls), "agent_type": "general-purpose"}, m.take(p)); err != nil {
			return err
		}
	}
	name, after := "PostToolUse", call(map[string]any{"tool_response": t.Output})
	if t.Failed {
		name, after = "PostToolUseFailure", call(map[string]any{"error": t.Output})
	}
	err := p.event(ctx, p.session, name, after, m.take(p))
	p.moments = append(p.moments, *m)
	return err
}

func (p *player) moment(t *Prompt, tool bool) *moment {
	m := &moment{Prompt: t, tool: tool, begun: p.begun, before: make(map[string]bool), given: given{ids: make(map[string]bool)}}
	for id := range p.window {
		m.before[id] = true
	}
	return m
}

// take notes what reaches the agent at a moment.
func (m *moment) take(p *player) func(string) {
	return func(text string) {
		g := p.mentions.find(text)
		for id := range g.ids {
			m.given.ids[id] = true
			if p.window != nil {
				p.window[id] = true
			}
		}
		m.given.passages, m.given.texts = append(m.given.passages, g.passages...), append(m.given.texts, g.texts...)
		m.tokens += estimated(text)
	}
}

// estimated are the tokens of a text as the specification estimates them: 1.5 a
// CJK character, a quarter any other.
func estimated(text string) float64 {
	n := 0.
	for _, r := range text {
		if r > 0x2e7f {
			n += 1.5
		} else {
			n += .25
		}
	}
	return n
}

// event has the program answer an event, and hands on what it gives the agent.
func (p *player) event(ctx context.Context, session, name string, more map[string]any, take func(context string)) error {
	more["hook_event_name"], more["session_id"], more["cwd"], more["permission_mode"] = name, session, p.project, "default"
	event, err := json.Marshal(more)
	if err != nil {
		return err
	}
	out, err := p.o.Program(ctx, p.home, p.project, event, "hook")
	if err != nil || take == nil || len(out) == 0 {
		return err
	}
	var answer struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("%s: answer: %w", name, err)
	}
	take(answer.Specific.Context)
	return nil
}
