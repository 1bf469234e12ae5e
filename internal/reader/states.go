package reader

import "slices"

// Kind is what a statement is.
type Kind uint8

// The kinds of statements.
const (
	None Kind = iota
	Decision
	Preference
	Instruction
	Fact
	Pitfall
	Correction
	Forget
)

// Kinds are the names of the kinds, by their value.
var Kinds = [...]string{"none", "decision", "preference", "instruction", "fact", "pitfall", "correction", "forget"}

func (k Kind) String() string { return Kinds[k] }

// Others is what looks like a statement and is none.
var Others = [...]string{"task", "question", "hypothetical", "quoted", "joke", "mood", "option", "undone", "general", "past", "dontkeep"}

// theTask is the one of Others that holds for the work at hand; by dontKeep a user
// asks not to keep what they say.
var (
	theTask  = slices.Index(Others[:], "task")
	dontKeep = slices.Index(Others[:], "dontkeep")
)

const (
	kinds  = len(Kinds) - 1
	others = len(Others)
)

// States are what a piece can be: nothing in particular (0), one of Others, or for
// each kind the beginning of a statement or more of it.
const States = 1 + others + 2*kinds

// Other is the state of what looks like a statement and is none.
func Other(i int) int { return 1 + i }

// Begins is the state of a statement's first piece.
func Begins(k Kind) int { return 1 + others + 2*(int(k)-1) }

// Goes is the state of a statement's other pieces.
func Goes(k Kind) int { return Begins(k) + 1 }

// kindOf returns the kind of the statement that a state is part of.
func kindOf(state int) Kind {
	if state <= others {
		return None
	}
	return Kind(1 + (state-1-others)/2)
}

// begins reports whether a statement begins with a state.
func begins(state int) bool { return state > others && (state-1-others)%2 == 0 }

// follows reports whether a state may stand behind another; States stands for the
// beginning of the prompt.
func follows(state, before int) bool {
	k := kindOf(state)
	return k == None || begins(state) || before < States && kindOf(before) == k
}

// Leaves reports whether a statement ends between two states.
func Leaves(before, s int) bool {
	return before < States && kindOf(before) != None && (kindOf(s) == None || begins(s))
}

// Columns are what weights are learnt for. States share them.
const (
	columnKeep  = 0                  // any statement
	columnBegin = 1                  // its beginning
	columnKind  = 2                  // one of each kind
	columnOther = 2 + kinds          // any of Others
	columnWhy   = 3 + kinds          // each of them
	ColumnLeave = 3 + kinds + others // a statement ended before this piece
	Columns     = ColumnLeave + 1
)

// ColumnsOf lists the columns whose scores a state adds up; -1 is none.
func ColumnsOf(state int) [3]int {
	switch k := kindOf(state); {
	case state == 0:
		return [3]int{-1, -1, -1}
	case k == None:
		return [3]int{columnOther, columnWhy + state - 1, -1}
	case begins(state):
		return [3]int{columnKeep, columnKind + int(k) - 1, columnBegin}
	default:
		return [3]int{columnKeep, columnKind + int(k) - 1, -1}
	}
}

// Scores is what a piece says for each column.
type Scores [Columns]float32

// Transitions is what says for one state to follow another; the last row is for
// the first piece.
type Transitions [States + 1][States]float32
