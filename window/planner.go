package window

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/tokens"
	"orihon/journal"
)

// planner makes the blocks of an epoch.
type planner struct {
	f      *Folder
	in     Input
	number int
	made   []Block  // in the order they are folded
	blocks []*Block // what would be on top, oldest first
	costs  map[*Block]int
	cost   int             // tokens of their stubs
	opened map[*Block]bool // whose parent this plan reopens
	yields bool            // under pressure nothing is kept open for being asked for
}

func (f *Folder) planner(in Input) planner {
	p := planner{f: f, in: in, number: f.state.last, blocks: slices.Clone(f.state.tops), costs: map[*Block]int{}, opened: map[*Block]bool{}}
	for _, b := range p.blocks {
		p.cost += p.stubCost(b)
	}
	return p
}

func (p *planner) stubCost(b *Block) int {
	n, ok := p.costs[b]
	if !ok {
		n = b.stubCost(p.in.Tokens)
		p.costs[b] = n
	}
	return n
}

// digest folds a run of iterations into summaries, cut where a request begins.
func (p *planner) digest(ctx context.Context, run []*iterationFacts) {
	for len(run) > 0 {
		n := min(len(run), digestIterations)
		for i := leastDigest; i < n; i++ {
			if run[i].prompt {
				n = i
				break
			}
		}
		if len(run)-n < leastDigest && len(run) <= digestIterations+2 {
			n = len(run)
		}
		p.fold(ctx, Digest, run[0].n, run[n-1].n, nil)
		run = run[n:]
	}
}

// fold makes a block of a range and puts it in its place, unless it would not be
// smaller than what it replaces.
func (p *planner) fold(ctx context.Context, level Level, from, to int, children []*Block) bool {
	events := p.in.View.Range(from, to)
	b := Block{Number: p.number + 1, Level: level, Iterations: [2]int{from, to}}
	i, j, ok := within(p.blocks, &b)
	if len(events) == 0 || !ok {
		return false
	}
	var shown int
	for _, c := range children {
		b.Children = append(b.Children, c.ID)
		b.Tokens += c.Tokens
		shown += p.stubCost(c)
	}
	if len(children) == 0 {
		for _, it := range p.iterations(&b) {
			b.Tokens += it.full
			if p.f.state.trimmed(it.n) {
				shown += it.trimmed
			} else {
				shown += it.full - it.reasoning
			}
		}
	}
	if len(children) > 0 {
		whole := readRecord(p.in.View, events)
		whole.lookBehind(p.in.View, to+1, p.in.Iteration)
		b = mergeBlocks(b, children, &whole)
		b.Summary = p.phase(ctx, b, events, &whole, children)
	} else {
		r := readRecord(p.in.View, events)
		r.lookBehind(p.in.View, to+1, p.in.Iteration)
		limit, hash := summaryTokens[level], rangeHash(events)
		told, ok := p.f.state.written[writtenKey{hash, level}]
		if !ok {
			told = p.f.write.summarize(ctx, stretch{p.in.View, events, hash, limit, &r})
		}
		b = newBlock(b, events, &r, told)
		if b.verify(r.facts()) != nil {
			return false
		}
	}
	b.Retrievability.Importance = importance(p.in.Iteration-to, accesses(children), len(b.Errors)+len(b.Mended) > 0, 1000*len(b.StateChanges))
	// A stub that says more than there was is cut to its title and index.
	if 10*b.stubCost(p.in.Tokens) > foldTenths*shown {
		b.Summary.Content = ""
		b.Summary.Gaps = nil
		if 10*b.stubCost(p.in.Tokens) > foldTenths*shown {
			return false
		}
	}
	p.number = b.Number
	p.made = append(p.made, b)
	for _, old := range p.blocks[i:j] {
		p.cost -= p.stubCost(old)
	}
	p.cost += p.stubCost(&b)
	p.blocks = slices.Replace(p.blocks, i, j, &b)
	return true
}

// iterations are the facts of what a block folds.
func (p *planner) iterations(b *Block) []*iterationFacts {
	var out []*iterationFacts
	for n := b.Iterations[0]; n <= b.Iterations[1]; n++ {
		if it := p.f.iteration(p.in, n); it != nil {
			out = append(out, it)
		}
	}
	return out
}

func accesses(children []*Block) int {
	n := 0
	for _, c := range children {
		n += c.Retrievability.AccessCount
	}
	return n
}

// phase sums up blocks that are folded together.
func (p *planner) phase(ctx context.Context, b Block, events []journal.Event, whole *record, children []*Block) Summary {
	limit := summaryTokens[b.Level]
	if p.f.write.model != nil {
		return p.f.write.summarize(ctx, stretch{view: p.in.View, events: events, hash: b.Hash, limit: limit})
	}
	var titles []string
	for _, c := range children {
		titles = append(titles, c.Summary.Title)
	}
	s := Summary{Title: whole.title(), Outcome: clip(children[len(children)-1].Summary.Outcome, 2*limit)}
	if b.Level < Sentence {
		s.Content = tokens.Fit("Steps: "+strings.Join(titles, "; ")+".", limit)
	}
	return s
}

// mergeBlocks gives a block the index fields of those it folds. An error that one of
// them leaves open another may have mended.
func mergeBlocks(b Block, children []*Block, whole *record) Block {
	b.ID, b.Type = b.id(), blockTypes[b.Level]
	b.Errors, b.Mended = whole.errors(3 * maxFactLines)
	for _, c := range children {
		b.Instructions = append(b.Instructions, c.Instructions...)
		b.StateChanges = append(b.StateChanges, c.StateChanges...)
		b.Decisions = append(b.Decisions, c.Decisions...)
		b.Entities = append(b.Entities, c.Entities[:min(len(c.Entities), maxFactEntities/2)]...)
		b.Keywords = append(b.Keywords, c.Keywords...)
		b.Read = append(b.Read, c.Read...)
	}
	// What does not fit stands in the children.
	b.Instructions = standing(b.Instructions, 8*maxFactLines)
	b.StateChanges = newest(summed(b.StateChanges), 6*maxFactLines)
	b.Decisions = newest(distinct(b.Decisions), 3*maxFactLines)
	b.Entities, b.Keywords, b.Read = newest(distinct(b.Entities), 2*maxFactEntities), newest(distinct(b.Keywords), 10), newest(distinct(b.Read), 6*maxFactLines)
	first, last := children[0], children[len(children)-1]
	b.Times = [2]time.Time{first.Times[0], last.Times[1]}
	from, _, _ := strings.Cut(strings.TrimPrefix(first.Retrievability.StorageRef, "journal:seq_"), "_")
	to := last.Retrievability.StorageRef[strings.LastIndexByte(last.Retrievability.StorageRef, '_')+1:]
	b.Retrievability.StorageRef = "journal:seq_" + from + "_" + to
	for _, c := range children {
		b.Hash += c.Hash[:min(len(c.Hash), 6)]
	}
	return b
}

// summed are changes with those of one file counted together, where the last of
// them stands.
func summed(changes []string) []string {
	times := map[string]int{}
	last := map[string]int{}
	names := make([]string, len(changes))
	for i, c := range changes {
		name, n := c, 1
		if at := strings.LastIndex(c, " ("); at > 0 {
			if _, err := fmt.Sscanf(c[at:], " (%d times)", &n); err == nil {
				name = c[:at]
			}
		}
		names[i] = name
		times[name] += n
		last[name] = i
	}
	var out []string
	for i, name := range names {
		switch {
		case last[name] != i:
		case times[name] > 1 && strings.HasPrefix(name, "changed "):
			out = append(out, fmt.Sprintf("%s (%d times)", name, times[name]))
		default:
			out = append(out, name)
		}
	}
	return out
}

// chapters folds the oldest neighbouring stubs together until all stubs cost at
// most limit tokens, or nothing is left to fold. Blocks that were recalled often
// wait.
func (p *planner) chapters(ctx context.Context, limit int) {
	for _, level := range [...]Level{Digest, Chapter, Sentence, Sentence, Sentence} {
		for i := 0; i+1 < len(p.blocks) && p.cost > limit; i++ {
			if group := slices.Clone(p.group(i, level)); len(group) > 1 {
				// What could not be folded is passed over.
				p.fold(ctx, min(level+1, Sentence), group[0].Iterations[0], group[len(group)-1].Iterations[1], group)
			}
		}
	}
}

// group is a run of neighbouring blocks of at most a level from an index on,
// that belong in one.
func (p *planner) group(i int, level Level) []*Block {
	var out []*Block
	span := chapterIterations
	if level > Digest {
		span = 1 << 30
	}
	for ; i < len(p.blocks) && len(out) < 3; i++ {
		b := p.blocks[i]
		if b.Level > level || b.recalledOften(p.in.Iteration) || !p.yields && (p.opened[b] || p.f.state.warm[b.Iterations[0]] >= p.in.Iteration) {
			break
		}
		if n := len(out); n > 0 && (b.Iterations[0] != out[n-1].Iterations[1]+1 || b.Iterations[1]-out[0].Iterations[0] >= span) {
			break
		}
		out = append(out, b)
	}
	return out
}

// reopens are the top blocks that were recalled again and again and whose next
// level fits into the room of the short-term zone, the last used first.
func (p *planner) reopens(room int) []*Block {
	var out []*Block
	often := slices.Clone(p.blocks)
	slices.SortStableFunc(often, func(a, b *Block) int {
		return b.Retrievability.LastAccessed - a.Retrievability.LastAccessed
	})
	for _, b := range often {
		if !b.recalledOften(p.in.Iteration) {
			continue
		}
		size := 0
		children := p.f.state.children(p.in.View, b.Number)
		for _, c := range children {
			size += p.stubCost(c)
		}
		if len(children) == 0 {
			for _, it := range p.iterations(b) {
				size += it.trimmed
			}
		}
		if room -= size; room < 0 {
			break
		}
		out = append(out, b)
	}
	return out
}

// reopen takes a block out of the plan's blocks and puts those in its place that
// it folds. It returns the iterations that are open again.
func (p *planner) reopen(b *Block) []*iterationFacts {
	i := slices.Index(p.blocks, b)
	children := p.f.state.children(p.in.View, b.Number)
	p.blocks = slices.Replace(p.blocks, i, i+1, children...)
	p.cost -= p.stubCost(b)
	for _, c := range children {
		p.cost += p.stubCost(c)
		p.opened[c] = true
	}
	if len(children) > 0 {
		return nil
	}
	return p.iterations(b)
}

// trim makes the block of the iterations that are trimmed.
func (p *planner) trim(free []*iterationFacts, keep map[int]fate) (Block, bool) {
	b := Block{Type: blockTypes[Trimmed], Level: Trimmed}
	saved := 0
	for _, it := range free {
		if keep[it.n] != trimIt {
			continue
		}
		if b.Iterations[0] == 0 {
			b.Iterations[0] = it.n
		}
		b.Iterations[1] = it.n
		saved += it.full - it.trimmed
		b.Tokens += it.full
	}
	if saved == 0 {
		return b, false
	}
	// What is folded in between is shown in full when it is unfolded.
	for n := b.Iterations[0]; n <= b.Iterations[1]; n++ {
		if keep[n] != trimIt {
			b.Except = append(b.Except, n)
		}
	}
	p.number++
	b.Number = p.number
	b.ID = fmt.Sprintf("trim_iter%d_to_%d", b.Iterations[0], b.Iterations[1])
	return b, true
}
