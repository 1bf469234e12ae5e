package learn

import "testing"

func TestMeasuresFindsTheOtherValueOfOneThing(t *testing.T) {
	for _, c := range []struct {
		older, newer string
		want         bool
	}{
		{"I've completed 10 classification problems", "I've now completed 15 classification problems", true},
		{"My API module: I've reached 65% test coverage after my first run on March 27", "The test coverage for my API module has improved to 78%", true},
		{"I've tagged a release on April 20 with 150 commits and 12 branches merged", "The number of commits merged into the main branch has now reached 165", true},
		{"My meeting with Dana is on March 10", "The meeting with Dana has been moved to March 12", true},
		{"The cover letter is 400 words long", "I've cut my cover letter down to 350 words", true},
		{"I have 3 interviews lined up", "I now have 5 interviews lined up", true},
		{"Our budget is 500 dollars", "Our budget has been raised to 650 dollars", true},
		{"The workshop starts at 3 PM on Friday", "The workshop now starts at 4 PM on Friday", true},
		{"The dashboard takes 800 ms to load", "The dashboard takes 250 ms to load now", true},
		{"測試覆蓋率是 65%", "測試覆蓋率已經提升到 78%", true},
		{"和小美的會議是3月10日", "和小美的會議改到3月12日", true},
		{"我完成了 10 道分类题", "我现在已经完成了 15 道分类题", true},

		{"The rent for our flat is $1,450 a month", "Our landlord raised the rent to $1,600 a month", true},
		{"My grocery budget is 400 euros", "I've bumped my grocery budget up to €450", true},
		{"My credit score is 640", "My credit score went up to 702", true},
		{"The client meeting is on Tuesday at 10 AM", "The client meeting got moved to Thursday at 2 PM", true},
		{"The client meeting is on Tuesday at 10 AM", "The client meeting got moved to 2 PM", true},
		{"团队预算是 3 万元", "团队预算调整为 4.5 万元", true},
		{"和房东约在周三下午看房", "和房东看房改到周五上午了", true},

		{"My credit score is 640", "My exam score went up to 702", false},
		{"The rent for our flat is $1,450 a month", "The gym raised its fee to $60 a month", false},
		{"The client meeting is on Tuesday at 10 AM", "The dentist moved my appointment to Thursday at 2 PM", false},
		{"The book is 450 pages", "The budget is now $450", false},
		{"The dashboard takes 800 ms to load", "The invoice page takes 250 ms to load now", false},
		{"The budget for travel is 500 dollars", "The budget for books is 300 dollars", false},
		{"I've completed 10 classification problems", "I've completed 10 classification problems and took 2 notes", false},
		{"We use Go 1.25 for the server", "We use Go 1.26 for the server", false}, // a version: the rules know
		{"My dog is 3 years old", "My daughter is 5 years old", false},
		{"I've completed 10 geometry problems", "I have 3 interviews lined up", false},
		{"測試覆蓋率是 65%", "磁碟使用率已經到 78%", false},
		{"和小美的會議是3月10日", "繳稅期限是3月31日", false},
	} {
		_, shared := measures(read(c.older), read(c.newer))
		if got := shared > 0; got != c.want {
			t.Errorf("%q then %q: %v, want %v", c.older, c.newer, got, c.want)
		}
	}
}
