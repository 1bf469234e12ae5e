package window

import (
	"maps"
	"slices"

	"orihon/internal/inert"
	"orihon/journal"
)

// layout is a context in parts.
type layout struct {
	caps  caps
	head  []Placed
	parts []part // oldest first
	cost  int
}

// part is an iteration or a folded block as it is shown.
type part struct {
	iteration int    // 0 for a block
	block     *Block // nil for an iteration
	messages  []Placed
	cost      int
}

func (l *layout) messages() []Placed {
	out := slices.Clone(l.head)
	for _, p := range l.parts {
		out = append(out, p.messages...)
	}
	return out
}

// layout shows what the journal and its folds come to: a function of these and
// of the caps alone.
func (f *Folder) layout(in Input, c caps) layout {
	if f.version != f.state.version || len(f.shown) > 4096 {
		f.version = f.state.version
		f.forget(in)
	}
	l := layout{caps: c, head: f.head(in)}
	l.cost = in.cost(l.head)
	from := in.View.FirstIteration()
	add := func(p part) {
		l.parts = append(l.parts, p)
		l.cost += p.cost
	}
	iterations := func(to int) {
		if to < from {
			return
		}
		for _, it := range f.between(in, from, to) {
			add(f.show(in, it, c))
		}
	}
	for _, b := range f.state.tops {
		if b.Iterations[1] > in.Iteration {
			continue
		}
		iterations(b.Iterations[0] - 1)
		m := []Placed{asUser(f.stub(b), KindFolds, ZoneLongTerm)}
		add(part{block: b, messages: m, cost: in.cost(m)})
		from = max(from, b.Iterations[1]+1)
	}
	iterations(in.Iteration)
	return l
}

// forget lets go of what was kept of iterations and blocks that are no longer shown.
func (f *Folder) forget(in Input) {
	clear(f.shown)
	clear(f.gaps)
	back := in.Iteration - recallBack
	folded := func(n int) bool {
		return slices.ContainsFunc(f.state.tops, func(b *Block) bool { return b.contains(n) })
	}
	maps.DeleteFunc(f.facts, func(n int, _ *iterationFacts) bool { return n < back && folded(n) })
	maps.DeleteFunc(f.files, func(_ string, k knownFile) bool { return len(k.at) == 0 || k.at[len(k.at)-1] < back })
	maps.DeleteFunc(f.stubs, func(b *Block, _ string) bool { return !slices.Contains(f.state.tops, b) })
}

// between are the iterations of a range. Those between folds, which a view may have
// forgotten, are read once.
func (f *Folder) between(in Input, from, to int) []journal.Iteration {
	if to >= f.needed(in) {
		return in.View.Iterations(from, to)
	}
	its, ok := f.gaps[[2]int{from, to}]
	if !ok {
		its = in.View.Iterations(from, to)
		f.gaps[[2]int{from, to}] = its
	}
	return its
}

// needed implements [Needed]: what lies behind the newest fold.
func (f *Folder) needed(Input) int {
	top := f.state.tops
	if len(top) == 0 {
		return 0
	}
	return top[len(top)-1].Iterations[1] + 1
}

// stub is what a block says, made once.
func (f *Folder) stub(b *Block) string {
	text, ok := f.stubs[b]
	if !ok {
		text = b.stub()
		f.stubs[b] = text
	}
	return text
}

// head is what stands before everything else and never changes, but that folds are
// explained once there are any, and that a task whose message is folded is told.
func (f *Folder) head(in Input) []Placed {
	if in.Task == "" && len(f.state.tops) > 0 {
		if e, text := f.task(in); slices.ContainsFunc(f.state.tops, func(b *Block) bool { return b.contains(e.Iter) }) {
			in.Task = text
		}
	}
	out := in.head(true)
	if len(f.state.tops) > 0 {
		out = append(out, asUser(foldedBefore, KindFolds, ZoneStatic))
	}
	if ep := f.state.current(); ep != nil && len(ep.LongTerm) > 0 {
		out = append(out, asUser(longTermMessage(ep.LongTerm), "", ""))
	}
	return out
}

// task is the request that says what the run is for, looked for until there is one.
func (f *Folder) task(in Input) (journal.Event, string) {
	if f.asked.text == "" {
		f.asked.event, f.asked.text = FirstRequest(in.View)
	}
	return f.asked.event, f.asked.text
}

type shownKey struct {
	n       int
	trimmed bool
	caps    caps
	from    int64 // reasoning kept from
}

type shownIteration struct {
	messages []Placed
	cost     int
}

// show renders an iteration at its level. What is complete is rendered once.
func (f *Folder) show(in Input, it journal.Iteration, c caps) part {
	var from int64
	if ep := f.state.current(); ep != nil {
		from = ep.seq
	}
	key := shownKey{it.N, f.state.trimmed(it.N), c, from}
	s, ok := f.shown[key]
	if !ok {
		r := renderer{
			view: in.View, caps: c, upto: in.Iteration, brief: key.trimmed, reasoningFrom: from,
			note: func(e journal.Event) []Placed { return f.note(in, e) },
		}
		messages := r.render(it.Events)
		s = shownIteration{messages, in.cost(messages)}
		if it.N < in.Iteration {
			f.shown[key] = s
		}
	}
	return part{iteration: it.N, messages: s.messages, cost: s.cost}
}

// note renders what folding itself wrote into the stream: where things stood
// when the present epoch began, and recalled pieces that are open.
func (f *Folder) note(in Input, e journal.Event) []Placed {
	switch e.Type {
	case journal.Fold:
		if ep := f.state.current(); ep != nil && ep.seq == e.Seq && ep.Digest != "" {
			return []Placed{asUser(inert.Text(ep.Digest), KindStatus, ZoneDynamic)}
		}
	case journal.Recalled:
		for _, r := range f.state.recalls {
			if r.seq == e.Seq && f.state.open(r) {
				if text := f.recalled(in.View, r); text != "" {
					return []Placed{asUser(text, KindRecalled, ZoneRetrieved)}
				}
			}
		}
	}
	return nil
}
