package revise

import "testing"

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

func TestWhatAStatementSaysBesideTheValue(t *testing.T) {
	for _, tt := range []struct {
		statement, than string
		more            bool
	}{
		{"We deploy with make ship, never with kubectl", "We deploy with make release", false},
		{"The freezer audit begins on 11 March, nobody moves stock between halls until it ends", "the freezer audit moved, it begins on 14 March now", true},
		{"The label printer timeout is 45s", "make that 60s for the label printer", false},
		{"Never deploy on Fridays, Okoye writes the newsletter then", "Fridays are fine for deploys now", true},
		{"本機一律用 18081，8081 被代理佔著", "本機改用 19091", true},
	} {
		if got := SaysMore(tt.statement, tt.than); got != tt.more {
			t.Errorf("%q beside %q: %t", tt.statement, tt.than, got)
		}
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
