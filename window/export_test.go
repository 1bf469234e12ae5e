package window

import (
	"context"

	"orihon/journal"
)

// The rules that the tables in package window_test reach.
var (
	SaysDone    = saysDone
	Decides     = decides
	Importance  = importance
	ParseCustom = parseCustom
	Gist        = gist
	Summed      = summed
)

// Bookmarked are the iterations that the bookmarks of a view name.
func Bookmarked(v *journal.View) map[int]bool {
	s := newFoldState()
	s.read(v)
	return s.bookmarks
}

// TitleOf is the title of a whole run.
func TitleOf(v *journal.View) string {
	r := readRecord(v, v.Events())
	return r.title()
}

// FoldTree is the range of a fold and the folds in it.
type FoldTree struct {
	Level      Level
	Iterations [2]int
	Children   []FoldTree `json:",omitempty"`
}

// FoldsOf are the folds that the folding wrote into a view, oldest first.
func FoldsOf(v *journal.View) (out []FoldTree) {
	known := map[string]FoldTree{}
	for _, e := range v.ByType(journal.Fold) {
		var p foldEvent
		if v.Decode(e, &p) != nil {
			continue
		}
		for _, b := range p.Blocks {
			if b.Level < Digest {
				continue
			}
			tree := FoldTree{Level: b.Level, Iterations: b.Iterations}
			for _, c := range b.Children {
				tree.Children = append(tree.Children, known[c])
			}
			known[b.ID] = tree
			out = append(out, tree)
		}
	}
	return out
}

// TitleOfFold is the title that the folding gives to a range.
func TitleOfFold(v *journal.View, t FoldTree) string { return blockOf(v, t).Summary.Title }

// StubOf is what stands in the place of a run that is folded into one summary, and the
// fold.
func StubOf(v *journal.View) (string, Block) {
	b := blockOf(v, FoldTree{Level: Digest, Iterations: [2]int{v.FirstIteration(), v.LastIteration()}})
	return b.stub(), b
}

// BlocksOf are the folds of a tree, the outermost last.
func BlocksOf(v *journal.View, t FoldTree) (out []Block) {
	for _, c := range t.Children {
		out = append(out, BlocksOf(v, c)...)
	}
	return append(out, blockOf(v, t))
}

func blockOf(v *journal.View, t FoldTree) Block {
	b := Block{Level: t.Level, Iterations: t.Iterations}
	events := v.Range(t.Iterations[0], t.Iterations[1])
	if len(t.Children) == 0 {
		r := readRecord(v, events)
		return newBlock(b, events, &r, r.extract(summaryTokens[t.Level]))
	}
	var children []*Block
	for _, c := range t.Children {
		made := blockOf(v, c)
		children = append(children, &made)
	}
	p := planner{f: &Folder{}, in: Input{View: v}}
	whole := readRecord(v, events)
	b = mergeBlocks(b, children, &whole)
	b.Summary = p.phase(context.Background(), b, events, &whole, children)
	return b
}
