package mining

import (
	"slices"
	"strings"
	"time"

	"orihon/habit"
	"orihon/internal/activity"
	"orihon/internal/meaning"
)

// Corpus is sessions, reduced to what habits are told by.
type Corpus struct {
	words    *lexicon // of talk, code and command lines
	kinds    *lexicon // kinds of step
	sessions []string
	turns    []turn
	calls    []call
	pairs    []sequence // once they were counted
	in       []int      // in how many sessions each kind of step comes, once asked
	holding  [][]int32  // the turns that hold each word, in order, once asked
	doing    [][]int32  // the calls of each kind of step, in order, once asked
	saying   map[string]bool
}

// turn is what was said, and the calls that were made for it.
type turn struct {
	session  int
	seq      int64
	at       time.Time
	text     string
	told     bool
	from, to int // its calls

	all     bag // said, gone, added and ran
	said    bag
	ended   bag // of said, what it says is over if it says so
	meaning meaning.Vector
	// What the calls changed, against what had been written and run before.
	gone, added bag
	ran         bag // words of the commands
	files       bag
	preceding   bag // words of what was written and run in the turn before
	// What was run in place of something else: words of commands that came, and of those
	// of the turn before that went or were taken back.
	instead, dropped bag
	facts            facts
	p                float64 // that it corrects what was done before
	ends             float64 // that it ends something that was done until now
}

// call is one observation.
type call struct {
	session, turn int
	seq           int64
	at            time.Time
	steps         bag
	closest       int32 // the step that says most
	outcome       Outcome
	looks         bool // it changes nothing
	edits         bool
	file          int32
	gone, added   bag    // of an edit: words that went and came
	ran           bag    // words of a command
	did, undid    bag    // those of its parts that take nothing back, and of the others
	result        bag    // of a failure
	failure       string // the beginning of what it said
	text          string
}

// NewCorpus returns one without sessions.
func NewCorpus() *Corpus {
	return &Corpus{words: newLexicon(), kinds: newLexicon(), saying: make(map[string]bool)}
}

// Collect reduces sessions.
func Collect(sessions []*Session) *Corpus {
	c := NewCorpus()
	for _, s := range sessions {
		c.Add(s)
	}
	return c
}

// Add reduces one more session, which began after those that are there.
func (c *Corpus) Add(s *Session) {
	defer func() { c.words.all, c.kinds.all = len(c.turns), len(c.turns) }()
	session := len(c.sessions)
	c.sessions = append(c.sessions, s.ID)
	content := make(map[string]bag) // what files are known to say
	first := len(c.turns)
	var before bag // the words of what was run in the turn before
	for i := range s.Turns {
		t := &s.Turns[i]
		n := len(c.turns)
		out := turn{session: session, seq: t.Seq, at: t.At, text: t.Said, told: t.Told, from: len(c.calls)}
		var did, undid bag
		words := spoken(t.Said)
		out.said, out.meaning = c.heard(t.Said, words), meaning.Builtin().Encode(words, nil)
		for j := range t.Did {
			c.calls = append(c.calls, c.reduce(&t.Did[j], session, n, content))
		}
		out.to = len(c.calls)
		for k := out.from; k < out.to; k++ {
			x := &c.calls[k]
			did, undid = append(did, x.did...), append(undid, x.undid...)
			out.gone, out.added, out.ran = append(out.gone, x.gone...), append(out.added, x.added...), append(out.ran, x.ran...)
			if x.file >= 0 {
				out.files = append(out.files, x.file)
			}
			c.kinds.count(n, x.steps)
		}
		for _, b := range []*bag{&out.gone, &out.added, &out.ran, &out.files} {
			*b = union(*b)
		}
		did, undid = union(did), union(undid)
		if n > first {
			p := &c.turns[n-1]
			out.preceding = union(p.added, p.ran)
			out.instead, out.dropped = without(did, before), without(union(before, undid), did)
		}
		before = did
		out.all = union(out.said, out.gone, out.added, out.ran)
		c.words.count(n, out.all)
		c.turns = append(c.turns, out)
		over := sayings(t.Said)
		c.turns[n].facts = c.factsOf(n, first, t.Said, t.Tone, over)
		if c.turns[n].ended = c.turns[n].said; over[0]+over[1] > 0 {
			end := ended(t.Said)
			c.turns[n].ended = shared(out.said, c.heard(end, spoken(end)))
		}
	}
}

func (c *Corpus) reduce(o *Observation, session, turn int, content map[string]bag) call {
	var line *activity.Line
	if o.Input.Command != "" {
		line = activity.ParseLine(o.Input.Command)
	}
	names := steps(o, line)
	x := call{session: session, turn: turn, seq: o.Seq, at: o.At, outcome: o.Outcome, looks: o.Input.Looks || o.Input.Reads || o.Input.Command == "" && o.Input.File == "", file: -1, text: shown(o)}
	if len(names) > 0 {
		x.closest = c.kinds.of(names[0])
	} else {
		x.closest = -1
	}
	x.steps = c.kinds.bag(names)
	if o.Input.File != "" {
		x.file = c.kinds.of("file:" + o.Input.File)
		x.edits = !o.Input.Reads
	}
	if o.Input.Command != "" {
		x.ran = c.words.bag(code(Clip(o.Input.Command, 600, false)))
		x.did, x.undid = c.parts(line, x.ran)
	}
	if x.edits && o.Outcome != Failure {
		gone, added := c.words.bag(code(o.Input.Gone)), c.words.bag(code(o.Input.Added))
		if o.Input.Gone == "" { // written as a whole
			gone = content[o.Input.File]
			content[o.Input.File] = added
		} else {
			content[o.Input.File] = union(without(content[o.Input.File], without(gone, added)), added)
		}
		x.gone, x.added = without(gone, added), without(added, gone)
	}
	if o.Outcome == Failure {
		x.result, x.failure = c.words.bag(code(o.Result)), strings.Clone(Clip(o.Result, 400, false))
	}
	return x
}

// parts are the words of a line's commands: of those that do something and of those that
// take something back.
func (c *Corpus) parts(line *activity.Line, all bag) (did, undid bag) {
	for i := range line.Commands {
		words := line.Commands[i].Words
		if !slices.ContainsFunc(words, takesBackWord) {
			continue
		}
		undid = union(undid, shared(all, c.words.bag(code(strings.Join(words, " ")))))
	}
	if undid == nil {
		return all, nil
	}
	for i := range line.Commands {
		if words := line.Commands[i].Words; !slices.ContainsFunc(words, takesBackWord) {
			did = union(did, shared(all, c.words.bag(code(strings.Join(words, " ")))))
		}
	}
	return did, undid
}

// heard are the words of something that was said, by those that are spoken in it.
func (c *Corpus) heard(said string, words []string) bag {
	return c.words.bag(slices.Concat(words, c.asCode(said)))
}

// asCode are the words of what was said as code has them, so that they meet those of
// files and commands.
func (c *Corpus) asCode(said string) []string {
	var out []string
	for _, w := range code(said) {
		if letter := 'a' <= w[0] && w[0] <= 'z'; len(w) > 1 && letter && c.says(w) || strings.ContainsAny(w, "_-/=<>{}[]'\"`#$%&*+") {
			out = append(out, w)
		}
	}
	return out
}

// says reports a word that is not one of those that say nothing.
func (c *Corpus) says(word string) bool {
	says, known := c.saying[word]
	if !known {
		says = len(spoken(word)) > 0
		c.saying[word] = says
	}
	return says
}

func (c *Corpus) saidAt(i int) habit.Evidence {
	t := &c.turns[i]
	return habit.Evidence{At: t.at, Session: c.sessions[t.session], Turn: t.seq, Text: oneLine(t.text, 280)}
}

func (c *Corpus) evidence(call int) habit.Evidence {
	x := &c.calls[call]
	return habit.Evidence{At: x.at, Session: c.sessions[x.session], Turn: x.seq, Text: x.text}
}
