package dates

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

// longestWord is the length of the longest word that classify knows.
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
	tok.classify(string(low[:n]))
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

func (t *token) set(k kind, n int) { t.kind, t.n = k, n }

// classify says what a word of lower-case letters means. Seconds are no unit:
// "second" is nearly always something else.
func (t *token) classify(word string) {
	switch word {
	case "today":
		t.set(dayName, 0)
	case "yesterday":
		t.set(dayName, -1)
	case "tomorrow":
		t.set(dayName, 1)
	case "tonight":
		t.set(night, 0)
	case "morning", "afternoon":
		t.set(partOfDay, 0)
	case "evening", "night":
		t.set(partOfDay, 1)

	case "minute", "minutes":
		t.set(unitName, int(minute))
	case "hour", "hours":
		t.set(unitName, int(hour))
	case "day", "days":
		t.set(unitName, int(day))
	case "week", "weeks":
		t.set(unitName, int(week))
	case "weekend", "weekends":
		t.set(unitName, int(weekend))
	case "month", "months":
		t.set(unitName, int(month))
	case "quarter", "quarters":
		t.set(unitName, int(quarter))
	case "year", "years":
		t.set(unitName, int(year))

	case "spring":
		t.set(seasonName, int(spring))
	case "summer":
		t.set(seasonName, int(summer))
	case "autumn", "fall":
		t.set(seasonName, int(autumn))
	case "winter":
		t.set(seasonName, int(winter))

	case "last", "previous":
		t.set(relative, -1)
	case "this", "current":
		t.set(relative, 0)
	case "next", "coming":
		t.set(relative, 1)
	case "past":
		t.set(rolling, 0)
	case "early":
		t.set(partName, int(early))
	case "mid":
		t.set(partName, int(mid))
	case "late":
		t.set(partName, int(late))
	case "beginning", "start":
		t.set(partNoun, int(early))
	case "middle":
		t.set(partNoun, int(mid))
	case "end":
		t.set(partNoun, int(late))

	case "ago":
		t.set(ago, 0)
	case "before":
		t.set(before, 0)
	case "after":
		t.set(after, 0)
	case "of":
		t.set(of, 0)
	case "the":
		t.set(the, 0)
	case "in", "since", "during", "throughout":
		t.set(preposition, within)
	case "by", "until", "till", "from", "around", "for", "through", "between":
		t.set(preposition, around)
	case "on":
		t.set(preposition, upon)
	case "i", "you", "we", "they", "he", "she", "it", "that", "which", "who", "what", "there":
		t.set(pronoun, 0)
	default:
		t.classifyName(word)
	}
}

// classifyName knows months, weekdays and numbers in words.
func (t *token) classifyName(word string) {
	switch word {
	case "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec":
		t.short = true
	}
	switch word {
	case "january", "jan":
		t.set(monthName, 1)
	case "february", "feb":
		t.set(monthName, 2)
	case "march", "mar":
		t.set(monthName, 3)
	case "april", "apr":
		t.set(monthName, 4)
	case "may":
		t.set(monthName, 5)
	case "june", "jun":
		t.set(monthName, 6)
	case "july", "jul":
		t.set(monthName, 7)
	case "august", "aug":
		t.set(monthName, 8)
	case "september", "sept", "sep":
		t.set(monthName, 9)
	case "october", "oct":
		t.set(monthName, 10)
	case "november", "nov":
		t.set(monthName, 11)
	case "december", "dec":
		t.set(monthName, 12)

	case "sunday":
		t.set(weekdayName, 0)
	case "monday":
		t.set(weekdayName, 1)
	case "tuesday":
		t.set(weekdayName, 2)
	case "wednesday":
		t.set(weekdayName, 3)
	case "thursday":
		t.set(weekdayName, 4)
	case "friday":
		t.set(weekdayName, 5)
	case "saturday":
		t.set(weekdayName, 6)

	case "a", "an", "one":
		t.set(count, 1)
	case "two", "couple":
		t.set(count, 2)
	case "three":
		t.set(count, 3)
	case "four":
		t.set(count, 4)
	case "few", "several":
		t.set(count, few)
	case "five":
		t.set(count, 5)
	case "six":
		t.set(count, 6)
	case "seven":
		t.set(count, 7)
	case "eight":
		t.set(count, 8)
	case "nine":
		t.set(count, 9)
	case "ten":
		t.set(count, 10)
	case "eleven":
		t.set(count, 11)
	case "twelve":
		t.set(count, 12)

	case "first":
		t.set(nth, 1)
	case "second":
		t.set(nth, 2)
	case "third":
		t.set(nth, 3)
	case "fourth":
		t.set(nth, 4)
	case "fifth":
		t.set(nth, 5)
	}
}

// isMeasure reports the words that make a number of four digits before them an
// amount: "in 2000 lines" names no year.
func isMeasure(word string) bool {
	switch word {
	case "ms", "us", "ns", "s", "kb", "mb", "gb", "px", "bytes", "byte", "bits", "lines", "tokens",
		"characters", "chars", "words", "files", "rows", "items", "tests", "seconds", "minutes", "hours",
		"days", "weeks", "months", "years", "milliseconds", "pixels", "times", "requests", "iterations",
		"steps", "users", "hits", "errors", "cases", "messages", "records", "entries", "calls", "points":
		return true
	}
	return false
}
