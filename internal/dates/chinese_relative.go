package dates

import (
	"time"
	"unicode/utf8"
)

// chineseRelative reads 上週, 這個星期三, 下個月, 上季度, 上上周. Months with a day
// are [scanner.chineseDate]'s.
func (s *scanner) chineseRelative(i int) match {
	which, j := s.direction(i)
	if j == 0 {
		return match{}
	}
	if w, end := s.weekdayBehind(j); end > 0 {
		return match{s.cal.weekday(w, which), end}
	}
	if end := s.weekName(j); end > 0 {
		if k := s.one(end, "末"); k > 0 {
			return match{s.cal.unit(weekend, which), k}
		}
		return match{s.cal.unit(week, which), end}
	}
	if end := s.one(j, "季度"); end > 0 {
		return match{s.cal.unit(quarter, which), end}
	}
	return match{}
}

// relativeMonth reads 上個月, 本月.
func (s *scanner) relativeMonth(i int) (Period, int) {
	which, j := s.direction(i)
	if j == 0 {
		return Period{}, 0
	}
	if end := s.one(j, "月份", "月"); end > 0 {
		return s.cal.unit(month, which), end
	}
	return Period{}, 0
}

// direction reads 上, 上上, 這, 下 with a classifier: -1, -2, 0, 1.
func (s *scanner) direction(i int) (which, end int) {
	if j := s.one(i, "上上"); j > 0 {
		which, end = -2, j
	} else if j := s.one(i, "上"); j > 0 {
		which, end = -1, j
	} else if j := s.one(i, "这", "這", "本"); j > 0 {
		which, end = 0, j
	} else if j := s.one(i, "下"); j > 0 {
		which, end = 1, j
	} else {
		return 0, 0
	}
	return which, max(end, s.one(end, "一个", "一個", "个", "個", "一"))
}

// weekName returns the end of a week at i, 0 if there is none.
func (s *scanner) weekName(i int) int {
	if end := s.one(i, "星期", "礼拜", "禮拜"); end > 0 {
		return end
	}
	return s.without(s.one(i, "周", "週"), behindWeek)
}

// weekdayBehind reads 星期三, 周日 at i. It is none where the number counts what
// follows (上周三个, 上周一起) or 日 begins another word.
func (s *scanner) weekdayBehind(i int) (time.Weekday, int) {
	j := s.weekName(i)
	if j == 0 || j == len(s.text) {
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(s.text[j:])
	end := j + size
	switch n, ok := digitOf(r); {
	case r == '日':
		return time.Sunday, s.without(end, behindSun)
	case r == '天':
		return time.Sunday, end
	case ok && 1 <= n && n <= 6 && r != '两' && r != '兩':
		return time.Weekday(n), s.without(end, "个個次天些直共起样樣般条條十0123456789")
	}
	return 0, 0
}

// chineseAgo reads 三天前, 半年以前, 几个月前.
func (s *scanner) chineseAgo(i int) match {
	n, half, u, end := s.chineseAmount(i)
	if end == 0 {
		return match{}
	}
	j := s.one(end, "以前", "之前")
	if j == 0 {
		j = s.without(s.one(end, "前"), behindFore)
	}
	switch {
	case j == 0:
		return match{}
	case half:
		return match{s.cal.half(u), j}
	case n == few:
		return match{s.cal.few(u), j}
	}
	return match{s.cal.ago(n, u), j}
}

// rollingChinese reads 最近三天, 過去一個月, 這兩週, which reach up to now.
func (s *scanner) rollingChinese(i int) match {
	j := s.one(i, "最近", "过去", "過去", "近", "这", "這")
	if j == 0 {
		return match{}
	}
	start := max(s.spaces(j), s.one(j, "的"))
	n, half, u, end := s.chineseAmount(start)
	if end == 0 || s.one(i, "这一", "這一") > 0 { // 這一週 is this week
		return match{}
	}
	if n == few {
		n = fewAtMost
	}
	p := s.cal.past(n, u)
	if half {
		p.From = s.cal.half(u).From
	}
	return match{p, max(end, s.one(end, "以内", "以內", "之内", "之內", "内", "內", "里", "裡", "来", "來"))}
}

// fewBefore reads 前几天, 前兩週: the days just gone.
func (s *scanner) fewBefore(i int) match {
	j := s.one(i, "前")
	if j == 0 || s.one(j, "几", "幾", "两", "兩") == 0 {
		return match{}
	}
	n, _, u, end := s.chineseAmount(j)
	if end == 0 {
		return match{}
	}
	if n == few {
		n = fewAtMost
	}
	return match{s.cal.past(n, u), end}
}

// chineseAmount reads 三天, 两个星期, 几個月, 半年. A month needs its classifier
// here, since 三月 is March.
func (s *scanner) chineseAmount(i int) (n int, half bool, u unit, end int) {
	n, digits, j := s.chineseNumber(i)
	if digits == 0 {
		if j = s.one(i, "几", "幾", "数", "數"); j > 0 {
			n = few
		} else if j = s.one(i, "半"); j > 0 {
			half = true
		} else {
			return 0, false, 0, 0
		}
	}
	if digits > 3 {
		return 0, false, 0, 0
	}
	j = s.spaces(j)
	u, end = s.chineseUnit(j)
	if half && (u != month && u != year && u != hour) {
		return 0, false, 0, 0
	}
	return n, half, u, end
}

func (s *scanner) chineseUnit(i int) (unit, int) {
	counted := max(i, s.one(i, "个", "個"))
	switch {
	case s.one(i, "天", "日") > 0:
		return day, s.without(s.one(i, "天", "日"), behindSun)
	case s.weekName(counted) > 0:
		return week, s.weekName(counted)
	case counted > i && s.one(counted, "月") > 0:
		return month, s.one(counted, "月")
	case s.one(i, "年") > 0:
		return year, s.one(i, "年")
	case s.one(counted, "季度") > 0:
		return quarter, s.one(counted, "季度")
	case s.one(counted, "小时", "小時", "钟头", "鐘頭") > 0:
		return hour, s.one(counted, "小时", "小時", "钟头", "鐘頭")
	case s.one(i, "分钟", "分鐘") > 0:
		return minute, s.one(i, "分钟", "分鐘")
	}
	return 0, 0
}
