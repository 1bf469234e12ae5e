package eval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"orihon/follow"
)

// SecretOptions are how [RunSecrets] tries.
type SecretOptions struct {
	Dir      string // for homes; the caller removes it
	Seed     uint64
	Values   int      // for each kind and channel; 0 is one
	Channels []string // only these; empty is all
	Skip     []string // but these
	Kinds    int      // every so manyth kind; 0 is all
	Settings map[string]string
	// Hook has the program answer an event of its client and returns what it
	// prints. Without it the channels that need it are left out.
	Hook     func(ctx context.Context, home, project string, event []byte) ([]byte, error)
	Progress func(done, all int)
}

// SecretReport says what stayed where it must not.
type SecretReport struct {
	Kinds      int           `json:"kinds"`
	Values     int           `json:"values"`
	Seed       uint64        `json:"seed"`
	Planted    int           `json:"planted"`
	Kept       int           `json:"kept"`        // of the planted: still to be found
	Cells      int           `json:"cells"`       // kinds times channels that were tried
	CellsWhole int           `json:"cells_whole"` // in which nothing was to be found
	Channels   []SecretScore `json:"channels"`
	Classes    []SecretScore `json:"classes"`
	Missed     []SecretMiss  `json:"missed,omitempty"`
	LookAlikes int           `json:"look_alikes"`
	Altered    [][2]string   `json:"altered,omitempty"` // look-alikes and what was made of them

	// The same of texts by somebody who never saw the redactor.
	BlindLookAlikes int         `json:"blind_look_alikes"`
	BlindAltered    [][2]string `json:"blind_altered,omitempty"`
}

// SecretScore counts for a channel or a class of kinds.
type SecretScore struct {
	Name    string `json:"name"`
	Planted int    `json:"planted"`
	Kept    int    `json:"kept"`
}

// Recall is the share that is nowhere to be found.
func (s SecretScore) Recall() float64 {
	if s.Planted == 0 {
		return 1
	}
	return 1 - float64(s.Kept)/float64(s.Planted)
}

// Recall is the share of kinds and channels in which nothing was to be found.
func (r *SecretReport) Recall() float64 {
	if r.Cells == 0 {
		return 1
	}
	return float64(r.CellsWhole) / float64(r.Cells)
}

// SecretMiss is a kind that stayed on a channel, with a text of it.
type SecretMiss struct {
	Channel string `json:"channel"`
	Kind    string `json:"kind"`
	Text    string `json:"text"`
}

// SecretChannels names the channels.
func SecretChannels() []string {
	var out []string
	for _, c := range channels() {
		out = append(out, c.name)
	}
	return out
}

// RunSecrets plants every kind of secret on every channel by which text reaches
// the disk or a model, then searches every byte below the home, and all that was
// shown, for it.
func RunSecrets(ctx context.Context, o *SecretOptions) (*SecretReport, error) {
	kinds, err := SecretKinds()
	if err != nil {
		return nil, err
	}
	if o.Kinds > 1 {
		var some []SecretKind
		for i := int(o.Seed) % o.Kinds; i < len(kinds); i += o.Kinds {
			some = append(some, kinds[i])
		}
		kinds = some
	}
	values := max(o.Values, 1)
	rep := &SecretReport{Kinds: len(kinds), Values: values, Seed: o.Seed}
	texts := LookAlikes(o.Seed)
	rep.LookAlikes, rep.Altered = len(texts), Altered(texts)
	blind := BlindLookAlikes()
	rep.BlindLookAlikes, rep.BlindAltered = len(blind), Altered(blind)
	classes := make(map[string]int)
	chosen := slices.DeleteFunc(channels(), func(c channel) bool {
		return len(o.Channels) > 0 && !slices.Contains(o.Channels, c.name) || slices.Contains(o.Skip, c.name)
	})
	for n, c := range chosen {
		r := rand.New(rand.NewPCG(o.Seed, uint64(n)+10))
		var all []planted
		for i := range kinds {
			for range values {
				p := kinds[i].plant(r)
				if c.short && p.bare == "" {
					continue
				}
				all = append(all, p)
			}
		}
		left, err := tryChannel(ctx, o, c, filepath.Join(o.Dir, fmt.Sprint(n)), &all)
		if errors.Is(err, errNoHook) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("channel %s: %w", c.name, err)
		}
		rep.count(c.name, all, left, classes)
		if o.Progress != nil {
			o.Progress(n+1, len(chosen))
		}
	}
	return rep, nil
}

func tryChannel(ctx context.Context, o *SecretOptions, c channel, dir string, all *[]planted) ([]*planted, error) {
	b := &bench{ctx: ctx, o: o, dir: dir, project: filepath.Join(dir, "project"), clock: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	if err := makeRepository(b.project); err != nil {
		return nil, err
	}
	if c.name == "hook.log" && len(*all) > hookLogs {
		*all = (*all)[:hookLogs]
	}
	if err := b.open(follow.Client{Name: "claude-code"}, "s1"); err != nil {
		return nil, err
	}
	err := c.run(b, *all)
	if err := errors.Join(err, b.m.Close()); err != nil {
		return nil, err
	}
	left, err := b.leaks(*all)
	return left, errors.Join(err, os.RemoveAll(dir))
}

func (r *SecretReport) count(channel string, all []planted, left []*planted, classes map[string]int) {
	score := SecretScore{Name: channel, Planted: len(all), Kept: len(left)}
	r.Channels = append(r.Channels, score)
	r.Planted += len(all)
	r.Kept += len(left)
	cells := make(map[*SecretKind]bool)
	class := func(name string) *SecretScore {
		n, ok := classes[name]
		if !ok {
			n = len(r.Classes)
			classes[name] = n
			r.Classes = append(r.Classes, SecretScore{Name: name})
		}
		return &r.Classes[n]
	}
	for i := range all {
		cells[all[i].kind] = true
		class(all[i].kind.Class).Planted++
	}
	r.Cells += len(cells)
	for _, p := range left {
		class(p.kind.Class).Kept++
		if cells[p.kind] {
			cells[p.kind] = false
			r.Missed = append(r.Missed, SecretMiss{channel, p.kind.Class + "/" + p.kind.Name, p.text})
		}
	}
	for _, whole := range cells {
		if whole {
			r.CellsWhole++
		}
	}
}
