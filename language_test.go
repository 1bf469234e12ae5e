package orihon_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"orihon/memory"
)

// What tells no script is answered in the one that the user writes: in memory, or in an
// earlier session.
func TestWhatTellsNoScriptIsAnsweredInTheUsers(t *testing.T) {
	const neutral, hant, hans = "如何部署到 kiln", "📌 專案事實", "📌 项目事实"
	for name, tt := range map[string]struct {
		memory  string
		earlier []string // prompts of sessions before, one each
		prompt  string
		want    string
	}{
		"traditional memory":           {"部署到 kiln 前必須先執行 npm run build", nil, neutral, hant},
		"simplified memory":            {"部署到 kiln 前必须先执行 npm run build", nil, neutral, hans},
		"English memory":               {"Deploy to kiln with make ship", nil, "部署到 kiln 如何做", hans},
		"traditional sessions before":  {"Deploy to kiln with make ship", []string{"請先看一下這個錯誤", "ok", "run the tests"}, neutral, hant},
		"Cantonese":                    {"Deploy to kiln with make ship", nil, "今次部署到 kiln 如何做", hant},
		"a host name and a path":       {"kiln 的地址是 build.kiln.test:8443", nil, "kiln 的地址还是 https://build.kiln.test:8443/v2/list 对吗", hans},
		"the prompt itself tells most": {"部署到 kiln 前必須先執行 npm run build", nil, "部署到 kiln 之前执行什么", hans},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := holds(t, tt.memory)
			for i, earlier := range tt.earlier {
				p.told(t, "before-"+string(rune('a'+i)), earlier)
			}
			if got := p.told(t, "now", tt.prompt); !strings.Contains(got, tt.want) {
				t.Errorf("told %q, want %s", got, tt.want)
			}
		})
	}
}

// What the program writes of a session by itself is in the language that is set, else in
// that of the request and in the user's script.
func TestEpisodesAreInTheUsersLanguage(t *testing.T) {
	const neutral = "部署到 kiln"
	for name, tt := range map[string]struct {
		set     string
		earlier string // prompt of a session before
		prompts []string
		want    string // of the last request
		not     string
	}{
		"the session before tells":    {"auto", "請先看一下這個錯誤", []string{neutral}, "使用者要求", "用户要求"},
		"an earlier prompt tells":     {"auto", "", []string{"請把這個檔案改名", neutral}, "使用者要求", "用户要求"},
		"Cantonese":                   {"auto", "", []string{"今次部署到 kiln"}, "使用者要求", "用户要求"},
		"nothing tells":               {"auto", "", []string{neutral}, "用户要求", "使用者要求"},
		"a setting":                   {"zh-Hant", "", []string{"Deploy to kiln"}, "使用者要求", "The user asked"},
		"a setting, and another text": {"en", "", []string{"請部署到 kiln"}, "The user asked", "使用者要求"},
		"names of the work in it":     {"auto", "", []string{"改埋 kiln deploy script 個 timeout 佢先再試"}, "使用者要求", "The user asked"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			write(t, filepath.Join(p.dir, ".orihon", "config.yaml"), "language: "+tt.set+"\n")
			if tt.earlier != "" {
				p.prompt(t, "before", "p", tt.earlier)
			}
			for i, text := range tt.prompts {
				p.prompt(t, "now", fmt.Sprint("p", i), text)
				edit(t, p, "now", fmt.Sprint("e", i), "deploy.go")
			}
			p.end(t, "now")
			p.work(t)
			all := list(t, p.open(t), memory.Filter{Kinds: []memory.Kind{memory.Episodic}})
			if len(all) != len(tt.prompts) {
				t.Fatalf("%d episodes", len(all))
			}
			last := tt.prompts[len(tt.prompts)-1]
			for i := range all {
				if got := all[i].Item.Content; strings.Contains(got, last) && (!strings.Contains(got, tt.want) || strings.Contains(got, tt.not)) {
					t.Errorf("told %q, want %s", got, tt.want)
				}
			}
		})
	}
}

// What becomes of a prompt is told to its writer in their language, with the same
// commands.
func TestNoticesAreInTheUsersLanguage(t *testing.T) {
	const kept = "記住：部署到 kiln 前要先跑測試"
	for name, tt := range map[string]struct {
		set    string
		before string // what is kept, else nothing is
		prompt string
		want   []string
	}{
		"forgotten":    {"auto", kept, "忘記部署到 kiln 前要先跑測試那條", []string{"orihon: 已忘記：", "（要找回：orihon undo "}},
		"replaced":     {"auto", "記住：kiln 的連接埠是 8443", "記住：kiln 的連接埠是 9443", []string{"orihon: 已記住：", "（取代：kiln 的連接埠是 8443）"}},
		"everywhere":   {"auto", "", "記住，所有專案都用 UTC 寫時間", []string{"（用於您所有的專案）：", "（要收回：orihon undo ", "；只用於此專案：orihon edit "}},
		"withheld":     {"auto", "", "这条不要记：kiln 的端口是 8443", []string{"orihon: 照您的要求，这条消息不会保存"}},
		"a secret":     {"auto", "", "记住：kiln 的密码是 Wander#Ruf72", []string{"orihon: 没有记住，因为其中有机密："}},
		"noted":        {"auto", "", "对了，kiln 的测试账号是 13900000002，验证码固定 4321", []string{"orihon: 记下了：", "（要收回：orihon undo "}},
		"English":      {"auto", "Remember: the kiln port is 8443", "forget the kiln port", []string{"orihon: forgotten: "}},
		"by a setting": {"en", "", kept, []string{"orihon: remembered: "}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			write(t, filepath.Join(p.dir, ".orihon", "config.yaml"), "language: "+tt.set+"\n")
			if tt.before != "" {
				p.prompt(t, "before", "p", tt.before)
			}
			got := p.prompt(t, "now", "p", tt.prompt).Notice
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is told %q, want %q in it", tt.prompt, got, want)
				}
			}
		})
	}
}

// A question by hand that tells no script is answered in that of what is found.
func TestWhatIsLookedUpIsFramedInTheUsersScript(t *testing.T) {
	for text, want := range map[string]string{"部署到 kiln 前必須先執行 npm run build": "zh-Hant", "部署到 kiln 前必须先执行 npm run build": "zh-Hans"} {
		p, _ := holds(t, text)
		m := p.open(t)
		if r := recall(t, m, "部署到 kiln"); r.Language != want || !strings.Contains(r.Text, text) {
			t.Errorf("in %s: %s", r.Language, r.Text)
		}
		m.Close()
	}
}
