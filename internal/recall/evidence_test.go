package recall

import (
	"strings"
	"testing"

	"orihon/memory"
)

func TestTheTurnOfWhatReplacedSomethingComesFirst(t *testing.T) {
	turn := func(id string, score float64) memory.Hit {
		return memory.Hit{Score: score, Relevance: score, Passage: memory.Passage{ID: id, Population: memory.UserTurns}}
	}
	statement := func(id, by string, score float64, evidence ...string) memory.Hit {
		return memory.Hit{Score: score, Relevance: score, Passage: memory.Passage{ID: id, SupersededBy: by, Item: memory.Item{Metadata: memory.Metadata{Evidence: evidence}}}}
	}
	for _, c := range []struct {
		name string
		hits []memory.Hit
		want string
	}{
		{"lifted just over the old one", []memory.Hit{turn("s/1", 0.9), turn("s/2", 0.8), turn("s/3", 0.6), statement("a", "b", 0.5, "s/1"), statement("b", "", 0.4, "s/3")}, "s/3 s/1 s/2 a b"},
		{"first already", []memory.Hit{turn("s/1", 0.6), turn("s/3", 0.9), statement("a", "b", 0.5, "s/1"), statement("b", "", 0.4, "s/3")}, "s/3 s/1 a b"},
		{"the last of a chain", []memory.Hit{turn("s/1", 0.9), turn("s/2", 0.8), turn("s/3", 0.7), statement("a", "b", 0.5, "s/1"), statement("b", "c", 0.4, "s/2"), statement("c", "", 0.3, "s/3")}, "s/3 s/1 s/2 a b c"},
		{"what has little to do with the prompt stays", []memory.Hit{turn("s/1", 0.9), turn("s/2", 0.8), turn("s/3", 0.2), statement("a", "b", 0.5, "s/1"), statement("b", "", 0.4, "s/3")}, "s/1 s/2 a b s/3"},
		{"no successor there", []memory.Hit{turn("s/1", 0.9), turn("s/3", 0.6), statement("a", "b", 0.5, "s/1")}, "s/1 s/3 a"},
		{"said in the same turn", []memory.Hit{turn("s/1", 0.9), turn("s/2", 0.8), statement("a", "b", 0.5, "s/1"), statement("b", "", 0.4, "s/1")}, "s/1 s/2 a b"},
		{"a circle ends", []memory.Hit{turn("s/1", 0.9), turn("s/2", 0.8), statement("a", "b", 0.5, "s/1"), statement("b", "a", 0.4, "s/1")}, "s/1 s/2 a b"},
	} {
		var got []string
		for _, h := range heirsFirst(c.hits) {
			got = append(got, h.Passage.ID)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}
