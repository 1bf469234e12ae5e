package dates

import (
	"strings"
	"time"
	"unicode/utf8"
)

// chinese reads the longest Chinese date at i, where an ASCII digit stands or a
// character that [begins] a date.
func (s *scanner) chinese(i int) match {
	r, size := utf8.DecodeRuneInString(s.text[i:])
	prev, _ := utf8.DecodeLastRuneInString(s.text[:i])
	switch r {
	case '今', '昨', '明', '去':
		if strings.ContainsRune("说說声聲证證发發透过過失", prev) { // 说明天…, 过去年…
			return match{}
		}
		return longest(s.dayWord(i), s.chineseDate(i))
	case '前', '后', '後', '大':
		if !s.follows(i+size, "天年前后後几幾两兩") {
			return match{}
		}
		if strings.ContainsRune("目之以当當先提从從年月天周週", prev) { // 目前天…, 三年前年…
			return match{}
		}
		return longest(s.dayWord(i), s.chineseDate(i), s.fewBefore(i))
	case '上', '下', '这', '這', '本':
		if strings.ContainsRune("晚早马馬以线線网網加算一版脚腳文成根基", prev) { // 晚上, 馬上, 加上, 一下, 版本
			return match{}
		}
		if _, j := s.direction(i); !s.follows(j, "周週星礼禮季月年") {
			return s.rollingChinese(i)
		}
		return longest(s.chineseRelative(i), s.chineseDate(i), s.rollingChinese(i))
	case '最', '过', '過', '近':
		return s.rollingChinese(i)
	case '星', '礼', '禮':
		if w, end := s.weekdayBehind(i); end > 0 && !isDigits(prev) && prev != '每' && prev != '个' && prev != '個' {
			return match{s.cal.lastWeekday(w), end}
		}
		return match{}
	case '几', '幾', '数', '數', '半':
		return s.chineseAgo(i)
	}
	if !isDigits(r) || isDigits(prev) || prev == '第' || strings.ContainsRune("点點百千万萬", prev) {
		return match{}
	}
	if prev < utf8.RuneSelf && i > 0 && !s.clean(i) {
		return match{}
	}
	switch _, _, j := s.chineseNumber(i); {
	case j == 0:
		return match{}
	case s.follows(s.spaces(j), "天日周週星礼禮个個小钟鐘分季"):
		return s.chineseAgo(i)
	case !s.follows(s.spaces(j), "年月"):
		return match{}
	}
	return longest(s.chineseDate(i), s.chineseAgo(i))
}

// begins reports whether a Chinese date may begin with r, apart from ASCII
// digits.
func begins(r rune) bool {
	return strings.ContainsRune("今昨明去前后後大上下这這本最过過近星礼禮几幾数數半〇零一二两兩三四五六七八九十", r) || '０' <= r && r <= '９'
}

// dayWord reads 今天, 昨晚, 大前天.
func (s *scanner) dayWord(i int) match {
	n, end := 0, 0
	for _, w := range [...]struct {
		word string
		n    int
	}{
		{"今", 0}, {"昨", -1}, {"明", 1},
		{"大前", -3}, {"前", -2}, {"大后", 3}, {"大後", 3}, {"后", 2}, {"後", 2},
	} {
		if j := s.one(i, w.word); j > 0 {
			n, end = w.n, j
			break
		}
	}
	if end == 0 {
		return match{}
	}
	j := s.one(end, "天")
	if j > 0 {
		if k := s.one(j, "早上", "上午", "中午", "下午", "晚上", "凌晨", "夜里", "夜裡", "傍晚"); k > 0 {
			j = k
		}
	} else if -1 <= n && n <= 1 {
		j = s.one(end, "晚上", "早上", "晚", "早", "夜", "晨")
		if j == 0 {
			j = s.without(s.one(end, "日"), behindSun)
		}
	}
	return match{s.cal.day(n), j}
}

// chineseDate reads a year, a month, a day, or as many of them as are there:
// 2023年5月8日, 去年五月, 上個月底, 5月3號.
func (s *scanner) chineseDate(i int) match {
	var m match
	y, end := s.chineseYear(i)
	if end > 0 {
		if j := s.withinYear(end, y); j.end > 0 {
			return j
		}
		if _, digits, _ := s.chineseNumber(i); digits != 2 { // 23年 alone is a duration
			m = match{yearOf(y), end}
		}
		i = s.possessive(end)
	}
	mo, digits, j := s.chineseNumber(i)
	j = s.one(s.spaces(j), "月份", "月")
	switch {
	case digits > 0 && digits <= 2 && j > 0 && 1 <= mo && mo <= 12:
		of := Period{Month: time.Month(mo)}
		if y > 0 {
			of = monthOf(y, time.Month(mo))
		}
		return s.withinMonth(match{of, j}, y, time.Month(mo))
	case y == 0:
		if p, end := s.relativeMonth(i); end > 0 {
			return s.withinMonth(match{p, end}, p.From.Year(), p.From.Month())
		}
	}
	return m
}

// chineseYear reads 2023年, 二〇二三年, 23年 before a month, and 去年.
func (s *scanner) chineseYear(i int) (y, end int) {
	n, digits, j := s.chineseNumber(i)
	if digits > 0 {
		j = s.one(s.spaces(j), "年度", "年")
		switch {
		case j == 0:
		case digits == 4 && 1900 <= n && n < 2200:
			return n, j
		case digits == 2 && isDigit(s.text[i]):
			if _, _, k := s.chineseNumber(s.possessive(j)); k > 0 && s.one(s.spaces(k), "月") > 0 {
				return 2000 + n, j
			}
		}
		return 0, 0
	}
	for _, w := range [...]struct {
		word string
		n    int
	}{
		{"今年", 0}, {"本年", 0}, {"去年", -1}, {"上一年", -1}, {"大前年", -3}, {"前年", -2},
		{"明年", 1}, {"下一年", 1}, {"后年", 2}, {"後年", 2},
	} {
		if j := s.one(i, w.word); j > 0 {
			return s.cal.today.Year() + w.n, j
		}
	}
	return 0, 0
}

// withinYear reads the season, quarter, half or end of the year y at i.
func (s *scanner) withinYear(i, y int) match {
	i = s.possessive(i)
	for _, w := range [...]struct {
		word string
		s    season
	}{{"春", spring}, {"夏", summer}, {"秋", autumn}, {"冬", winter}} {
		if end := s.one(i, w.word+"天", w.word+"季"); end > 0 {
			return match{seasonOf(y, w.s), end}
		}
	}
	j := max(s.one(i, "第"), i)
	if n, _, k := s.chineseNumber(j); k > 0 && 1 <= n && n <= 4 {
		if end := s.one(s.spaces(k), "季度"); end > 0 {
			return match{quarterOf(y, n), end}
		}
	}
	if i < len(s.text) && isLetter(s.text[i]) {
		if q := s.token(i); q.kind == quarterName {
			return match{quarterOf(y, q.n), q.end}
		}
	}
	if end := s.one(i, "上半年"); end > 0 {
		return match{Period{From: date(y, time.January, 1), To: date(y, time.July, 1)}, end}
	}
	if end := s.one(i, "下半年"); end > 0 {
		return match{Period{From: date(y, time.July, 1), To: date(y+1, time.January, 1)}, end}
	}
	i = max(s.one(i, "年"), i) // 去年年底
	if part, end := s.edge(i); end > 0 {
		p, _ := yearOf(y).third(part)
		return match{p, end}
	}
	return match{}
}

// edge reads 初, 中旬, 底 and the like.
func (s *scanner) edge(i int) (third, int) {
	if end := s.without(s.one(i, "初", "上旬"), behindEdge); end > 0 {
		return early, end
	}
	if end := s.one(i, "中旬"); end > 0 {
		return mid, end
	}
	if end := s.without(s.one(i, "底", "末", "下旬"), behindEdge); end > 0 {
		return late, end
	}
	return 0, 0
}

// withinMonth reads the day or the part of a month behind it; y is 0 if the
// month is one of any year.
func (s *scanner) withinMonth(m match, y int, mo time.Month) match {
	i := s.possessive(m.end)
	if part, end := s.edge(i); end > 0 {
		p, _ := m.third(part)
		return match{p, end}
	}
	d, digits, j := s.chineseNumber(i)
	if digits == 0 {
		return m
	}
	end := s.one(s.spaces(j), "号", "號")
	if end == 0 {
		end = s.without(s.one(s.spaces(j), "日"), behindSun)
	}
	if p, ok := dayOf(y, mo, d); ok && end > 0 {
		return match{p, end}
	}
	return m
}
