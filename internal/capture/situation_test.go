package capture_test

import (
	"testing"

	"orihon/internal/activity"
	"orihon/internal/capture"
)

func changed(names ...string) (out []capture.FileTouched) {
	for _, n := range names {
		out = append(out, capture.FileTouched{Name: n, Times: 1})
	}
	return out
}

func TestSituation(t *testing.T) {
	for _, tt := range []struct {
		asked string
		files []capture.FileTouched
		want  capture.Situation
	}{
		{"why is the cart slow?", nil, capture.Exploration},
		{"round the VAT per line", changed("vat.go"), capture.SmallFix},
		{"let people pay by invoice", changed("a.go", "b.go", "c.go"), capture.Change},
		{"Rename Cart to Basket everywhere", changed("a.go"), capture.Refactor},
		{"migrate the store to Postgres 17", changed("a.go", "b.go", "c.go"), capture.Migration},
		{"hotfix: checkout returns 500 since the last deploy", changed("a.go"), capture.Incident},
		{"把購物車的結構重構一下", changed("a.go"), capture.Refactor},
		{"線上故障，結帳掛了", changed("a.go"), capture.Incident},
	} {
		q := capture.Request{Title: tt.asked, Asked: tt.asked, Changed: tt.files}
		if got := q.Situation(); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.asked, got, tt.want)
		}
	}
}

func TestExperiences(t *testing.T) {
	ran := func(r capture.Result) []capture.Ran { return []capture.Ran{{Check: activity.Test, Result: r}} }
	fix := func(c []capture.Ran, checked bool, files ...string) capture.Request {
		return capture.Request{Asked: "fix it", Changed: changed(files...), Commands: c, Checked: checked, Outcome: capture.Done}
	}
	got := capture.Experiences([][]capture.Request{
		{fix(ran(capture.Passed), true, "a.go"), fix(ran(capture.Failed), true, "a.go")},
		{fix(nil, false, "b.go"), fix(nil, false, "README.md"), {Asked: "what is it?", Outcome: capture.Answered}},
	})
	if len(got) != 2 || got[0].Situation != capture.Exploration || got[1].Requests != 4 {
		t.Fatalf("%+v", got)
	}
	e := got[1]
	if e.FirstTry != (capture.Rate{Times: 3, Of: 4}) || e.Rework != (capture.Rate{Times: 1, Of: 4}) || e.Unchecked != (capture.Rate{Times: 1, Of: 3}) {
		t.Errorf("%+v", e)
	}
	if none, few, many := (capture.Rate{}), (capture.Rate{Times: 3, Of: 3}), (capture.Rate{Times: 30, Of: 30}); none.Mean() != 0.5 || few.AtLeast() >= many.AtLeast() || many.AtLeast() < 0.9 {
		t.Errorf("%.2f, %.2f, %.2f", none.Mean(), few.AtLeast(), many.AtLeast())
	}
}
