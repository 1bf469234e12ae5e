package reader

import (
	_ "embed"
	"strings"
	"sync"
)

// Statement is a part of a prompt that may be worth keeping.
type Statement struct {
	Text     string // as typed
	From, To int    // where it stands, in bytes
	Kind     Kind
	// P is how likely it is worth keeping and whole, 0..1.
	P float64
	// Of is how likely it is of its kind, if it is worth keeping.
	Of float64
}

//go:embed model.bin
var builtin string

// Builtin is the model of the binary, read when it is first asked for.
var Builtin = sync.OnceValue(func() *Model { return Open(builtin) })

// Half is the half of all voices, 0 or 1, that a voice belongs to where one half is
// read by a model that was trained on the other.
func Half(voice string) int {
	sum := 0
	for _, b := range []byte(voice) {
		sum += int(b)
	}
	return sum % 2
}

// Read returns the statements of a prompt, in the order in which they stand and
// none over another, unlikely ones too: the caller draws the line. Of a prompt
// beyond 6 KiB it reads the beginning and the end.
func Read(prompt string) []Statement { return Builtin().Read(prompt) }

// Read reads a prompt with a model.
func (m *Model) Read(prompt string) []Statement {
	var out []Statement
	for _, s := range Pick(m.Candidates(Prepare(prompt))) {
		out = append(out, Statement{Text: prompt[s.From:s.To], From: s.From, To: s.To, Kind: s.Kind, P: s.P, Of: s.share(s.Kind)})
	}
	return out
}

// Tells is how likely a prompt holds something worth keeping, 0..1.
func Tells(prompt string) float64 { return Builtin().Tells(prompt) }

// Tells is how likely a prompt holds something worth keeping, as a model has it.
func (m *Model) Tells(prompt string) (most float64) {
	for _, s := range m.Candidates(Prepare(prompt)) {
		most = max(most, s.P)
	}
	return most
}

// Withheld is how likely a prompt asks not to be kept, 0..1.
func Withheld(prompt string) float64 { return Builtin().Withheld(Prepare(prompt)) }

// Withheld is how likely a prompt asks not to be kept, as a model has it, 0..1.
func (m *Model) Withheld(p Prompt) float64 {
	l := m.lattice(p)
	most := 0.0
	for i := range p.Features {
		most = max(most, l.State(i, Other(dontKeep)))
	}
	return most
}

// Tone is how likely each state is somewhere in a prompt, by its number: see [Other]
// and [Begins].
func Tone(prompt string) [States]float64 { return Builtin().Tone(Prepare(prompt)) }

// Tone is how likely each state is somewhere in a prompt, as a model has it.
func (m *Model) Tone(p Prompt) (most [States]float64) {
	l := m.lattice(p)
	for i := range p.Features {
		for s := range most {
			most[s] = max(most[s], l.State(i, s))
		}
	}
	return most
}

// Candidates are the parts of a prompt that may be statements, many over one
// another, with how likely each is.
func (m *Model) Candidates(p Prompt) []Span { return m.judged(p, m.lattice(p)) }

func (m *Model) judged(p Prompt, l *Lattice) []Span {
	input, begin := look(p.Features, m.word)
	all := candidates(p, l, m.net.Run(input, begin, nil))
	for i := range all {
		all[i].P = m.judgement.P(&all[i].Evidence)
	}
	return all
}

func (m *Model) lattice(p Prompt) *Lattice {
	scores := make([]Scores, len(p.Features))
	for i := range scores {
		scores[i] = m.score(&p.Features[i])
	}
	return newLattice(scores, m.next)
}

// Opinion is what the reader holds of a part of a prompt.
type Opinion struct {
	Said float64 // how likely a statement worth keeping stands in it, or it in one, 0..1
	Idle float64 // how likely it is a joke, said in anger, somebody else's words, weighed, supposed, told or taken back
	Kind Kind    // of that statement, if there is one
	// Clauses is how many the whole prompt has.
	Clauses int
}

// Weigh reads a prompt once, and says what it holds of a part of it; nothing of what is
// no part of the prompt.
func Weigh(prompt string) func(part string) Opinion {
	p := Prepare(prompt)
	l := Builtin().lattice(p)
	all := Builtin().judged(p, l)
	return func(part string) Opinion {
		o := Opinion{Clauses: len(p.Features)}
		from := strings.Index(prompt, part)
		if from < 0 {
			return o
		}
		to := from + len(part)
		for _, s := range all {
			if s.From < to && s.To > from {
				if s.P > o.Said {
					o.Said, o.Kind = s.P, s.Kind
				}
			}
		}
		pieces := 0.0
		for i := range p.Features {
			if a, b := p.Piece(i); b <= from || a >= to {
				continue
			}
			pieces++
			for why := range Others {
				if why != theTask && why != dontKeep {
					o.Idle += l.State(i, Other(why))
				}
			}
		}
		o.Idle /= max(pieces, 1)
		return o
	}
}

// Piece is a clause of a prompt, with how likely it is in each state: see [Other],
// [Begins] and [Goes].
type Piece struct {
	From, To int  // bytes
	Parted   bool // a sentence or a line begins with it
	States   [States]float64
}

// Pieces cuts a prompt and says what each piece may be.
func Pieces(prompt string) []Piece {
	p := Prepare(prompt)
	l := Builtin().lattice(p)
	out := make([]Piece, len(p.Features))
	for i := range out {
		out[i].From, out[i].To = p.Piece(i)
		out[i].Parted = p.Parted(i)
		for s := range States {
			out[i].States[s] = l.State(i, s)
		}
	}
	return out
}
