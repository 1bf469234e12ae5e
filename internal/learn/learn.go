// Package learn writes memory: every statement, wherever it comes from, passes
// the same steps before it becomes an item, and every decision is told to the
// audit trail.
//
// It decides what is kept and how far it is believed. It does not notice
// statements (that is capture's work), and it knows neither files nor indexes,
// only a [memory.Store] and a way to find what is alike.
//
// Start with [Learner.Learn].
package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"orihon/internal/redact"
	"orihon/internal/terms"
	"orihon/memory"
)

// Statement is something somebody wants kept.
type Statement struct {
	Text     string // required
	Title    string
	Kind     memory.Kind  // empty is semantic
	Topic    memory.Topic // empty is fact
	Scope    memory.Scope // required
	Tags     []string
	Triggers []string
	Aliases  []string

	Source   memory.Source // empty is the user
	Session  string
	Evidence []string

	// ID names an item of the caller's own making, such as the episode of a
	// session: the same ID again is a new version of it, never a duplicate.
	ID string
	// Confidence and Tier follow from Source when zero.
	Confidence float64
	Tier       memory.Tier
}

// Action is what became of a statement.
type Action string

// The actions.
const (
	Added     Action = "add"
	Updated   Action = "update"
	Confirmed Action = "confirm" // it was known already
)

// Outcome is what became of a statement, with the item as it is now.
type Outcome struct {
	Action   Action
	Item     memory.Item
	Redacted []string // rules that found a secret in it
}

// Decision is one line for the audit trail.
type Decision struct {
	Op, ID, By, Why, Session string
	Score                    float64
	At                       time.Time
}

// Options of [New]; all but Redactor are required.
type Options struct {
	Store memory.Store
	// Find returns passages of the same scope that are alike.
	Find func(ctx context.Context, scope memory.Scope, text string) ([]memory.Passage, error)
	// Audit records a decision.
	Audit    func(ctx context.Context, d Decision) error
	Redactor *redact.Redactor // nil applies all rules
	Now      func() time.Time
	NewID    func() string
}

// Learner writes statements to a store.
type Learner struct{ o Options }

// New returns a learner.
func New(o *Options) *Learner {
	l := &Learner{o: *o}
	if l.o.Redactor == nil {
		l.o.Redactor = redact.New(nil)
	}
	return l
}

// Learn takes a statement through the steps: secrets out, what is known
// confirmed, what is new written. An error wraps [memory.ErrInvalid] when there
// is nothing to keep and [memory.ErrRefused] when there was nothing but a
// secret.
func (l *Learner) Learn(ctx context.Context, s Statement) (Outcome, error) {
	s, rules, err := l.clean(s)
	if err != nil {
		return Outcome{Redacted: rules}, err
	}
	out := Outcome{Action: Added, Redacted: rules}
	if s.ID != "" {
		out.Action, out.Item, err = l.version(ctx, s)
	} else if known, found := l.known(ctx, s); found {
		out.Action, out.Item = Confirmed, l.confirm(known, s)
	} else {
		out.Item = l.item(s, l.o.NewID())
	}
	if err != nil {
		return out, err
	}
	if err := l.o.Store.Put(ctx, out.Item); err != nil {
		return out, err
	}
	return out, l.audit(ctx, s, out)
}

// clean takes private spans and secrets out of everything that will be written.
func (l *Learner) clean(s Statement) (Statement, []string, error) {
	var rules []string
	wipe := func(text string) string {
		text, found := l.o.Redactor.Text(redact.Private(text))
		for _, f := range found {
			if !slices.Contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
		return strings.TrimSpace(text)
	}
	list := func(in []string) []string {
		var out []string
		for _, t := range in {
			if t = wipe(t); strings.TrimSpace(withoutMarks(t)) != "" {
				out = append(out, t)
			}
		}
		return out
	}
	had := strings.TrimSpace(s.Text) != ""
	s.Text, s.Title = wipe(s.Text), wipe(s.Title)
	s.Tags, s.Triggers, s.Aliases = list(s.Tags), list(s.Triggers), list(s.Aliases)
	s.Session, s.Evidence = wipe(s.Session), list(s.Evidence)
	switch {
	case !had:
		return s, rules, fmt.Errorf("%w statement: it is empty", memory.ErrInvalid)
	case s.Text == "":
		return s, rules, fmt.Errorf("%w: it is all marked private", memory.ErrRefused)
	case len(rules) > 0 && len(terms.Index(withoutMarks(s.Text))) == 0:
		return s, rules, fmt.Errorf("%w: it holds nothing but a secret (%s)", memory.ErrRefused, strings.Join(rules, ", "))
	}
	return s, rules, nil
}

// withoutMarks drops the marks that stand where secrets were.
func withoutMarks(s string) string {
	const open, end = "[redacted:", "]"
	for {
		i := strings.Index(s, open)
		if i < 0 {
			return s
		}
		j := strings.Index(s[i:], end)
		if j < 0 {
			return s[:i]
		}
		s = s[:i] + " " + s[i+j+len(end):]
	}
}

// known finds an item that says the same in the same scope. An index that
// fails must not lose a statement: then it is taken as new.
func (l *Learner) known(ctx context.Context, s Statement) (memory.Item, bool) {
	found, err := l.o.Find(ctx, s.Scope, s.Text)
	if err != nil {
		return memory.Item{}, false
	}
	for i := range found {
		p := &found[i]
		if p.Conversation() || p.Retired || p.SupersededBy != "" || p.Item.Scope != s.Scope || p.Item.Kind == memory.Note || p.Item.Kind == memory.Episodic {
			continue
		}
		if normal(p.Item.Content) == normal(s.Text) {
			// The store is the truth; the index may lag behind it.
			it, err := l.o.Store.Get(ctx, p.Item.ID)
			if err == nil && normal(it.Content) == normal(s.Text) && (it.ValidTo.IsZero() || it.ValidTo.After(l.o.Now())) {
				return it, true
			}
		}
	}
	return memory.Item{}, false
}

// normal makes texts that differ only in case, script, width, spaces or closing
// punctuation the same. Spaces beside Chinese characters do not count at all:
// some people set them between scripts, some do not.
func normal(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, w := range strings.Fields(terms.Fold(s)) {
		first, _ := utf8.DecodeRuneInString(w)
		if b.Len() > 0 && !unicode.Is(unicode.Han, last) && !unicode.Is(unicode.Han, first) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		last, _ = utf8.DecodeLastRuneInString(w)
	}
	return strings.TrimRight(b.String(), ".!。！ ")
}

// Confidence gained when a known statement is met again.
const (
	seenAgain   = 0.1
	userConfirm = 0.2
)

func (l *Learner) confirm(it memory.Item, s Statement) memory.Item {
	gain := seenAgain
	if s.Source == memory.FromUser || s.Source == "" {
		gain = userConfirm
	}
	m := &it.Metadata
	m.Confidence = min(1, m.Confidence+gain)
	if s.Session == "" || s.Session != m.Session {
		m.Confirmations++
	}
	m.UpdatedAt = l.o.Now().UTC()
	m.Tags = union(m.Tags, s.Tags)
	it.Triggers, it.Aliases = union(it.Triggers, s.Triggers), union(it.Aliases, s.Aliases)
	return it
}

func union(a, b []string) []string {
	have := make(map[string]bool, len(a))
	for _, t := range a {
		have[t] = true
	}
	for _, t := range b {
		if !have[t] {
			a, have[t] = append(a, t), true
		}
	}
	return a
}

// version makes a new version of the caller's own item.
func (l *Learner) version(ctx context.Context, s Statement) (Action, memory.Item, error) {
	old, err := l.o.Store.Get(ctx, s.ID)
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return Added, l.item(s, s.ID), nil
	case err != nil:
		return "", memory.Item{}, err
	}
	it := l.item(s, s.ID)
	it.Metadata.CreatedAt, it.ValidFrom = old.Metadata.CreatedAt, old.ValidFrom
	it.Metadata.Confirmations = old.Metadata.Confirmations
	return Updated, it, nil
}

func (l *Learner) item(s Statement, id string) memory.Item {
	now := l.o.Now().UTC()
	it := memory.Item{
		ID: id, Kind: s.Kind, Topic: s.Topic, Title: s.Title, Content: s.Text, Scope: s.Scope, Tier: s.Tier,
		Triggers: s.Triggers, Aliases: s.Aliases, ValidFrom: now,
		Metadata: memory.Metadata{
			CreatedAt: now, UpdatedAt: now, Source: s.Source, Confidence: s.Confidence,
			Tags: s.Tags, Session: s.Session, Evidence: s.Evidence,
		},
	}
	if it.Kind == "" {
		it.Kind = memory.Semantic
	}
	if it.Topic == "" && it.Kind == memory.Semantic {
		it.Topic = memory.Fact
	}
	if it.Metadata.Source == "" {
		it.Metadata.Source = memory.FromUser
	}
	confidence, tier := believed(it.Metadata.Source)
	if it.Metadata.Confidence == 0 {
		it.Metadata.Confidence = confidence
	}
	if it.Tier == "" {
		it.Tier = tier
	}
	return it
}

// believed is how far a source is trusted at first.
func believed(s memory.Source) (float64, memory.Tier) {
	switch s {
	case memory.FromUser:
		return memory.StatedConfidence, memory.Observed
	case memory.Imported:
		return memory.ImportedConfidence, memory.Provisional
	case memory.FromSystem:
		return memory.InferredConfidence, memory.Provisional
	}
	return memory.SingleConfidence, memory.Provisional
}

func (l *Learner) audit(ctx context.Context, s Statement, out Outcome) error {
	d := Decision{
		Op: string(out.Action), ID: out.Item.ID, By: string(out.Item.Metadata.Source), Session: s.Session,
		Score: out.Item.Metadata.Confidence, At: l.o.Now().UTC(),
	}
	switch out.Action {
	case Confirmed:
		d.Why = "said again"
	case Updated:
		d.Why = "new version"
	default:
		d.Why = "stated by " + d.By
	}
	if err := l.o.Audit(ctx, d); err != nil {
		return err
	}
	if len(out.Redacted) == 0 {
		return nil
	}
	d.Op, d.Why = "redact", "secrets taken out: "+strings.Join(out.Redacted, ", ")
	return l.o.Audit(ctx, d)
}
