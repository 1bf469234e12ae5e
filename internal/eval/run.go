package eval

import (
	"context"
	"fmt"
	"log/slog"
	"math"
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
	// Progress hears of every conversation before it begins; nil tells nobody.
	Progress func(done, all int)
	Now      func() time.Time // times recall; nil is time.Now
	Logger   *slog.Logger     // nil discards
}

// Result is what a data set says of recall.
type Result struct {
	Conversations, Turns, Questions int
	Ranking                         Ranking
	Scores                          *Scores
	Injection                       []Injection
	// Took is how long each recall took with the settings in effect.
	Took []time.Duration
	// Indexed is how long writing and indexing took for all conversations.
	Indexed time.Duration
}

// Run asks all questions of a data set, each of the memory of its own
// conversation.
func Run(ctx context.Context, data []Conversation, o *Options) (*Result, error) {
	opt := *o
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Result{Conversations: len(data), Ranking: make(Ranking)}
	var inject injections
	for i := range data {
		if opt.Progress != nil {
			opt.Progress(i, len(data))
		}
		if err := r.ask(ctx, filepath.Join(opt.Dir, strconv.Itoa(i)), &data[i], &opt, &inject); err != nil {
			return nil, fmt.Errorf("conversation %s: %w", data[i].ID, err)
		}
	}
	r.Scores = Score(data, r.Ranking, opt.Score)
	r.Injection = inject.groups()
	return r, nil
}

// ask builds the memory of a conversation, asks its questions and removes it.
func (r *Result) ask(ctx context.Context, dir string, c *Conversation, o *Options, inject *injections) error {
	start := o.Now()
	h, err := openHome(ctx, dir, c, o)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer h.close()
	r.Indexed += o.Now().Sub(start)
	r.Turns += len(c.Turns)
	r.Questions += len(c.Questions)
	chars := h.usual.Config().Recall.HookChars
	for i := range c.Questions {
		q := &c.Questions[i]
		found, err := h.deep.Recall(ctx, memory.Query{Text: q.Text, Turns: true, Threshold: -1, MaxTokens: math.MaxInt32, Limit: Depth})
		if err != nil {
			return err
		}
		if len(found.Degraded) > 0 {
			return fmt.Errorf("question %s: recall went on without %v", q.ID, found.Degraded)
		}
		r.Ranking[q.ID] = h.turns(found.Hits)

		start := o.Now()
		given, err := h.usual.Recall(ctx, memory.Query{Text: q.Text, Turns: true, MaxChars: chars})
		if err != nil {
			return err
		}
		r.Took = append(r.Took, o.Now().Sub(start))
		inject.add(q, len(given.Hits), h.turns(given.Hits), given.Tokens)
	}
	return nil
}
