package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"orihon/memory"
	"orihon/memory/memorytest"
)

func TestWhatAPromptNeeds(t *testing.T) {
	passages := append(fillers(),
		memorytest.Passage("deploy", "We deploy to production with make ship"),
		memorytest.Passage("carrier", "To add a carrier integration, copy the template and register it"),
		memorytest.Passage("cache", "After a template change purge the cache"),
		memorytest.Passage("顺丰", "顺丰接口的签名要用 MD5 再转 base64"),
	)
	code := strings.Repeat("func (q *queue) drain(max int) ([]job, error) {\n\treturn q.take(max), nil\n}\n", 40)
	e := engine(t, passages...)
	for _, tt := range []struct {
		name, prompt string
		want         []string
	}{
		{"one everyday word says too little", "what did you change?", nil},
		{"one that is not says enough", "deploy", []string{"deploy"}},
		{"a name that nobody knows makes it less likely", "add a new carrier integration for PostNL", []string{"carrier"}},
		{"of a ticket as of any other", "add a carrier integration for PN-801", []string{"carrier"}},
		{"what it asks stands before code", "how do we deploy to production?\n\n" + code, []string{"deploy"}},
		{"or behind it", code + "\nhow do we deploy to production?", []string{"deploy"}},
		{"也可以在程式碼後面", code + "\n顺丰接口的签名怎么算", []string{"顺丰"}},
		{"code alone asks nothing", code, nil},
	} {
		got := ids(ask(t, e, memory.Query{Text: tt.prompt}).Hits)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: injected %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestWordsThatMostPassagesHoldNeedNotBeCovered(t *testing.T) {
	var passages []memory.Passage
	for i := range 30 {
		passages = append(passages, memorytest.Passage(fmt.Sprintf("n%d", i), fmt.Sprintf("keeper%d is the service that keeps the ledger", i)))
	}
	r := ask(t, engine(t, passages...), memory.Query{Text: "which service keeps keeper7 and its ledger?", Threshold: -1})
	if len(r.Hits) == 0 || r.Hits[0].Passage.ID != "n7" || r.Hits[0].Relevance < 0.7 {
		t.Errorf("found %v, want n7 first, and relevant", ids(r.Hits))
	}
}
