package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"orihon/memory"
	"orihon/memory/memorytest"
)

func hitIDs(r *memory.Recollection) []string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.Passage.ID)
	}
	return out
}

func TestAPromptThatSaysLittleLeansOnTheTurnsBefore(t *testing.T) {
	e := engine(t, append(fillers(),
		memorytest.Passage("wanted", "Certificates of the ferry gateway on staging are renewed by Ruth, by hand, in week 40"),
		memorytest.Passage("other", "The staging box of the search team sleeps at night"),
	)...)
	alone := ask(t, e, memory.Query{Text: "and on staging?", Viewer: ada, Threshold: 0.5})
	if slices.Equal(hitIDs(alone), []string{"wanted"}) {
		t.Fatal("the subject is not needed: this test sees no difference")
	}
	leant := ask(t, e, memory.Query{
		Text: "and on staging?", Viewer: ada, Threshold: 0.5,
		Recent: []string{"who renews the certificates of the ferry gateway in production?", "Nobody does: the load balancer renews them."},
	})
	if ids := hitIDs(leant); len(ids) == 0 || ids[0] != "wanted" {
		t.Errorf("got %v", ids)
	}
	other := ask(t, e, memory.Query{
		Text: "How long may a kangaroo sleep in the zoo of Sydney without water and food?", Viewer: ada,
		Recent: []string{"who renews the certificates of the ferry gateway on staging?"},
	})
	if ids := hitIDs(other); slices.Contains(ids, "wanted") {
		t.Errorf("a prompt with a matter of its own gets that of the turn before: %v", ids)
	}
}

func TestAnotherWordForTheSameFindsIt(t *testing.T) {
	e := engine(t, append(fillers(),
		memorytest.Passage("en", "Ship from the release branch with make harbour"),
		memorytest.Passage("zh", "緩存在 beaver 上，清除前先問 Ruth"),
	)...)
	for prompt, want := range map[string]string{"怎麼部署？": "en", "how do we deploy?": "en", "where is the cache?": "zh"} {
		if ids := hitIDs(ask(t, e, memory.Query{Text: prompt, Viewer: ada, Threshold: 0.5})); len(ids) != 1 || ids[0] != want {
			t.Errorf("%s: got %v, want %s alone", prompt, ids, want)
		}
	}
}

func TestOfAPastedLogMoreWordsAreSearchedFor(t *testing.T) {
	e := engine(t, append(fillers(),
		memorytest.Passage("wanted", "The label printer says hresult 0x80131 when its lid is open: requeue the job"),
	)...)
	var log strings.Builder
	for i := range 14 { // words that memory holds, each rarer than those that tell
		fmt.Fprintf(&log, "[10:01:%02d] worker=w%d state={ok} heap=%dm\n", i, i, 500+i)
	}
	log.WriteString("[10:01:30] printing label 88121 ... failed: hresult=0x80131\n[10:01:31] requeue job=88121\nwhat is that")
	if ids := hitIDs(ask(t, e, memory.Query{Text: log.String(), Viewer: ada})); !slices.Contains(ids, "wanted") {
		t.Errorf("got %v", ids)
	}
}
