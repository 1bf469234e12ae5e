package capture

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"orihon/memory"
)

func TestNotice(t *testing.T) {
	for _, c := range []struct {
		said string
		want []string // "rule: text"; none when nothing is to be noticed
	}{
		// Values that changed keep what they are values of.
		{"The deadline is now April 5.", []string{"changed: The deadline is now April 5"}},
		{"I'm trying to raise the test coverage of our parser, which has recently improved to 78%. Can you help?",
			[]string{"changed: The test coverage of our parser has recently improved to 78%"}},
		{"I've cached the results, and the page load time dropped to 300ms, so what should I do next?",
			[]string{"changed: The page load time dropped to 300ms"}},
		{"I'm working on my thesis, and I've now reached 165 pages, but I want more.", []string{"changed: My thesis: I've now reached 165 pages"}},
		{"我們的期限改到4月12日，可以幫我排時間嗎？", []string{"changed: 我們的期限改到4月12日"}},
		{"現在測試覆蓋率已經提升到78%，接下來該怎麼做？", []string{"changed: 現在測試覆蓋率已經提升到78%"}},
		{"预算增加到 5000 元，这样够吗？", []string{"changed: 预算增加到 5000 元"}},

		{"We had to extend the guest list to 110 people, can you redo the seating plan?", []string{"changed: We had to extend the guest list to 110 people"}},
		{"The airline moved my flight to Lisbon to May 14, so what changes?", []string{"changed: The airline moved my flight to Lisbon to May 14"}},
		{"After the fix the crash rate of our mobile app is down to 0.8% of sessions.", []string{"changed: After the fix the crash rate of our mobile app is down to 0.8% of sessions"}},
		{"I'm down to 78 kg! How do I keep going?", []string{"changed: I'm down to 78 kg"}},
		{"My daughter practices piano 35 minutes a day now, is that too much?", []string{"changed: My daughter practices piano 35 minutes a day now"}},
		{"论文已经写到一万两千字了，接下来写什么？", []string{"done: 论文已经写到一万两千字了"}},

		// Decisions and preferences need no value.
		{"We switched to pnpm.", []string{"decided: We switched to pnpm"}},
		{"I've decided to go with Postgres for the orders, not sure about the rest.", []string{"decided: I've decided to go with Postgres for the orders"}},
		{"We replaced Jest with Vitest last week.", []string{"decided: We replaced Jest with Vitest last week"}},
		{"I prefer tabs over spaces, can you reformat this?", []string{"preferred: I prefer tabs over spaces"}},
		{"我們改用 pnpm 了。", []string{"decided: 我們改用 pnpm 了"}},
		{"团队决定用 Kafka 做消息队列，帮我写个例子。", []string{"decided: 团队决定用 Kafka 做消息队列"}},
		{"我比較喜歡用兩個空格縮排。", []string{"preferred: 我比較喜歡用兩個空格縮排"}},

		// What may be a step of the work only is put before a person.
		{"I think let's have one lock per worktree, the session fields give us a filter.", []string{"proposed: I think let's have one lock per worktree"}},
		{"The overriding directive is to not get in the way of the user, so log the rest.", []string{"proposed: The overriding directive is to not get in the way of the user"}},
		{"Yeah, let's do it.", nil},
		{"測試統一用 pytest，別再混用。", []string{"proposed: 測試統一用 pytest"}},

		// Other facts need one.
		{"I've completed 10 classification problems, and I feel good. How do I go on?", []string{"done: I've completed 10 classification problems"}},
		{"Our staging database listens on port 5433.", []string{"stated: Our staging database listens on port 5433"}},
		{"我已经完成了十道分类题，想继续练习。", []string{"done: 我已经完成了十道分类题"}},
		{"我们的生产环境端口是 8443，别搞错。", []string{"stated: 我们的生产环境端口是 8443"}},
		{"I'm aiming to finish by April 15.", []string{"planned: I'm aiming to finish by April 15"}},
		{"I've completed it.", nil},

		{"Our API timeout is 30 s, and the budget for the launch is 5,000 euros.", []string{"stated: Our API timeout is 30 s", "stated: The budget for the launch is 5,000 euros"}},
		{"我們 API 的逾時是 30 秒，秋季活動的預算是五千元。", []string{"stated: 我們 API 的逾時是 30 秒", "stated: 秋季活動的預算是五千元"}},
		{"The report service has 4 replicas. How do I scale it?", []string{"stated: The report service has 4 replicas"}},
		{"We store backups for 14 days in S3.", []string{"stated: We store backups for 14 days in S3"}},
		{"Our landing page converts at 2.1%.", []string{"stated: Our landing page converts at 2.1%"}},
		{"I've tested the import, and it takes around 40 seconds.", []string{"stated: I've tested the import, and it takes around 40 seconds"}},

		// Attempts, values of nothing, and what points at something unsaid.
		{"I've tried setting the pool size to 20, but nothing changed.", nil},
		{"I've tested it with 100 sample orders.", nil},
		{"I've come up with 12 hours.", nil},
		{"I've set it to 30 seconds.", nil},
		{"Suggest a better name for the helper where I'm using a 5-item list.", nil},
		{"我試過把連線數改成 20，沒有用。", nil},
		{"我试了三次。", nil},

		// A task for the assistant is no fact; that it was done is one.
		{"把登入頁的逾時改成 12 小時。", nil},
		{"把我们的 CI 从 Jenkins 迁移到 GitHub Actions。", nil},
		{"麻煩先把連線數上限調到 50，再跑一次測試。", nil},
		{"改用 pnpm。", nil},
		{"刪掉已經到期的 3 個設定。", nil},
		{"Change the login timeout to 12 h.", nil},
		{"Then set our session timeout to 30 minutes and add a test.", nil},
		{"Please bump our Go version to 1.26.", nil},
		{"Bump our Go version to 1.26, it is now 1.25.", []string{"changed: Our Go version is now 1.25"}},
		{"我把逾時改成 12 小時了。", []string{"decided: 我把逾時改成 12 小時了"}},
		{"团队决定把数据库换成 Postgres。", []string{"decided: 团队决定把数据库换成 Postgres"}},
		{"We changed the login timeout to 12 hours.", []string{"changed: We changed the login timeout to 12 hours"}},
		{"Test coverage of our parser is now 78%.", []string{"changed: Test coverage of our parser is now 78%"}},
		// An order as well as a report: a person is asked.
		{"登入頁的逾時改成 12 小時。", []string{"proposed: 登入頁的逾時改成 12 小時"}},

		// What holds at one place only: somebody points at it.
		{"The limit here is 10, make it 20.", nil},
		{"The limit here is 10.", nil},
		{"這裡的上限是 10 筆資料。", nil},
		{"这里的上限是 10 条数据。", nil},
		{"The timeout in this mock is 1 second.", nil},
		{"Our upload limit is 5 MB in the old branch.", nil},
		{"Our timeout in the test environment is 5 seconds.", []string{"stated: Our timeout in the test environment is 5 seconds"}},
		{"We changed the timeout in this file to 30 seconds.", nil},
		{"這個函式的逾時是 30 秒鐘。", nil},
		{"这个分支的超时是 30 秒钟。", nil},
		{"目前這支測試程式有 40 個案例。", nil},
		{"這個月的行銷預算是五千元。", []string{"stated: 這個月的行銷預算是五千元"}},
		{"Our rent is $1,450 this year.", []string{"stated: Our rent is $1,450 this year"}},
		{"I've decided to use Postgres for this project.", []string{"decided: I've decided to use Postgres for this project"}},
		{"The limit in that branch is 40 calls.", nil},
		{"I've decided that the build uses 4 cores.", []string{"decided: I've decided that the build uses 4 cores"}},
		{"The first argument is 8 bytes long.", nil},
		{"第一個參數的長度是 8 個位元組。", nil},
		{"第一个参数的长度是 8 个字节。", nil},

		// What a document, a response or a program says.
		{"The docs claim that the API timeout is 45 seconds.", nil},
		{"The response says the retry limit is 3, and the pool has 20 workers.", nil},
		{"The retry limit is 3 calls, the docs say.", nil},
		{"The docs say 45 seconds, but our API timeout is now 30 seconds.", []string{"changed: Our API timeout is now 30 seconds"}},
		{"According to the manual our disk has 40 GB.", nil},
		{"The report service has 6 replicas.", []string{"stated: The report service has 6 replicas"}},
		{"文件說 API 的逾時是 45 秒。", nil},
		{"文档说我们 API 的超时是 45 秒。", nil},
		{"錯誤訊息說重試上限是 3 次。", nil},
		{"根據文件，連線數的上限是 40 條。", nil},

		// What was measured once.
		{"I got 3 failures on my machine.", nil},
		{"I've seen 12 warnings in our build.", nil},
		{"The test takes 30 seconds.", nil},
		{"The nightly import takes 30 minutes.", []string{"stated: The nightly import takes 30 minutes"}},
		{"The loop runs 100 times.", nil},
		{"Our importer runs 3 times a day.", []string{"stated: Our importer runs 3 times a day"}},
		{"The page load is 3 seconds, why is it so slow?", nil},
		{"Why is it slow when the loop runs 100 times?", nil},
		{"測試要跑 30 秒，太久了。", nil},
		{"我们的测试需要 30 秒才能跑完。", nil},
		{"迴圈執行了 100 次還沒有結束。", nil},
		{"循环执行了 100 次还没有结束。", nil},

		// Asked, if only at the end.
		{"The upload limit is 5 MB, right?", nil},
		{"The upload limit is 5 MB, isn’t it?", nil},
		{"We switched to pnpm, and the upload limit is 5 MB, right?", nil},
		{"The upload limit is 5 MB. Right?", nil},
		{"The upload limit is 5 MB right?", nil},
		{"Our rent is $1,450 a month, remember?", nil},
		{"我們的上傳上限是 5 MB，對吧？", nil},
		{"我们的上传上限是 5 MB 对吧", nil},
		{"我們的上傳上限是 5 MB，是嗎", nil},
		{"我们的上传上限是 5 MB。是吗？", nil},

		// To be another value at once.
		{"The upload limit is 5 MB, make it 20 MB.", nil},
		{"Our upload limit is 5 MB. Can you raise it to 20 MB?", nil},
		{"Our upload limit is 5 MB and the retry count is 3. Raise the upload limit to 20 MB.", []string{"stated: The retry count is 3"}},
		{"我們的上傳上限是 5 MB，改成 20 MB。", nil},
		{"我們的上傳上限是 5 MB。請把上傳上限調到 20 MB。", nil},
		{"我们的上传上限是 5 MB，可以改成 20 MB 吗？", nil},
		{"Our upload limit is 5 MB. Add it to the 3 docs.", []string{"stated: Our upload limit is 5 MB"}},

		// The words that ask to keep it are no part of it.
		{"The release is every second Thursday, remember that.", []string{"stated: The release is every second Thursday"}},
		{"Our upload limit is 5 MB, please remember.", []string{"stated: Our upload limit is 5 MB"}},
		{"我們的上傳上限是 5 MB，請記住。", []string{"stated: 我們的上傳上限是 5 MB"}},
		{"记住，我们的上传上限是 5 MB。", []string{"stated: 我们的上传上限是 5 MB"}},

		// What is taken back holds no longer, what held before does again.
		{"wait, revert that, the API timeout is 30 seconds again", []string{"changed: The API timeout is 30 seconds again"}},
		{"I changed the API timeout to 60 seconds. Wait, revert that. The API timeout is 30 seconds again.", []string{"changed: The API timeout is 30 seconds again"}},
		{"等等，還原，API 的逾時又是 30 秒了。", []string{"changed: API 的逾時又是 30 秒了"}},
		{"I raised the API timeout to 60 seconds, then I reverted that.", nil},
		{"等等，撤回，API 的超时还是 30 秒。", []string{"changed: API 的超时还是 30 秒"}},

		// Questions, requests, suppositions, hearsay.
		{"Is the limit now 500 a day?", nil},
		{"Can you set the timeout to 30 seconds?", nil},
		{"What if we switched to pnpm?", nil},
		{"If we moved to Redis, latency would drop to 5ms.", nil},
		{"I think it takes 30 minutes.", nil},
		{"I haven't decided on a database yet.", nil},
		{"如果改用 Redis 會怎樣？", nil},
		{"期限是不是改到4月12日了嗎？", nil},
		{"我還沒決定用哪個資料庫。", nil},

		// Code, logs, quotations, names with digits, the work of the moment.
		{"```go\ntimeout := 30 // we switched to 30\n```", nil},
		{"2026-03-02 10:00:00 INFO our pool has 12 workers now", nil},
		{"Feb  9 09:08:29.828 the pool has now 12 workers", nil},
		{"> We switched to pnpm.", nil},
		{"The error is on line 434 of our parser.", nil},
		{"I just ran it and our build failed 3 times.", nil},
		{"Our fix is in commit 7c35564a.", nil},
		{"We use OAuth2 here.", nil},
		{"<system-reminder>We switched to pnpm.</system-reminder>", nil},
		{"This session is being continued from a previous conversation.\nWe switched to pnpm.", nil},
		{strings.Repeat("We pasted a line.\n", 50) + "We switched to pnpm.", nil},
	} {
		var got []string
		for _, n := range Notice(c.said) {
			got = append(got, n.Rule+": "+n.Text)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%q:\n got %q\nwant %q", c.said, got, c.want)
		}
	}
}

func TestNoticeSaysHowSureItIs(t *testing.T) {
	for said, want := range map[string]struct {
		topic       memory.Topic
		least, most float64
	}{
		"We switched to pnpm.":                          {memory.Decision, NoticedSure, 1},
		"I prefer tabs over spaces.":                    {memory.Preference, NoticedSure, 1},
		"The deadline is now April 5.":                  {memory.Fact, NoticedSure, 1},
		"Our staging database listens on port 5433.":    {memory.Fact, NoticedLikely, NoticedSure - 0.01},
		"I'm aiming to finish the draft by April 15.":   {memory.Fact, 0.01, NoticedLikely - 0.01},
		"我們的期限改到4月12日。":                                 {memory.Fact, NoticedSure, 1},
		"The gotcha is that our limit is now 20 a day.": {memory.Pitfall, NoticedSure, 1},
	} {
		got := Notice(said)
		if len(got) != 1 || got[0].Topic != want.topic || got[0].Score < want.least || got[0].Score > want.most {
			t.Errorf("%q: %+v, want one %s of %.2f to %.2f", said, got, want.topic, want.least, want.most)
		}
	}
}

func TestNoticeLeavesOutWhatIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		said string
		want []string
	}{
		{"The release is every second Thursday, remember that.", nil},
		{"Please remember that our upload limit is 5 MB.", nil},
		{"我們的上傳上限是 5 MB，請記住。", nil},
		{"记住：我们的上传上限是 5 MB。", nil},
		{"Remember:\n- Our upload limit is 5 MB\n- We switched to pnpm", nil},
		{"Our upload limit is 5 MB. Remember that the release is every second Thursday.", []string{"Our upload limit is 5 MB"}},
	} {
		var got []string
		for _, n := range NotAskedFor(Notice(c.said), c.said) {
			got = append(got, n.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.said, got, c.want)
		}
	}
}

func FuzzNotice(f *testing.F) {
	for _, s := range []string{
		"I'm trying to raise the coverage, which is now 78%, but how?", "我們改用 pnpm，期限改到4月12日。", "a - 1, b; c — 3 (d, e) and i f 4",
		"It's 5, it’s 6. Which was 3,000 — and now it's 4,000?", "\xff\xfe 12 月 3 日", "It's 000000000000000000000000000\r!", "the new limit of 40 a day",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Notice(s)
		if len(got) > mostNoticed {
			t.Fatalf("%d statements", len(got))
		}
		for _, n := range got {
			if utf8.RuneCountInString(n.Text) > NoticedChars || strings.TrimSpace(n.Text) != n.Text || n.Text == "" || strings.Contains(n.Text, "\n") || n.Score <= 0 || n.Score > 1 {
				t.Fatalf("%q: %+v", s, n)
			}
		}
	})
}
