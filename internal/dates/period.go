package dates

import "time"

const aDay = 24 * time.Hour

// Period is a stretch of whole days in UTC. Either From and To are set, or,
// where the text names no year, Month, Day and Days.
type Period struct {
	From, To time.Time // [From, To)

	Month time.Month
	Day   int // 0 for the whole month
	Days  int // how many days from Day on, where it is more than that one

	Text string // what named it, without articles and prepositions
}

// Near is 1 for a t in p and falls linearly to 0 on both sides, over as much
// time as p is long but at least two days. For a p without a year the nearest
// year counts.
func (p Period) Near(t time.Time) float64 {
	if p.From.IsZero() {
		near := 0.0
		for year := t.UTC().Year() - 1; year <= t.UTC().Year()+1; year++ {
			if q, ok := p.in(year); ok {
				near = max(near, q.Near(t))
			}
		}
		return near
	}
	away := max(p.From.Sub(t), t.Sub(p.To), 0)
	reach := max(p.To.Sub(p.From), 2*aDay)
	return max(0, 1-float64(away)/float64(reach))
}

// in returns p, which has no year, in the year given; false where it has no
// such day (29 February) or p is the zero period.
func (p Period) in(year int) (Period, bool) {
	switch {
	case p.Month < time.January || p.Month > time.December || p.Day > daysIn(year, p.Month):
		return Period{}, false
	case p.Day <= 0:
		return monthOf(year, p.Month), true
	default:
		return daysFrom(date(year, p.Month, p.Day), max(p.Days, 1)), true
	}
}

// isDay reports whether p is a single day.
func (p Period) isDay() bool {
	if p.From.IsZero() {
		return p.Day > 0 && p.Days <= 1
	}
	return p.To.Equal(p.From.AddDate(0, 0, 1))
}

// isMonth reports whether p is a calendar month.
func (p Period) isMonth() bool {
	if p.From.IsZero() {
		return p.Month > 0 && p.Day == 0
	}
	return p.From.Day() == 1 && p.To.Equal(p.From.AddDate(0, 1, 0))
}

// isYear reports whether p is a calendar year.
func (p Period) isYear() bool {
	return !p.From.IsZero() && p.From.YearDay() == 1 && p.To.Equal(p.From.AddDate(1, 0, 0))
}

// third is a part of a month or a year.
type third int

const (
	early third = iota
	mid
	late
)

// third returns ten days (late: the rest) of p if it is a month, four months
// if it is a year, and false for anything else.
func (p Period) third(part third) (Period, bool) {
	switch first := 1 + 10*int(part); {
	case p.isMonth() && p.From.IsZero():
		days := 10
		if part == late {
			days = daysIn(leapYear, p.Month) - 20
		}
		return Period{Month: p.Month, Day: first, Days: days}, true
	case p.isMonth():
		q := daysFrom(p.From.AddDate(0, 0, first-1), 10)
		if part == late {
			q.To = p.To
		}
		return q, true
	case p.isYear():
		from := p.From.AddDate(0, 4*int(part), 0)
		return Period{From: from, To: from.AddDate(0, 4, 0)}, true
	}
	return Period{}, false
}

// week returns the nth week of p, the last one for n = -1, each of seven days
// from the first (or to the last) day of the month on; false if p is no month.
func (p Period) week(n int) (Period, bool) {
	if !p.isMonth() || n > 5 {
		return Period{}, false
	}
	first := 1 + 7*(n-1)
	switch {
	case p.From.IsZero() && n < 0:
		first = daysIn(commonYear, p.Month) - 6
		return Period{Month: p.Month, Day: first, Days: daysIn(leapYear, p.Month) - first + 1}, true
	case p.From.IsZero():
		days := min(7, daysIn(commonYear, p.Month)-first+1)
		if days <= 0 {
			return Period{}, false
		}
		return Period{Month: p.Month, Day: first, Days: days}, true
	case n < 0:
		return daysFrom(p.To.AddDate(0, 0, -7), 7), true
	}
	q := daysFrom(p.From.AddDate(0, 0, first-1), 7)
	if q.To.After(p.To) {
		q.To = p.To
	}
	return q, q.From.Before(q.To)
}

// around returns the week of the day p, from Monday to Sunday, or only its
// weekend. Without a year nobody knows the weekdays, and it is the day with
// three days on both sides.
func (p Period) around(weekend bool) (Period, bool) {
	if !p.isDay() {
		return Period{}, false
	}
	if p.From.IsZero() {
		first := date(leapYear, p.Month, p.Day).AddDate(0, 0, -3)
		return Period{Month: first.Month(), Day: first.Day(), Days: 7}, true
	}
	if weekend {
		return daysFrom(monday(p.From).AddDate(0, 0, 5), 2), true
	}
	return daysFrom(monday(p.From), 7), true
}
