package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"orihon"
	"orihon/internal/lives"
	"orihon/memory"
)

// collect plays every life by itself and together with others: without phrases by which
// memories may be looked for, with those that an agent gave, and with some of them.
func collect(ctx context.Context, folders []string) ([]set, error) {
	bare, err := lives.Read(folders...)
	if err != nil {
		return nil, err
	}
	phrased, err := lives.Phrased(bare)
	if err != nil {
		return nil, err
	}
	jobs := append(jobsOf(bare, ""), jobsOf(phrased, ", phrases")...)
	for _, j := range jobsOf(fewer(phrased), ", some phrases") {
		if len(j.lives) <= together && !strings.HasPrefix(j.store, "few") {
			jobs = append(jobs, j)
		}
	}
	// The largest stores first, so that none is left for the end.
	slices.SortStableFunc(jobs, func(a, b job) int { return len(b.lives) - len(a.lives) })
	return inParallel(len(jobs), func(i int) ([]set, error) { return playAll(ctx, jobs[i].store, jobs[i].lives) })
}

// job is some lives in one store.
type job struct {
	store string
	lives []lives.Life
}

// fewer are lives whose memories have phrases as they come: a third none, a third two.
func fewer(all []lives.Life) []lives.Life {
	out := slices.Clone(all)
	for i := range out {
		out[i].Memories = slices.Clone(out[i].Memories)
		for k := range out[i].Memories {
			m := &out[i].Memories[k]
			m.NeededWhen = m.NeededWhen[:min(len(m.NeededWhen), []int{0, 2, memory.MaxNeededWhen}[mixed(m.Text)%3])]
		}
	}
	return out
}

// together is how many lives stand in one store.
const together = 4

// jobsOf are the stores that lives are played in; their names end alike.
func jobsOf(all []lives.Life, end string) (jobs []job) {
	jobs = append(jobs, job{"all" + end, all})
	for i := range all {
		jobs = append(jobs, job{"alone" + end, all[i : i+1]})
		for _, n := range []int{1, 2, 3, 5, 8} {
			jobs = append(jobs, job{"few" + end, []lives.Life{few(&all[i], n)}})
		}
	}
	order := slices.Clone(all)
	sort.Slice(order, func(i, j int) bool { return mixed(order[i].Name) < mixed(order[j].Name) })
	for i := 0; i < len(order); i += together {
		jobs = append(jobs, job{"together" + end, order[i:min(len(order), i+together)]})
	}
	return jobs
}

// few is a life that begins: n of its memories, the prompts that need one of them
// and as many others.
func few(l *lives.Life, n int) lives.Life {
	random := rand.New(rand.NewPCG(mixed(l.Name), uint64(n)))
	out := lives.Life{Name: l.Name, Author: l.Author, Language: l.Language}
	has := make(map[string]bool, n)
	for _, i := range random.Perm(len(l.Memories))[:min(n, len(l.Memories))] {
		out.Memories = append(out.Memories, l.Memories[i])
		has[l.Memories[i].ID] = true
	}
	here := func(id string) bool { return has[id] }
	var others []lives.Prompt
	for _, p := range l.Prompts {
		if slices.ContainsFunc(p.Need, here) {
			out.Prompts = append(out.Prompts, p)
		} else {
			others = append(others, p)
		}
	}
	random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	out.Prompts = append(out.Prompts, others[:min(len(others), len(out.Prompts)+1)]...)
	return out
}

func playAll(ctx context.Context, store string, played []lives.Life) (out []set, err error) {
	m, end, err := empty(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ids := make(map[string]string) // of the item → of the memory
	for _, life := range played {
		var told []orihon.Statement
		for _, s := range life.Memories {
			told = append(told, orihon.Statement{Text: s.Text, NeededWhen: s.NeededWhen, Source: memory.FromUser, Explicit: true})
		}
		outcomes, err := m.RememberAll(ctx, told)
		if err != nil {
			return nil, err
		}
		if _, err := m.Sync(ctx); err != nil { // with its vectors, as it is in use
			return nil, err
		}
		for i, o := range outcomes {
			if o.Item.ID != "" {
				ids[o.Item.ID] = life.Name + "/" + life.Memories[i].ID
			}
		}
	}
	for _, life := range played {
		asked, err := ask(ctx, m, &life, store, memory.Query{}, func(id string) bool {
			return slices.ContainsFunc(life.Memories, func(m lives.Memory) bool { return m.ID == id })
		}, func(h *memory.Hit) string {
			id, _ := strings.CutPrefix(ids[h.Passage.Item.ID], life.Name+"/")
			return id
		})
		if err != nil {
			return nil, err
		}
		out = append(out, asked...)
	}
	return out, nil
}
