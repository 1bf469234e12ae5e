package revise_test

import (
	"testing"

	"orihon/internal/revise"
)

func TestAShortCorrectionGivesAnotherValue(t *testing.T) {
	for _, tt := range []struct{ told, prompt, now string }{
		{"The cache lives for 90s", "no wait, make that 45s", "The cache lives for 45s"},
		{"The cache lives for 90s", "sorry, 45", "The cache lives for 45s"},
		{"The cache lives for 90 seconds", "oops, i meant 45s", "The cache lives for 45s"},
		{"The cache lives for 90s", "that should be 45 seconds", ""}, // two units
		{"The report goes out at 7 utc", "actually 8", "The report goes out at 8 utc"},
		{"The report goes out at 7 utc", "oh and it's 8 utc, not 7", "The report goes out at 8 utc"},
		{"The proxy listens on port 9100", "no wait, make that 9200", "The proxy listens on port 9200"},
		{"Retros are on Monday", "no, Thursday", "Retros are on Thursday"},
		{"Go is pinned to 1.24", "wait no, it's 1.25", "Go is pinned to 1.25"},
		{"The freeze begins on the 3rd", "sorry, the 9th", "The freeze begins on the 9th"},
		{"快取保留 90 秒", "不對，是 45 秒", "快取保留 45 秒"},
		{"快取保留 90 秒", "啊說錯了，45 秒才對", "快取保留 45 秒"},
		{"缓存保留 90 秒", "等等，改成 45 秒", "缓存保留 45 秒"},
		{"快取保留 90 秒", "唔係，係 45 秒", "快取保留 45 秒"},
		// Another matter, an answer, an order, a question.
		{"The report goes out at 7 utc", "no, use 8 workers", ""},
		{"The report goes out at 7 utc", "8", ""},
		{"The report goes out at 7 utc", "yes, 8 please", ""},
		{"The report goes out at 7 utc", "show me the last 8 commits", ""},
		{"The report goes out at 7 utc", "actually, fix issue 8", ""},
		{"The cache lives for 90s", "actually 45?", ""},
		{"The cache lives for 90s", "no, 45 min", ""},
		{"The cache lives for 90s", "no wait, 90s", ""},
		{"快取保留 90 秒", "等 45 秒再跑一次", ""},
		{"快取保留 90 秒", "不對，第 45 行有錯", ""},
		// Nobody can tell which value is meant.
		{"The report goes out at 7 on 3 hosts", "no, 5", ""},
		{"The report goes out at 7 on 3 hosts", "5, not 7, sorry", "The report goes out at 5 on 3 hosts"},
	} {
		if now, ok := revise.Corrected(tt.prompt, tt.told); now != tt.now || ok != (tt.now != "") {
			t.Errorf("%q behind %q: %q, %v, want %q", tt.prompt, tt.told, now, ok, tt.now)
		}
	}
}
