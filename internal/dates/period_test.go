package dates_test

import (
	"math"
	"testing"
	"time"

	"orihon/internal/dates"
)

func at(s string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestContainsAndNearFollowTheDistanceFromThePeriod(t *testing.T) {
	day := dates.Period{From: at("2023-05-08 00:00"), To: at("2023-05-09 00:00")}
	week := dates.Period{From: at("2023-05-08 00:00"), To: at("2023-05-15 00:00")}
	may := dates.Period{Month: time.May}
	may8 := dates.Period{Month: time.May, Day: 8}
	newYear := dates.Period{Month: time.December, Day: 29, Days: 7}
	leap := dates.Period{Month: time.February, Day: 29}
	for _, tc := range []struct {
		name   string
		period dates.Period
		at     string
		inside bool
		near   float64
	}{
		{"first moment", day, "2023-05-08 00:00", true, 1},
		{"last moment", day, "2023-05-08 23:59", true, 1},
		{"the end is outside", day, "2023-05-09 00:00", false, 1},
		{"a day later, of two", day, "2023-05-10 00:00", false, 0.5},
		{"a day earlier, of two", day, "2023-05-07 00:00", false, 0.5},
		{"two days later", day, "2023-05-11 00:00", false, 0},
		{"a week reaches a week", week, "2023-05-18 12:00", false, 0.5},
		{"a year later", week, "2024-05-10 00:00", false, 0},
		{"month of any year", may, "1999-05-31 23:00", true, 1},
		{"next to a month of any year", may, "1999-06-16 12:00", false, 0.5},
		{"half a year from a month", may, "1999-11-16 12:00", false, 0},
		{"day of any year", may8, "2031-05-08 12:00", true, 1},
		{"next to a day of any year", may8, "2031-05-07 00:00", false, 0.5},
		{"across the new year", newYear, "2024-01-03 12:00", true, 1},
		{"before the new year", newYear, "2023-12-29 00:00", true, 1},
		{"nearest in the next year", dates.Period{Month: time.January, Day: 1}, "2023-12-31 00:00", false, 0.5},
		{"29 February", leap, "2024-02-29 12:00", true, 1},
		{"no 29 February", leap, "2023-03-01 12:00", false, 0},
		{"nothing", dates.Period{}, "2023-03-01 12:00", false, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.period.Contains(at(tc.at)); got != tc.inside {
				t.Errorf("Contains(%s) = %v", tc.at, got)
			}
			if got := tc.period.Near(at(tc.at)); math.Abs(got-tc.near) > 1e-9 {
				t.Errorf("Near(%s) = %v, want %v", tc.at, got, tc.near)
			}
		})
	}
}
