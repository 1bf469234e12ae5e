package meaning_test

import (
	"testing"

	"orihon/internal/meaning"
	"orihon/internal/terms"
)

// Words that people use for one another lie nearer than words of another matter.
func TestNearInMeaning(t *testing.T) {
	table := meaning.Builtin()
	for _, c := range []struct{ text, same, other string }{
		{"deploy", "上线", "invoice"},
		{"put this on the live site", "把新版本发布到线上", "改一下发票的抬头"},
		{"the login keeps failing", "用户登录不上", "导出的表格太慢"},
		{"資料庫連線", "database connection", "font colour"},
		{"数据库连接", "資料庫連線", "字体颜色"},
		{"who approves holidays", "请假找谁批", "容器起不来"},
	} {
		vector := func(text string) meaning.Vector { return table.Encode(terms.Query(text), nil) }
		v := vector(c.text)
		if same, other := v.Cosine(vector(c.same)), v.Cosine(vector(c.other)); same < other+0.1 {
			t.Errorf("%q: %q at %.2f, %q at %.2f: the first is to be nearer", c.text, c.same, same, c.other, other)
		}
	}
}

func TestNeighbours(t *testing.T) {
	near := meaning.Builtin().Neighbours("deploy")
	if len(near) == 0 {
		t.Fatal("deploy has no neighbours")
	}
	found, last := false, 1.0
	for _, n := range near {
		if n.Cosine > last || n.Cosine <= 0 {
			t.Errorf("%s at %.2f stands behind one at %.2f", n.Word, n.Cosine, last)
		}
		last = n.Cosine
		found = found || n.Word == "部署"
	}
	if !found {
		t.Errorf("部署 is none of the neighbours of deploy: %v", near)
	}
	if near := meaning.Builtin().Neighbours("qwxzv"); near != nil {
		t.Errorf("a word that nobody knows has neighbours: %v", near)
	}
}

func TestRarity(t *testing.T) {
	table := meaning.Builtin()
	if everyday, rare := table.Rarity("servic"), table.Rarity("kubectl"); everyday >= rare {
		t.Errorf("service says %.2f, kubectl %.2f", everyday, rare)
	}
	if r := table.Rarity("qwxzv"); r != 1 {
		t.Errorf("a word never seen says %.2f", r)
	}
}

func TestNothingIsNear(t *testing.T) {
	table := meaning.Builtin()
	if v := table.Encode([]string{"qwxzv"}, nil); v != nil {
		t.Errorf("a word that nobody knows means something: %d dimensions", len(v))
	}
	var nothing meaning.Vector
	if c := nothing.Cosine(table.Encode([]string{"deploy"}, nil)); c != 0 {
		t.Errorf("nothing is near to deploy: %.2f", c)
	}
}

// What is asked for in other words is covered by the words that mean it, wherever they
// stand among others.
func TestCover(t *testing.T) {
	table := meaning.Builtin()
	cover := func(asked, text string) float64 { return table.Asked(terms.Query(asked)).Cover(terms.Query(text)) }
	for _, c := range []struct{ asked, says, other string }{
		{"who gets woken at night", "on-call goes round between Sietse and Qin", "the invoice template has a new footer"},
		{"证书哪天失效", "the TLS certificate expires on 14 November", "字体换成了思源黑体"},
		{"deploy", "deploy", "invoice"},
	} {
		if says, other := cover(c.asked, c.says), cover(c.asked, c.other); says < other+0.1 {
			t.Errorf("%q is covered by %q to %.2f, by %q to %.2f: the first is to cover it better", c.asked, c.says, says, c.other, other)
		}
	}
	if c := cover("qwxzv", "deploy"); c != 0 {
		t.Errorf("a word that nobody knows is covered to %.2f", c)
	}
	if c := cover("deploy", "qwxzv"); c != 0 {
		t.Errorf("nothing covers deploy to %.2f", c)
	}
	if c := cover("deploy", "we deploy with make ship"); c < 0.99 {
		t.Errorf("the same word covers to %.2f", c)
	}
}

func TestEncodeByWeight(t *testing.T) {
	table := meaning.Builtin()
	deploy := table.Encode([]string{"deploy"}, nil)
	mostly := table.Encode([]string{"deploy", "invoic"}, []float64{1, 0.2})
	evenly := table.Encode([]string{"deploy", "invoic"}, nil)
	if m, e := mostly.Cosine(deploy), evenly.Cosine(deploy); m <= e {
		t.Errorf("mostly deploy is at %.2f, evenly at %.2f", m, e)
	}
}

func BenchmarkEncode(b *testing.B) {
	table := meaning.Builtin()
	words := terms.Query("The export of the monthly invoices times out on staging since we moved the queue to another cluster")
	for b.Loop() {
		table.Encode(words, nil)
	}
}

func BenchmarkCover(b *testing.B) {
	table := meaning.Builtin()
	asked := table.Asked(terms.Query("The export of the monthly invoices times out on staging since we moved the queue to another cluster"))
	words := terms.Query("Reports read from the second replica, which no batch job touches; the first falls nine minutes behind at night")
	for b.Loop() {
		asked.Cover(words)
	}
}
