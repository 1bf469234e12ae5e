package askspast_test

import (
	"strings"
	"testing"

	"orihon/internal/askspast"
	"orihon/internal/reader"
)

func TestWhichPromptsAskAboutThePast(t *testing.T) {
	for want, prompts := range map[bool][]string{
		true: {
			"what did we decide about the cache?", "remind me why we dropped redis", "which of the two importers did we end up keeping, and why",
			"why do the token checks live in a package of their own?", "haven't we fixed that flicker once?\nit is back on the start page",
			"上次那个超时怎么解决的", "當初為什麼不用它？", "我们最后定的重试次数是几次来着",
		},
		false: {
			"", "fix the failing test", "how do I reverse a slice in Go?", "rename parse to read everywhere", "good morning",
			"yesterday I renamed the config package, now the build fails. please fix the imports", "add a test for the empty list",
			"加一个缓存", "把这个按钮改成蓝色", "這個測試失敗了，幫我看一下",
		},
	} {
		for _, p := range prompts {
			if got := askspast.P(p); got >= 0.5 != want {
				t.Errorf("%q: %.2f", p, got)
			}
		}
	}
}

func TestAModelIsReadAsItWasWritten(t *testing.T) {
	asks, task := reader.Prepare("what was it again?"), reader.Prepare("add a button")
	w := &askspast.Weights{Bias: -1, Features: map[uint32]float64{0: 0}}
	for _, h := range asks.Features[0].Hashes {
		w.Features[h] = 0.5
	}
	for _, h := range task.Features[0].Hashes {
		w.Features[h] -= 0.5
	}
	data := string(w.Pack())
	m := askspast.Open(data)
	if a, b := m.P(asks), m.P(task); a < 0.9 || b > 0.1 {
		t.Errorf("%.2f and %.2f", a, b)
	}
	for name, bad := range map[string]string{"nothing": "", "cut off": data[:len(data)-1], "of another kind": "x" + data[1:], "text": strings.Repeat("a", len(data))} {
		if p := askspast.Open(bad).P(asks); p != 0 {
			t.Errorf("%s: %.2f", name, p)
		}
	}
}
