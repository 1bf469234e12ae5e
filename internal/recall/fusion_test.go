package recall_test

import (
	"context"
	"slices"
	"testing"

	"orihon/internal/recall"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// nearest is an index whose vectors are those of a strong model, which ranks
// the passages as told.
type nearest struct {
	memory.Index
	cosine map[string]float64 // by passage; any other has unrelated
}

// unrelated is the cosine of texts that have nothing in common.
const unrelated = 0.5

func (x nearest) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	s.Vector = nil
	found, err := x.Index.Search(ctx, s)
	if err != nil {
		return found, err
	}
	all, err := x.Fetch(ctx, s.Filter)
	for i := range all {
		if !slices.ContainsFunc(found.Hits, func(c memory.Candidate) bool { return c.Passage.ID == all[i].ID }) {
			found.Hits = append(found.Hits, memory.Candidate{Passage: all[i]})
		}
	}
	for i := range found.Hits {
		found.Hits[i].Vector = max(unrelated, x.cosine[found.Hits[i].Passage.ID])
	}
	found.Embedder = "openai/strong"
	return found, err
}

// dialogue is a prompt as they are when somebody talks rather than asks: its
// words stand in no passage, except one.
const dialogue = `It has been such a long week, honestly. My manager moved the deadline twice, then the train
broke down outside the tunnel and everyone stood there for an hour without any announcement. Tonight
I would love to cook something warm, put the kettle on, and forget about spreadsheets until Monday.`

// talk is the same in Chinese.
const talk = `這星期真的太累了。主管把期限改了兩次，後來火車又在隧道外面拋錨，大家站了一個小時都沒有廣播。
今天晚上想煮點熱的東西，泡一壺熱水，星期一以前不要再想報表了。`

func TestWordsBesideAStrongModel(t *testing.T) {
	topics := func() []memory.Passage {
		return append(fillers(),
			memorytest.Passage("soup", "Her favourite comfort food is noodle soup with ginger"),
			memorytest.Passage("rest", "After stressful days she likes an evening at home"),
			memorytest.Passage("kettle", "The kettle in the office kitchen is broken"),
			memorytest.Passage("湯", "她最喜歡的療癒料理是薑味湯麵"),
			memorytest.Passage("壺", "辦公室的熱水壺壞了"),
			memorytest.Passage("e4711", "Error E4711 means that the queue is full"),
			memorytest.Passage("e4712", "Error E4712 means that the broker is gone"),
			memorytest.Passage("e4713", "Error E4713 means that a consumer is slow"),
		)
	}
	alike := map[string]float64{"e4712": 0.8, "e4713": 0.79, "e4711": 0.78}
	for _, tt := range []struct {
		name, prompt string
		cosine       map[string]float64
		want         []string
	}{
		{"no word in common: as the model ranks", "anything cosy for tonight?", map[string]float64{"rest": 0.8, "soup": 0.78, "kettle": 0.76}, []string{"rest", "soup", "kettle"}},
		{"one word of a long dialogue does not lead", dialogue, map[string]float64{"soup": 0.8, "rest": 0.78}, []string{"soup", "rest"}},
		{"長對話裡的一個詞不會排第一", talk, map[string]float64{"湯": 0.8, "rest": 0.78}, []string{"湯", "rest"}},
		{"an identifier that the model does not tell from others", "what does E4711 mean", alike, []string{"e4711"}},
		{"E4711 是什麼意思", "E4711 是什麼意思", alike, []string{"e4711"}},
		{"and in a long dialogue", dialogue + " And then there was E4711 all over the log.", alike, []string{"e4711"}},
	} {
		e := recall.New(&recall.Options{Now: clock}, recall.Source{Name: "project", Index: nearest{index(t, topics()...), tt.cosine}})
		r := ask(t, e, memory.Query{Text: tt.prompt, Threshold: -1})
		got := ids(r.Hits)
		if len(got) < len(tt.want) || !slices.Equal(got[:len(tt.want)], tt.want) {
			t.Errorf("%s: %v, want %v first", tt.name, got, tt.want)
		}
	}
}
