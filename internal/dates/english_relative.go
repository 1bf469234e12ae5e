package dates

import "time"

// few is a count nobody knows exactly; see [scanner.span].
const few = -1

// fewAtMost is how many are still a few.
const fewAtMost = 5

// relative reads "last week", "this morning", "next Monday", "last May", "last
// three days". "The last week" reaches up to now, "last week" does not.
func (s *scanner) relative(tok, prev token) match {
	name := s.next(tok.end)
	which := tok.n
	switch name.kind {
	case unitName:
		switch unit(name.n) {
		case week, weekend, month, quarter, year:
			if which < 0 && prev.kind == the && unit(name.n) != weekend {
				return match{s.cal.past(1, unit(name.n)), name.end}
			}
			return match{s.cal.unit(unit(name.n), which), name.end}
		}
	case partOfDay:
		switch {
		case which == 0:
			return match{s.cal.day(0), name.end}
		case which < 0 && name.n == 1:
			return match{s.cal.day(-1), name.end}
		}
	case weekdayName:
		p := s.cal.weekday(time.Weekday(name.n), 0)
		switch {
		case which < 0:
			p = s.cal.lastWeekday(time.Weekday(name.n))
		case which > 0 && !p.From.After(s.cal.today):
			p = s.cal.weekday(time.Weekday(name.n), 1)
		}
		return match{p, s.partOfDay(name.end)}
	case monthName:
		if name.short || name.n == int(time.May) && !name.capital {
			break
		}
		return match{s.cal.pick(which, func(year int) Period { return monthOf(year, time.Month(name.n)) }), name.end}
	case seasonName:
		if season(name.n) == spring && name.capital && which == 0 {
			break // the framework
		}
		return match{s.cal.season(season(name.n), which), name.end}
	case number, count:
		if which == 0 {
			break
		}
		n, u, end := s.amount(name)
		if end == 0 {
			break
		}
		if n == few {
			n = fewAtMost
		}
		if which > 0 {
			return match{s.cal.coming(n, u), end}
		}
		return match{s.cal.past(n, u), end}
	}
	return match{}
}

// past reads "past week" and "past three days", which reach up to now, and
// "past Monday".
func (s *scanner) past(tok token) match {
	name := s.next(tok.end)
	switch name.kind {
	case unitName:
		if unit(name.n) == weekend {
			return match{s.cal.unit(weekend, -1), name.end}
		}
		return match{s.cal.past(1, unit(name.n)), name.end}
	case number, count, weekdayName:
		tok.n = -1
		return s.relative(tok, token{})
	}
	return match{}
}

// amount reads "2 days", "a couple of weeks", "a few months" from tok on.
func (s *scanner) amount(tok token) (n int, u unit, end int) {
	n = tok.n
	name := s.next(tok.end)
	if tok.kind == count && name.kind == count { // a few
		n = name.n
		name = s.next(name.end)
	}
	if name.kind == of {
		name = s.next(name.end)
	}
	if name.kind != unitName || tok.ordinal || tok.digits > 3 {
		return 0, 0, 0
	}
	return n, unit(name.n), name.end
}

// span reads "2 days ago". A few days are from two to five of them.
func (s *scanner) span(tok token) match {
	n, u, end := s.amount(tok)
	if end == 0 {
		return match{}
	}
	last := s.next(end)
	if last.kind != ago {
		return match{}
	}
	if n == few {
		return match{s.cal.few(u), last.end}
	}
	return match{s.cal.ago(n, u), last.end}
}
