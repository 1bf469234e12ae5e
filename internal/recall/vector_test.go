package recall

import (
	"math"
	"testing"

	"orihon/memory"
)

func TestACosineIsReadOnTheScaleOfItsModel(t *testing.T) {
	set := Settings{}.withDefaults()
	for _, tt := range []struct {
		name, embedder string
		usual          memory.Spread
		cosine, want   float64 // of the most that it can be evidence for
	}{
		{"as many are by chance", "ollama/a/768", memory.Spread{N: 128, Mean: .5, Deviation: .05}, .58, 0},
		{"between", "ollama/a/768", memory.Spread{N: 128, Mean: .5, Deviation: .05}, .7, .5},
		{"beyond chance", "ollama/a/768", memory.Spread{N: 128, Mean: .5, Deviation: .05}, .81, 1},
		{"the same on another scale", "openai/b/1536", memory.Spread{N: 128, Mean: .1, Deviation: .1}, .5, .5},
		{"a static model's, measured", "static/x", memory.Spread{N: 128, Mean: .1, Deviation: .1}, .5, .5},
		{"too few to tell", "ollama/a/768", memory.Spread{N: 10, Mean: .5, Deviation: .01}, .65, .5},
		{"all alike", "ollama/a/768", memory.Spread{N: 128, Mean: .5}, .65, .5},
		{"the built-in scale is known", "builtin/table/x", memory.Spread{N: 128, Mean: .9, Deviation: .01}, .75, .5},
	} {
		l := set.likeness(tt.embedder, tt.usual)
		if got := l.evidence(tt.cosine) / l.most; math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: evidence %.3f, want %.3f", tt.name, got, tt.want)
		}
	}
	if got := (likeness{}).evidence(0); got != 0 {
		t.Errorf("what says nothing is evidence of %v", got)
	}
}
