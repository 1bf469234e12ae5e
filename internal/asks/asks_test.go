package asks_test

import (
	"strings"
	"testing"

	"orihon/internal/asks"
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
			if got := asks.Past(reader.Prepare(p)); got >= 0.5 != want {
				t.Errorf("%q: %.2f", p, got)
			}
		}
	}
}

func TestWhichPromptsNeedWhatOnlyThePeopleOfAProjectKnow(t *testing.T) {
	for want, prompts := range map[bool][]string{
		true: {
			"How should I deploy this service to production?", "how long do we keep logs?", "which port does staging use",
			"who signs refunds above the limit these days", "我们的预发环境在哪", "怎麼部署？",
		},
		false: {
			"", "explain what a mutex is", "write a regex for emails", "go on", "what's the difference between a list and a tuple?",
			"解释一下什么是闭包", "寫一個函式把字串反過來",
		},
	} {
		for _, p := range prompts {
			if got := asks.Memory(reader.Prepare(p)); got >= 0.5 != want {
				t.Errorf("%q: %.2f", p, got)
			}
		}
	}
}

func TestAModelIsReadAsItWasWritten(t *testing.T) {
	asking, task := reader.Prepare("what was it again?"), reader.Prepare("add a button")
	w := &asks.Weights{Bias: -1, Features: map[uint32]float64{0: 0}}
	for _, h := range asking.Features[0].Hashes {
		w.Features[h] = 0.5
	}
	for _, h := range task.Features[0].Hashes {
		w.Features[h] -= 0.5
	}
	data := string(w.Pack())
	m := asks.Open(data)
	if a, b := m.P(asking), m.P(task); a < 0.9 || b > 0.1 {
		t.Errorf("%.2f and %.2f", a, b)
	}
	for name, bad := range map[string]string{"nothing": "", "cut off": data[:len(data)-1], "of another kind": "x" + data[1:], "text": strings.Repeat("a", len(data))} {
		if p := asks.Open(bad).P(asking); p != 0 {
			t.Errorf("%s: %.2f", name, p)
		}
	}
}

func TestForget(t *testing.T) {
	for prompt, wanted := range map[string]bool{
		"forget the heap rule": true, "please stop remembering the sample interval": true, "別再記小美的分機了": true, "你记的网关那几条都清了吧": true,
		"rename the helper in utils.go": false, "don't forget to bump the version": false, "what is the phone extension of Mei?": false, "把這個函式刪掉": false, "別忘了更新文件": false,
	} {
		const sure = 0.4
		if p := asks.Forget(reader.Prepare(prompt)); (p >= sure) != wanted {
			t.Errorf("%q: %.2f", prompt, p)
		}
	}
}

func TestTakesBack(t *testing.T) {
	for prompt, wanted := range map[string]bool{
		"wrong window, that's the museum's": true, "ah no, that was a joke": true, "当我没说吧": true, "啊，那是另一家店的，貼錯了": true, "講笑咋，唔好當真": true,
		"sort the table by name": false, "revert the last commit": false, "首页加个搜索框": false, "那個判斷寫反了，改一下": false, "照做啦": false,
	} {
		const likely = 0.25
		if p := asks.TakesBack(reader.Prepare(prompt)); (p >= likely) != wanted {
			t.Errorf("%q: %.2f", prompt, p)
		}
	}
}
