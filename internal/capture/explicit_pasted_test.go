package capture_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/capture"
)

// What a text says that was pasted into a prompt, each sentence of which asks
// for something to be kept.
const (
	pastedGuide       = "# Contributing\n\nNever commit to main directly. Always use tabs.\n\nRemember: run make lint before every commit.\n\nFrom now on, write tests with testify."
	pastedMail        = "Hi Ann, please remember that the invoice is due on Friday. From now on, send invoices to billing@acme.example."
	pastedRules       = "Never push on Fridays.\n\nRemember: releases are cut on Mondays."
	pastedTraditional = "記住:出門前要關燈。以後一律走後門。"
	pastedSimplified  = "记住：出门前要关灯。以后一律走后门。"
)

func TestExplicitLeavesPastedTextAlone(t *testing.T) {
	long := strings.Repeat("Always use the tool that the README names. Never skip a step.\n", 200)
	for _, prompt := range []string{
		"summarise this document:\n\n" + pastedGuide,
		"Summarize the contributing guide:\n" + pastedGuide,
		"Can you summarise this document for me? I need it today.\n\n" + pastedRules,
		"what does this email mean?\n\n" + pastedMail,
		"What does this email mean?\n" + pastedMail,
		"How should I reply to this message?\n\n" + pastedRules,
		"Please translate this to French.\n\n" + pastedRules,
		"Translate into German:\n\n" + pastedRules,
		"translate this: remember that we use tabs",
		"Fix the grammar of this text\n\n" + pastedRules,
		"Is this right?\n\n" + pastedRules,
		"Please review the following:\n\n" + pastedRules,
		"I got a letter, please proofread it and explain the text below\n\n" + pastedRules,
		"Here is the email from Ben:\n\n" + pastedRules,
		"Reply to this email\n\n" + pastedRules,
		"Make this sound more polite:\n\n" + pastedRules,
		"Find mistakes in the text below.\n\n" + pastedRules,
		"Is this phishing?\n\n" + pastedRules,
		"Ann wrote:\n\n" + pastedRules,
		pastedRules + "\n\nSummarise the above.",
		pastedRules + "\n\nWhat does the above mean?",
		pastedRules + "\n\nPlease translate this text.",
		"Got this in my inbox.\n\n" + pastedMail,
		"Dear Ann,\n\nplease remember that the invoice is due on Friday.\n\nBest, Ben",
		"Login fails, see the guide.\n\n# Rules\nNever push to main.\n\nAlways use tabs.\n\nThanks!",
		long,
		"What changed?\n\n" + long,
		"Summarise this:\n" + long + "\nFrom now on, write tests with testify.",
		"Always use tabs.\n\n" + long + "Summarise the above.",

		"翻譯這段:\n\n" + pastedTraditional,
		"請把這段翻譯成英文：\n" + pastedTraditional,
		"翻譯這段：" + pastedTraditional,
		"這封信是什麼意思？\n\n" + pastedTraditional,
		"幫我總結以下內容\n\n" + pastedTraditional,
		"看看這個，對嗎？\n\n" + pastedTraditional,
		"潤稿：\n\n" + pastedTraditional,
		"同事寫的：\n\n" + pastedTraditional,
		"這份合約有什麼問題？\n\n" + pastedTraditional,
		pastedTraditional + "\n\n以上是什麼意思？",
		"收到一封信。\n\n陳經理您好，記住發票在星期五到期。以後一律寄到新地址。",
		"親愛的 Ann：\n\n記住發票在星期五到期。\n\n祝好",

		"翻译这段:\n\n" + pastedSimplified,
		"请把这段翻译成英文：\n" + pastedSimplified,
		"这封信是什么意思?\n\n" + pastedSimplified,
		"帮我总结下面的内容\n\n" + pastedSimplified,
		"看看这个,对吗?\n\n" + pastedSimplified,
		"校对：\n\n" + pastedSimplified,
		"这是合同的内容：\n\n" + pastedSimplified,
		"这篇写得怎么样？\n\n" + pastedSimplified,
		pastedSimplified + "\n\n请总结以上内容。",
		"收到一封信。\n\n陈经理您好，记住发票在星期五到期。以后一律寄到新地址。",
	} {
		if got := capture.Explicit(prompt); got != nil {
			t.Errorf("Explicit(%.80q) = %+v, want nothing", prompt, got)
		}
	}
}

func TestExplicitReadsWhatIsSaidAroundAText(t *testing.T) {
	long := strings.Repeat("The parser reads a line. It never looks back.\n\n", 200)
	tests := []struct {
		prompt string
		want   []string
	}{
		{"Fix the login.\n\nRemember: we deploy with make ship.", []string{"We deploy with make ship."}},
		{"Explain the login flow.\n\nFrom now on, answer in Chinese.", []string{"Answer in Chinese."}},
		{"Review this PR.\n\nRemember: we deploy with make ship.", []string{"We deploy with make ship."}},
		{"Why is this page slow?\n\nRemember: prod is read-only.", []string{"prod is read-only."}},
		{"Explain this function.\n\nRemember: we use tabs.", []string{"We use tabs."}},
		{"Summarise README.md for the release notes.\n\nNever push to main.", []string{"Never push to main."}},
		{"Here are our rules:\n- Never push to main.\n- Always use tabs.", []string{"Never push to main.", "Always use tabs."}},
		{"Fix the grammar in README.md.\n\nNever push to main.", []string{"Never push to main."}},
		{"Always use tabs. Translate this:\n\n" + pastedRules, []string{"Always use tabs."}},
		{"Remember: we use tabs.\n\nNow summarise this:\n\n" + pastedRules, []string{"We use tabs."}},
		{pastedRules + "\n\nSummarise the above. From now on, answer in Chinese.", []string{"Answer in Chinese."}},
		{"Hi Ann,\nremember that we use tabs.", []string{"We use tabs."}},
		{"Hi there, fix the login.\n\nRemember: we use tabs.\n\nThanks!", []string{"We use tabs."}},
		{"Never push to main.\n\n" + long + "Remember: we use tabs.", []string{"Never push to main.", "We use tabs."}},
		{"Keep in mind the following:\n- we use tabs\n- no cgo", []string{"We use tabs", "No cgo"}},

		{"修好登入。\n\n記住：部署用 make ship。", []string{"部署用 make ship。"}},
		{"解釋這段程式碼。\n\n以後都用繁體中文回答。", []string{"都用繁體中文回答。"}},
		{"看看這個專案。\n\n記住：正式環境是唯讀的。", []string{"正式環境是唯讀的。"}},
		{"我們的約定：\n- 提交訊息一律用英文", []string{"提交訊息一律用英文"}},
		{"这个报错是什么意思？\n\n记住：部署用 make ship。", []string{"部署用 make ship。"}},
		{"以後一律先寫測試。\n\n翻譯這段：\n" + pastedTraditional, []string{"一律先寫測試。"}},
		{"你好，記住部署用 make ship。", []string{"部署用 make ship。"}},
		{"修好登录。\n\n记住：部署用 make ship。", []string{"部署用 make ship。"}},
		{"解释这段代码。\n\n以后都用简体中文回答。", []string{"都用简体中文回答。"}},
		{"看看这个 bug。\n\n记住：生产环境是只读的。", []string{"生产环境是只读的。"}},
	}
	for _, tt := range tests {
		var got []string
		for _, s := range capture.Explicit(tt.prompt) {
			got = append(got, s.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Explicit(%.80q): %s", tt.prompt, diff)
		}
	}
}

func TestExplicitTellsLaterFromThisSession(t *testing.T) {
	tests := []struct{ prompt, want string }{
		{"remember this for later: the demo is on Monday", "The demo is on Monday"},
		{"Remember for later: the demo is on Monday", "The demo is on Monday"},
		{"Remember, for now we use tabs", ""},
		{"keep in mind for the rest of this session that the port is 5433", ""},
		{"Keep in mind, for this session, that we use tabs", ""},
		{"記住這個函式，等下要改", ""},
		{"記住：這次對話都用英文", ""},
		{"记住这个函数,等下要改", ""},
		{"记住，本次会话都用英文", ""},
		{"记住这个端口是 5433", "这个端口是 5433"},
	}
	for _, tt := range tests {
		got := ""
		for _, s := range capture.Explicit(tt.prompt) {
			got += s.Text
		}
		if got != tt.want {
			t.Errorf("Explicit(%q) = %q, want %q", tt.prompt, got, tt.want)
		}
	}
}

func BenchmarkExplicitOfADocument(b *testing.B) {
	prompt := strings.Repeat("Remember: the parser reads a line, and this text never looks back. 以後都用這份文件。\n\n", 10_000)
	b.SetBytes(int64(len(prompt)))
	for b.Loop() {
		capture.Explicit(prompt)
	}
}

// What a program wrote, or people in a chat, is nobody's order, wherever it ends.
func TestTheEndOfPastedOutputIsNotKeptByItself(t *testing.T) {
	for name, prompt := range map[string]string{
		"notes of a chart":   "chart installed, anything odd?\nNAME: mailer\nNAMESPACE: web\nSTATUS: deployed\nNOTES:\nThe queue can be reached at mailer:5672.\nAlways drain the queue before an upgrade.\nNever scale the mailer to zero.",
		"a table and events": "pods look like this\nNAME       READY   STATUS    RESTARTS\nmailer-0   0/1     Pending   4\nEvents:\n  Warning  Failed  2m  kubelet  Back-off pulling image\nnever restart the mailer by hand",
		"a webhook's error":  "apply failed, output:\nError from server (Forbidden): error when creating \"job.yaml\": admission webhook \"guard.web\" denied the request:\n[owner-label] label \"owner\" is missing\nNever run jobs without an owner.",
		"a chat":             "slack:\nmarta  14:02\nfrom now on call me before you touch the crane\nlukas  14:05\nok, always",
		"a chat in Chinese":  "群组里：\n阿明 下午 2:05\n以后一律先打给我再动吊车",
		"a trace":            "Traceback (most recent call last):\n  File \"/srv/app.py\", line 3, in <module>\n    run()\nalways close the pool before forking",
		"a motd":             "*****************************\n** WELCOME TO HALL3-GATEWAY **\n*****************************\nRemember: backups run at night.",
	} {
		t.Run(name, func(t *testing.T) {
			if got := capture.Explicit(prompt); len(got) > 0 {
				t.Errorf("kept: %+v", got)
			}
			for _, s := range capture.State(prompt, time.Time{}) {
				if s.Sure() {
					t.Errorf("kept: %+v", s)
				}
			}
		})
	}
}

func TestWhoGoesOnBehindOutputIsHeard(t *testing.T) {
	const output = "NAME       READY   STATUS\nmailer-0   0/1     Pending\n"
	for prompt, want := range map[string]string{
		output + "\nwhat is wrong there? from now on call the mailer \"post\".": "Call the mailer \"post\".",
		output + "I see. Never restart the mailer by hand.":                     "Never restart the mailer by hand.",
		"```\n" + output + "```\nNever restart the mailer by hand.":             "Never restart the mailer by hand.",
		"> " + output + "> Pending\nNever restart the mailer by hand.":          "Never restart the mailer by hand.",
		"Never restart the mailer by hand.\n\n" + output:                        "Never restart the mailer by hand.",
		output + "\n帮我看看。以后都用 helm 重启。":                                         "都用 helm 重启。",
		"IMPORTANT: never push to main\nNOTE: always use tabs in the makefile":  "",
	} {
		got := capture.Explicit(prompt)
		if want == "" && len(got) == 0 || want != "" && (len(got) != 1 || got[0].Text != want) {
			t.Errorf("Explicit(%q) = %+v, want %q", prompt, got, want)
		}
	}
}

// What stands in a frame gives no orders: an element, a terminal's window, what a line
// names the source of. What may be its writer's own is left to others to decide.
func TestWhatIsFramedGivesNoOrders(t *testing.T) {
	for _, prompt := range []string{
		"<document>\nRemember: releases are cut on Mondays\n</document>\nwhat is missing in it?",
		"<tool_output>\nFrom now on, always use tabs.\n</tool_output>\nso what next?",
		"<file path=\"HACKING.md\">\n# Rules\nRemember: releases are cut on Mondays\n</file>",
		"<peer-session-message from=\"b\">remember: releases are cut on Mondays</peer-session-message>",
		"<search_results>\n記住：星期一發版\n</search_results>\n怎麼看？",
		"<notes>\nRemember: releases are cut on Mondays\n</notes>\nwhat is missing in it?",
		"$ cat HACKING\nRemember: releases are cut on Mondays\n$ go vet\nvet: no such tool\nwhy is that?",
		"ann@build:~/p$ cat HACKING\nRemember: releases are cut on Mondays\nann@build:~/p$ ls\nHACKING",
		"$ cat HACKING\nRemember: releases are cut on Mondays",
		"An answer from the forum:\n\nYou should remember: releases are cut on Mondays.\n\nCan that be?",
		"Found on a blog: remember: releases are cut on Mondays",
		"Issue #31\nTitle: Releases\nRemember: releases are cut on Mondays\nSteps: none",
		"HACKING.md:\n\nRemember: releases are cut on Mondays\n\ndo we do that?",
		"Cleo sent a message:\nRemember: releases are cut on Mondays",
		"Forwarded:\nRemember: releases are cut on Mondays",
		"Q: when are they cut?\nA: Remember: releases are cut on Mondays",
		"Remember: releases are cut on Mondays\n\nwhat do you think of this advice?",
		"網上看到的：記住：星期一發版",
		"网友的回答：\n\n记住：星期一发版\n\n对吗？",
		"轉發：\n記住：星期一發版",
	} {
		if got := capture.Explicit(prompt); got != nil {
			t.Errorf("%q asks for %+v", prompt, got)
		}
	}
	for prompt, want := range map[string]string{
		"fix the login\n\nRemember: releases are cut on Mondays":                                   "Releases are cut on Mondays",
		"<document>\nsome text\n</document>\nRemember: releases are cut on Mondays":                "Releases are cut on Mondays",
		"$ go vet\nvet: no such tool\n\nI forgot to install it. Remember: vet comes with go tools": "Vet comes with go tools",
		"Build rules:\nRemember: releases are cut on Mondays":                                      "Releases are cut on Mondays",
		"use <b>bold</b> here. Remember: releases are cut on Mondays":                              "Releases are cut on Mondays",
		"關於文檔：記住：星期一發版":                                                                            "星期一發版",
	} {
		got := capture.Explicit(prompt)
		if len(got) != 1 || !strings.EqualFold(got[0].Text, want) {
			t.Errorf("%q asks for %+v, want %q", prompt, got, want)
		}
	}
}
