package dates

import (
	"strings"
	"sync"
	"time"
)

// kind is what an English word or a number says about time.
type kind int

const (
	other       kind = iota
	number           // n, written with digits; ordinal if it ends in st, nd, rd or th
	count            // n: a, one … twelve, couple, few, several
	nth              // n: first … fifth; last is a relative
	monthName        // n
	weekdayName      // n, a time.Weekday
	seasonName       // n, a season
	unitName         // n, a unit
	quarterName      // n: Q1 … Q4
	dayName          // n: days from today (yesterday, today, tomorrow)
	night            // tonight
	partOfDay        // n: 0 morning, afternoon; 1 evening, night
	relative         // n: -1 last, previous; 0 this; 1 next
	rolling          // past
	partName         // n, a third: early, mid, late
	partNoun         // n, a third: beginning, middle, end
	ago
	before
	after
	of
	the
	preposition // n: one of the constants below
	pronoun
)

// Prepositions by what they allow behind them.
const (
	around = iota // by, from, until …: a month
	within        // in, since, during …: a month, a year, even "may"
	upon          // on: a weekday
)

// token is a word or a number of a text.
type token struct {
	kind       kind
	n          int
	digits     int // of a number
	start, end int
	ordinal    bool
	capital    bool // begins with a capital and is not all capitals
	short      bool // the abbreviation of a month
}

// longestWord is the length of the longest of the meanings.
const longestWord = 10

// token reads the word or number at i, where a letter or a digit stands. What
// runs on as an identifier, a call, a file name, a decimal number or a clock
// time is other.
func (s *scanner) token(i int) token {
	tok := token{start: i, end: i}
	if isDigit(s.text[i]) {
		s.number(&tok)
	} else {
		s.word(&tok)
	}
	for tok.end < len(s.text) {
		c := s.text[tok.end]
		if !isLetter(c) && !isDigit(c) && c != '_' {
			break
		}
		tok.kind = other
		tok.end++
	}
	return tok
}

func (s *scanner) word(tok *token) {
	var low [longestWord]byte
	n, capitals := 0, 0
	for i := tok.start; i < len(s.text) && isLetter(s.text[i]); i++ {
		if s.text[i] < 'a' {
			capitals++
		}
		if n < len(low) {
			low[n] = s.text[i] | ('a' - 'A')
		}
		n++
	}
	tok.end = tok.start + n
	if n == 1 && low[0] == 'q' && tok.end < len(s.text) && '1' <= s.text[tok.end] && s.text[tok.end] <= '4' {
		tok.kind, tok.n = quarterName, int(s.text[tok.end]-'0')
		tok.end++
		return
	}
	if n > len(low) || s.runsOn(tok.end) {
		return
	}
	tok.capital = capitals == 1 && s.text[tok.start] < 'a' && n > 1
	m := meanings()[string(low[:n])]
	tok.kind, tok.n = m.kind, m.n
	tok.short = m.kind == monthName && (n == 3 && m.n != int(time.May) || n == 4 && low[0] == 's') // "sept"
}

// runsOn reports whether a call or a file's ending follows at i.
func (s *scanner) runsOn(i int) bool {
	return i < len(s.text) && s.text[i] == '(' ||
		i+1 < len(s.text) && s.text[i] == '.' && isLetter(s.text[i+1])
}

func (s *scanner) number(tok *token) {
	i := tok.start
	for ; i < len(s.text) && isDigit(s.text[i]); i++ {
		if tok.digits++; tok.digits <= 4 {
			tok.n = 10*tok.n + int(s.text[i]-'0')
		}
	}
	tok.end = i
	if tok.digits > 4 {
		return
	}
	if i+1 < len(s.text) {
		switch s.text[i] {
		case '.', ':', ',', '/', '%':
			if isDigit(s.text[i+1]) {
				return
			}
		}
		switch string([]byte{s.text[i] | 0x20, s.text[i+1] | 0x20}) {
		case "st", "nd", "rd", "th":
			tok.ordinal = true
			tok.end += 2
		}
	}
	tok.kind = number
}

// meaning is what a word says.
type meaning struct {
	kind kind
	n    int
}

// meanings are those of words of lower-case letters. Seconds are no unit:
// "second" is nearly always something else.
var meanings = sync.OnceValue(func() map[string]meaning {
	out := make(map[string]meaning, 128)
	// say enters words for first, first+1 and so on, those for one n between commas.
	say := func(k kind, first int, words string) {
		for same := range strings.SplitSeq(words, ", ") {
			for w := range strings.FieldsSeq(same) {
				out[w] = meaning{kind: k, n: first}
			}
			first++
		}
	}
	say(dayName, -1, "yesterday, today, tomorrow")
	say(night, 0, "tonight")
	say(partOfDay, 0, "morning afternoon, evening night")
	say(unitName, int(minute), "minute minutes, hour hours, day days, week weeks, weekend weekends, month months, quarter quarters, year years")
	say(seasonName, int(spring), "spring, summer, autumn fall, winter")
	say(relative, -1, "last previous, this current, next coming")
	say(rolling, 0, "past")
	say(partName, int(early), "early, mid, late")
	say(partNoun, int(early), "beginning start, middle, end")
	say(ago, 0, "ago")
	say(before, 0, "before")
	say(after, 0, "after")
	say(of, 0, "of")
	say(the, 0, "the")
	say(preposition, around, "by until till from around for through between")
	say(preposition, within, "in since during throughout")
	say(preposition, upon, "on")
	say(pronoun, 0, "i you we they he she it that which who what there")
	say(monthName, 1, "january, february, march, april, may, june, july, august, september, october, november, december")
	say(monthName, 1, "jan, feb, mar, apr, may, jun, jul, aug, sep sept, oct, nov, dec")
	say(weekdayName, 0, "sunday, monday, tuesday, wednesday, thursday, friday, saturday")
	say(count, 1, "a an one, two couple, three, four, five, six, seven, eight, nine, ten, eleven, twelve")
	say(count, few, "few several")
	say(nth, 1, "first, second, third, fourth, fifth")
	return out
})

// isMeasure reports the words that make a number of four digits before them an
// amount: "in 2000 lines" names no year.
func isMeasure(word string) bool {
	return word != "" && strings.Contains(" ms us ns s kb mb gb px bytes byte bits lines tokens characters chars words files rows items tests "+
		"seconds minutes hours days weeks months years milliseconds pixels times requests iterations steps users hits errors cases "+
		"messages records entries calls points ", " "+word+" ")
}

// next returns the token behind i, if nothing but a little space or one hyphen
// lies between.
func (s *scanner) next(i int) token {
	j := i
	for j < len(s.text) && j-i < 3 && isSpace(s.text[j]) {
		j++
	}
	if j == i && j < len(s.text) && s.text[j] == '-' {
		j++
	}
	if j == i || j == len(s.text) || !isLetter(s.text[j]) && !isDigit(s.text[j]) {
		return token{start: i, end: i}
	}
	return s.token(j)
}

// nextOf is next past an "of", and a "the" behind it.
func (s *scanner) nextOf(i int) token {
	tok := s.next(i)
	if tok.kind == of {
		tok = s.next(tok.end)
	}
	if tok.kind == the {
		tok = s.next(tok.end)
	}
	return tok
}

// partOfDay returns the end of a "morning" or "night" behind i, else i.
func (s *scanner) partOfDay(i int) int {
	if tok := s.next(i); tok.kind == partOfDay {
		return tok.end
	}
	return i
}
