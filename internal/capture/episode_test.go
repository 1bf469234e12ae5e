package capture_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"orihon/internal/activity"
	"orihon/internal/capture"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// Sessions as they happen: one that ends well, one that was cut by a
// compaction with something still broken, one in each script.
func stories(t *testing.T) map[string]capture.Run {
	english := newStory(t)
	english.asks("hi!").
		asks("The checkout rounds VAT wrongly for carts in EUR. Find the cause and fix it, with a test. From now on always run the linter before you commit.\n```\ngot 10.01\n```").
		says("I will look at the rounding first.").
		runs("cd "+storyCWD+" && git log --oneline -5 -- cart/vat.go && git blame cart/vat.go | head -40", "abc").
		reads("cart/vat.go").reads("cart/vat.go").reads("cart/cart.go").reads("docs/tax.md").
		runs("grep -rn roundHalf .", "!Exit code 1").
		edits("cart/vat.go").
		runs("go test ./cart 2>&1 | tail -20", "!Exit code 1\n--- FAIL: TestVAT (0.00s)\n    vat_test.go:31: got 10.01, want 10.00\nFAIL").
		edits("cart/vat.go").edits("cart/vat_test.go").
		runs("go test ./cart", "!Exit code 1\n--- FAIL: TestVAT (0.00s)\n    vat_test.go:31: got 9.99, want 10.00\nFAIL").
		edits("cart/vat.go").
		runs("go test ./cart", "ok").
		says("The cause was float arithmetic. We decided to use integer cents instead of floats. The test passes now.\n\nNext steps:\n- Move the discount code to cents\n- Run the linter (golangci-lint)\n").
		asks("go on").
		asks("Now do the discounts as well, but keep the public API as it is.").
		runs("golangci-lint run", "!Exit code 2\ncart/vat.go:12:2: undefined: math.RoundHalfEven\nlevel=error msg=\"typecheck failed\"")

	traditional := newStory(t)
	traditional.asks("購物車的稅額算錯了，請找出原因並修好。以後一律用繁體中文回覆。").
		runs("git diff HEAD~1 -- cart", "diff").
		reads("cart/稅額.go").
		edits("cart/稅額.go").
		runs("go test ./cart", "!Exit code 1\n錯誤：稅額應為 10，實際是 11").
		edits("cart/稅額.go").edits("cart/稅額.go").
		runs("go test ./cart", "ok").
		says("原因是浮點數的誤差。我們決定改用整數計算。測試已經通過。\n\n下一步：\n1. 折扣也改成整數\n2. 更新說明文件\n").
		asks("折扣也一起改，不過公開的介面不要動。").
		does("Write", map[string]any{"file_path": storyCWD + "/cart/折扣.go", "content": "x"}, "ok").
		says("折扣已經改好了。")

	simplified := newStory(t)
	simplified.asks("/clear").
		asks("把日志模块换成结构化日志，并且保证旧的配置还能读。记住：不要引入新的依赖。").
		says("先看看现在的实现。").
		reads("log/log.go").
		does("TodoWrite", map[string]any{"todos": []map[string]string{
			{"content": "替换格式化函数", "status": "completed"},
			{"content": "兼容旧的配置", "status": "in_progress"},
			{"content": "补充测试", "status": "pending"},
		}}, "ok").
		edits("log/log.go").
		runs("make build", "!make: *** [build] 错误 2\nlog/log.go:8: 未定义的名字 Handler").
		runs("make build", "!make: *** [build] 错误 2\nlog/log.go:8: 未定义的名字 Handler")
	simplified.add("COMPACTION", "c1", map[string]string{"trigger": "auto"})
	simplified.asks("This session is being continued from a previous conversation that ran out of context.").
		says("我们决定采用标准库的 slog。构建还没有通过。")

	return map[string]capture.Run{"english": english.run(), "traditional": traditional.run(), "simplified": simplified.run()}
}

// only is the episode of the only request of a run.
func only(r capture.Run) (capture.Summary, bool) {
	all, _ := capture.Requests(&r)
	if len(all) != 1 {
		return capture.Summary{}, false
	}
	return capture.Episode(&all[0])
}

// request is the first request of a run.
func request(t *testing.T, r capture.Run) capture.Request {
	t.Helper()
	all, _ := capture.Requests(&r)
	if len(all) == 0 {
		t.Fatal("no request")
	}
	return all[0]
}

func names(files []capture.FileTouched) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Name)
	}
	return out
}

func TestEpisodesOfWholeSessions(t *testing.T) {
	for name, r := range stories(t) {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			all, fixes := capture.Requests(&r)
			for i := range all {
				q := &all[i]
				s, ok := capture.Episode(q)
				fmt.Fprintf(&b, "REQUEST %d: %s, an episode: %v\n\ntitle: %s\n\n%s\n", i+1, q.Outcome, ok, s.Title, s.Text)
				for _, list := range []struct {
					name    string
					entries []string
				}{{"changed", names(q.Changed)}, {"read", names(q.Read)}, {"vcs", q.VCS}, {"decisions", q.Decisions}, {"warnings", q.Warnings}, {"tags", s.Tags}} {
					fmt.Fprintf(&b, "\n%s:\n", list.name)
					for _, e := range list.entries {
						fmt.Fprintf(&b, "  %s\n", e)
					}
				}
				b.WriteString("\n")
			}
			for i := range fixes {
				fmt.Fprintf(&b, "FIX: %s\n", fixes[i].Pitfall("en"))
			}
			fmt.Fprintf(&b, "\nPAGE\n\n%s", capture.Page(&r, all))
			golden(t, name+".golden", b.String())
			checkSummary(t, r)
		})
	}
}

func TestNoEpisodeWhereNobodyAskedForAnything(t *testing.T) {
	for _, prompts := range [][]string{
		nil,
		{"hello"}, {"Good morning, Claude!"}, {"你好"}, {"早安！"}, {"早上好"}, {"哈囉"}, {"繼續"}, {"ok, go on"},
		{"/compact"}, {"/review 12 carefully"},
		{"<system-reminder>\nBuild the release\n</system-reminder>"}, {"<orihon-memory>Use the cart tests"},
		{"[Request interrupted by user for tool use]"},
		{"hi", "/clear", "謝謝"},
	} {
		var r capture.Run
		for i, p := range prompts {
			r.Prompts = append(r.Prompts, capture.Said{Seq: int64(i), Text: p})
		}
		if s, ok := only(r); ok {
			t.Errorf("%q became the episode %+v", prompts, s)
		}
	}
}

func TestTheTitleIsTheFirstSentenceThatSaysSomething(t *testing.T) {
	long := "Rewrite " + strings.Repeat("the very long sentence ", 8)
	for _, tc := range []struct{ prompt, want string }{
		{"Hi! Fix the login page. Then test it.", "Fix the login page."},
		{"你好。修好登入頁面！然後測試。", "修好登入頁面！"},
		{"# Task\n- Bump go.mod to 1.26, e.g. with go mod edit\n", "Task"},
		{"/etc/hosts is broken on the box", "/etc/hosts is broken on the box"},
		{"<system-reminder>noise</system-reminder>Port the shell script", "Port the shell script"},
		{"```\npanic: oh no\n```", "``` panic: oh no ```"},
		{long, "Rewrite the very long sentence the very long sentence the very long sentence…"},
		{strings.Repeat("測", 100), strings.Repeat("測", 79) + "…"},
	} {
		s, ok := only(capture.Run{Prompts: []capture.Said{{Text: tc.prompt}}, Actions: []activity.Action{{Tool: "Bash", Command: "make", Done: true}}})
		if !ok || s.Title != tc.want {
			t.Errorf("%q: title %q, %v; want %q", tc.prompt, s.Title, ok, tc.want)
		}
	}
}

func TestASessionThatOnlyAsksIsNoEpisode(t *testing.T) {
	r := capture.Run{Prompts: []capture.Said{{Text: "How do I deploy this?"}}, Answers: []capture.Said{{Text: "With make ship. Anything else?"}}}
	if s, ok := only(r); ok {
		t.Errorf("got %+v: a question would come back as knowledge", s)
	}
	r.Answers[0].Text = "We decided to deploy with make ship."
	if _, ok := only(r); !ok {
		t.Error("a decision was not worth an episode")
	}
}

func TestEpisodeFindsDecisionsAndNotTalkOfThem(t *testing.T) {
	said := func(text string) []string {
		return request(t, capture.Run{
			Prompts: []capture.Said{{Text: "Plan the storage"}},
			Answers: []capture.Said{{Text: text}},
		}).Decisions
	}
	for _, text := range []string{
		"We decided to keep SQLite.", "We'll use a single writer.", "Let's go with plan B.", "I use tabs instead of spaces.",
		"我們決定用整數。", "改用整數計算。", "我们决定采用标准库。", "以后统一用整数。", "最後採用方案二。",
	} {
		if diff := cmp.Diff([]string{text}, said(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{
		"We have not decided yet.", "Should we use Redis?", "Returned nil instead of an error.", "If we use Redis it costs more.",
		"which printer do we use here", "what shall I use instead of tabs", "so do we go with plan B here", "我們用哪一台印表機", "我们统一用哪个编码",
		"還沒決定用哪個。", "要不要改用整數？", "這取決於設定。", "Use the source.", "```\nwe decided nothing here\n```\nFine.",
	} {
		if got := said(text); got != nil {
			t.Errorf("%q: found %q", text, got)
		}
	}
}

func TestARequestHasAllItsFilesAndItsEpisodeSaysHowManyMore(t *testing.T) {
	for _, tc := range []struct{ prompt, more string }{
		{"Rename the package", "f02.go and 8 more"}, {"請把套件改名", "f02.go、另外 8 個"}, {"请把软件包改名", "f02.go、另外 8 个"},
	} {
		s := newStory(t)
		s.asks(tc.prompt)
		for i := range 12 {
			s.edits(fmt.Sprintf("internal/parsing/f%02d.go", i))
		}
		s.edits("internal/parsing/f11.go").reads("../other/x.go")
		q := request(t, s.run())
		want := []string{"internal/parsing/f11.go"}
		for i := range 11 {
			want = append(want, fmt.Sprintf("internal/parsing/f%02d.go", i))
		}
		if diff := cmp.Diff(want, names(q.Changed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.prompt, diff)
		}
		if e, _ := capture.Episode(&q); !strings.Contains(e.Text, tc.more) {
			t.Errorf("%s: want %q in %q", tc.prompt, tc.more, e.Text)
		}
		if diff := cmp.Diff([]string{"/home/ann/other/x.go"}, names(q.Read)); diff != "" {
			t.Errorf("%s: files read (-want +got):\n%s", tc.prompt, diff)
		}
	}
}

func TestPathsOfWindowsAreRelativeToo(t *testing.T) {
	r := capture.Run{
		CWD:     `C:\Users\ann\shop`,
		Prompts: []capture.Said{{Text: "Fix the cart"}},
		Actions: []activity.Action{
			{Tool: "Edit", Files: []string{`c:\Users\ann\shop\cart\vat.go`}, Done: true},
			{Tool: "mcp__files__write_file", Files: []string{`D:\else\x.go`}, Done: true},
			{Tool: "Edit", Files: []string{`C:\Users\ann\shop\refused.go`}, Done: true, Failed: true},
			{Tool: "Edit", Files: []string{`C:\Users\ann\shop\pending.go`}},
		},
	}
	if diff := cmp.Diff([]string{"cart/vat.go", "D:/else/x.go"}, names(request(t, r).Changed)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEpisodeKeepsQuestionsToVersionControl(t *testing.T) {
	for _, tc := range []struct {
		command string
		want    []string
	}{
		{"git log --oneline -3", []string{"git log --oneline -3"}},
		{"cd x && git -C sub --no-pager diff HEAD~1 2>&1 | head; git blame a.go", []string{"git -C sub --no-pager diff HEAD~1 2>&1", "git blame a.go"}},
		{`git log --grep "a;b | c"`, []string{`git log --grep "a;b | c"`}},
		{"GIT_PAGER=cat git show abc", []string{"git show abc"}},
		{"git commit -m 'show the log' && git push", nil},
		{"echo git log", nil},
		{"hg log\nsvn diff", []string{"hg log", "svn diff"}},
	} {
		s := newStory(t)
		s.asks("Who changed the cart?").runs(tc.command, "text")
		if diff := cmp.Diff(tc.want, request(t, s.run()).VCS); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.command, diff)
		}
	}
}

// checkSummary holds what is told of a run to its bounds.
func checkSummary(t rapid.TB, r capture.Run) {
	all, fixes := capture.Requests(&r)
	for i := range all {
		q := &all[i]
		if len(q.VCS) > 10 || len(q.Decisions) > 5 || len(q.Warnings) > 10 || q.Outcome == "" {
			t.Fatalf("too much of %+v", q)
		}
		s, ok := capture.Episode(q)
		if !ok {
			continue
		}
		if n := utf8.RuneCountInString(s.Title); n == 0 || n > 80 || strings.Contains(s.Title, "\n") {
			t.Fatalf("title %q of %d characters", s.Title, n)
		}
		if n := utf8.RuneCountInString(s.Text); n == 0 || n > 600 || strings.ContainsAny(s.Text, "\x00\n") {
			t.Fatalf("text of %d characters:\n%s", n, s.Text)
		}
		for _, e := range slices.Concat(names(q.Changed), names(q.Read), q.VCS, q.Decisions, q.Warnings, s.Tags) {
			if strings.ContainsAny(e, "\n\r\x1b") || e == "" {
				t.Fatalf("entry %q is no single line", e)
			}
		}
	}
	for i := range fixes {
		if p := fixes[i].Pitfall("en"); p == "" || utf8.RuneCountInString(p) > 300 || strings.Contains(p, "\n") {
			t.Fatalf("pitfall %q", p)
		}
	}
	capture.Page(&r, all)
}

func TestSummariesKeepTheirBoundsWhateverHappened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{
				"Fix the cart. We decided to use cents instead of floats.", "修好購物車。我們決定改用整數。以後一律用繁體中文。",
				"Remember: never push to main.", "TODO:\n- one\n- two\n\nDone.", "下一步：補測試", "- [ ] open\n- [x] done",
				strings.Repeat("a long sentence without an end ", 40), strings.Repeat("很長的句子", 80), "```\ncode", "\x1b[31mred", "\xff\xfe",
			}),
			rapid.StringOfN(rapid.RuneFrom([]rune("ab .。!?:\n-<>/`測试")), 0, 400, -1),
		)
		said := rapid.Custom(func(t *rapid.T) capture.Said {
			return capture.Said{Seq: rapid.Int64().Draw(t, "seq"), Text: text.Draw(t, "text")}
		})
		act := rapid.Custom(func(t *rapid.T) activity.Action {
			a := activity.Action{
				Tool:   rapid.SampledFrom([]string{"Read", "Edit", "Write", "Bash", "Grep", "TodoWrite", "mcp__x__write", "mcp__", ""}).Draw(t, "tool"),
				Output: text.Draw(t, "output"), Done: rapid.Bool().Draw(t, "done"), Failed: rapid.Bool().Draw(t, "failed"),
				Files: rapid.SliceOfN(text, 0, 3).Draw(t, "files"),
				Input: []byte(rapid.SampledFrom([]string{"", "{", `{"todos":[{"content":"x","status":"pending"}]}`, `{"todos":3}`}).Draw(t, "input")),
			}
			if a.Tool == "Bash" {
				a.Command = rapid.OneOf(text, rapid.SampledFrom([]string{"go test ./...", "cd a && make | tail", `echo "`, "a &&", "git diff"})).Draw(t, "command")
			}
			return a
		})
		r := capture.Run{
			Prompts: rapid.SliceOfN(said, 0, 6).Draw(t, "prompts"),
			Answers: rapid.SliceOfN(said, 0, 6).Draw(t, "answers"),
			Actions: rapid.SliceOfN(act, 0, 20).Draw(t, "actions"),
			CWD:     rapid.SampledFrom([]string{"", "/", storyCWD, `C:\x`}).Draw(t, "cwd"),
			Branch:  text.Draw(t, "branch"),
		}
		checkSummary(t, r)
	})
}
