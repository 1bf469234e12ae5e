package orihon_test

import (
	"strings"
	"testing"
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
