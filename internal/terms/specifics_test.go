package terms_test

import (
	"slices"
	"testing"

	"orihon/internal/terms"
)

func TestSpecifics(t *testing.T) {
	for _, tt := range []struct {
		text          string
		values, names []string
	}{
		{"staging sits behind 9443 now", []string{"9443"}, nil},
		{"We moved off poetry: it's uv and Python 3.12.", []string{"3.12"}, []string{"python"}},
		{"prod 30d -> 45d, every Tuesday", []string{"30d", "45d", "tuesday"}, nil},
		{"改成每周三早上10点交，用 uv 跑 bin/unpark", []string{"周三", "10"}, []string{"uv", "bin/unpark"}},
		{"三十分鐘太久", []string{"三十分"}, nil},
		{"", nil, nil},
	} {
		values, names := terms.Specifics(tt.text)
		if !slices.Equal(values, tt.values) || !slices.Equal(names, tt.names) {
			t.Errorf("%q: values %q, names %q; want %q, %q", tt.text, values, names, tt.values, tt.names)
		}
	}
}

func TestValuesThatAnswerTheSameQuestion(t *testing.T) {
	for _, tt := range []struct {
		a, b              string
		equal, comparable bool
	}{
		{"30", "30s", true, true},
		{"30s", "60s", false, true},
		{"8443", "9443", false, true},
		{"3.12", "30", false, false},
		{"10:30", "11:00", false, true},
		{"周三", "周五", false, true},
	} {
		if got := terms.SameValue(tt.a, tt.b); got != tt.equal {
			t.Errorf("%s and %s: equal is %t", tt.a, tt.b, got)
		}
		if got := terms.Comparable(tt.a, tt.b); got != tt.comparable {
			t.Errorf("%s and %s: comparable is %t", tt.a, tt.b, got)
		}
	}
}
