package window

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/capture"
	"orihon/internal/inert"
	"orihon/internal/terms"
	"orihon/journal"
)

// Level is how much of an iteration is shown.
type Level int

// The levels.
const (
	Full     Level = iota // L0
	Trimmed               // L1: the dialogue, tool outputs cut short
	Digest                // L2: a summary with its key actions
	Chapter               // L3: an entry of the index
	Sentence              // L4: one sentence
)

// Block is a range of iterations that is shown folded. What it folds stays in
// the journal.
type Block struct {
	ID     string `json:"id"`     // fold_iter20_to_50
	Number int    `json:"number"` // what a model types: F7
	Type   string `json:"type"`   // "summary", "chapter", "index", or "trim" at level 1
	Level  Level  `json:"level"`

	Iterations [2]int       `json:"iteration_range"` // first and last
	Times      [2]time.Time `json:"time_range"`
	Summary    Summary      `json:"summary,omitzero"`

	Keywords     []string `json:"keywords,omitempty"`
	Entities     []string `json:"entities,omitempty"`
	StateChanges []string `json:"state_changes,omitempty"`
	Errors       []string `json:"errors,omitempty"`        // that still stand
	Mended       []string `json:"mended_errors,omitempty"` // with what mended them
	Decisions    []string `json:"decisions,omitempty"`
	Instructions []string `json:"instructions,omitempty"` // of the user, verbatim
	Read         []string `json:"read,omitempty"`         // files, by base name

	Retrievability Retrievability `json:"retrievability,omitzero"`
	Children       []string       `json:"children,omitempty"` // ids of the blocks folded into it
	Tokens         int            `json:"tokens"`             // of what is folded, shown in full
	Hash           string         `json:"hash,omitempty"`     // of the folded range
	Except         []int          `json:"except,omitempty"`   // iterations a trim leaves whole
}

// Retrievability says where a block's text stands and how likely it is asked
// for.
type Retrievability struct {
	StorageRef   string  `json:"storage_ref"`             // journal:seq_a_b
	Importance   float64 `json:"importance"`              // 0 to 1
	LastAccessed int     `json:"last_accessed,omitempty"` // iteration
	AccessCount  int     `json:"access_count,omitempty"`
}

// Ref is the short name of a block: "F7".
func (b *Block) Ref() string { return fmt.Sprintf("F%d", b.Number) }

func (b *Block) contains(iteration int) bool {
	return b.Iterations[0] <= iteration && iteration <= b.Iterations[1]
}

// recalledOften reports a block that was asked for again and again, and lately.
func (b *Block) recalledOften(now int) bool {
	return b.Retrievability.AccessCount >= recallOften && now-b.Retrievability.LastAccessed < recallFresh
}

// foldedBefore says of a stub's statements what a reader must know.
const foldedBefore = "Parts of this run are folded below, oldest first. Each stub names its iterations; what was said there was said with the full text in view. " +
	ShowHistory + "(fold: \"F1\") opens a fold word for word, " + ShowHistory + "(start, end) iterations of it, " + QueryHistory + "(query) finds in all."

// stub is what stands in the place of a folded block.
func (b *Block) stub() string { return inert.Text(b.told()) }

func (b *Block) told() string {
	var s strings.Builder
	fmt.Fprintf(&s, "[%s: iterations %d–%d, %s tokens] %s", b.Ref(), b.Iterations[0], b.Iterations[1], round(b.Tokens), b.Summary.Title)
	if b.Level <= Chapter && b.Summary.Content != "" {
		s.WriteString("\n" + b.Summary.Content)
	}
	if o := b.Summary.Outcome; o != "" && !strings.Contains(s.String(), o) {
		s.WriteString(" → " + o)
	}
	summary := s.String()
	line := func(label string, entries []string, n, width int) {
		var kept []string
		for _, e := range newest(entries, n) {
			if !strings.Contains(summary, e) {
				kept = append(kept, clip(e, width))
			}
		}
		if len(kept) > 0 {
			s.WriteString("\n" + label + strings.Join(kept, "; "))
		}
	}
	n := b.limits()
	if b.Level <= Chapter {
		line("Not to be inferred: ", b.Summary.Gaps, maxGaps, 160)
	}
	line("The user said: ", quoted(standing(b.Instructions, n.instructions)), n.instructions, n.quote)
	line("Changed: ", withoutChanged(b.StateChanges), n.changes, 120)
	line("Errors: ", b.Errors, n.errors, 160)
	line("Decided: ", b.Decisions, n.decisions, 160)
	line("Names: ", b.Entities[:min(len(b.Entities), n.entities)], n.entities, 60)
	return s.String()
}

// withoutChanged is what a line that begins with Changed says of changes.
func withoutChanged(changes []string) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = strings.TrimPrefix(c, "changed ")
	}
	return out
}

// shares bound the lines of a stub by its level.
type shares struct{ instructions, quote, changes, errors, decisions, entities int }

func (b *Block) limits() shares {
	switch b.Level {
	case Digest:
		const each = 2500 // tokens; by hand much more may be folded at once
		return shares{max(4, b.Tokens/each), 400, 6, 4, 3, 12}
	case Chapter:
		return shares{3, 200, 4, 2, 2, 8}
	}
	return shares{2, 120, 2, 1, 1, 3}
}

// standing picks n instructions in their order: those that hold for all that
// follows before those that were carried out, and the newest before the oldest.
func standing(all []string, n int) []string {
	if len(all) <= n {
		return all
	}
	keep := make([]bool, len(all))
	left := n
	for _, lasting := range [...]bool{true, false} {
		for i := len(all) - 1; i >= 0 && left > 0; i-- {
			if !keep[i] && (!lasting || lasts(all[i])) {
				keep[i] = true
				left--
			}
		}
	}
	var out []string
	for i, k := range keep {
		if k {
			out = append(out, all[i])
		}
	}
	return out
}

// mostLasting is how much of an instruction is looked through for what lasts, in bytes
// from its beginning: people do not type as much, and every fold asks anew.
const mostLasting = 16 << 10

// lasts reports an instruction that goes on to hold once it was followed, and one to
// remember something.
func lasts(instruction string) bool {
	instruction = instruction[:min(len(instruction), mostLasting)]
	s := " " + terms.Fold(instruction) + " "
	return holdsAny(s, " never ", " always ", " must ", " don't ", " do not ", " from now on ", " make sure ", " keep ", " only ",
		"不要", "必须", "一律", "永远", "总是", "别", "务必", "以后") || len(capture.Explicit(instruction)) > 0
}

// round shows a size so that small differences do not change the text.
func round(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(max(10, (n+5)/10*10))
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%dk", n/1000)
}

// blockTypes are the types of blocks by their level.
var blockTypes = [...]string{Trimmed: "trim", Digest: "summary", Chapter: "chapter", Sentence: "index"}

// rangeHash names a range of events by what stands in it.
func rangeHash(events []journal.Event) string {
	h := sha256.New()
	for _, e := range events {
		fmt.Fprintf(h, "%d %s %s\n", e.Seq, e.Type, e.ID)
		h.Write(e.Payload)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// newBlock folds a range: the summary is made and checked, and what it lacks of
// the facts stands in the index fields.
func newBlock(b Block, events []journal.Event, r *record, s Summary) Block {
	f := r.facts()
	b.stands(events)
	b.Summary = s
	b.Instructions = f.Instructions
	b.StateChanges, b.Errors, b.Mended, b.Decisions = f.Changes, f.Errors, f.Mended, f.Decisions
	b.Entities = f.Entities
	for _, t := range r.touched(activity.Reading) {
		b.Read = append(b.Read, activity.Base(t.Name))
	}
	b.Read = b.Read[:min(len(b.Read), 2*maxFactLines)]
	b.Keywords = keywords(s, f)
	b.Hash = rangeHash(events)
	return b
}

func (b *Block) id() string {
	return fmt.Sprintf("fold_iter%d_to_%d", b.Iterations[0], b.Iterations[1])
}

// stands names a block and says where in the journal its text stands.
func (b *Block) stands(events []journal.Event) {
	b.ID, b.Type = b.id(), blockTypes[b.Level]
	if n := len(events); n > 0 {
		b.Times = [2]time.Time{events[0].TS, events[n-1].TS}
		b.Retrievability.StorageRef = fmt.Sprintf("journal:seq_%d_%d", events[0].Seq, events[n-1].Seq)
	}
}

// verify reports the first fact of a range that neither the summary nor the
// index fields of its block name.
func (b *Block) verify(f facts) error {
	named := slices.Concat([]string{b.Summary.Title, b.Summary.Content, b.Summary.Outcome}, b.StateChanges, b.Errors, b.Mended, b.Decisions, b.Entities)
	text := terms.Fold(strings.Join(named, "\n"))
	for _, fact := range slices.Concat(f.Errors, f.Mended, f.Decisions, f.Changes, f.Entities) {
		if !strings.Contains(text, terms.Fold(fact)) {
			return fmt.Errorf("%w: %s does not name %q", errFold, b.ID, fact)
		}
	}
	return nil
}

func keywords(s Summary, f facts) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.Fields(s.Title + " " + strings.Join(f.Files, " ")) {
		w = strings.Trim(w, ".,;:!?…()\"'`")
		if len(w) > 3 && !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out[:min(len(out), 10)]
}

// stubCost is what a stub takes of a limit.
func (b *Block) stubCost(count func(string) int) int {
	return messageOverhead + count(b.stub())
}
