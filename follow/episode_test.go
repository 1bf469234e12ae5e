package follow

import (
	"testing"

	"orihon/internal/capture"
)

func TestFailuresAreToldApartByTheirPorts(t *testing.T) {
	refused := func(said string) capture.Fix { return capture.Fix{Failed: "pnpm test", Said: said} }
	db := refused("Error: connect ECONNREFUSED 127.0.0.1:5432")
	for said, same := range map[string]bool{
		"Error: connect ECONNREFUSED 127.0.0.1:5432": true,
		"Error: connect ECONNREFUSED 127.0.0.1:6379": false,
	} {
		other := refused(said)
		if got := failureID("p", &other) == failureID("p", &db); got != same {
			t.Errorf("%s: the same failure %v", said, got)
		}
		if n := len(lasting(&record{Fixes: []capture.Fix{db, other}})); (n == 1) != same {
			t.Errorf("%s: %d failures kept", said, n)
		}
	}
	line, moved := refused("pay.test.ts:12: expected 3"), refused("pay.test.ts:40: expected 3")
	if failureID("p", &line) != failureID("p", &moved) {
		t.Error("another line is another failure")
	}
}
