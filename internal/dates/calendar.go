package dates

import "time"

// A leap year and a common one, for months whose year is unknown.
const (
	leapYear   = 2000
	commonYear = 2001
)

// unit is a measure of time as people count it.
type unit int

const (
	minute unit = iota + 1
	hour
	day
	week
	weekend
	month
	quarter
	year
)

// season begins with spring.
type season int

const (
	spring season = iota
	summer
	autumn
	winter
)

// calendar reckons from one day.
type calendar struct {
	now   time.Time
	today time.Time // where the day of now begins
}

func newCalendar(now time.Time) calendar {
	now = now.UTC()
	return calendar{now: now, today: date(now.Date())}
}

// day returns the day that is n days from today.
func (c calendar) day(n int) Period {
	return daysFrom(c.today.AddDate(0, 0, n), 1)
}

// unit returns the week, weekend, month, quarter or year that is n of them
// from this one.
func (c calendar) unit(u unit, n int) Period {
	y, m, _ := c.today.Date()
	switch u {
	case week:
		return daysFrom(monday(c.today).AddDate(0, 0, 7*n), 7)
	case weekend:
		return daysFrom(monday(c.today).AddDate(0, 0, 7*n+5), 2)
	case month:
		return monthOf(y, m+time.Month(n))
	case quarter:
		return quarterOf(y, (int(m)-1)/3+1+n)
	case year:
		return yearOf(y + n)
	}
	return c.day(n)
}

// ago returns the time n units before now, as roughly as people mean it: the
// day, the day a number of weeks ago with three days on both sides, the
// calendar month, the calendar year.
func (c calendar) ago(n int, u unit) Period {
	switch u {
	case minute, hour:
		return daysFrom(c.back(n, u), 1)
	case day:
		return c.day(-n)
	case week, weekend:
		return daysFrom(c.today.AddDate(0, 0, -7*n-3), 7)
	case quarter:
		return c.unit(month, -3*n)
	}
	return c.unit(u, -n)
}

// past returns the n units up to now, today included.
func (c calendar) past(n int, u unit) Period {
	return Period{From: c.back(n, u), To: c.today.AddDate(0, 0, 1)}
}

// coming returns the n units from now on, today included.
func (c calendar) coming(n int, u unit) Period {
	return Period{From: c.today, To: c.back(-n, u).AddDate(0, 0, 1)}
}

// back returns the day on which it was n units earlier. A month back from the
// 31st is the last day of a shorter month.
func (c calendar) back(n int, u unit) time.Time {
	switch u {
	case minute:
		return date(c.now.Add(time.Duration(-n) * time.Minute).Date())
	case hour:
		return date(c.now.Add(time.Duration(-n) * time.Hour).Date())
	case day:
		return c.today.AddDate(0, 0, -n)
	case week, weekend:
		return c.today.AddDate(0, 0, -7*n)
	case quarter:
		n *= 3
	case year:
		n *= 12
	}
	y, m, d := c.today.Date()
	first := monthOf(y, m-time.Month(n)).From
	return first.AddDate(0, 0, min(d, daysIn(first.Year(), first.Month()))-1)
}

// weekday returns the day w of the week that is n from this one.
func (c calendar) weekday(w time.Weekday, n int) Period {
	return daysFrom(monday(c.today).AddDate(0, 0, 7*n+sinceMonday(w)), 1)
}

// lastWeekday returns the latest such day before today.
func (c calendar) lastWeekday(w time.Weekday) Period {
	p := c.weekday(w, 0)
	if !p.From.Before(c.today) {
		p = c.weekday(w, -1)
	}
	return p
}

// pick returns the latest of the yearly periods that of gives that is over
// (which < 0), the earliest still to begin (which > 0), or the one of this
// year.
func (c calendar) pick(which int, of func(year int) Period) Period {
	y := c.today.Year()
	switch {
	case which < 0:
		for of(y).To.After(c.today) {
			y--
		}
	case which > 0:
		for !of(y).From.After(c.today) {
			y++
		}
	}
	return of(y)
}

// season returns last, this or next summer, or what season it is. In January
// and February, this winter is the one that began last year.
func (c calendar) season(s season, which int) Period {
	if which == 0 && s == winter && c.today.Month() < time.March {
		return seasonOf(c.today.Year()-1, s)
	}
	return c.pick(which, func(year int) Period { return seasonOf(year, s) })
}

// seasonOf returns three whole months; a winter belongs to the year it begins
// in.
func seasonOf(year int, s season) Period {
	from := date(year, time.March+3*time.Month(s), 1)
	return Period{From: from, To: from.AddDate(0, 3, 0)}
}

func quarterOf(year, n int) Period {
	from := date(year, time.Month(3*n-2), 1)
	return Period{From: from, To: from.AddDate(0, 3, 0)}
}

func yearOf(year int) Period {
	return Period{From: date(year, time.January, 1), To: date(year+1, time.January, 1)}
}

func monthOf(year int, m time.Month) Period {
	return Period{From: date(year, m, 1), To: date(year, m+1, 1)}
}

// dayOf returns a day, of any year for year 0; false if there is no such day.
func dayOf(year int, m time.Month, d int) (Period, bool) {
	in := year
	if in == 0 {
		in = leapYear
	}
	switch {
	case m < time.January || m > time.December || d < 1 || d > daysIn(in, m):
		return Period{}, false
	case year == 0:
		return Period{Month: m, Day: d}, true
	}
	return daysFrom(date(year, m, d), 1), true
}

// daysFrom returns n days from the beginning of a day on.
func daysFrom(from time.Time, n int) Period {
	return Period{From: from, To: from.AddDate(0, 0, n)}
}

func date(year int, m time.Month, d int) time.Time {
	return time.Date(year, m, d, 0, 0, 0, 0, time.UTC)
}

func daysIn(year int, m time.Month) int {
	return date(year, m+1, 0).Day()
}

// monday returns the first day of the week of d.
func monday(d time.Time) time.Time {
	return d.AddDate(0, 0, -sinceMonday(d.Weekday()))
}

func sinceMonday(w time.Weekday) int { return (int(w) + 6) % 7 }

// few returns the time from two to five units ago.
func (c calendar) few(u unit) Period {
	p := Period{From: c.back(fewAtMost, u), To: c.back(1, u)}
	if !p.From.Before(p.To) { // a few hours
		p.To = p.From.AddDate(0, 0, 1)
	}
	return p
}

// half returns half a unit ago: today, the week around a fortnight back, or
// the month six months back.
func (c calendar) half(u unit) Period {
	switch u {
	case month:
		return c.ago(2, week)
	case year:
		return c.ago(6, month)
	}
	return c.ago(30, minute)
}
