package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"orihon"
	"orihon/follow"
	"orihon/journal"
	"orihon/memory"
)

// UpdateCategory is the category of the questions whose answer has changed.
const UpdateCategory = "knowledge_update"

// UpdateDepth is how many turns count as reachable.
const UpdateDepth = 10

// An Arm is one way of asking the same questions.
type Arm struct {
	Name string // "turns": conversations alone; "off": and statements, none replaced; "on": and replaced ones behind
	// Both is whether all versions were among the first [UpdateDepth] turns,
	// First whether the latest came before every older one. One value for each
	// update question with at least two versions, in the order of the data.
	Both, First []bool
	// Deep is Both within twice the depth.
	Deep []bool
	// Recall is R@10 of the questions of every other category.
	Recall []float64
	// Updates is R@10 of all update questions.
	Updates []float64
	// Ranking is what was found.
	Ranking Ranking
}

// Updates is what a data set says of facts that change.
type Updates struct {
	Conversations int
	// Single are update questions with one version in the data, which say
	// nothing of an order.
	Single int
	// Kept, Asked, Dropped and Replaced count the statements.
	Kept, Asked, Dropped, Replaced int
	Arms                           []Arm
	Questions                      []string // IDs of the update questions that count
}

// RunUpdates measures whether all versions of a changed fact are found and the
// current one comes first. The journal of each conversation is written as in
// [Run]; then [orihon.Memory.Notice] goes through the user's messages in the
// order of time. A question is asked as in [Run] for ranking. The unit is the
// turn: a passage of the conversation stands for its turns, a statement for the
// turns it was taken from, and the first of both counts.
func RunUpdates(ctx context.Context, data []Conversation, o *Options) (*Updates, error) {
	opt := o.whole()
	u := &Updates{Conversations: len(data)}
	for _, name := range [...]string{"turns", "off", "on"} {
		u.Arms = append(u.Arms, Arm{Name: name, Ranking: make(Ranking)})
	}
	return u, opt.each(data, func(i int, dir string) error { return u.conversation(ctx, dir, &data[i], opt) })
}

func (u *Updates) conversation(ctx context.Context, dir string, c *Conversation, o *Options) error {
	h, err := openHome(ctx, dir, c, o)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer h.close()
	if err := u.ask(ctx, &u.Arms[0], h, h.deep, c); err != nil {
		return err
	}
	if err := u.notice(ctx, h); err != nil {
		return err
	}
	off, err := h.open(ctx, dir, o, map[string]string{"recall.candidates": strconv.Itoa(Depth), "recall.without": "supersession"})
	if err != nil {
		return err
	}
	defer off.Close()
	if err := u.ask(ctx, &u.Arms[1], h, off, c); err != nil {
		return err
	}
	return u.ask(ctx, &u.Arms[2], h, h.deep, c)
}

// notice goes through what the user said, session by session, and notes for each
// item which turns say it.
func (u *Updates) notice(ctx context.Context, h *home) error {
	sessions, err := os.ReadDir(h.usual.Project().Sessions)
	if err != nil {
		return err
	}
	turn := make(map[string]string) // passage → turn
	var heard []follow.UserMessage
	for _, s := range sessions {
		j, err := journal.Open(h.usual.Project().Session(s.Name()), &journal.Options{Now: undated})
		if err != nil {
			return err
		}
		turns, _, err := j.Turns(ctx, 0)
		if err != nil {
			return err
		}
		for _, t := range turns {
			if t.Role == journal.RoleUser {
				heard = append(heard, follow.UserMessage{Session: s.Name(), Seq: t.Seq, At: t.TS, Text: t.Text})
				turn[fmt.Sprintf("%s/%d", s.Name(), t.Seq)] = t.ID
			}
		}
	}
	slices.SortStableFunc(heard, func(a, b follow.UserMessage) int { return a.At.Compare(b.At) })
	noticed, err := h.usual.Sessions().Notice(ctx, heard, nil)
	if err != nil {
		return err
	}
	for i := range noticed {
		n := &noticed[i]
		switch n.Verdict {
		case follow.Keep:
			u.Kept++
		case follow.Ask:
			u.Asked++
		default:
			u.Dropped++
		}
		if n.Replaced != nil {
			u.Replaced++
		}
		if n.Item != nil && n.Verdict != follow.Ask && turn[n.Evidence] != "" && !slices.Contains(h.items[n.Item.ID], turn[n.Evidence]) {
			// The latest turn first: all of them say the same.
			h.items[n.Item.ID] = append([]string{turn[n.Evidence]}, h.items[n.Item.ID]...)
		}
	}
	_, err = h.usual.Sync(ctx)
	return err
}

// ask asks all questions of a conversation.
func (u *Updates) ask(ctx context.Context, arm *Arm, h *home, m *orihon.Memory, c *Conversation) error {
	order := make(map[string]int, len(c.Turns))
	for i := range c.Turns {
		order[c.Turns[i].ID] = i
	}
	for i := range c.Questions {
		q := &c.Questions[i]
		gold := slices.Clone(q.Evidence)
		slices.SortFunc(gold, func(a, b string) int { return order[a] - order[b] })
		if gold = slices.Compact(gold); len(gold) == 0 {
			continue
		}
		found, err := rank(ctx, m.Recall, q, memory.Viewer{})
		if err != nil {
			return err
		}
		ranked := h.turns(found)
		arm.Ranking[q.ID] = ranked
		places := make([]int, len(gold))
		reached, deep := 0, 0
		for i, id := range gold {
			if places[i] = slices.Index(ranked, id); places[i] >= 0 && places[i] < UpdateDepth {
				reached++
			}
			if places[i] >= 0 && places[i] < 2*UpdateDepth {
				deep++
			}
		}
		share := float64(reached) / float64(len(gold))
		switch {
		case q.Category != UpdateCategory:
			arm.Recall = append(arm.Recall, share)
			continue
		case len(gold) == 1:
			if arm == &u.Arms[0] {
				u.Single++
			}
		default:
			if arm == &u.Arms[0] {
				u.Questions = append(u.Questions, q.ID)
			}
			arm.Both = append(arm.Both, reached == len(gold))
			arm.Deep = append(arm.Deep, deep == len(gold))
			arm.First = append(arm.First, leads(places))
		}
		arm.Updates = append(arm.Updates, share)
	}
	return nil
}

// leads reports whether the last of some places, -1 for none, comes first.
func leads(places []int) bool {
	last := places[len(places)-1]
	if last < 0 {
		return false
	}
	for _, p := range places[:len(places)-1] {
		if p >= 0 && p < last {
			return false
		}
	}
	return true
}

// Share is the share of the true, with its interval by drawing the questions a
// thousand times with replacement; 0 without any.
func Share(of []bool, seed uint64) (float64, Interval) {
	values := make([]float64, len(of))
	for i, b := range of {
		values[i] = whether(b)
	}
	return Mean(values, seed)
}

// Mean is the mean of some values, with its interval as in [Share].
func Mean(values []float64, seed uint64) (float64, Interval) {
	const draws = 1000
	if len(values) == 0 {
		return 0, Interval{}
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	r := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, draws)
	for i := range means {
		for range values {
			means[i] += values[r.IntN(len(values))]
		}
		means[i] /= float64(len(values))
	}
	slices.Sort(means)
	return sum / float64(len(values)), Interval{means[draws*25/1000], means[draws*975/1000]}
}
