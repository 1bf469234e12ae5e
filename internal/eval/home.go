package eval

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"orihon"
	"orihon/internal/config"
	"orihon/internal/redact"
	"orihon/internal/store"
	"orihon/journal"
	"orihon/memory"
)

// person is whose memory a conversation is.
const person = "ann"

// Depth is how many candidates and passages a ranking looks at.
const Depth = 200

// home is the memory of one conversation.
type home struct {
	clock time.Time // the memory's idea of now
	deep  *orihon.Memory
	usual *orihon.Memory
	text  *store.Store // for put

	items map[string][]string // item → turns that say it
	lines map[string][]string // journal, as passages name it → turn of each line
}

// openHome writes a conversation into a new home below dir and indexes it.
func openHome(ctx context.Context, dir string, c *Conversation, o *Options) (*home, error) {
	h := &home{clock: undated(), items: make(map[string][]string), lines: make(map[string][]string)}
	if err := os.MkdirAll(filepath.Join(dir, "project"), 0o700); err != nil {
		return nil, err
	}
	var err error
	if h.usual, err = h.open(ctx, dir, o, nil); err != nil {
		return nil, err
	}
	if err := h.fill(ctx, c, o); err != nil {
		h.close()
		return nil, err
	}
	if h.deep, err = h.open(ctx, dir, o, map[string]string{"recall.candidates": strconv.Itoa(Depth)}); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// open opens the memory with further settings.
func (h *home) open(ctx context.Context, dir string, o *Options, more map[string]string) (*orihon.Memory, error) {
	settings := make(map[string]string)
	maps.Copy(settings, o.Settings)
	maps.Copy(settings, more)
	return orihon.Open(ctx, &orihon.Options{
		Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "project"), User: person, GitConfig: []string{},
		Settings: settings, Now: func() time.Time { return h.clock }, Logger: o.Logger,
	})
}

// settings are those that a home is opened with, typed.
func settings(o *Options) *config.Config {
	c, _ := config.Load(config.Sources{Flags: o.Settings}) // what is wrong, the home tells
	return c
}

// undated is when turns without a date were said.
func undated() time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) }

func (h *home) close() {
	for _, m := range []*orihon.Memory{h.usual, h.deep} {
		if m != nil {
			m.Close()
		}
	}
}

// fill writes the turns, session by session, builds the index and sets the
// clock to when the questions are asked.
func (h *home) fill(ctx context.Context, c *Conversation, o *Options) error {
	if err := h.usual.Register(ctx); err != nil {
		return err
	}
	redactor := redact.New(nil)
	clean := func(t *Turn) string {
		text, _ := redactor.Text(redact.Private(t.said()))
		return text
	}
	var last time.Time
	var sessions []Session
	turns := make(map[Session][]*Turn)
	for i := range c.Turns {
		t := &c.Turns[i]
		at, err := t.at()
		if err != nil {
			return err
		}
		if at.IsZero() {
			at = undated()
		}
		if at.After(last) {
			last = at
		}
		if t.Session == "" {
			h.clock = at
			keep := h.remember
			if len(o.Dense) > 0 {
				keep = h.put
			}
			if err := keep(ctx, t.ID, clean(t)); err != nil {
				return err
			}
			continue
		}
		if turns[t.Session] == nil {
			sessions = append(sessions, t.Session)
		}
		turns[t.Session] = append(turns[t.Session], t)
	}
	for i, s := range sessions {
		if err := h.record(ctx, fmt.Sprintf("s%05d", i+1), turns[s], clean, o.Logger); err != nil {
			return fmt.Errorf("session %s: %w", s, err)
		}
	}
	h.clock = o.Asked
	if h.clock.IsZero() {
		h.clock = last.AddDate(0, 0, 1)
	}
	_, err := h.usual.Sync(ctx)
	return err
}

// rank finds as many turns for a question as rankings look at.
func rank(ctx context.Context, recall func(context.Context, memory.Query) (*memory.Recollection, error), q *Question, by memory.Viewer) ([]memory.Hit, error) {
	found, err := recall(ctx, memory.Query{Text: q.Text, Turns: true, Threshold: -1, MaxTokens: math.MaxInt32, Limit: Depth, Viewer: by})
	if err != nil {
		return nil, err
	}
	if len(found.Degraded) > 0 {
		return nil, fmt.Errorf("question %s: recall went on without %v", q.ID, found.Degraded)
	}
	return found.Hits, nil
}

// remember keeps a turn as a statement. What says the same as an earlier one
// confirms it, and both then stand for one item.
func (h *home) remember(ctx context.Context, turn, text string) error {
	out, err := h.usual.Remember(ctx, orihon.Statement{Text: text, Source: memory.FromUser})
	if err != nil {
		return fmt.Errorf("turn %s: %w", turn, err)
	}
	h.items[out.Item.ID] = append(h.items[out.Item.ID], turn)
	return nil
}

// put keeps a turn as an item of its own, whatever is known: rankings from
// elsewhere rank the turns as they stand, and what is learned of them is not
// what their fusion is judged by.
func (h *home) put(ctx context.Context, turn, text string) error {
	scope := memory.Personal(person)
	if h.text == nil {
		var err error
		if h.text, err = personalText(h.usual, scope); err != nil {
			return err
		}
	}
	it := memory.Item{
		ID: fmt.Sprintf("01990000-0000-7000-8000-%012x", len(h.items)), Kind: memory.Semantic, Topic: memory.Fact, Tier: memory.Observed, Content: text, Scope: scope,
		Metadata: memory.Metadata{CreatedAt: h.clock, UpdatedAt: h.clock, Source: memory.FromUser, Confidence: 0.9},
	}
	if err := h.text.Put(ctx, it); err != nil {
		return fmt.Errorf("turn %s: %w", turn, err)
	}
	h.items[it.ID] = []string{turn}
	return nil
}

// record appends the turns of a session to its journal. Only a speaker called
// "assistant" is one; a speaker called "user" is the memory's own.
func (h *home) record(ctx context.Context, session string, turns []*Turn, clean func(*Turn) string, log *slog.Logger) error {
	j, err := journal.Open(h.usual.Project().Session(session), &journal.Options{Now: undated, Logger: log})
	if err != nil {
		return err
	}
	var events []journal.Event
	for _, t := range turns {
		typ, m := journal.UserMessage, journal.Message{Role: journal.RoleUser, Text: clean(t)}
		switch t.Speaker {
		case journal.RoleAssistant:
			typ, m.Role = journal.AssistantMessage, journal.RoleAssistant
		case journal.RoleUser:
		default:
			m.Speaker = t.Speaker
		}
		e, err := journal.New(typ, t.ID, m)
		if err != nil {
			return err
		}
		if e.TS, err = t.at(); err != nil {
			return err
		}
		events = append(events, e)
	}
	appended, err := j.Append(ctx, events...)
	if err != nil {
		return err
	}
	path := "sessions/" + session + "/" + filepath.Base(j.Path())
	for _, e := range appended {
		h.lines[path] = append(h.lines[path], e.ID)
	}
	return nil
}

// turns are those of the passages, in order, each once. Answers that follow
// each other are one passage to the journal and stand for all their turns.
func (h *home) turns(hits []memory.Hit) []string {
	var out []string
	seen := make(map[string]bool)
	for i := range hits {
		p := &hits[i].Passage
		ids := h.items[p.Item.ID]
		if p.Conversation() {
			lines := h.lines[p.Source]
			first := min(max(0, p.Line-1), len(lines))
			ids = lines[first:min(max(first, p.EndLine), len(lines))]
		}
		for _, id := range ids {
			if !seen[id] {
				seen[id] = true
				out = append(out, id)
			}
		}
	}
	return out
}
