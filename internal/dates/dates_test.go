package dates_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"orihon/internal/dates"
)

// now is a Wednesday.
var now = time.Date(2024, time.May, 15, 10, 30, 0, 0, time.UTC)

// show writes periods as "from..last day" and, without a year, as "month-day+days".
func show(found []dates.Period) string {
	var out []string
	for _, p := range found {
		last := p.To.AddDate(0, 0, -1)
		switch {
		case p.From.IsZero() && p.Days > 1:
			out = append(out, fmt.Sprintf("%02d-%02d+%d", p.Month, p.Day, p.Days))
		case p.From.IsZero():
			out = append(out, fmt.Sprintf("%02d-%02d", p.Month, p.Day))
		case p.From.Equal(last):
			out = append(out, p.From.Format(time.DateOnly))
		default:
			out = append(out, p.From.Format(time.DateOnly)+".."+last.Format(time.DateOnly))
		}
	}
	return strings.Join(out, " ")
}

func texts(found []dates.Period) (out []string) {
	for _, p := range found {
		out = append(out, p.Text)
	}
	return out
}

func check(t *testing.T, cases [][2]string) {
	t.Helper()
	for _, tc := range cases {
		if got := show(dates.Find(tc[0], now)); got != tc[1] {
			t.Errorf("Find(%q) = %q, want %q", tc[0], got, tc[1])
		}
	}
}

func TestAbsoluteEnglishDatesAreFound(t *testing.T) {
	check(t, [][2]string{
		{"on 2023-05-08 we moved", "2023-05-08"},
		{"2023/5/8", "2023-05-08"},
		{"memory/2023-05-08.md", "2023-05-08"},
		{"at 2023-05-08T12:30:00Z", "2023-05-08"},
		{"in 2023-05, later", "2023-05-01..2023-05-31"},
		{"8 May 2023", "2023-05-08"},
		{"8-May-2023", "2023-05-08"},
		{"8 may 2023", "2023-05-08"},
		{"May 8th, 2023", "2023-05-08"},
		{"May 8, 2023?", "2023-05-08"},
		{"may 8 2023", "2023-05-08"},
		{"Sept. 8, 2023", "2023-09-08"},
		{"the 8th of May, 2023", "2023-05-08"},
		{"May 8", "05-08"},
		{"may 8", "05-08"},
		{"May the 8th", "05-08"},
		{"the 8th of May", "05-08"},
		{"the second of May", "05-02"},
		{"29 February 2024", "2024-02-29"},
		{"29 February", "02-29"},
		{"in May 2023", "2023-05-01..2023-05-31"},
		{"May of 2023", "2023-05-01..2023-05-31"},
		{"DECEMBER 2023", "2023-12-01..2023-12-31"},
		{"June last year", "2023-06-01..2023-06-30"},
		{"in May", "05-00"},
		{"in may, what broke?", "05-00"},
		{"since March", "03-00"},
		{"September was busy", "09-00"},
		{"in Dec", "12-00"},
		{"in 2022", "2022-01-01..2022-12-31"},
		{"the year 2022", "2022-01-01..2022-12-31"},
		{"spring 2022", "2022-03-01..2022-05-31"},
		{"summer of 2022", "2022-06-01..2022-08-31"},
		{"fall 2022 autumn 2022", "2022-09-01..2022-11-30 2022-09-01..2022-11-30"},
		{"winter 2023", "2023-12-01..2024-02-29"},
		{"Q1 2024", "2024-01-01..2024-03-31"},
		{"2024 Q2, 2024-Q3", "2024-04-01..2024-06-30 2024-07-01..2024-09-30"},
		{"fourth quarter of 2023", "2023-10-01..2023-12-31"},
	})
}

func TestPartsOfEnglishPeriodsAreFound(t *testing.T) {
	check(t, [][2]string{
		{"the week of 5 June", "06-02+7"},
		{"the week of 8 June 2023", "2023-06-05..2023-06-11"},
		{"week of 2023-06-08", "2023-06-05..2023-06-11"},
		{"the weekend of June 8th, 2023", "2023-06-10..2023-06-11"},
		{"weekend of 1 January", "12-29+7"},
		{"early June", "06-01+10"},
		{"mid-June", "06-11+10"},
		{"late June", "06-21+10"},
		{"late February", "02-21+9"},
		{"early May 2023", "2023-05-01..2023-05-10"},
		{"the middle of May 2023", "2023-05-11..2023-05-20"},
		{"the end of May 2023", "2023-05-21..2023-05-31"},
		{"end of last month", "2024-04-21..2024-04-30"},
		{"early 2023", "2023-01-01..2023-04-30"},
		{"mid-2022", "2022-05-01..2022-08-31"},
		{"the end of last year", "2023-09-01..2023-12-31"},
		{"first week of June", "06-01+7"},
		{"the second week of June 2023", "2023-06-08..2023-06-14"},
		{"fifth week of June 2023", "2023-06-29..2023-06-30"},
		{"last week of June 2023", "2023-06-24..2023-06-30"},
		{"last week of February", "02-22+8"},
		{"first week of last month", "2024-04-01..2024-04-07"},
	})
}

func TestRelativeEnglishDatesAreFound(t *testing.T) {
	check(t, [][2]string{
		{"today", "2024-05-15"},
		{"Yesterday's bug", "2024-05-14"},
		{"yesterday morning", "2024-05-14"},
		{"the day before yesterday", "2024-05-13"},
		{"the day after tomorrow", "2024-05-17"},
		{"tomorrow", "2024-05-16"},
		{"last night", "2024-05-14"},
		{"this morning and tonight", "2024-05-15 2024-05-15"},
		{"last week", "2024-05-06..2024-05-12"},
		{"this week", "2024-05-13..2024-05-19"},
		{"next week", "2024-05-20..2024-05-26"},
		{"last weekend", "2024-05-11..2024-05-12"},
		{"last month", "2024-04-01..2024-04-30"},
		{"last quarter", "2024-01-01..2024-03-31"},
		{"this year", "2024-01-01..2024-12-31"},
		{"next year", "2025-01-01..2025-12-31"},
		{"last Monday", "2024-05-13"},
		{"last Wednesday", "2024-05-08"},
		{"last friday night", "2024-05-10"},
		{"this Sunday", "2024-05-19"},
		{"next Wednesday", "2024-05-22"},
		{"next Friday", "2024-05-17"},
		{"on Tuesday", "2024-05-14"},
		{"last summer", "2023-06-01..2023-08-31"},
		{"last winter", "2023-12-01..2024-02-29"},
		{"this spring", "2024-03-01..2024-05-31"},
		{"next spring", "2025-03-01..2025-05-31"},
		{"last May", "2023-05-01..2023-05-31"},
		{"last March", "2024-03-01..2024-03-31"},
		{"next June", "2024-06-01..2024-06-30"},
		{"2 days ago", "2024-05-13"},
		{"a day ago", "2024-05-14"},
		{"two hours ago", "2024-05-15"},
		{"11 hours ago", "2024-05-14"},
		{"a week ago", "2024-05-05..2024-05-11"},
		{"two weeks ago", "2024-04-28..2024-05-04"},
		{"a couple of months ago", "2024-03-01..2024-03-31"},
		{"a few days ago", "2024-05-10..2024-05-13"},
		{"2 years ago", "2022-01-01..2022-12-31"},
		{"in the past three days", "2024-05-12..2024-05-15"},
		{"the last 24 hours", "2024-05-14..2024-05-15"},
		{"in the last week", "2024-05-08..2024-05-15"},
		{"over the past month", "2024-04-15..2024-05-15"},
		{"the past few weeks", "2024-04-10..2024-05-15"},
		{"next 2 days", "2024-05-15..2024-05-17"},
	})
}

func TestChineseDatesAreFound(t *testing.T) {
	check(t, [][2]string{
		{"我们在2023年5月8日上线", "2023-05-08"},
		{"2023 年 5 月 8 日", "2023-05-08"},
		{"２０２３年５月８日", "2023-05-08"},
		{"二〇二三年五月八日", "2023-05-08"},
		{"23年5月8号", "2023-05-08"},
		{"2023年5月", "2023-05-01..2023-05-31"},
		{"2023年的夏天", "2023-06-01..2023-08-31"},
		{"2023年第二季度, 2023年Q3", "2023-04-01..2023-06-30 2023-07-01..2023-09-30"},
		{"2023年下半年", "2023-07-01..2023-12-31"},
		{"5月3号", "05-03"},
		{"5月3號", "05-03"},
		{"五月三日", "05-03"},
		{"五月三十一日", "05-31"},
		{"十二月二十一号", "12-21"},
		{"5月改了什么", "05-00"},
		{"2023年发生了什么", "2023-01-01..2023-12-31"},
		{"今天 昨天 前天 大前天", "2024-05-15 2024-05-14 2024-05-13 2024-05-12"},
		{"明天 后天 昨晚 今早", "2024-05-16 2024-05-17 2024-05-14 2024-05-15"},
		{"昨天下午", "2024-05-14"},
		{"上週 上周 上星期 上禮拜", "2024-05-06..2024-05-12 2024-05-06..2024-05-12 2024-05-06..2024-05-12 2024-05-06..2024-05-12"},
		{"上個星期 下礼拜 这周 上上周", "2024-05-06..2024-05-12 2024-05-20..2024-05-26 2024-05-13..2024-05-19 2024-04-29..2024-05-05"},
		{"上週三 上周三 上星期日 這個星期五", "2024-05-08 2024-05-08 2024-05-12 2024-05-17"},
		{"上周末 星期一", "2024-05-11..2024-05-12 2024-05-13"},
		{"上周一起改的", "2024-05-06..2024-05-12"},
		{"這個月 本月 上個月 上个月", "2024-05-01..2024-05-31 2024-05-01..2024-05-31 2024-04-01..2024-04-30 2024-04-01..2024-04-30"},
		{"上个月3号 上個月底", "2024-04-03 2024-04-21..2024-04-30"},
		{"下个月 上季度", "2024-06-01..2024-06-30 2024-01-01..2024-03-31"},
		{"去年 今年 前年 大前年", "2023-01-01..2023-12-31 2024-01-01..2024-12-31 2022-01-01..2022-12-31 2021-01-01..2021-12-31"},
		{"去年五月 去年的五月三号", "2023-05-01..2023-05-31 2023-05-03"},
		{"去年年底 2023年初", "2023-09-01..2023-12-31 2023-01-01..2023-04-30"},
		{"三天前 3天前 三天以前", "2024-05-12 2024-05-12 2024-05-12"},
		{"两周前 兩週前 两个星期前", "2024-04-28..2024-05-04 2024-04-28..2024-05-04 2024-04-28..2024-05-04"},
		{"兩個月前 半年前", "2024-03-01..2024-03-31 2023-11-01..2023-11-30"},
		{"半个月前 十一天前", "2024-04-28..2024-05-04 2024-05-04"},
		{"两三天前 最近三五天 二十三天前", "2024-05-10..2024-05-13 2024-05-10..2024-05-15 2024-04-22"},
		{"几天前 幾個月前", "2024-05-10..2024-05-13 2023-12-15..2024-04-14"},
		{"兩年前 十二小时前", "2022-01-01..2022-12-31 2024-05-14"},
		{"最近三天 過去一個月 这几天 前两天", "2024-05-12..2024-05-15 2024-04-15..2024-05-15 2024-05-10..2024-05-15 2024-05-13..2024-05-15"},
		{"最近半年", "2023-11-01..2024-05-15"},
		{"5月初 五月中旬 2023年5月底", "05-01+10 05-11+10 2023-05-21..2023-05-31"},
	})
}

func TestWhatOnlyLooksLikeADateIsNone(t *testing.T) {
	for _, text := range []string{
		"", "may I ask", "you may", "May I?", "this may fail", "MAY NOT", "it may 5 times", "step 8 may fail",
		"march on", "March forward", "march", "in the fall it broke", "spring boot", "this Spring bean",
		"go 1.26.8", "version 2023.1", "v2023.5.8", "2023.5.8", "10.0.0.1", "192.168.1.24/24", "#2023", "#5",
		"issue 42", "PR 2023", "a second", "the second one", "one second ago", "5/8", "12:30", "24/7", "the sun", "on sun",
		"in 2000 lines", "2048 tokens", "port 2023", "CVE-2023-0508", "2023-13-01", "2023-02-30", "30 Feb", "May 42",
		"next.js", "next step", "last commit", "last 10 commits", "this one", "past the end", "the end of file",
		"time.Now today() yesterday.go --today last_week", "decode oct dec sep", "mar 2.5", "sec 1", "week day",
		"12023-05-08", "2023-05-081", "1.2023-05-08", "file-2023-05-name",
		"目前天气", "三天前端开发", "上周期", "本周期", "今日志", "说明天气", "以上月份", "版本月", "晚上周报", "一下周报",
		"三个月", "三天", "两年", "第5月", "13月", "3号", "2.5月", "一百三十天前", "每星期一", "参数", "十分钟", "半天",
	} {
		if found := dates.Find(text, now); len(found) > 0 {
			t.Errorf("Find(%q) = %s (%q), want none", text, show(found), texts(found))
		}
	}
}

func TestWordsAroundADateAreNotPartOfIt(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"What did we decide in the week of 5 June, and why?", []string{"week of 5 June"}},
		{"底层在 2023年5月底层层重构", []string{"2023年5月"}},
		{"5月初始化 5月8日志", []string{"5月", "5月"}},
		{"上周日志 上周三个 上周日", []string{"上周", "上周", "上周日"}},
		{"a week ago, in May 2023 or in 2022", []string{"a week ago", "May 2023", "2022"}},
		{"2 days  ago and\nlast\nweek", []string{"2 days  ago", "last\nweek"}},
	} {
		if diff := cmp.Diff(tc.want, texts(dates.Find(tc.text, now))); diff != "" {
			t.Errorf("Find(%q), -want +got:\n%s", tc.text, diff)
		}
	}
}

func TestTheLongerOfTwoOverlappingDatesCounts(t *testing.T) {
	got := texts(dates.Find("in May 8 weeks ago", now))
	if diff := cmp.Diff([]string{"8 weeks ago"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAtMostFourDatesAreFoundInOrder(t *testing.T) {
	got := texts(dates.Find("昨天, May 1, May 2, today, tomorrow, 2023-01-01", now))
	if diff := cmp.Diff([]string{"昨天", "May 1", "May 2", "today"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDaysAreThoseOfUTC(t *testing.T) {
	taipei := time.FixedZone("", 8*60*60)
	got := show(dates.Find("today", time.Date(2024, time.May, 15, 7, 0, 0, 0, taipei)))
	if got != "2024-05-14" {
		t.Errorf("today at 23:00 UTC on the 14th = %s", got)
	}
}

func TestAMonthBackFromItsLastDayStaysInTheShorterMonth(t *testing.T) {
	at := time.Date(2024, time.March, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"the past month": "2024-02-29..2024-03-31",
		"a month ago":    "2024-02-01..2024-02-29",
		"上个月":            "2024-02-01..2024-02-29",
		"this winter":    "2024-12-01..2025-02-28",
	} {
		if got := show(dates.Find(text, at)); got != want {
			t.Errorf("Find(%q) = %s, want %s", text, got, want)
		}
	}
}

// FuzzFind looks for texts whose periods are not pieces of the text in order,
// are empty, or disagree with themselves.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"", "May 8th, 2023 and the week of 5 June", "first week of June 2023", "a couple of weeks ago", "2024-Q1",
		"2023年5月8日", "去年的五月底", "上個星期三", "最近三天", "兩個月前", "二〇二三年", "\xff年5月", "early early May", "９９９年前",
		"999 years ago", "in the past 999 months", "29 February", "2023-05-08.", "May the", "last", "上", "12月",
	} {
		f.Add(seed, now.Unix())
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		at := time.Unix(unix%(1<<33), 0)
		found := dates.Find(text, at)
		if len(found) > 4 {
			t.Fatalf("%d periods", len(found))
		}
		rest := text
		for _, p := range found {
			_, behind, ok := strings.Cut(rest, p.Text)
			if !ok || p.Text == "" {
				t.Fatalf("%q does not follow in %q", p.Text, rest)
			}
			rest = behind
			if utf8.ValidString(text) && !utf8.ValidString(p.Text) {
				t.Fatalf("%q cuts a character", p.Text)
			}
			inside := p.From
			if p.From.IsZero() {
				if p.Month < time.January || p.Month > time.December || p.Day < 0 || p.Day > 31 {
					t.Fatalf("%q: %+v", p.Text, p)
				}
				inside = time.Date(2000, p.Month, max(p.Day, 1), 0, 0, 0, 0, time.UTC)
			} else if !p.From.Before(p.To) {
				t.Fatalf("%q is empty: %+v", p.Text, p)
			}
			if !p.Contains(inside) || p.Near(inside) != 1 {
				t.Fatalf("%q does not contain its first day: %+v", p.Text, p)
			}
			if near := p.Near(at); near < 0 || near > 1 || p.Contains(at) && near != 1 {
				t.Fatalf("%q: Near = %v, Contains = %v", p.Text, near, p.Contains(at))
			}
		}
	})
}

func BenchmarkFindWithoutDates(b *testing.B) {
	for name, text := range map[string]string{
		"english": strings.Repeat("Please refactor the parser so that it may return 3 errors, not 1.26.8 of them. ", 25),
		"chinese": strings.Repeat("配置檔案的路徑應該從環境變數讀取，測試失敗時請先確認伺服器是否啟動，再看一下三個錯誤的日誌。", 42),
		"dense":   strings.Repeat("请重构解析器让它返回三个错误而不是上下文里的版本前后一共十个问题", 64),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if dates.Find(text, now) != nil {
					b.Fatal("found a date")
				}
			}
		})
	}
}
