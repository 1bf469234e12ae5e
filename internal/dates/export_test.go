package dates

import "time"

// Contains reports whether t lies in p; for a p without a year, in p of any
// year.
func (p Period) Contains(t time.Time) bool {
	if p.From.IsZero() {
		for year := t.UTC().Year() - 1; year <= t.UTC().Year(); year++ {
			if q, ok := p.in(year); ok && q.Contains(t) {
				return true
			}
		}
		return false
	}
	return !t.Before(p.From) && t.Before(p.To)
}
