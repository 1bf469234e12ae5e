package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"orihon/internal/reader"
)

// The gradients of the net are what a small change of a weight changes.
func TestNetLearnsByItsGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p, err := parse([]byte(`{"text":"fix the login test. staging runs on port 8443, nobody wrote that down\nwhy does it fail?","keep":[{"span":"staging runs on port 8443, nobody wrote that down","kind":"fact"}],"not":[{"span":"fix the login test","why":"task"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	l := newNetLearner([]*prompt{p}, settings{prompts: 1, seed: 1}, netSettings{})
	for _, w := range [][]float32{flat(&l.net.Dense), flatten(l.table)} {
		for i := range w {
			w[i] = float32(0.1 * rng.NormFloat64())
		}
	}
	loss := func() float64 {
		input, _, _, begin := l.draw(p)
		sum := 0.0
		for i, scores := range l.net.Run(input, begin, nil).Scores {
			sum -= math.Log(float64(softmax(scores[:])[p.state[i]]))
		}
		return sum
	}
	l.learn(p, 1)
	checked, wrong := 0, 0
	check := func(w *float32, gradient float32) {
		const step = 2e-3
		old := *w
		*w = old + step
		more := loss()
		*w = old - step
		less := loss()
		*w = old
		checked++
		if got := (more - less) / (2 * step); math.Abs(got-float64(gradient)) > 2e-3+0.02*math.Abs(got) {
			wrong++
		}
	}
	weights, gradients := flat(&l.net.Dense), flat(&l.gradient)
	for range 400 {
		if i := rng.IntN(len(weights)); gradients[i] != 0 {
			check(&weights[i], gradients[i])
		}
	}
	for id, m := range l.moved {
		for k := range reader.WordSize {
			check(&l.table[id][k], m[k])
		}
	}
	// Where the most of a piece changes places, or a number crosses 0, they may differ.
	if len(l.moved) == 0 || checked < 500 || 50*wrong > checked {
		t.Errorf("%d of %d gradients are wrong", wrong, checked)
	}
}
