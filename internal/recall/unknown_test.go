package recall_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/recall"
	"orihon/internal/terms"
)

// The line that memory holds nothing is due where somebody asks what only the
// project or the past can answer, and names it.
func TestWhatAPromptAsksAboutThatMemoryCouldNotKnow(t *testing.T) {
	for _, tc := range []struct{ prompt, named string }{
		// Questions that name something.
		{"how do the kangaroo payments reconcile?", ""},
		{"who is Priya?", "Priya"},
		{"what port does billing-gateway listen on?", "billing-gateway"},
		{"who has to review my change in internal/billing/vat.go?", "internal/billing/vat.go"},
		{"where is the Grafana dashboard?", "Grafana"},
		{`what did we decide about the "order saga"?`, "order saga"},
		{"can we do the schema change for PB-801 next week (Nov 24)?", "PB-801"},
		{"does Stripe retry our webhooks?", "Stripe"},
		{"what is MAX_RETRIES set to?", "MAX_RETRIES"},
		{"what did I tell you about Lisbon?", "Lisbon"},
		{"do you know where `deploy.sh` gets its token?", "deploy.sh"},
		{"tell me who Priya is", "Priya"},
		{"why did we choose Kafka over NATS?", "Kafka, NATS"},
		{"I am new here. Who owns the retention policy?", ""},
		{"where do the nightly reconciliation reports go", ""},
		{"企鵝帳單怎麼對帳？", ""},
		{"企鹅账单怎么对账?", ""},
		{"「雲雀」是哪個服務？", "雲雀"},
		{"Priya 是谁？", "Priya"},
		{"我們為什麼選 Kafka 而不用 NATS？", "Kafka, NATS"},
		{"PB-733 是誰負責的?", "PB-733"},
		{"正式環境的 DATABASE_URL 在哪裡設定?", "DATABASE_URL"},
		{"微信支付的商户号是多少?", ""},
		{"上次關於「訂單狀態機」的結論是什麼?", "訂單狀態機"},
		{"你還記得 billing-gateway 用哪個埠嗎?", "billing-gateway"},

		// Questions that name nothing, about the work at hand, or about the world.
		{"how do I get this onto production?", ""},
		{"why is this slow?", ""},
		{"are you sure?", ""},
		{"what should we do next?", ""},
		{"what does the error 'cannot use x (variable of type int) as string value' mean?", ""},
		{"TestCarrierSync fails on CI but passes on my machine, why?", ""},
		{"what is the difference between a mutex and a channel in Go?", ""},
		{"how do I reverse a string in Python?", ""},
		{"what is a monad?", ""},
		{"what's the best way to center a div?", ""},
		{"上線前還要做什麼?", ""},
		{"为什么编译不过?", ""},
		{"Go 的 interface 和 struct 有什么区别?", ""},
		{"这段代码是什么意思?", ""},
		{"微信付款的通知为什么会收到两次?", ""},
		{"数据库连接不够用,把连接池调到 100 可以吗?", ""},

		{"what's the time complexity of this?", ""},
		{"标签上可以印二维码给仓库扫吗?", ""},
		{"星期三早上可以部署嗎?", ""},
		{"這個迴圈什麼時候結束?", ""},
		{"新同事下週報到,要準備什麼?", ""},

		// Orders and small talk.
		{"stop", ""},
		{"let's see the diff", ""},
		{"thanks, that's all", ""},
		{"commit this", ""},
		{"add retries to the UPS client", ""},
		{"create a branch for PB-733 and start on it", ""},
		{"the button in the Header is misaligned, fix the css", ""},
		{"explain how PaymentRouter works", ""},
		{"can you read the file internal/search/ranker.go and tell me where the score is computed", ""},
		{"could you add a --verbose flag to the CLI?", ""},
		{"the UPS client gets a lot of 429s and 503s, add retries to it", ""},
		{"good morning Claude, how are you?", ""},
		{"換個寫法", ""},
		{"這個按鈕的顏色太深了,改淺一點", ""},
		{"把變數名稱改成 total", ""},
		{"可以幫我看一下 vat.go 嗎?", ""},
		{"先不要改,告訴我你的計畫", ""},
		{"再解释一遍,我没看懂", ""},
		{"顺丰下单接口一直报签名错误", ""},
		{"繼續", ""},
		{"謝謝!", ""},
	} {
		if diff := cmp.Diff(tc.named, strings.Join(recall.Unknown(tc.prompt, terms.Query(tc.prompt)), ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.prompt, diff)
		}
	}
}

func TestAPastedTextAsksNothing(t *testing.T) {
	if got := recall.Unknown("who is Priya? "+strings.Repeat("2026-03-17 worker started ", 30), []string{"priya"}); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestANameThatIsKnownIsNotTold(t *testing.T) {
	const prompt = "who is Priya, and what is \"the blue door\"?"
	for _, tt := range []struct {
		unheard []string
		want    string
	}{
		{nil, ""}, {[]string{"priya"}, "Priya"}, {[]string{"door", "priya"}, "the blue door, Priya"},
	} {
		if got := strings.Join(recall.Unknown(prompt, tt.unheard), ", "); got != tt.want {
			t.Errorf("unheard %v: got %q, want %q", tt.unheard, got, tt.want)
		}
	}
}
