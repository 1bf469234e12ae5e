package revise

import (
	"slices"
	"testing"
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
		values, names := specifics(tt.text)
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
		if got := equal(tt.a, tt.b); got != tt.equal {
			t.Errorf("%s and %s: equal is %t", tt.a, tt.b, got)
		}
		if got := comparable(tt.a, tt.b); got != tt.comparable {
			t.Errorf("%s and %s: comparable is %t", tt.a, tt.b, got)
		}
	}
}

func TestOfTwoNeighboursTheOneThatIsMeantIsChanged(t *testing.T) {
	known := Against([]string{
		"Staging listens on port 8443.",
		"Production listens on port 443.",
		"Customer Lindt wants its report on the 5th.",
	})
	got := known.Read("staging sits behind 9443 these days")
	if got[0].Known != 0 || got[0].P < 2*got[1].P {
		t.Errorf("found %+v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("No, the timeout is 60 seconds", "The timeout is 30 seconds.")
	f.Add("逾時改成 60 秒了", "逾時是 30 秒")
	f.Add("\xff\x00:-/", "...")
	f.Fuzz(func(t *testing.T, prompt, known string) {
		for _, c := range Against([]string{known, prompt}).Read(prompt) {
			if c.P < 0 || c.P > 1 || c.From < 0 || c.To > len(prompt) || c.From > c.To {
				t.Errorf("%+v of %d bytes", c, len(prompt))
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	known := []string{
		"Staging listens on port 8443.", "Production listens on port 443.", "Customer Lindt wants its report on the 5th.",
		"The nightly export is owned by Ruta.", "行動版 API 的逾時是 30 秒。", "Invoices go out on the first Monday of the month.",
		"The payment gateway times out after 30 seconds.", "We deploy with make ship, never by hand.",
	}
	prompt := "the health check against staging fails since this morning, it sits behind 9443 these days, so please put that into the smoke script, and while you are at it rename check.sh to smoke.sh and tell me what else uses it"
	for b.Loop() {
		Against(known).Read(prompt)
	}
}
