package dates

import (
	"slices"
	"strings"
	"time"
)

// english reads the longest English date that begins with tok; prev is the
// word before it.
func (s *scanner) english(tok, prev token) match {
	switch tok.kind {
	case number:
		return longest(s.anchor(tok, prev), s.span(tok))
	case monthName:
		return s.monthFirst(tok, prev)
	case relative:
		m := s.relative(tok, prev)
		if tok.n < 0 {
			m = longest(m, s.ordinal(tok, -1))
		}
		return m
	case count:
		return s.span(tok)
	case rolling:
		return s.past(tok)
	case nth:
		return s.ordinal(tok, tok.n)
	case partName, partNoun:
		return s.part(tok)
	case unitName:
		return s.unitFirst(tok)
	case seasonName:
		if y, end := s.year(tok.end); end > 0 {
			return match{seasonOf(y, season(tok.n)), end}
		}
	case quarterName:
		if prev.kind == number && prev.digits == 4 {
			break // 2024 Q1, 2025 Q2
		}
		if y, end := s.year(tok.end); end > 0 {
			return match{quarterOf(y, tok.n), end}
		}
	case dayName:
		return match{s.cal.day(tok.n), s.partOfDay(tok.end)}
	case night:
		return match{s.cal.day(0), tok.end}
	case weekdayName:
		if prev.kind == preposition && prev.n == upon {
			return match{s.cal.lastWeekday(time.Weekday(tok.n)), s.partOfDay(tok.end)}
		}
	}
	return match{}
}

// anchor reads a period that others refer to ("early …", "the week of …"): a
// date, a month, a year, or one of them relative to today.
func (s *scanner) anchor(tok, prev token) match {
	switch tok.kind {
	case number:
		if tok.digits == 4 {
			return s.yearFirst(tok, prev)
		}
		return s.dayFirst(tok)
	case monthName:
		return s.monthFirst(tok, prev)
	case relative:
		return s.relative(tok, prev)
	}
	return match{}
}

// yearFirst reads "2024 Q1", and a year that something before it makes one.
func (s *scanner) yearFirst(tok, prev token) match {
	y, end := s.yearOf(tok)
	if end == 0 {
		return match{}
	}
	if q := s.next(end); q.kind == quarterName {
		return match{quarterOf(y, q.n), q.end}
	}
	switch {
	case prev.kind == preposition && prev.n == within, prev.kind == unitName && unit(prev.n) == year,
		prev.kind == before, prev.kind == after, prev.kind == partName:
		if y >= 1970 && y <= s.cal.today.Year()+10 {
			return match{yearOf(y), end}
		}
	}
	return match{}
}

// dayFirst reads "8 May 2023" and "8th of May". Without the "th", "8 may"
// needs its year: "step 8 may fail".
func (s *scanner) dayFirst(tok token) match {
	name := s.next(tok.end)
	sure := tok.ordinal
	if name.kind == of {
		name, sure = s.next(name.end), true
	}
	if name.kind != monthName || tok.digits > 2 {
		return match{}
	}
	end := s.dot(name)
	y, yearEnd := s.year(end)
	switch {
	case yearEnd > 0:
		end = yearEnd
	case !sure && !name.capital && (name.n == 3 || name.n == 5 || name.short):
		return match{}
	}
	p, ok := dayOf(y, time.Month(name.n), tok.n)
	if !ok {
		return match{}
	}
	return match{p, end}
}

// monthFirst reads "May 8, 2023", "May 8th", "May 2023", and a month alone
// where it cannot be another word.
func (s *scanner) monthFirst(tok, prev token) match {
	m := time.Month(tok.n)
	end := s.dot(tok)
	modal := m == time.May && !tok.capital // "may", "MAY"
	d := s.next(end)
	if d.kind == the {
		d = s.next(d.end)
	}
	if d.kind == number && d.digits <= 2 && !(modal && isSubject(prev)) {
		y, yearEnd := s.year(d.end)
		if p, ok := dayOf(y, m, d.n); ok {
			return match{p, max(d.end, yearEnd)}
		}
	}
	if y, yearEnd := s.year(end); yearEnd > 0 {
		return match{monthOf(y, m), yearEnd}
	}
	if !s.bare(tok, prev) {
		return match{}
	}
	return match{Period{Month: m}, end}
}

// bare reports whether a name with neither day nor year is a month.
func (s *scanner) bare(tok, prev token) bool {
	asked := prev.kind == preposition && prev.n != upon || prev.kind == before || prev.kind == after ||
		prev.kind == relative || prev.kind == partName || prev.kind == of
	switch m := time.Month(tok.n); {
	case tok.short:
		return asked && tok.capital
	case m == time.May && !tok.capital:
		return (prev.kind == preposition && prev.n == within || prev.kind == partName) && !s.isVerbBehind(tok.end)
	case m == time.May, m == time.March:
		return asked
	case m == time.April, m == time.June: // names of people, too
		return asked || !tok.capital
	}
	return true
}

// isVerbBehind reports whether what follows makes a "may" a verb.
func (s *scanner) isVerbBehind(i int) bool {
	tok := s.next(i)
	return slices.Contains([]string{"be", "have", "not", "also", "cause", "need"}, strings.ToLower(s.text[tok.start:tok.end]))
}

// isSubject reports whether a verb is to be expected behind prev.
func isSubject(prev token) bool {
	return prev.kind == pronoun || prev.kind == relative && prev.n == 0
}

// ordinal reads "first week of June", "last week of May 2023", "first quarter
// of 2024" and "second of May"; n is the ordinal, -1 for last.
func (s *scanner) ordinal(tok token, n int) match {
	name := s.next(tok.end)
	link := s.next(name.end)
	switch {
	case name.kind == of && n > 0:
		m := s.next(name.end)
		if m.kind != monthName {
			return match{}
		}
		y, end := s.year(m.end)
		p, _ := dayOf(y, time.Month(m.n), n)
		return match{p, max(end, m.end)}
	case name.kind != unitName:
		return match{}
	case unit(name.n) == quarter && 1 <= n && n <= 4:
		if y, end := s.year(name.end); end > 0 {
			return match{quarterOf(y, n), end}
		}
	case unit(name.n) == week && (link.kind == of || link.kind == preposition):
		m := s.anchor(s.next(link.end), link)
		if p, ok := m.week(n); ok {
			return match{p, m.end}
		}
	}
	return match{}
}

// part reads "early June", "end of last month", "mid-2022".
func (s *scanner) part(tok token) match {
	name := s.next(tok.end)
	if tok.kind == partNoun {
		if name.kind != of {
			return match{}
		}
		name = s.nextOf(tok.end)
	}
	m := s.anchor(name, token{kind: partName})
	if p, ok := m.third(third(tok.n)); ok {
		return match{p, m.end}
	}
	return match{}
}

// unitFirst reads "week of 5 June", "weekend of May 8th" and "day before
// yesterday".
func (s *scanner) unitFirst(tok token) match {
	link := s.next(tok.end)
	switch u := unit(tok.n); {
	case u == day && (link.kind == before || link.kind == after):
		sign := 1
		if link.kind == before {
			sign = -1
		}
		if name := s.next(link.end); name.kind == dayName && name.n == sign {
			return match{s.cal.day(2 * sign), s.partOfDay(name.end)}
		}
	case (u == week || u == weekend) && link.kind == of:
		name := s.nextOf(tok.end)
		m := s.iso(name.start)
		if m.end == 0 {
			m = s.anchor(name, link)
		}
		if p, ok := m.around(u == weekend); ok {
			return match{p, m.end}
		}
	}
	return match{}
}

// dot returns the end of the name of a month with the dot of an abbreviation,
// if more follows.
func (s *scanner) dot(tok token) int {
	if tok.short && tok.end+1 < len(s.text) && s.text[tok.end] == '.' && isSpace(s.text[tok.end+1]) {
		if s.next(tok.end+1).kind == number {
			return tok.end + 1
		}
	}
	return tok.end
}

// year reads the year of a date behind i: ", 2023", "of 2023", "last year". Its
// end is 0 if there is none.
func (s *scanner) year(i int) (y, end int) {
	if i < len(s.text) && s.text[i] == ',' {
		i++
	}
	tok := s.next(i)
	if tok.kind == of || tok.kind == preposition && tok.n == within {
		tok = s.next(tok.end)
	}
	switch tok.kind {
	case number:
		return s.yearOf(tok)
	case relative:
		if name := s.next(tok.end); name.kind == unitName && unit(name.n) == year {
			return s.cal.today.Year() + tok.n, name.end
		}
	}
	return 0, 0
}

// yearOf returns the year that tok is, unless it counts something.
func (s *scanner) yearOf(tok token) (y, end int) {
	if tok.digits != 4 || tok.ordinal || tok.n < 1900 || tok.n >= 2200 {
		return 0, 0
	}
	if s.iso(tok.start).end > 0 {
		return 0, 0
	}
	if name := s.next(tok.end); isMeasure(strings.ToLower(s.text[name.start:name.end])) {
		return 0, 0
	}
	return tok.n, tok.end
}
