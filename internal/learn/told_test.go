package learn

import "testing"

func TestToldTellsEventsFromWhatHolds(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		// What happened once, and is over.
		{"Ben won the chess tournament at the library.", true},
		{"Nora was thrilled when the parcel came.", true},
		{"We did not find the key in the snow.", true},
		{"Tom visited the art museum and did not like the paintings.", true},
		{"During the outage in July the database was down for 3 hours.", true},
		{"Yesterday the dog ran away during the storm.", true},
		{"Leo felt ashamed because he forgot his words.", true},
		{"Jo read her first novel last summer.", true},
		{"On Sunday the children played in the garden until it got dark.", true},
		{"The teacher praised Mia for her drawing.", true},
		{"小美生日那天收到一台紅色腳踏車，非常開心。", true},
		{"小明与家人去海边玩，晒得很黑，特别高兴。", true},
		{"在动物园看到自己最喜欢的大象，小明很激动。", true},
		{"小紅被老師批評，覺得很委屈。", true},
		{"弟弟弄坏我的模型，我非常生气。", true},
		{"和同学吵架之后心情很差。", true},
		{"阿哲第一次坐飛機，又緊張又興奮。", true},
		{"雅婷在作文比賽中獲得第一名。", true},
		{"爸爸带小刚看了一场足球赛。", true},
		{"昨天的演講沒有人提問，我有點失望。", true},
		{"小明因为下雨没能去郊游，感到失望。", true},
		{"奶奶送小芳一本童话书，她爱不释手。", true},
		{"小明輸掉比賽後哭了。", true},
		{"上週我們在港口吃披薩。", true},
		{"小刚在体育课上摔倒，膝盖很疼。", true},
		{"聚會上小美認識一位新朋友。", true},
		{"小明参加夏令营，见到很多新朋友。", true},
		// States, habits, preferences, rules.
		{"The upload limit is 40 MB.", false},
		{"Cached values expire after an hour.", false},
		{"Failed uploads are retried three times.", false},
		{"Eva runs five kilometres every morning.", false},
		{"Ben always answers mails in German.", false},
		{"Paul is afraid of dogs.", false},
		{"Mia likes lemon cake best.", false},
		{"Use tabs in Makefiles.", false},
		{"Logs are stored in S3.", false},
		{"The admin panel is written in Vue.", false},
		{"Data needed by the report is kept for a year.", false},
		{"週會在週二早上。", false},
		{"小美每天早上跑五公里。", false},
		{"小明害怕打雷。", false},
		{"我喜歡喝不加糖的咖啡。", false},
		{"提交前必須先跑測試。", false},
		{"小刚很喜欢足球。", false},
		{"爷爷住在成都。", false},
		{"附件上限是 10 MB。", false},
		{"小芳的生日是五月三日。", false},
		{"小明是班長，性格開朗。", false},
		{"服务有三个副本。", false},
		// Events that leave a state behind.
		{"We moved the weekly sync to Thursday.", false},
		{"The database was upgraded to Postgres 16 last weekend.", false},
		{"Ben closed ticket 118 yesterday.", false},
		{"We decided to use Postgres for the queue.", false},
		{"Ann joined the platform team in May.", false},
		{"The release was postponed to 17 May.", false},
		{"Last month we migrated the builds to Buildkite.", false},
		{"小美上個月搬到高雄了。", false},
		{"我們改用 pnpm 了。", false},
		{"昨天活動預算調高到七千五百元。", false},
		{"發布日期上週推遲到5月17日了。", false},
		{"工单 118 昨天解决了。", false},
		{"小王上周离职了。", false},
		{"监控从 Zabbix 迁到了 Prometheus。", false},
		{"团队决定用 Kafka 做消息队列。", false},
		{"爷爷戒烟了。", false},
		{"小明参加夏令营，学会游泳。", false},
		{"小明上个月拿到驾照，会开车了。", false},
		{"On Friday the team grew to seven members.", false},
		{"Ben asked for short answers.", false},
	} {
		if got := read(tt.text).told(); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
}
