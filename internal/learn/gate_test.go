package learn_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/learn"
	"orihon/memory"
)

func TestTheGateGivesPointsAsTheRulesSay(t *testing.T) {
	const (
		twenty, fifty, terms, asked = "20 characters", "50 characters", "technical terms", "asked for"
		value, lasting, act         = "concrete value", "not transient", "actionable"
	)
	for _, tt := range []struct {
		said   learn.Statement
		points []string
		score  float64
		want   learn.Action
	}{
		{learn.Statement{Text: "looks good"}, []string{lasting}, 0.10, learn.Skipped},
		{learn.Statement{Text: "characters, no more"}, []string{lasting}, 0.10, learn.Skipped},
		{learn.Statement{Text: "characters, no more."}, []string{twenty, lasting}, 0.25, learn.Skipped},
		{learn.Statement{Text: "今天的天氣真的很好啊"}, []string{twenty, lasting}, 0.25, learn.Skipped},
		{learn.Statement{Text: "今天的天氣真的很好"}, []string{lasting}, 0.10, learn.Skipped},
		{learn.Statement{Text: "The garden behind the old house is full of green apple trees"}, []string{twenty, fifty, lasting}, 0.35, learn.Added},
		{learn.Statement{Text: "The page now shows a list of all orders with a link to each"}, []string{twenty, fifty, lasting}, 0.35, learn.Asked},
		{learn.Statement{Text: "資料庫的索引每晚重建，花的時間比以前長了很多，大家都在等"}, []string{twenty, fifty, terms, lasting}, 0.50, learn.Added},
		{learn.Statement{Text: "The database schema is versioned"}, []string{twenty, terms, lasting}, 0.40, learn.Added},
		{learn.Statement{Text: "The database schema and the server"}, []string{twenty, terms, lasting}, 0.40, learn.Asked},
		{learn.Statement{Text: "會員卡每年要換一次"}, []string{lasting}, 0.10, learn.Added},
		{learn.Statement{Text: "The API server listens on port 8443"}, []string{twenty, terms, value, lasting}, 0.55, learn.Added},
		{learn.Statement{Text: "伺服器的設定檔在 /etc/app.yml"}, []string{twenty, terms, value, lasting}, 0.55, learn.Added},
		{learn.Statement{Text: "The API server had a timeout on port 8443"}, []string{twenty, terms, value}, 0.45, learn.Asked},
		{learn.Statement{Text: "伺服器的連接埠 8443 暫時關閉，請等一下"}, []string{twenty, terms, value}, 0.45, learn.Asked},
		{learn.Statement{Text: "You need to run make generate, then commit the code"}, []string{twenty, fifty, terms, lasting, act}, 0.65, learn.Added},
		{learn.Statement{Text: "如果部署失敗，就跑 make rollback"}, []string{twenty, terms, lasting, act}, 0.55, learn.Added},
		{learn.Statement{Text: "Use tabs", Source: memory.FromUser}, []string{asked, lasting, act}, 0.60, learn.Added},
		{learn.Statement{Text: "short", Explicit: true}, []string{asked, lasting}, 0.45, learn.Added},
		{learn.Statement{Text: "short", Source: memory.Imported}, []string{lasting}, 0.10, learn.Added},
		{learn.Statement{Text: "gotcha: retries"}, nil, 0, learn.Added},
		{learn.Statement{Text: "這裡有坑"}, []string{lasting}, 0.10, learn.Added},
		{learn.Statement{Text: "陷阱：時區"}, []string{lasting}, 0.10, learn.Added},
		{learn.Statement{Text: "A Pitfall"}, []string{lasting}, 0.10, learn.Added},
	} {
		if tt.said.Source == "" {
			tt.said.Source = memory.FromAgent
		}
		v := learn.Gate(tt.said)
		var points []string
		for _, p := range v.Points {
			points = append(points, p.Reason)
		}
		if diff := cmp.Diff(tt.points, points); diff != "" || math.Abs(v.Score-tt.score) > 1e-9 || v.Action != tt.want {
			t.Errorf("%q: %.2f, %s; want %.2f, %s (-want +got):\n%s", tt.said.Text, v.Score, v.Action, tt.score, tt.want, diff)
		}
		if v.Why() == "" {
			t.Errorf("%q: no reason", tt.said.Text)
		}
	}
}
