package capture_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/capture"
	"orihon/memory"
)

func TestExplicitTakesWhatTheUserAsksToRemember(t *testing.T) {
	tests := []struct {
		prompt string
		text   string
		topic  memory.Topic
	}{
		{"Remember: we deploy with make ship, never with kubectl.", "We deploy with make ship, never with kubectl.", memory.Fact},
		{"remember that the staging database listens on port 5433", "The staging database listens on port 5433", memory.Fact},
		{"Please remember the API lives under /v2.", "The API lives under /v2.", memory.Fact},
		{"remember -flto breaks the vector table", "-flto breaks the vector table", memory.Fact},
		{"remember - npm ci wants node 22", "npm ci wants node 22", memory.Fact},
		{"remember that make ship builds and deploys", "make ship builds and deploys", memory.Fact},
		{"記住 kubectl 只能在跳板機上跑", "kubectl 只能在跳板機上跑", memory.Fact},
		{"Please remember to run make lint before a commit.", "Run make lint before a commit.", memory.Fact},
		{"Fix the test. Also, remember that CI runs on ARM.", "CI runs on ARM.", memory.Fact},
		{"Can you remember that we use tabs?", "We use tabs?", memory.Fact},
		{"Remember this: go.mod is pinned.", "go.mod is pinned.", memory.Fact},
		{"Remember, the CI cache is a pitfall: clear it first.", "The CI cache is a pitfall: clear it first.", memory.Pitfall},
		{"Keep in mind that Ann owns billing.", "Ann owns billing.", memory.Fact},
		{"keep in mind: we decided on SQLite", "We decided on SQLite", memory.Decision},
		{"Bear in mind that the gotcha is CRLF.", "The gotcha is CRLF.", memory.Pitfall},
		{"Note for later: to deploy, run make ship.", "To deploy, run make ship.", memory.Procedure},
		{"Note for the future: releases are cut on Mondays.", "releases are cut on Mondays.", memory.Fact},
		{"Don't forget that prod is read-only.", "prod is read-only.", memory.Fact},
		{"don’t forget to bump the version.", "bump the version.", memory.Fact},
		{"Do not forget: the key is in Vault.", "The key is in Vault.", memory.Fact},
		{"From now on, answer in Chinese.", "Answer in Chinese.", memory.Preference},
		{"from now on use pnpm instead of npm", "Use pnpm instead of npm", memory.Preference},
		{"Fix the bug and from now on run the linter first.", "Run the linter first.", memory.Preference},
		{"Going forward, keep functions short.", "Keep functions short.", memory.Preference},
		{"In future, never touch the generated files.", "Never touch the generated files.", memory.Preference},
		{"In the future, always ask before deleting.", "always ask before deleting.", memory.Preference},
		{"Always use tabs", "Always use tabs", memory.Preference},
		{"Always write tests first, then code.", "Always write tests first, then code.", memory.Preference},
		{"Never push to main.", "Never push to main.", memory.Preference},
		{"You must never commit secrets.", "Never commit secrets.", memory.Preference},
		{"Never ever rebase shared branches!", "Never ever rebase shared branches!", memory.Preference},
		{"We deploy on Fridays, remember that.", "We deploy on Fridays", memory.Fact},
		{"I want you to remember that v1.2 is the last to run on go 1.20. Thanks.", "v1.2 is the last to run on go 1.20.", memory.Fact},
		{"Remember: `make ship` deploys.", "`make ship` deploys.", memory.Fact},

		{"記住：部署用 make ship，不要用 kubectl。", "部署用 make ship，不要用 kubectl。", memory.Fact},
		{"請記住測試資料庫在 5433 埠。", "測試資料庫在 5433 埠。", memory.Fact},
		{"記得每次提交前跑 make lint", "每次提交前跑 make lint", memory.Fact},
		{"先修這個錯。另外，記得 Ann 負責帳務。", "Ann 負責帳務。", memory.Fact},
		{"別忘了正式環境是唯讀的。", "正式環境是唯讀的。", memory.Fact},
		{"切記這裡有個坑：換行會變。", "這裡有個坑：換行會變。", memory.Pitfall},
		{"從現在起，用繁體中文回答。", "用繁體中文回答。", memory.Preference},
		{"以後都用 pnpm。", "都用 pnpm。", memory.Preference},
		{"以後一律先寫測試。", "一律先寫測試。", memory.Preference},
		{"永遠不要直接推到 main。", "永遠不要直接推到 main。", memory.Preference},
		{"提交訊息一律用英文。", "提交訊息一律用英文。", memory.Preference},
		{"Commit message 一律用英文", "Commit message 一律用英文", memory.Preference},
		{"log 一律用 JSON，不要用純文字", "log 一律用 JSON，不要用純文字", memory.Preference},
		{"记住:接口文档一律用英文", "接口文档一律用英文", memory.Preference},
		{"記住：以後 log 都用 JSON", "以後 log 都用 JSON", memory.Preference},
		{"務必先跑測試再提交。", "務必先跑測試再提交。", memory.Procedure},
		{"請記住我們決定改用 SQLite。", "我們決定改用 SQLite。", memory.Decision},
		{"發版在星期一，請記住。", "發版在星期一", memory.Fact},

		{"记住：部署用 make ship。", "部署用 make ship。", memory.Fact},
		{"请记住测试数据库在 5433 端口。", "测试数据库在 5433 端口。", memory.Fact},
		{"牢记生产环境只读。", "生产环境只读。", memory.Fact},
		{"别忘了更新版本号。", "更新版本号。", memory.Fact},
		{"从现在开始用简体中文回答", "用简体中文回答", memory.Preference},
		{"以后都不要改生成的文件。", "都不要改生成的文件。", memory.Preference},
		{"永远不要提交密钥。", "永远不要提交密钥。", memory.Preference},
		{"请务必先备份。", "务必先备份。", memory.Preference},
		{"修好这个 bug，以后都先跑测试。", "都先跑测试。", memory.Preference},
		{"请记住部署步骤：先构建，再上传。", "部署步骤：先构建，再上传。", memory.Procedure},
	}
	for _, tt := range tests {
		got := capture.Explicit(tt.prompt)
		if len(got) != 1 {
			t.Errorf("Explicit(%q) = %+v, want one statement", tt.prompt, got)
			continue
		}
		kind := memory.Semantic
		if tt.topic == memory.Procedure {
			kind = memory.Procedural
		}
		want := capture.Statement{Text: tt.text, Topic: tt.topic, Kind: kind, Rule: got[0].Rule}
		if diff := cmp.Diff(want, got[0]); diff != "" || got[0].Rule == "" {
			t.Errorf("Explicit(%q): %s", tt.prompt, diff)
		}
	}
}

func TestExplicitPassesOverEverythingElse(t *testing.T) {
	for _, prompt := range []string{
		"", "ok", "繼續", "Fix the failing test.",
		"Do you remember the port of the staging database?", "do you remember what we decided", "Remember when we broke prod?", "remember when we broke prod",
		"Can you remember what I said?", "Remember?", "Remember me?", "What should I remember about tabs?", "Did you always use tabs?", "Why never use tabs?",
		"The remember function fails.", "Rename the `remember me` checkbox.", "`remember me` is broken", "Remember me checkbox is broken.", "Remember function is slow.",
		"The error says: remember to close the file.", "The docs told me, remember to save.", "The label reads \"remember that we care\".",
		"I can't remember that.", "I remember that it worked.", "We should remember this later when we have time",
		"Never mind.", "never mind, it works", "It never works.", "it always fails", "Always fails on CI.", "Never worked for me.", "Never seen this before.", "Always a pleasure.", "Always the same error.",
		"Always crashing on start.", "Never again.", "The test is always red.", "We never use tabs.", "Always null here.",
		"In the future we might add a cache.", "Futures are polled from now on the stack", "Remember this.", "remember it",
		"```\nremember: we use tabs\n```", "~~~sh\nalways run this now\n~~~\nfix it", "> remember that we use tabs", "    # remember: always call Close first",
		"2024-05-01 12:00:01 remember that the lease expires", "[12:00:01] from now on rejecting writes", "ERROR never call this twice", "$ remember that thing",
		"<system-reminder>Remember: always use the Todo tool.</system-reminder>fix it", "<system-reminder>\nNever do that thing.", "<local-command-stdout>Remember: tabs are used</local-command-stdout>",
		"<command-args>remember that we use tabs</command-args>", "<command-message>always use tabs</command-message>",
		"你還記得資料庫的埠嗎？", "你還記得我們怎麼部署的", "還記得上次的錯誤嗎", "我不記得了。", "我記得這裡有錯。", "記得嗎？", "記得上次那個錯誤，修一下", "記住密碼功能壞了", "以後再說。", "記住了", "他們一律拒絕。", "CI 一律失敗，看一下", "API 一律超時",
		"你还记得数据库的端口吗？", "还记得上次的错误吗", "我不记得了。", "我记得这里有错。", "记得上次那个错误，修一下", "记住密码功能坏了", "以后再说。", "为什么以后都要用 tab？", "永远不要这样做吗？",
		"按鈕上寫著：記住我的登入。", "页面提示：请记住您的密码。",
	} {
		if got := capture.Explicit(prompt); got != nil {
			t.Errorf("Explicit(%q) = %+v, want nothing", prompt, got)
		}
	}
}

func TestExplicitReadsListsPointByPoint(t *testing.T) {
	tests := []struct {
		name, prompt string
		want         []string
	}{
		{"bullets", "Please fix it.\nRemember:\n- we use tabs\n- CI runs on ARM. It is slow.\n\nThanks, always nice.", []string{"We use tabs", "CI runs on ARM. It is slow."}},
		{"numbers", "Keep in mind the following:\n\n1. tabs only\n2. no cgo\n\nNow fix it.", []string{"tabs only", "No cgo"}},
		{"Chinese", "請記住以下幾點：\n1、用繁體中文\n2、不要動 go.mod\n好了", []string{"用繁體中文", "不要動 go.mod"}},
		{"simplified", "记住：\n- 用简体中文\n- 先跑测试", []string{"用简体中文", "先跑测试"}},
		{"a line", "Remember:\nwe use tabs\nfix the test", []string{"We use tabs"}},
		{"rules in a list", "- Always use tabs\n- Never push to main\n- fix the test", []string{"Always use tabs", "Never push to main"}},
		{"several sentences", "Remember that we use tabs. Fix the test. From now on, run lint.", []string{"We use tabs.", "Run lint."}},
		{"two in one stay one", "Remember that we use tabs and that CI runs on ARM.", []string{"We use tabs and that CI runs on ARM."}},
		{"twice the same", "Always use tabs. Always use tabs.", []string{"Always use tabs."}},
		{"in a line", "Remember: 1) deploys run on Tuesdays. 2) staging is db-4. Only Mia may touch it; 3) never push to main. Now fix the test.", []string{"deploys run on Tuesdays.", "staging is db-4. Only Mia may touch it", "Never push to main."}},
		{"Chinese in a line", "请记住：一、部署在星期二。二、测试库是 db-7。三、不要直接推 main。", []string{"部署在星期二。", "测试库是 db-7。", "不要直接推 main。"}},
		{"without a colon", "記住①部署在週二②測試庫是 db-7", []string{"部署在週二", "測試庫是 db-7"}},
		{"the first behind the colon", "Remember: (1) the CI box is egret\n(2) the CD box is heron", []string{"The CI box is egret", "The CD box is heron"}},
		{"letters", "please remember the following: a) tabs only b) two reviewers", []string{"tabs only", "Two reviewers"}},
		{"another list before", "fix these: 1) the build 2) the tests. Remember: 1) tabs in this repo 2) English commits", []string{"tabs in this repo", "English commits"}},
		{"numbers that end sentences", "Remember that the crane is serviced in week 1. The lift in week 2. Both by Jonas", []string{"The crane is serviced in week 1."}},
		{"no list", "Remember that v1. is old and 2. is new", nil},
		{"nothing by itself", "the API is versioned by date, the SDK follows semver; remember both", nil},
		{"code in place of a list", "Remember this:\n```\nexport FOO=1\n```\nas our env", nil},
		{"after code", "```\nx\n```\nRemember: we use tabs", []string{"We use tabs"}},
		{"after an insert", "<system-reminder>x</system-reminder>\nNever push to main", []string{"Never push to main"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range capture.Explicit(tt.prompt) {
				got = append(got, s.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExplicitIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("Remember:\n")
	for i := range 2 * capture.MaxStatements {
		fmt.Fprintf(&b, "- point %d %s\n", i, strings.Repeat("長 word ", 150))
	}
	got := capture.Explicit(b.String())
	if want := capture.MaxStatements + 1; len(got) != want {
		t.Errorf("%d statements, want %d", len(got), want)
	}
	for _, s := range got {
		if n := utf8.RuneCountInString(s.Text); n > 600 || n < 400 || !strings.HasSuffix(s.Text, "…") || !s.Cut {
			t.Errorf("a statement of %d characters: %q", n, s.Text)
		}
	}
}

func FuzzExplicit(f *testing.F) {
	for _, s := range []string{"Remember: a\n- b\n1. c", "```\n", "<system-reminder", "記住：", "以後都", "~~~~ x", "always\xffuse", "- [x] never do it", "remember that", "X，請記住", "from now on"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		got := capture.Explicit(prompt)
		if len(got) > capture.MaxStatements+1 {
			t.Errorf("%d statements", len(got))
		}
		for _, s := range got {
			if utf8.RuneCountInString(s.Text) > 600 || strings.TrimSpace(s.Text) == "" || s.Rule == "" || s.Topic == "" || s.Kind == "" {
				t.Errorf("Explicit(%q): %+v", prompt, s)
			}
			if utf8.ValidString(prompt) && !utf8.ValidString(s.Text) {
				t.Errorf("Explicit(%q): %q is not valid UTF-8", prompt, s.Text)
			}
		}
	})
}

func BenchmarkExplicit(b *testing.B) {
	prompt := strings.Repeat("The parser fails on line 3, and I remember that it never worked, so fix it please. 記得修好它，謝謝？\n", 30)
	for b.Loop() {
		capture.Explicit(prompt)
	}
}

func TestExplicitPassesOverOrdersThatNobodyMeans(t *testing.T) {
	for _, prompt := range []string{
		"from now on every dog gets a barcode tattooed on its butt at birth and inventory is solved forever. you're welcome. anyway why does the scan rate drop on sundays",
		"I swear I'm never opening a .NET sample again, from now on they go straight in the bin. six layers. SIX.",
		"以後所有演唱會門票都送船票，再送我一晚安眠。做夢而已。座位圖的 SVG 為何在 Safari 不顯示？",
	} {
		if got := capture.Explicit(prompt); len(got) > 0 {
			t.Errorf("Explicit(%q) = %+v, want none", prompt, got)
		}
	}
	if asked := "remember: the cat reviews my schematics, haha"; len(capture.Explicit(asked)) != 1 {
		t.Errorf("Explicit(%q) is empty: who asks for memory gets it", asked)
	}
}
