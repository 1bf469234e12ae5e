package eval

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"orihon/memory"
)

// Options of [Run].
type Options struct {
	// Dir is an empty folder for the homes; each is removed when its questions
	// were asked. Required.
	Dir string
	// Settings override the defaults, by key as in "recall.threshold".
	Settings map[string]string
	Score    *ScoreOptions
	// Asked is when the questions are asked; zero is the day after the last
	// turn of each conversation. It moves recency and the words for dates.
	Asked time.Time
	// Dense are rankings by embedding models, each of which is fused with recall
	// in the place of its own vectors.
	Dense []Dense
	// Progress hears of every conversation before it begins; nil tells nobody.
	Progress func(done, all int)
	Now      func() time.Time // times recall; nil is time.Now
	Logger   *slog.Logger     // nil discards
}

// whole are the options with nothing left out.
func (o *Options) whole() *Options {
	opt := *o
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &opt
}

// each calls fn with every conversation and a folder for its home.
func (o *Options) each(data []Conversation, fn func(i int, dir string) error) error {
	for i := range data {
		if o.Progress != nil {
			o.Progress(i, len(data))
		}
		if err := fn(i, filepath.Join(o.Dir, strconv.Itoa(i))); err != nil {
			return fmt.Errorf("conversation %s: %w", data[i].ID, err)
		}
	}
	return nil
}

// Result is what a data set says of recall.
type Result struct {
	Conversations, Turns, Questions int
	Ranking                         Ranking
	Scores                          *Scores
	Injection                       []Injection
	// Curve is injection by the threshold.
	Curve []Point
	// Fused is there for every ranking in [Options.Dense] that knows a question.
	Fused []Fused
	// Took is how long each recall took with the settings in effect.
	Took []time.Duration
	// Indexed is how long writing and indexing took for all conversations.
	Indexed time.Duration
}

// Run asks all questions of a data set, each of the memory of its own
// conversation.
func Run(ctx context.Context, data []Conversation, o *Options) (*Result, error) {
	opt := o.whole()
	r := &Result{Conversations: len(data), Ranking: make(Ranking), Fused: fused(opt.Dense, data)}
	run := run{Result: r, o: opt, inject: make(injections)}
	if err := opt.each(data, func(i int, dir string) error {
		return run.ask(ctx, dir, &data[i], &data[(i+1)%len(data)])
	}); err != nil {
		return nil, err
	}
	r.Scores = Score(data, r.Ranking, opt.Score)
	r.scoreFused(data, opt.Dense, opt.Score)
	r.Injection = run.inject.groups()
	r.Curve = run.points.points()
	return r, nil
}

// offTopic is how many questions of the next conversation are asked of each:
// nothing it holds can answer them.
const offTopic = 40

// run adds up a result.
type run struct {
	*Result
	o      *Options
	inject injections
	points curve
}

// ask builds the memory of a conversation, asks its questions, and some of the
// next one's, and removes it.
func (r *run) ask(ctx context.Context, dir string, c, next *Conversation) error {
	now := r.o.Now
	start := now()
	h, err := openHome(ctx, dir, c, r.o)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer h.close()
	r.Indexed += now().Sub(start)
	r.Turns += len(c.Turns)
	r.Questions += len(c.Questions)
	if err := r.askDense(ctx, h, c, r.o); err != nil {
		return err
	}
	cost := make(map[string]float64, len(c.Turns))
	for i := range c.Turns {
		cost[c.Turns[i].ID] = tokenCost(render(&c.Turns[i]))
	}
	chars := settings(r.o).Recall.HookChars
	one := func(q *Question, kind string) error {
		found, err := rank(ctx, h.deep.Recall, q, memory.Viewer{})
		if err != nil {
			return err
		}
		r.points.add(kind, q, found, func(hits []memory.Hit) (g given) {
			g.passages, g.turns = len(hits), h.turns(hits)
			for _, id := range g.turns {
				g.tokens += cost[id]
			}
			return g
		})
		if kind != OffTopic {
			r.Ranking[q.ID] = h.turns(found)
		}
		start := now()
		got, err := h.usual.Recall(ctx, memory.Query{Text: q.Text, Turns: true, MaxChars: chars})
		if err != nil {
			return err
		}
		if kind != OffTopic {
			r.Took = append(r.Took, now().Sub(start))
		}
		r.inject.add(kind, q, given{len(got.Hits), h.turns(got.Hits), float64(got.Tokens)})
		return nil
	}
	for i := range c.Questions {
		if err := one(&c.Questions[i], c.Questions[i].kind()); err != nil {
			return err
		}
	}
	if next != c {
		for i, asked := 0, 0; i < len(next.Questions) && asked < offTopic; i++ {
			if q := &next.Questions[i]; q.kind() == Answerable {
				asked++
				if err := one(q, OffTopic); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
