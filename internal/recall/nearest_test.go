package recall_test

import (
	"slices"
	"strings"
	"testing"

	"orihon/memory"
	"orihon/memory/memorytest"
)

// searchable is a small memory to be searched by name.
func searchable(t *testing.T) func(q memory.Query) *memory.Recollection {
	t.Helper()
	e := engine(t, append(fillers(),
		memorytest.Passage("vendor", "Grafton delivers the labels on Tuesdays"),
		memorytest.Passage("queue", "rabbitmq is at 10.4.0.9:5672"),
		memorytest.Passage("sign", "Winifred signs every contract before it is printed"),
		memorytest.Passage("gate", "倉庫的閘門由小美負責"),
		memorytest.Passage("coupon", "The coupon table is kept by the bakery's own till software and must never be edited by hand"),
	)...)
	return func(q memory.Query) *memory.Recollection { return ask(t, e, q) }
}

func TestASearchFindsByNameOrKeyword(t *testing.T) {
	search := searchable(t)
	for query, want := range map[string]string{
		"Grafton": "vendor", "rabbitmq": "queue", "Winifred": "sign", "labels": "vendor", "labels Grafton": "vendor", "contract": "sign", "閘門": "gate", "小美": "gate",
	} {
		r := search(memory.Query{Text: query, Search: true})
		if got := ids(r.Hits); len(got) == 0 || got[0] != want || r.Hits[0].Weak {
			t.Errorf("%q finds %v, want %s, not as a weak one", query, got, want)
		}
	}
	// What the words of a prompt decide for a hook stays.
	if r := search(memory.Query{Text: "labels"}); len(r.Hits) > 0 {
		t.Errorf("a prompt of one word got %v", ids(r.Hits))
	}
}

func TestASearchThatNothingPassesForGivesTheNearestAsWeak(t *testing.T) {
	search := searchable(t)
	for language, mark := range map[string]string{"en": "weak match", "zh-Hans": "关联较弱", "zh-Hant": "關聯較弱"} {
		q := memory.Query{Text: "colours table layout", Search: true, Language: language}
		r := search(q)
		if got := ids(r.Hits); !slices.Equal(got, []string{"coupon"}) || !r.Hits[0].Weak || !strings.Contains(r.Text, mark) {
			t.Errorf("finds %v, want the coupon table, weak, told with %q:\n%s", got, mark, r.Text)
		}
		if q.Search = false; len(search(q).Hits) > 0 {
			t.Errorf("as a prompt got %v", ids(search(q).Hits))
		}
		if q.Search, q.Threshold = true, 0.9; len(search(q).Hits) > 0 {
			t.Errorf("with a threshold of its own got %v", ids(search(q).Hits))
		}
	}
}

func TestASearchForWhatIsUnknownFindsNothing(t *testing.T) {
	search := searchable(t)
	for _, query := range []string{"zebra", "xylophone repair", "who feeds the hamster", "退款流程", "salary of the gardener", "hello"} {
		if r := search(memory.Query{Text: query, Search: true}); len(r.Hits) > 0 {
			t.Errorf("%q finds %v", query, ids(r.Hits))
		}
	}
}
