package terms_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"orihon/internal/terms"
)

func TestIndexGivesTheTermsOfATextInOrder(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"punctuation only", " .,;:!? -- // '' ", ""},
		{"english is stemmed and loses its function words", "The sessions are being cached by the servers", "session cach server"},
		{"repeats stay", "cache the cache", "cach cach"},
		{"contractions", "don't it's we've users' user's can’t", "user user"},
		{"short plural", "ids dns aws css", "id dns aws css"},
		{"a lone letter is a word", "written in C or R", "written c r"},
		{"camel case", "userSessionID", "usersessionid user session id"},
		{"acronym inside", "parseHTTPRequest", "parsehttprequest pars http request"},
		{"plural of an acronym", "APIs userIDs", "api userid user id"},
		{"snake case", "user_session_id", "usersessionid user session id"},
		{"upper snake case", "MAX_IDLE_CONNS", "maxidleconn max idl conn"},
		{"kebab case", "pnpm-lock", "pnpmlock pnpm lock"},
		{"dotted", "os.ReadFile", "osreadfil os readfil read file"},
		{"spelled in one word or two", "fileName filename", "filenam file name filenam"},
		{"path with line", "internal/terms/index.go:42", "internaltermsindexgo intern term indexgo index go 42"},
		{"windows path", `C:\Users\me`, "c usersm user"},
		{"flag", "--no-verify", "noverifi verifi"},
		{"dunder", "__init__", "init"},
		{"end of a sentence", "Run it. Then stop.", "run stop"},
		{"version", "1.26.8", "1268 126 1 26 8"},
		{"version with prefix", "v1.26.8", "v1268 1268 126 v1 1 26 8"},
		{"date", "2026-11-21", "20261121 2026 11 21"},
		{"values", "v2 30s :8080 sha256 x86", "v2 2 30s 30 8080 sha256 sha 256 x86 86"},
		{"a hash stays whole", "a1b2c3d4e5f6", "a1b2c3d4e5f6"},
		{"simplified", "内存泄漏", "内存 存泄 泄漏 内 存 泄 漏"},
		{"traditional", "記憶", "记忆 记 忆"},
		{"one character", "猫", "猫"},
		{"regional and ambiguous forms", "裡裏 著着 發髮 乾干 麼么 爲為", "里里 里 里 着着 着 着 发发 发 发 干干 干 干 么么 么 么 为为 为 为"},
		{"scripts part a run", "用pnpm安装", "用 pnpm 安装 安 装"},
		{"kana", "サーバ", "サー ーバ サ ー バ"},
		{"half-width kana", "ｻｰﾊﾞ", "サー ーバ サ ー バ"},
		{"hangul", "서버", "서버 서 버"},
		{"full-width punctuation", "安装\uff0c测试\u3002", "安装 安 装 测试 测 试"},
		{"diacritics", "Ångström café Łódź Straße", "angstrom cafe lodz strass"},
		{"decomposed", "cafe\u0301", "cafe"},
		{"other alphabets", "ИВАН Ωμέγας", "иван ωμεγασ"},
		{"compatibility forms", "ＡＢＣ ﬁle x²", "abc file x2 2"},
		{"invisible characters", "ses\u00adsion to\u200bken", "session ken"},
		{"emoji", "ship 🚀 it 👍🏽", "ship"},
		{"NUL", "left\x00right", "left right"},
		{"invalid UTF-8", "left\xffright \xe4\xb8", "left right"},
		{"mixed", "修复 parseHTTPRequest 的内存", "修复 修 复 parsehttprequest pars http request 的内 内存 的 内 存"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Fields(tc.want), terms.Index(tc.text)); diff != "" {
				t.Errorf("Index(%q), -want +got:\n%s", tc.text, diff)
			}
		})
	}
}

func TestVeryLongWordsAreCutAndTheirPartsLeftOut(t *testing.T) {
	for name, word := range map[string]string{
		"ascii":    strings.Repeat("x", 1<<16),
		"cyrillic": strings.Repeat("ж", 1<<16),
		"base64":   strings.Repeat("aGVsbG8gd29ybGQ", 1<<12),
	} {
		got := terms.Index(word)
		if len(got) != 1 || utf8.RuneCountInString(got[0]) != 64 {
			t.Errorf("%s: %d terms, the first of %d characters; want one of 64", name, len(got), utf8.RuneCountInString(got[0]))
		}
	}
	long := "a/" + strings.Repeat("folder/", 40) + "file.go"
	for _, term := range terms.Index(long) {
		if len(term) > 64 {
			t.Errorf("Index of a long path gives the term %q", term)
		}
	}
}

func TestTraditionalAndSimplifiedTextHaveTheSameTerms(t *testing.T) {
	for trad, simp := range map[string]string{
		"記憶體洩漏":     "记忆体泄漏",
		"資料庫連線":     "资料库连线",
		"這個檔案裡面的設定": "这个档案里面的设定",
		"開發環境與測試":   "开发环境与测试",
		"衛生署為什麼顯著":  "卫生署为什么显着",
	} {
		if diff := cmp.Diff(terms.Index(simp), terms.Index(trad)); diff != "" {
			t.Errorf("%s and %s:\n%s", simp, trad, diff)
		}
	}
}

func FuzzTermsAreWordsThatNoTokenizerSplits(f *testing.F) {
	for _, s := range []string{
		"The user's sessions", "parseHTTPRequests user_session_ids v1.26.8", "修复 parseHTTPRequest 的内存泄漏", "記憶",
		"Ångström ﬁ ½ Ⅷ İ ſ K Ⱥ", "\xff\x00😀\u0300", "a.b/c-d_e\\f", "サーバｻ\u3099 서버 ᄀ\u0301ᅡ", "don’t o'clock 'tis", "ᏸ Ꭰ ǅ ϴ", "υ\xf7ǅ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		all := map[string]bool{}
		for _, term := range terms.Index(s) {
			all[term] = true
			if term == "" || utf8.RuneCountInString(term) > 64 {
				t.Fatalf("Index(%q) gives %q", s, term)
			}
			for _, r := range term {
				if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsNumber(r) || unicode.ToLower(r) != r {
					t.Fatalf("Index(%q) gives %q, with %q in it", s, term, r)
				}
			}
		}
		asked := map[string]bool{}
		for _, term := range terms.Query(s) {
			if asked[term] {
				t.Fatalf("Query(%q) gives %q twice", s, term)
			}
			asked[term] = true
			if len(s) <= 2000 && !all[term] {
				t.Fatalf("Query(%q) asks for %q, which Index does not store", s, term)
			}
		}
		if lang := terms.Lang(s); lang != "en" && lang != "zh-Hant" && lang != "zh-Hans" {
			t.Fatalf("Lang(%q) = %q", s, lang)
		}
		folded := terms.Fold(s)
		if !utf8.ValidString(folded) && utf8.ValidString(s) {
			t.Fatalf("Fold(%q) = %q is torn", s, folded)
		}
		text, words := terms.Prepare(s), terms.Words(s)
		for _, word := range words[:min(len(words), 50)] {
			if !text.Contains(word) {
				t.Fatalf("Prepare(%q).Contains(%q) = false for one of its words", s, word)
			}
		}
	})
}

// Texts of about 100 kB, put together from what memories look like.
var (
	prose = strings.Repeat("The retry loop around the payment provider must never hold the database connection: "+
		"when the provider stalls for thirty seconds every worker waits and the pool is drained. "+
		"Release it first, then call, then write the outcome in a second transaction. ", 400)
	code = strings.Repeat("func (s *Store) readLedger(ctx context.Context, userID string) (int64, error) {\n"+
		"\tpath := filepath.Join(s.root, \"memory/user_ledger.jsonl\")\n\treturn s.openFile(ctx, path)\n}\n", 500)
	chinese = strings.Repeat("支付服務的重試迴圈不能佔用資料庫連線\uff1a供應商卡住三十秒時\uff0c所有工作程序都在等待\u3002", 800)
)

func BenchmarkIndex(b *testing.B) {
	for _, bc := range []struct{ name, text string }{
		{"english", prose}, {"statement", prose[:250]}, {"code", code}, {"chinese", chinese},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.SetBytes(int64(len(bc.text)))
			b.ReportAllocs()
			for b.Loop() {
				terms.Index(bc.text)
			}
		})
	}
}
