package capture

import "testing"

func TestUsed(t *testing.T) {
	tests := []struct {
		name, passage, asked, did string
		want                      bool
	}{
		{"a command is followed", "We deploy with make ship, never with kubectl directly", "Deploy it please", `{"command":"make ship"} Shipped it.`, true},
		{"a value comes back", "The staging database listens on port 6543", "why does the connection fail?", "The port is wrong: staging wants 6543.", true},
		{"an identifier comes back", "Retries live in fetchWithBackoff2", "where are retries?", "See fetchWithBackoff2.", true},
		{"another matter", "The staging database listens on port 6543", "rename the button", "Renamed the button in header.tsx.", false},
		{"only words of the prompt come back", "Tests of the parser need the golden files", "why do the parser tests fail?", "The parser tests fail because of a nil map.", false},
		{"everyday words prove nothing", "Use the new file for all of the code", "what now?", "I changed the file and ran the code again.", false},
		{"Chinese", "部署一律用藍綠切換，不要直接重啟", "怎麼上線？", "我先做藍綠切換，再看監控。", true},
		{"Chinese, other script", "部署一律用藍綠切換", "怎么上线？", "先做蓝绿切换，再看监控。", true},
		{"Chinese, another matter", "部署一律用藍綠切換", "改按鈕顏色", "按鈕顏色改成紅色了。", false},
		{"nothing was done", "We deploy with make ship", "hi", "", false},
		{"an empty passage", "", "hi", "hello there", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Used(tt.passage, tt.asked, tt.did); got != tt.want {
				t.Errorf("Used(%q, %q, %q) = %v", tt.passage, tt.asked, tt.did, got)
			}
		})
	}
}
