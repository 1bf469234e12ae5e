package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"orihon"
	"orihon/internal/inert"
	"orihon/items"
	"orihon/memory"
)

// saves counts what agents have written.
type saves struct {
	mu   sync.Mutex
	of   map[string]int // by session
	last []time.Time    // of the last hour, whatever the session
}

// perHour is how many sessions' worth of saves fit into an hour: a caller may have
// as many sessions as it likes.
const perHour = 3

// savesAllowed is how often an agent may save in one session, 0 for not at all.
func (s *Server) savesAllowed() (int, error) {
	enabled, _, err := s.o.Memory.Setting("capture.enabled")
	if err != nil || enabled != "true" {
		return 0, err
	}
	most, _, err := s.o.Memory.Setting("capture.agent_saves")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(most)
}

// allow counts a save of a session, or refuses it. What the session wrote before
// this process began is in the audit trail.
func (s *Server) allow(ctx context.Context, session string) error {
	most, err := s.savesAllowed()
	if err != nil {
		return err
	}
	if most == 0 {
		return fmt.Errorf("save: %w: the user's settings let agents only read (capture.enabled, capture.agent_saves)", memory.ErrRefused)
	}
	v := &s.saves
	v.mu.Lock()
	defer v.mu.Unlock()
	n, known := v.of[session]
	if !known {
		before, err := s.o.Memory.Items().Audits(ctx, &memory.AuditFilter{Session: session})
		if err != nil {
			return err
		}
		for i := range before {
			if r := &before[i]; r.By == string(memory.FromAgent) && written(r.Op) {
				n++
			}
		}
	}
	now := s.o.Now()
	for len(v.last) > 0 && now.Sub(v.last[0]) > time.Hour {
		v.last = v.last[1:]
	}
	if n >= most {
		return fmt.Errorf("save: %w: this session has saved or tried to %d times, which is all it may (capture.agent_saves): tell the user what else should be kept", memory.ErrRefused, n)
	}
	if len(v.last) >= perHour*most {
		return fmt.Errorf("save: %w: %d saves within an hour, which is all there may be (capture.agent_saves): tell the user what else should be kept", memory.ErrRefused, len(v.last))
	}
	if v.of == nil {
		v.of = make(map[string]int)
	}
	v.of[session] = n + 1
	v.last = append(v.last, now)
	return nil
}

// written reports whether an operation of the trail is one save.
func written(op memory.AuditOp) bool {
	switch op {
	case memory.AuditAdd, memory.AuditUpdate, memory.AuditConfirm, memory.AuditConflict, memory.AuditAsk, memory.AuditRetire, memory.AuditUndo:
		return true
	}
	return false
}

type addArguments struct {
	Content    string   `json:"content" jsonschema:"the statement, understandable by itself"`
	Type       string   `json:"type,omitempty"`
	Title      string   `json:"title,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	NeededWhen []string `json:"needed_when,omitempty"`
	Scope      string   `json:"scope,omitempty" jsonschema:"personal, the only one that agents write to"`
	Untrusted  bool     `json:"untrusted,omitempty" jsonschema:"it comes from a web page or a tool's output"`
}

// saved is what became of something that an agent wants kept.
type saved struct {
	told
	Action    string   `json:"action" jsonschema:"add, confirm, merge, update, forget, undo; pending and ask wait for the user; others: not kept"`
	ID        string   `json:"id,omitempty"`
	Stored    bool     `json:"stored"`
	Conflicts []string `json:"conflicts,omitempty" jsonschema:"ids of what it is at odds with"`
}

// remember is memory_add: a statement of the agent's, through every step that any
// other takes.
func (s *Server) remember(ctx context.Context, c call, in *addArguments) (out saved, err error) {
	topic, err := parseTopic(in.Type)
	if err != nil {
		return out, err
	}
	st := orihon.Statement{
		Text: in.Content, Title: in.Title, Topic: topic, Tags: in.Tags, NeededWhen: in.NeededWhen, Source: memory.FromAgent, Session: c.session, Untrusted: in.Untrusted,
		// It was found worth a call: more than what is noticed by the way.
		Confidence: memory.InferredConfidence,
	}
	if own := memory.Personal(s.o.Memory.User()); in.Scope != "" && in.Scope != "personal" && in.Scope != string(own) {
		return out, fmt.Errorf("scope %s: %w: agents save into the user's own memory of this project; the user shares it", in.Scope, memory.ErrRefused)
	}
	if said := s.o.Memory.Sessions().ToldIn(ctx, in.Content); len(said) > 0 && !in.Untrusted {
		st.Said, st.Evidence = said[0], said
	}
	if out, err = s.say(ctx, st); err != nil || !out.Stored || in.Untrusted {
		return out, err
	}
	if err = s.o.Memory.Sessions().Kept(ctx, st.Said, in.Content); err != nil {
		return out, err
	}
	return out, s.followed(ctx, out.ID, "")
}

// say has a statement of an agent kept, and words what became of it.
func (s *Server) say(ctx context.Context, st orihon.Statement) (out saved, err error) {
	if err := s.allow(ctx, st.Session); err != nil {
		return out, err
	}
	done, err := s.o.Memory.Remember(ctx, st)
	if err != nil {
		return out, err
	}
	out.Action, out.ID = string(done.Action), inert.Line(done.Item.ID)
	switch done.Action {
	case orihon.Pending, orihon.Asked, orihon.Skipped:
	default:
		out.Stored = true
	}
	what := brief(done.Item.Content)
	switch done.Action {
	case orihon.Added, orihon.Superseded, orihon.Updated:
		out.Text = fmt.Sprintf("Remembered: %s (to take it back: orihon undo %s)", what, shortID(done.Item.ID))
	case orihon.Merged:
		out.Text = fmt.Sprintf("Known already, now in these words: %s (to take it back: orihon undo %s)", what, shortID(done.Item.ID))
	case orihon.Confirmed:
		out.Text = fmt.Sprintf("Known already, and believed a little more now: %s (id %s)", what, shortID(done.Item.ID))
	case orihon.Skipped:
		out.Text = "Not kept (" + inert.Line(done.Why) + "): " + what
		if strings.HasPrefix(done.Why, "gate ") {
			out.Action, out.Text = saysLittle, "Not kept: "+what+sayMore
		}
	case orihon.Asked:
		out.Text = "Not kept yet, the user decides whether it is worth keeping (orihon review): " + what
		if strings.HasPrefix(done.Why, "gate ") {
			out.Text += ". It is kept at once where its numbers, its names and most of its words stand in the user's latest prompts."
		}
	default:
		out.Text = fmt.Sprintf("Not kept yet, the user decides (orihon review; %s): %s", inert.Line(done.Why), what)
	}
	if len(done.Redacted) > 0 {
		out.Text += " Secrets were taken out: " + strings.Join(done.Redacted, ", ") + "."
	}
	var against []memory.Item
	for _, k := range done.Conflicts {
		out.Conflicts = append(out.Conflicts, inert.Line(k.ID))
		if k.Scope == done.Item.Scope {
			against = append(against, memory.Item{ID: k.ID, Content: k.Content})
		} else {
			out.Text += fmt.Sprintf("\nThe team shares another word, which only the user changes (orihon edit %s): %s", shortID(k.ID), brief(k.Content))
		}
	}
	// What the prompt's hook has kept is as new.
	if done.Action == orihon.Added || out.Stored && slices.Contains(done.Item.Metadata.Evidence, st.Said) {
		over, err := s.o.Memory.Sessions().Outdated(ctx, &done.Item, st.Said, against...)
		return out, s.outdated(ctx, over, err, &out)
	}
	if len(against) > 0 {
		out.Text += "\nWhat is known:\n" + s.known(against)
	}
	return out, nil
}

// known are items as data, a line each.
func (s *Server) known(items []memory.Item) string {
	lines := make([]string, len(items))
	for i := range items {
		lines[i] = "- " + brief(items[i].Content) + " (id " + shortID(items[i].ID) + ")"
	}
	return s.framed(lines...)
}

// followed closes what waits for the user and is settled by an item that an agent has kept,
// or changed from what it was.
func (s *Server) followed(ctx context.Context, id, was string) error {
	now, err := s.o.Memory.Items().Get(ctx, id)
	if err != nil {
		return err
	}
	return s.o.Memory.Review().Followed(ctx, was, &now.Item)
}

// outdated adds to an answer what a statement seems to end.
func (s *Server) outdated(ctx context.Context, over []memory.Item, err error, out *saved) error {
	if err != nil {
		s.o.Logger.Warn("mcp: what a statement ends is not looked for", "err", err)
		return ctx.Err()
	}
	if len(over) > 0 {
		out.Text += "\nDoes that end one of these? Then take it out (memory_delete) or put it right (memory_update).\n" + s.known(over)
	}
	return nil
}

// saysLittle is the action of what is not kept or changed since it says too little.
const (
	saysLittle = "refused"
	sayMore    = ". It says too little to help later: say in one or two whole sentences what holds, where and why."
)

// brief is a statement on one line.
func brief(text string) string { return cut(inert.Line(text), 100, "shortened") }

type updateArguments struct {
	ID         string   `json:"id"`
	Content    string   `json:"content,omitempty"`
	Type       string   `json:"type,omitempty"`
	Title      string   `json:"title,omitempty"`
	Tags       []string `json:"tags,omitempty" jsonschema:"instead of the present ones"`
	NeededWhen []string `json:"needed_when,omitempty" jsonschema:"instead of the present ones"`
}

// update is memory_update.
func (s *Server) update(ctx context.Context, c call, in *updateArguments) (out saved, err error) {
	topic, err := parseTopic(in.Type)
	if err != nil {
		return out, err
	}
	if err := s.allow(ctx, c.session); err != nil {
		return out, err
	}
	was := ""
	done, err := s.items(c).Edit(ctx, in.ID, func(it *memory.Item) error {
		was = it.Content
		it.Content, it.Title, it.Topic = cmp.Or(in.Content, it.Content), cmp.Or(in.Title, it.Title), cmp.Or(topic, it.Topic)
		if in.Tags != nil {
			it.Metadata.Tags = in.Tags
		}
		if in.NeededWhen != nil {
			it.NeededWhen = in.NeededWhen
		}
		return nil
	})
	if errors.Is(err, items.ErrSaysLittle) {
		out.Action, out.Text = saysLittle, "Not changed: "+brief(in.Content)+sayMore
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.ID = inert.Line(done.Item.ID)
	switch {
	case done.Waits != "":
		out.Action = string(orihon.Pending)
		out.Text = fmt.Sprintf("Not changed yet, the user decides (orihon review; %s): %s. It is changed at once where all that is new in it stands in one of the user's latest prompts.", inert.Line(done.Waits), brief(done.Item.Content))
	case len(done.Changed) == 0:
		out.Action, out.Stored, out.Text = string(orihon.Skipped), true, "It says that already."
	default:
		out.Action, out.Stored = string(orihon.Updated), true
		out.Text = fmt.Sprintf("Changed: %s (to take it back: orihon undo %s)", brief(done.Item.Content), shortID(done.Item.ID))
		if slices.Equal(done.Changed, []string{"needed_when"}) {
			// An undo that is typed twice would go back to before the statement itself.
			out.Text = fmt.Sprintf(`Other words to find it by: %s (to take them out: orihon edit %s --needed-when "")`, brief(done.Item.Content), shortID(done.Item.ID))
		}
	}
	if len(done.Redacted) > 0 {
		out.Text += " Secrets were taken out: " + strings.Join(done.Redacted, ", ") + "."
	}
	if out.Action == string(orihon.Updated) && slices.Contains(done.Changed, "content") {
		if err := s.followed(ctx, done.Item.ID, was); err != nil {
			return out, err
		}
		over, err := s.o.Memory.Sessions().Changed(ctx, &done.Item, false)
		return out, s.outdated(ctx, over, err, &out)
	}
	return out, nil
}

// items are those that the calling agent looks after.
func (s *Server) items(c call) *items.Items {
	return s.o.Memory.Items().ForAgent(c.session, s.o.Memory.Sessions().UserSaid)
}

type deleteArguments struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty" jsonschema:"why"`
}

// forget is memory_delete: the user may bring the item back.
func (s *Server) forget(ctx context.Context, c call, in *deleteArguments) (out saved, err error) {
	if err := s.allow(ctx, c.session); err != nil {
		return out, err
	}
	stored, err := s.items(c).Forget(ctx, in.ID, in.Reason)
	if err != nil {
		return out, err
	}
	out.Action, out.ID = "forget", inert.Line(stored.Item.ID)
	out.Text = fmt.Sprintf("Forgotten: %s (to bring it back: orihon restore %s)", brief(stored.Item.Content), shortID(stored.Item.ID))
	if _, err := s.o.Memory.Sessions().Changed(ctx, &stored.Item, true); err != nil {
		s.o.Logger.Warn("mcp: what waits of a statement that was forgotten is not looked for", "err", err)
	}
	return out, ctx.Err()
}

type idArguments struct {
	ID string `json:"id"`
}

// confirm is memory_confirm: the agent says again what is known.
func (s *Server) confirm(ctx context.Context, c call, in *idArguments) (out saved, err error) {
	stored, err := s.o.Memory.Items().Get(ctx, in.ID)
	if err != nil {
		return out, err
	}
	it := &stored.Item
	if stored.Retired || it.Scope != memory.Personal(s.o.Memory.User()) || it.Metadata.Source == memory.FromRepository {
		return out, fmt.Errorf("item %s: %w: an agent confirms only what holds in the user's own memory of this project", it.ID, memory.ErrRefused)
	}
	return s.say(ctx, orihon.Statement{Text: it.Content, Kind: it.Kind, Topic: it.Topic, Source: memory.FromAgent, Session: c.session})
}

// undo is memory_undo.
func (s *Server) undo(ctx context.Context, c call, in *idArguments) (out saved, err error) {
	if err := s.allow(ctx, c.session); err != nil {
		return out, err
	}
	done, err := s.items(c).Undo(ctx, items.Undo{ID: in.ID})
	if err != nil {
		return out, err
	}
	out.Action = "undo"
	for i := range done.Undone {
		u := &done.Undone[i]
		out.ID, out.Stored = inert.Line(u.Item.ID), u.Lives
		out.Text = fmt.Sprintf("Taken back: %s of %s (id %s)", u.Decision.Op, brief(u.Item.Content), shortID(u.Item.ID))
	}
	return out, nil
}

type reviewArguments struct {
	Limit int `json:"limit,omitempty" jsonschema:"20"`
}

type waiting struct {
	told
	All int `json:"all"`
}

// review is memory_review.
func (s *Server) review(ctx context.Context, _ call, in *reviewArguments) (out waiting, err error) {
	all, _, err := s.o.Memory.Review().List(ctx)
	if err != nil {
		return out, err
	}
	out.All = len(all)
	if len(all) == 0 {
		out.Text = "Nothing waits for the user."
		return out, nil
	}
	var lines []string
	for i := range all[:min(len(all), cmp.Or(in.Limit, 20))] {
		w := &all[i]
		text := line(&w.Item, string(w.Kind), inert.Line(w.Why), "review "+inert.Line(w.ID))
		if w.Other != nil {
			text += "\n  against: " + brief(w.Other.Content)
		}
		lines = append(lines, text)
	}
	out.Text = s.framed(lines...) + fmt.Sprintf("\n%d of %d. Only the user decides: orihon review.", len(lines), len(all))
	return out, nil
}
