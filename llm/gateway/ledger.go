package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"orihon/internal/jsonl"
	"orihon/llm"
)

// errLedger means that the account of the day cannot be kept: nothing is asked
// then, since nobody could say whether the budget holds it.
var errLedger = errors.New("what models cost cannot be counted, so none is asked")

// ledger is what was spent, day by day, in files that all processes share.
type ledger struct {
	dir    string
	now    func() time.Time
	limits Limits
}

const ledgerVersion = 1

// Spent is what one feature took of one backend on a day.
type Spent struct {
	Day        string  `json:"day,omitempty"`
	Feature    string  `json:"feature"`
	Backend    string  `json:"backend"`
	Calls      int64   `json:"calls"`
	Failed     int64   `json:"failed,omitempty"` // of these
	Input      int64   `json:"input"`            // tokens, the cached ones included
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cache_read,omitempty"`
	CacheWrite int64   `json:"cache_write,omitempty"`
	Cost       float64 `json:"cost,omitempty"`
	// Estimated calls are those of which the backend did not tell what they took.
	Estimated int64 `json:"estimated,omitempty"`
}

// reservation is a call under way. One whose process died is counted as spent when
// its time is over.
type reservation struct {
	ID      string    `json:"id"`
	Day     string    `json:"-"`
	Feature string    `json:"feature"`
	Backend string    `json:"backend"`
	Input   int64     `json:"input"`
	Output  int64     `json:"output"`
	Cost    float64   `json:"cost,omitempty"`
	Until   time.Time `json:"until"`

	price Price
}

type account struct {
	V        int           `json:"v"`
	Spent    []Spent       `json:"spent"`
	Reserved []reservation `json:"reserved,omitempty"`
}

func (l *ledger) path(day string) string { return filepath.Join(l.dir, day+".json") }

func day(t time.Time) string { return t.Format(time.DateOnly) }

// load reads a day's account. One that cannot be read is an error: it is not known
// what was spent.
func (l *ledger) load(day string) (*account, error) {
	a := &account{V: ledgerVersion}
	data, err := jsonl.ReadFile(l.path(day))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errLedger, err)
	}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("%w: %s: %w: mend it, or delete it to begin the day anew", errLedger, l.path(day), err)
	}
	if a.V != ledgerVersion {
		return nil, fmt.Errorf("%w: %s is of version %d: a newer orihon wrote it", errLedger, l.path(day), a.V)
	}
	return a, nil
}

// change changes a day's account under the lock.
func (l *ledger) change(ctx context.Context, day string, change func(*account) error) error {
	unlock, err := lock(ctx, l.dir)
	if err != nil {
		return fmt.Errorf("%w: %w", errLedger, err)
	}
	defer unlock()
	a, err := l.load(day)
	if err != nil {
		return err
	}
	if err := change(a); err != nil {
		return err
	}
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := jsonl.WriteFile(l.path(day), append(data, '\n')); err != nil {
		return fmt.Errorf("%w: %w", errLedger, err)
	}
	return nil
}

// reserve sets aside what a call may take at most. It refuses with [llm.ErrSpent]
// when that is more than the day has left.
func (l *ledger) reserve(ctx context.Context, b *Backend, c call, patience time.Duration) (reservation, error) {
	now := l.now()
	input := atMost(c.Request) + b.Overhead
	r := reservation{
		ID: uuid.NewString(), Day: day(now), Feature: c.Feature, Backend: b.Name, Input: input, Output: int64(c.MaxTokens),
		Cost: b.Price.most(input, int64(c.MaxTokens)), Until: now.Add(patience + time.Minute), price: b.Price,
	}
	return r, l.change(ctx, r.Day, func(a *account) error {
		a.expire(now)
		tokens, cost := a.total()
		most := r.Input + r.Output
		if limit := l.limits.DailyTokens; limit > 0 && tokens+most > limit {
			return fmt.Errorf("%w: %d of %d tokens are used or reserved, and this call may take %d (spend.daily_tokens)", llm.ErrSpent, tokens, limit, most)
		}
		if limit := l.limits.DailyCost; limit > 0 && cost+r.Cost > limit {
			return fmt.Errorf("%w: %.4f of %.2f are used or reserved, and this call may cost %.4f (spend.daily_cost)", llm.ErrSpent, cost, limit, r.Cost)
		}
		a.Reserved = append(a.Reserved, r)
		return nil
	})
}

// settle puts what a call took in the place of what was set aside. A reservation
// that is gone was counted as spent already, and is left at that.
func (l *ledger) settle(ctx context.Context, r reservation, u llm.Usage, failed bool) error {
	return l.change(ctx, r.Day, func(a *account) error {
		before := len(a.Reserved)
		a.Reserved = slices.DeleteFunc(a.Reserved, func(x reservation) bool { return x.ID == r.ID })
		if len(a.Reserved) == before {
			return nil
		}
		s := a.of(r.Feature, r.Backend)
		s.Calls++
		s.add(u)
		s.Cost += r.price.of(u)
		if failed {
			s.Failed++
		}
		return nil
	})
}

func (s *Spent) add(u llm.Usage) {
	s.Input += u.Input
	s.Output += u.Output
	s.CacheRead += u.CacheRead
	s.CacheWrite += u.CacheWrite
	if u.Estimated {
		s.Estimated++
	}
}

// of is the line of a feature and a backend.
func (a *account) of(feature, backend string) *Spent {
	for i := range a.Spent {
		if s := &a.Spent[i]; s.Feature == feature && s.Backend == backend {
			return s
		}
	}
	a.Spent = append(a.Spent, Spent{Feature: feature, Backend: backend})
	return &a.Spent[len(a.Spent)-1]
}

// expire counts as spent what nobody settled in time.
func (a *account) expire(now time.Time) {
	a.Reserved = slices.DeleteFunc(a.Reserved, func(r reservation) bool {
		if now.Before(r.Until) {
			return false
		}
		s := a.of(r.Feature, r.Backend)
		s.Calls++
		s.Failed++
		s.add(llm.Usage{Input: r.Input, Output: r.Output, Estimated: true})
		s.Cost += r.Cost
		return true
	})
}

// total is what is used or set aside.
func (a *account) total() (tokens int64, cost float64) {
	for _, s := range a.Spent {
		tokens, cost = tokens+s.Input+s.Output, cost+s.Cost
	}
	for _, r := range a.Reserved {
		tokens, cost = tokens+r.Input+r.Output, cost+r.Cost
	}
	return tokens, cost
}

// Today is what the present day has used or set aside.
type Today struct {
	Tokens      int64   `json:"tokens"`
	Cost        float64 `json:"cost"`
	DailyTokens int64   `json:"daily_tokens"` // the limits; 0 is none
	DailyCost   float64 `json:"daily_cost"`
}

// Today tells how far the day's budget is used.
func (g *Gateway) Today() (Today, error) {
	t := Today{DailyTokens: g.o.Limits.DailyTokens, DailyCost: g.o.Limits.DailyCost}
	a, err := g.ledger.load(day(g.o.Now()))
	if err == nil {
		t.Tokens, t.Cost = a.total()
	}
	return t, err
}

// Spent is what was spent since a day, as in 2026-11-22, or ever: a line for each
// day, feature and backend. A day that cannot be read is named in the error, beside
// the others.
func (g *Gateway) Spent(since string) ([]Spent, error) {
	entries, err := os.ReadDir(g.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var out []Spent
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if _, perr := time.Parse(time.DateOnly, name); !ok || perr != nil || name < since {
			continue
		}
		a, lerr := g.ledger.load(name)
		if lerr != nil {
			err = errors.Join(err, lerr)
			continue
		}
		for _, s := range a.Spent {
			s.Day = name
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Spent) int {
		return cmp.Or(strings.Compare(a.Day, b.Day), strings.Compare(a.Feature, b.Feature), strings.Compare(a.Backend, b.Backend))
	})
	return out, err
}
