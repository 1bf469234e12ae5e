package lives

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"orihon/internal/terms"
	"orihon/memory"
)

// Pair is something told in passing, something told in a later session, and a prompt of
// a third one for which an agent should know the matter.
type Pair struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // replaced: New ends Old; alike: both stay true
	Old  string `json:"old"`
	New  string `json:"new"`
	Ask  string `json:"ask"`
	// OldValue and NewValue are the parts that tell the two apart.
	OldValue string `json:"old_value"`
	NewValue string `json:"new_value"`
	Need     string `json:"need"` // old, new or both
}

// Replaced reports whether the later saying ends the older one.
func (p *Pair) Replaced() bool { return p.Kind == replaced }

// Kinds of pairs.
const (
	replaced = "replaced"
	alike    = "alike"
)

// ReadPairs reads pairs: each path is a file of one JSON object a line or a folder of
// them. Those of a file stay together. Errors name the file and wrap
// [memory.ErrInvalid] or [memory.ErrNotFound].
func ReadPairs(paths ...string) ([][]Pair, error) {
	var out [][]Pair
	err := eachFile(paths, ".jsonl", func(file string) error {
		pairs, err := readPairs(file)
		out = append(out, pairs)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w pairs: no .jsonl file there", strings.Join(paths, ", "), memory.ErrInvalid)
	}
	return out, nil
}

func readPairs(file string) ([]Pair, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []Pair
	n := 0
	for line := range strings.Lines(string(raw)) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		var p Pair
		err := json.Unmarshal([]byte(line), &p)
		switch {
		case err != nil:
		case p.Kind != replaced && p.Kind != alike:
			err = fmt.Errorf("kind %q: want %s or %s", p.Kind, replaced, alike)
		case p.Need != "old" && p.Need != "new" && p.Need != "both":
			err = fmt.Errorf("need %q: want old, new or both", p.Need)
		case p.OldValue == "" || p.NewValue == "" || !strings.Contains(p.Old, p.OldValue) || !strings.Contains(p.New, p.NewValue):
			err = fmt.Errorf("old_value and new_value must stand in old and new")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w pair: %w", file, n, memory.ErrInvalid, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// PairReport says what of pairs reached the agent.
type PairReport struct {
	Stores int `json:"stores"`
	// Of pairs in which the later saying ends the older one, the agent got the later
	// one first, and the older one not as current; both, the older one as current; the
	// older one alone; or neither.
	Replaced  int      `json:"replaced"`
	Current   int      `json:"current_first"`
	CurrentCI Interval `json:"current_first_95"` // of the share
	Both      int      `json:"older_as_current"`
	Old       int      `json:"older_alone"`
	Neither   int      `json:"neither"`
	// Of pairs that only look so, the agent got all that is needed; was told that the
	// older saying is replaced; or that the later one may replace it.
	Alike  int `json:"alike"`
	Needed int `json:"needed_shown"`
	Ended  int `json:"wrongly_ended"`
	Marked int `json:"marked_older"`
	// Passages are those that an ask got, of all pairs.
	Passages float64 `json:"passages"`
	// Missed are pairs that were replaced and did not come current first.
	Missed []PairMiss `json:"missed,omitempty"`
}

// PairMiss is a pair with what the agent got in place of its later saying.
type PairMiss struct {
	ID  string   `json:"id"`
	Ask string   `json:"ask"`
	New string   `json:"new"`
	Got []string `json:"got"`
}

// pairsInStore is how many pairs share a memory.
const pairsInStore = 20

// RunPairs types all older sayings of a store and then all later ones, each in a session
// of its own, puts the asks to it, each first in a session, and says what came back.
func RunPairs(ctx context.Context, files [][]Pair, o *Options) (*PairReport, error) {
	var stores [][]Pair
	for _, pairs := range files {
		stores = slices.AppendSeq(stores, slices.Chunk(pairs, pairsInStore))
	}
	all := make([]Life, len(stores))
	for i, pairs := range stores {
		all[i].Name = pairs[0].ID
		for _, p := range pairs {
			all[i].Past = append(all[i].Past, PastSession{ID: p.ID + "-old", Turns: typed("", p.Old)})
		}
		for _, p := range pairs {
			all[i].Past = append(all[i].Past, PastSession{ID: p.ID + "-new", Turns: typed("", p.New)})
			all[i].Prompts = append(all[i].Prompts, Prompt{ID: p.ID, Text: p.Ask})
		}
	}
	played, err := playAll(ctx, all, o)
	if err != nil {
		return nil, err
	}
	r := &PairReport{Stores: len(stores)}
	var first []float64
	asks, passages := 0, 0
	for i, pairs := range stores {
		for k := range pairs {
			got := slices.Concat(played[i][k].begun, played[i][k].given.texts)
			asks++
			passages += len(got)
			if current := r.add(&pairs[k], got); pairs[k].Kind == replaced {
				first = append(first, one(current))
			}
		}
	}
	r.Passages = float64(passages) / float64(max(1, asks))
	_, r.CurrentCI = drawn(first)
	return r, nil
}

// add scores what an ask got, and reports whether the later saying came first and the
// older one not as current.
func (r *PairReport) add(p *Pair, got []string) (current bool) {
	older, later := showing(p.Old, p.OldValue), showing(p.New, p.NewValue)
	older.words, later.words = contentOf(p.Old, ""), contentOf(p.New, "")
	if p.Kind == replaced {
		// An agent may put the older statement right, in its words.
		maps.Copy(later.words, older.words)
	}
	oldAt, newAt := -1, -1 // the first passage that shows it
	oldAs := asCurrent
	for i, text := range got {
		o, n := older.in(text), later.in(text)
		switch {
		case n > 0 && n > o || o+n > 0 && later.names(text) && older.names(text):
			// What holds both values tells of the change.
			if newAt < 0 {
				newAt = i
			}
		case o > 0 && oldAt < 0:
			oldAt, oldAs = i, statusOf(text)
		}
	}
	if p.Kind == alike {
		r.Alike++
		if (p.Need == "new" || oldAt >= 0 && oldAs != asReplaced) && (p.Need == "old" || newAt >= 0) {
			r.Needed++
		}
		switch oldAs {
		case asReplaced:
			r.Ended++
		case asOlder:
			r.Marked++
		}
		return false
	}
	r.Replaced++
	switch {
	case newAt >= 0 && (oldAt < 0 || oldAt > newAt && oldAs != asCurrent):
		r.Current++
		return true
	case newAt >= 0:
		r.Both++
	case oldAt >= 0:
		r.Old++
	default:
		r.Neither++
	}
	r.Missed = append(r.Missed, PairMiss{ID: p.ID, Ask: p.Ask, New: p.New, Got: got})
	return false
}

// saying is how a saying is known in a passage: by the value that tells it from the
// other, and enough of the sentence that the value stands in; in an agent's words by the
// value, and by so many words of the prompt.
type saying struct {
	value  string
	pieces []string
	words  map[string]bool // of the prompt
}

func showing(text, value string) saying {
	for s := range terms.Sentences(text) {
		if strings.Contains(s, value) {
			text = s
			break
		}
	}
	return saying{value: letters(value), pieces: pieces(text)}
}

// in is how much of the saying a passage shows, 0 for too little or not its value.
func (s saying) in(passage string) float64 {
	flat := letters(passage)
	if !strings.Contains(flat, s.value) {
		return 0
	}
	if n := share(s.pieces, flat); n >= part {
		return n
	}
	text, _, _ := strings.Cut(passage, " (20") // where it comes from stands behind it
	if n := inWords(s.words, contentOf(text, s.value)); n >= part {
		return n
	}
	return 0
}

// contentOf are the words of a text that say something, but those of a value.
func contentOf(text, value string) map[string]bool {
	out := make(map[string]bool)
	for _, t := range terms.Query(text) {
		if !strings.Contains(value, letters(t)) {
			out[t] = true
		}
	}
	return out
}

// names reports whether a passage holds the value.
func (s saying) names(passage string) bool { return strings.Contains(letters(passage), s.value) }

// status is what a passage says of itself.
type status int

const (
	asCurrent status = iota
	asOlder          // something later may replace it
	asReplaced
)

// statusOf looks for the notes that the program puts behind a passage, in its languages.
func statusOf(passage string) status {
	held := func(notes ...string) bool {
		return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(passage, n) })
	}
	switch {
	case held("former, replaced since", "舊的，已被取代", "旧的，已被取代"):
		return asReplaced
	case held("older than the above", "比上一條舊", "比上一条旧"):
		return asOlder
	}
	return asCurrent
}
