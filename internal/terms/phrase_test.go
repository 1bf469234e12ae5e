package terms_test

import (
	"strings"
	"testing"

	"orihon/internal/terms"

	"github.com/google/go-cmp/cmp"
)

func TestFoldGivesOneFormForSearching(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"Plain ASCII, kept": "plain ascii, kept",
		"Ünïcödé ÆØ":        "unicode aeo",
		"ＦＵＬＬ\u3000width":   "full width",
		"記憶體與檔案":            "记忆体与档案",
		"记忆":                "记忆",
		"ガギ":                "ガギ",
		"a\xffb":            "a\ufffdb",
		"a\x00b":            "a\x00b",
	} {
		if got := terms.Fold(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWordsAreWholeAndUnstemmed(t *testing.T) {
	for text, want := range map[string]string{
		"Running the Tests":    "running the tests",
		"userSessionID x_y-z":  "usersessionid x y z",
		"用pnpm安装依赖 資料庫":        "用 pnpm 安装依赖 资料库",
		"v1.26 \x00\xff😀 café": "v1 26 cafe",
	} {
		if diff := cmp.Diff(strings.Fields(want), terms.Words(text)); diff != "" {
			t.Errorf("Words(%q), -want +got:\n%s", text, diff)
		}
	}
}

func TestATriggerMatchesOnWordBordersOnly(t *testing.T) {
	for _, tc := range []struct {
		text, trigger string
		want          bool
	}{
		{"Deploy to production now", "deploy", true},
		{"redeploy now", "deploy", false},
		{"deployment", "deploy", false},
		{"redeploy, then deploy", "deploy", true},
		{"the user_session table", "user session", true},
		{"the user session table", "user-session", true},
		{"the  user\n session table", "user session", true},
		{"userSession", "session", false},
		{"built in C", "C++", false},
		{"built in C++.", "c++", true},
		{"see .env.local", ".env", true},
		{"set env", ".env", false},
		{"Café au lait", "cafe", true},
		{"怎么部署到生产环境", "部署", true},
		{"怎麼部署到生產環境", "生产", true},
		{"怎么部署", "環境", false},
		{"用pnpm安装", "PNPM", true},
		{"用pnpm安装", "pnpm安裝", true},
		{"用xpnpm安装", "pnpm安裝", false},
		{"anything", "", false},
		{"anything", "  ", false},
		{"", "x", false},
		{"a\xffb", "b", true},
		{"ship 🚀 it", "🚀", true},
		{strings.Repeat("aa", 1000), "a", false},
	} {
		if got := terms.Prepare(tc.text).Contains(tc.trigger); got != tc.want {
			t.Errorf("Prepare(%q).Contains(%q) = %t, want %t", tc.text, tc.trigger, got, tc.want)
		}
	}
}

func TestLangTellsTheScriptToAnswerIn(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "en",
		"fix the tests":    "en",
		"12345 😀 \x00\xff": "en",
		"請修復記憶體洩漏":         "zh-Hant",
		"请修复内存泄漏":          "zh-Hans",
		"修复 parseHTTPRequest 的内存泄漏": "zh-Hans",
		"顯示 error":                 "en",
		"顯示所有的 error":              "zh-Hant",
		"the word 記憶 means memory": "en",
		"今天天气不好":                   "zh-Hans",
		"一二三":                      "zh-Hans",
		"著名的历史":                    "zh-Hans",
		"設定を変更してください":              "en",
		"서버 오류를 수정해 주세요":           "en",
		"他说这个の不是中文字":               "zh-Hans",
		"Исправь ошибку":           "en",
		"這個繁體字比简体字多":               "zh-Hant",
		"今次直接部署":                   "zh-Hant",
		"佢嘅分支啱先 merge 咗":           "zh-Hant",
		"佢话呢个数唔对，你话点算":             "zh-Hans", // Cantonese in simplified characters
	} {
		if got := terms.Lang(text); got != want {
			t.Errorf("Lang(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestLangLikeFollowsTheScriptOfTheUser(t *testing.T) {
	for _, tt := range []struct{ text, usual, want string }{
		{"先部署一次", "zh-Hant", "zh-Hant"},
		{"先部署一次", "", "zh-Hans"},
		{"换成新的机器", "zh-Hant", "zh-Hans"}, // it tells its script itself
		{"部署到 build.kiln.test:8443", "zh-Hant", "zh-Hant"},
		{"看板的地址改成 https://board.kiln.test/v2/list?team=ops 了", "", "zh-Hans"},
		{"看板的地址改為 https://board.kiln.test/v2/list?team=ops", "", "zh-Hant"},
		{"`kubectl rollout restart deployment/kiln` 之後要等一陣先得", "", "zh-Hant"},
		{"build.kiln.test is down again 壞了", "", "en"},
		{"log 的 span id 欄位叫 sid", "zh-Hant", "zh-Hant"},
		{"log 的 span id 欄位叫 sid", "", "en"},
		{"rename 客戶 to buyer in the form", "zh-Hant", "en"},
		{"the word 記憶 means memory", "zh-Hant", "en"},
		{"ビルド設定を本番に変更 build.kiln.test/v2/list", "", "en"},
		{"fix https://board.kiln.test/v2", "zh-Hant", "en"},
	} {
		if got := terms.LangLike(tt.text, tt.usual); got != tt.want {
			t.Errorf("LangLike(%q, %q) = %q, want %q", tt.text, tt.usual, got, tt.want)
		}
	}
}

func BenchmarkContainsPrepared(b *testing.B) {
	p := terms.Prepare(prose[:2000])
	for b.Loop() {
		p.Contains("payment gateway")
	}
}
