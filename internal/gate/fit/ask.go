package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"orihon"
	"orihon/internal/asks/learn"
	"orihon/internal/lives"
	"orihon/internal/reader"
	"orihon/memory"
)

// inParallel puts together what n jobs return, in their order.
func inParallel(n int, job func(i int) ([]set, error)) ([]set, error) {
	out := make([][]set, n)
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range next {
				out[i], errs[i] = job(i)
				fmt.Fprint(os.Stderr, ".")
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	fmt.Fprintln(os.Stderr)
	return slices.Concat(out...), errors.Join(errs...)
}

// empty opens a memory that holds nothing; end closes and removes it.
func empty(ctx context.Context) (m *orihon.Memory, end func(), err error) {
	dir, err := os.MkdirTemp("", "fit")
	if err != nil {
		return nil, nil, err
	}
	project := filepath.Join(dir, "project")
	if err = os.Mkdir(project, 0o700); err == nil {
		m, err = orihon.Open(ctx, &orihon.Options{Home: filepath.Join(dir, "home"), Dir: project, User: "fit"})
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return m, func() {
		m.Close()
		os.RemoveAll(dir)
	}, nil
}

func mixed(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// ask puts the prompts of a life to a memory, each as q besides. of names the memory
// that a passage holds, empty for none of this life; held says which it may find.
func ask(ctx context.Context, m *orihon.Memory, life *lives.Life, store string, q memory.Query, held func(id string) bool, of func(*memory.Hit) string) (out []set, err error) {
	one := func(p *lives.Prompt, recent []string) error {
		q.Text, q.Recent, q.Explain, q.Threshold, q.MaxTokens = p.Text, recent, true, -1, 1<<20
		r, err := m.Recall(ctx, q)
		if err != nil {
			return err
		}
		s := set{Author: life.Author, Note: p.Note, Store: store, Text: p.Text}
		for _, id := range p.Need {
			if held(id) {
				s.Needed++
			}
		}
		const most = 40 // passages: further down nothing is injected
		for _, h := range slices.Concat(r.Hits, r.Dropped) {
			if len(h.Signals) == 0 || (h.Passage.Population == memory.UserTurns) != q.Told {
				continue
			}
			id := of(&h)
			s.Rows = append(s.Rows, Row{Signals: h.Signals, Needed: id != "" && slices.Contains(p.Need, id), OK: id != "" && slices.Contains(p.AlsoOK, id)})
		}
		sort.SliceStable(s.Rows, func(i, j int) bool { return s.Rows[i].Signals[rankSignal] < s.Rows[j].Signals[rankSignal] })
		s.Rows = s.Rows[:min(len(s.Rows), most)]
		out = append(out, s)
		return nil
	}
	for i := range life.Prompts {
		if err := one(&life.Prompts[i], nil); err != nil {
			return nil, err
		}
	}
	for _, session := range life.Sessions {
		var recent []string
		for i := range session.Turns {
			t := &session.Turns[i]
			if t.Who == "user" {
				if err := one(&t.Prompt, recent); err != nil {
					return nil, err
				}
			}
			if t.Text != "" {
				recent = append(recent, t.Text)
				recent = recent[max(0, len(recent)-5):]
			}
		}
	}
	return out, nil
}

// rankSignal is the place of the signal by which only the best are looked at.
const rankSignal = 12 // sRank of package recall

// unseen gives each prompt how likely it needs anything, as a model has it that has not
// seen its writer: that of the program has.
func unseen(sets []set) error {
	root := filepath.Join("internal", "lives", "testdata")
	all, err := lives.Read(filepath.Join(root, "dev"), filepath.Join(root, "scored"))
	if err != nil {
		return err
	}
	data, err := learn.Read(os.DirFS(filepath.Join("internal", "asks", "train", "data", "memory")))
	if err != nil {
		return err
	}
	models := learn.Folds(append(data, learn.Memory(all)...), learn.Usual)
	for _, s := range sets {
		likely := models(s.Author).P(reader.Prepare(s.Text))
		for _, r := range s.Rows {
			r.Signals[needsSignal] = likely
		}
	}
	return nil
}

// needsSignal is the place of how likely a prompt needs anything of memory.
const needsSignal = 45 // sNeeds of package recall

// toldSignal is the place of how likely a turn holds something worth keeping.
const toldSignal = 34 // sTold of package recall
