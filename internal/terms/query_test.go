package terms_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"orihon/internal/terms"
)

func TestQueryGivesTheContentOfAPromptOnce(t *testing.T) {
	for _, tc := range []struct{ prompt, want string }{
		{"How do I fix the flaky tests? The tests fail in CI.", "fix flaki test fail ci"},
		{"ok, please fix parseHTTPRequest", "fix parsehttprequest pars http request"},
		{"continue with the Next.js router", "continu nextj next js router"},
		{"upgrade to v2.1", "upgrad v21 21 v2"},
		{"修复 parseHTTPRequest 的内存泄漏", "修复 parsehttprequest pars http request 内存 泄漏"},
		{"帮我看一下内存泄漏吗", "内存 泄漏"},
		{"請問如何設定資料庫", "设定 资料 料库"},
		{"这个应用的行为是什么", "应用 行为"},
		{"为什么功能的目的不明", "功能 目的 不明"},
		{"我的猫", "猫"},
		{"記憶", "记忆"},
		{"用pnpm安装", "pnpm 安装"},
		{"了解会话", "了解 解会 会话"},
		{"設定を変更", "设定 定を を変 変更"},
	} {
		if diff := cmp.Diff(strings.Fields(tc.want), terms.Query(tc.prompt)); diff != "" {
			t.Errorf("Query(%q), -want +got:\n%s", tc.prompt, diff)
		}
	}
}

func TestChineseIsAskedForByItsWords(t *testing.T) {
	for _, tc := range []struct{ prompt, want string }{
		// What happens to stand side by side is no word.
		{"帮我写提交信息然后推上去", "提交 信息"},
		{"幫我寫提交訊息然後推上去", "提交 讯息"},
		{"退款要怎麼處理?顧客把東西寄回來了", "退款 处理 顾客 东西"},
		{"退款要怎么处理?顾客把东西寄回来了", "退款 处理 顾客 东西"},
		{"要準備什麼?", "准备"},
		{"本地跑登录的时候验证码收不到", "本地 登录 验证 证码"},
		{"标签上可以印二维码给仓库扫吗?", "标签 二维 维码 仓库"},
		{"幫我把這兩個檔案合併成一個", "档案 合并"},
		{"新版本先给多少用户用?", "版本 用户"},
		// A character that grammar uses belongs to the words that it is part of.
		{"需求摘要的重要要求", "需求 摘要 重要 要求"},
		{"他和平地退出", "和平 退出"},
		{"存在有效的个人信息", "存在 有效 个人 信息"},
		// What is not known is asked for pair by pair, beside what is known too.
		{"颐和园的票价", "颐和 和园 票价"},
		{"布隆过滤器挡住请求", "布隆 隆过 过滤 滤器 器挡 请求"},
		{"功能不明", "功能 不明"},
		// A day of the week has one name.
		{"星期三早上可以部署嗎?", "周三 早上 部署"},
		{"禮拜天部署", "周日 部署"},
		{"每週日部署", "周日 部署"},
	} {
		if diff := cmp.Diff(strings.Fields(tc.want), terms.Query(tc.prompt)); diff != "" {
			t.Errorf("Query(%q), -want +got:\n%s", tc.prompt, diff)
		}
	}
}

func TestADayOfTheWeekIsFoundByAllOfItsNames(t *testing.T) {
	names := []string{"星期三", "週三", "周三", "礼拜三", "禮拜三"}
	for _, said := range names {
		stored := terms.Index("每" + said + "上午十點是架構會議")
		for _, asked := range names {
			for _, term := range terms.Query(asked + "可以部署嗎") {
				if term != "部署" && !slices.Contains(stored, term) {
					t.Errorf("%s is asked for by %q, which is not stored of %s", asked, term, said)
				}
			}
		}
	}
	for _, text := range []string{"星期幾", "這星期", "一周天氣"} {
		if got := terms.Query(text); slices.Contains(got, "周几") || len(got) == 0 {
			t.Errorf("Query(%q) = %q", text, got)
		}
	}
}

func TestAPromptThatOnlyAssentsAsksForNothing(t *testing.T) {
	for _, prompt := range []string{
		"", " \n", "?", "👍", "\x00\xff",
		"ok", "OK!", "k", "continue", "Continue.", "yes please", "go on", "thanks", "Thank you very much!", "sure, go ahead",
		"looks good to me", "LGTM", "that works, thanks", "keep going", "try again", "yes, do it", "carry on", "sounds good", "next",
		"繼續", "继续", "好的", "好", "可以", "行", "嗯", "謝謝", "请继续", "請繼續", "没问题,继续吧", "是的", "對", "下一步", "好的,谢谢", "太好了",
		"确认", "什么", "怎么", "如何", "我们", "的", "吗", "一下", "这个", "這個",
	} {
		if got := terms.Query(prompt); len(got) != 0 {
			t.Errorf("Query(%q) = %q, want nothing", prompt, got)
		}
	}
}

func TestOfALongPromptHeadAndTailAreAsked(t *testing.T) {
	filler := strings.Repeat("0123456789 ", 300)
	got := terms.Query("alpha " + filler + " middle " + filler + " omega")
	for term, want := range map[string]bool{"alpha": true, "middl": false, "omega": true} {
		if slices.Contains(got, term) != want {
			t.Errorf("Query of a long prompt: %q found = %t, want %t", term, !want, want)
		}
	}
	for _, term := range got {
		if strings.HasPrefix("0123456789", term) && len(term) < 10 {
			t.Errorf("Query of a long prompt gives the torn word %q", term)
		}
	}
	got = terms.Query("内存" + strings.Repeat("山", 1990) + "中间" + strings.Repeat("山", 1990) + "泄漏")
	if want := []string{"内存", "存山", "山山", "山泄", "泄漏"}; !slices.Equal(got, want) {
		t.Errorf("Query of a long Chinese prompt = %q, want %q", got, want)
	}
}

func TestEverydayWordsAreCommon(t *testing.T) {
	for _, text := range []string{
		"file", "running", "adds", "used", "codes", "make", "tests", "writing", "need", "wanted", "project", "please",
		"changes", "change", "always", "never", "functions", "work", "things", "new", "ways", "x", "7",
	} {
		for _, term := range terms.Index(text) {
			if !terms.Common(term) {
				t.Errorf("Common(%q) = false", term)
			}
		}
	}
	for _, pair := range []string{"文件", "代碼", "測試", "需要", "使用", "項目", "錯誤", "問題", "檔案", "程式", "訊息", "失敗"} {
		if !terms.Common(terms.Fold(pair)) {
			t.Errorf("Common(%q) = false", pair)
		}
	}
	for _, term := range []string{"", "postgresql", "pnpm", "泄漏", "内存", "deadlock", "parsehttprequest"} {
		if terms.Common(term) {
			t.Errorf("Common(%q) = true", term)
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	for _, bc := range []struct{ name, text string }{
		{"english", prose[:2000]}, {"code", code[:2000]}, {"chinese", string([]rune(chinese)[:2000])},
		{"huge", strings.Repeat(chinese, 10)},
	} {
		b.Run(bc.name, func(b *testing.B) {
			for b.Loop() {
				terms.Query(bc.text)
			}
		})
	}
}
