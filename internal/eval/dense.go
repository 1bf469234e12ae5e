package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"orihon/internal/recall"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// Dense is what somebody else's embedding model found: for each question the
// turns, nearest first. Its vectors need not be there.
type Dense struct {
	Model string
	Ranking
}

// ReadDense reads rankings of one or more models, one question a line:
//
//	{"model": "bge-m3", "id": question, "ranked": [turns, nearest first]}
//
// Models come in the order in which they are first named. Errors name file and
// line and wrap [memory.ErrInvalid].
func ReadDense(path string) ([]Dense, error) {
	var out []Dense
	if err := readLines(path, " rankings", denseLine(&out, path)); err != nil {
		return nil, err
	}
	return out, nil
}

func denseLine(out *[]Dense, name string) func([]byte, int) error {
	return func(line []byte, number int) error {
		if err := addDense(out, line); err != nil {
			return fmt.Errorf("%s:%d: %w ranking: %w", name, number, memory.ErrInvalid, err)
		}
		return nil
	}
}

func addDense(out *[]Dense, line []byte) error {
	var row struct {
		Model  string   `json:"model"`
		ID     string   `json:"id"`
		Ranked []string `json:"ranked"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return err
	}
	if row.Model == "" || row.ID == "" || len(row.Ranked) == 0 {
		return errors.New(`want {"model", "id", "ranked": [turn ids]}`)
	}
	i := slices.IndexFunc(*out, func(d Dense) bool { return d.Model == row.Model })
	if i < 0 {
		i = len(*out)
		*out = append(*out, Dense{row.Model, make(Ranking)})
	}
	if _, twice := (*out)[i].Ranking[row.ID]; twice {
		return fmt.Errorf("model %s: question %q stands twice", row.Model, row.ID)
	}
	(*out)[i].Ranking[row.ID] = row.Ranked
	return nil
}

// Fused compares a ranking of an embedding model with recall, over the
// questions that the ranking answers.
type Fused struct {
	Model string
	// Dense is the ranking by itself; Ours recall with the settings in effect;
	// Both recall with the ranking in the place of its own vectors.
	Dense, Ours, Both *Scores
	ranking           Ranking
}

// fused are the comparisons of those rankings that know a question of the data.
func fused(dense []Dense, data []Conversation) []Fused {
	var out []Fused
	for _, d := range dense {
		if slices.ContainsFunc(data, func(c Conversation) bool {
			return slices.ContainsFunc(c.Questions, func(q Question) bool { return len(d.Ranking[q.ID]) > 0 })
		}) {
			out = append(out, Fused{Model: d.Model, ranking: make(Ranking)})
		}
	}
	return out
}

// scoreFused scores the three rankings of every comparison.
func (r *Result) scoreFused(data []Conversation, dense []Dense, o *ScoreOptions) {
	for i := range r.Fused {
		f := &r.Fused[i]
		d := dense[slices.IndexFunc(dense, func(d Dense) bool { return d.Model == f.Model })]
		var answered []Conversation
		for _, c := range data {
			var asked []Question
			for _, q := range c.Questions {
				if len(d.Ranking[q.ID]) > 0 {
					asked = append(asked, q)
				}
			}
			c.Questions = asked
			answered = append(answered, c)
		}
		f.Dense, f.Ours, f.Both = Score(answered, d.Ranking, o), Score(answered, r.Ranking, o), Score(answered, f.ranking, o)
	}
}

// askDense asks the questions of a conversation again, with each ranking in the
// place of the index's own vectors.
func (r *Result) askDense(ctx context.Context, h *home, c *Conversation, o *Options) error {
	if len(r.Fused) == 0 {
		return nil
	}
	index, err := sqlite.Open(ctx, filepath.Join(h.deep.Project().Index, "index.db"), &sqlite.Options{ReadOnly: true, Embedder: noVectors{}, Logger: o.Logger})
	if err != nil {
		return err
	}
	defer index.Close()
	all, err := index.Fetch(ctx, memory.Filter{Scopes: h.deep.Viewer().Scopes()})
	if err != nil {
		return err
	}
	passage := make(map[string]string)
	for i := range all {
		for _, turn := range h.turns([]memory.Hit{{Passage: all[i]}}) {
			passage[turn] = all[i].ID
		}
	}
	for i := range r.Fused {
		f := &r.Fused[i]
		d := o.Dense[slices.IndexFunc(o.Dense, func(d Dense) bool { return d.Model == f.Model })]
		leg := &denseLeg{Index: index, model: d.Model}
		set := settings(o).Recall
		settings := recall.Settings{
			Candidates: Depth, MaxTerms: set.MaxTerms, CommonShare: set.CommonShare,
			RecencyWeight: set.RecencyWeight, AccessWeight: set.AccessWeight, Fusion: recall.Fusion(set.Fusion),
		}
		settings.Leave(set.Without...)
		e := recall.New(&recall.Options{Settings: settings, Now: func() time.Time { return h.clock }, Logger: o.Logger}, recall.Source{Name: "project", Index: leg})
		for j := range c.Questions {
			q := &c.Questions[j]
			if leg.scores = byRank(d.Ranking[q.ID], passage); len(leg.scores) == 0 {
				continue
			}
			found, err := rank(ctx, e.Recall, q, h.deep.Viewer())
			if err != nil {
				return err
			}
			f.ranking[q.ID] = h.turns(found)
		}
	}
	return nil
}

// byRank gives the passages of ranked turns cosines by their rank, since none are
// published.
func byRank(ranked []string, passage map[string]string) map[string]float64 {
	out := make(map[string]float64)
	for i, turn := range ranked {
		if id := passage[turn]; id != "" && out[id] == 0 {
			out[id] = cosine(i + 1)
		}
	}
	return out
}

// cosine is what the k-th nearest typically has: among the 160 vectors of bge-m3
// that are published with MADial, 0.82 for the nearest, 0.77 for the fifth, 0.74
// for the tenth, 0.72 for the twentieth. That curve knows no question and no
// answer, so nothing is fitted to what is measured with it.
func cosine(rank int) float64 { return 0.82 * (1 - 0.0434*math.Log(float64(rank))) }

// denseLeg is an index whose vector leg is a ranking.
type denseLeg struct {
	memory.Index
	model  string
	scores map[string]float64 // by passage
}

// Search finds by text as the index does, and by the ranking. An index of vectors
// has a cosine for every passage: what is not named lies behind the last.
func (x *denseLeg) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	s.Vector = nil
	found, err := x.Index.Search(ctx, s)
	if err != nil {
		return found, err
	}
	all, err := x.Index.Fetch(ctx, s.Filter)
	have := make(map[string]bool, len(found.Hits))
	for i := range found.Hits {
		have[found.Hits[i].Passage.ID] = true
	}
	for i := range all {
		if !have[all[i].ID] {
			found.Hits = append(found.Hits, memory.Candidate{Passage: all[i]})
		}
	}
	last := cosine(len(x.scores) + 1)
	for i := range found.Hits {
		h := &found.Hits[i]
		h.Vector = max(last, x.scores[h.Passage.ID])
	}
	found.Embedder = "published/" + x.model
	return found, err
}

// noVectors stands for an embedder of which only rankings are published.
type noVectors struct{}

// ID implements [memory.Embedder].
func (noVectors) ID() string { return "published" }

// Embed implements [memory.Embedder].
func (noVectors) Embed(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("only rankings are published")
}
