package activity_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/activity"
)

func TestCommandsThatCheckTheWorkAreTold(t *testing.T) {
	for line, want := range map[string]activity.Check{
		"cd x && go test ./... | tail -5": activity.Test, "go -C x test": activity.NoCheck, "npm run test:unit": activity.Test, "mise run test:ci": activity.Test,
		"python -m pytest -q": activity.Test, "go build ./cmd": activity.Build, "make": activity.Build, "make test": activity.Test, "make testdata": activity.Test,
		"npx eslint src": activity.Lint, "mise run fmt && mise run lint": activity.Lint, "git push": activity.NoCheck, "echo go test": activity.NoCheck, "": activity.NoCheck,
		"x=$(go test ./...)": activity.NoCheck,
	} {
		if got := activity.ParseLine(line).Check(); got != want {
			t.Errorf("%q checks %q, want %q", line, got, want)
		}
	}
}

func TestAFailureIsSeenThoughTheLineEndsWell(t *testing.T) {
	for _, tc := range []struct {
		line, output         string
		failed, broke, proof bool
	}{
		{"go test ./...", "FAIL\tx 0.1s", false, false, true}, // its own end tells
		{"go test ./... | tail", "--- FAIL: TestA (0.0s)\nFAIL", false, true, true},
		{"go test ./... | tail", "ok  \tx 0.1s", false, false, true},
		{"go test ./... 2>&1 | grep reset", "[reset] false", false, false, false},
		{"go test ./... 2>&1 | grep -E 'PASS|x'", "--- PASS: TestA", false, false, true},
		{"go test ./... || true", "FAIL", false, true, true},
		{"grep FAIL x | tail", "FAIL", false, false, true},
		{"make", "x", true, true, true},
		{"ls x", "", true, false, true},
	} {
		a := activity.Action{Tool: "Bash", Command: tc.line, Output: tc.output, Done: true, Failed: tc.failed}
		if got := a.Broke(); got != tc.broke {
			t.Errorf("%q with %q broke: %v", tc.line, tc.output, got)
		}
		if got := a.Proves(); got != tc.proof {
			t.Errorf("%q with %q proves: %v", tc.line, tc.output, got)
		}
	}
}

func TestTestsThatFailedAreNamed(t *testing.T) {
	a := activity.Action{Output: "--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/b (0.0s)\nFAILED tests/test_x.py::test_y - assert\ntest m::n ... FAILED\n--- FAIL: TestA (0.1s)"}
	if diff := cmp.Diff([]string{"TestA", "TestA/b", "tests/test_x.py::test_y", "m::n"}, a.FailedTests()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatOnlyAsksChangesNothing(t *testing.T) {
	for command, want := range map[string]bool{
		"docker ps --format x":                              false,
		"helm --kube-context c -n mon history agent":        false,
		"sudo wg show dev":                                  false,
		"docker compose exec redis redis-cli config get mm": false,
		"head -c 60 a | xxd":                                false,
		"sed -n 1,4p a":                                     false,
		"find . -name x":                                    false,
		"cd a && git log":                                   false,
		"make db-up":                                        true,
		"go get example.com/x":                              true,
		"sed -i s/a/b/ list":                                true,
		"rm list":                                           true,
		"find . -name x -delete; df -h .":                   true,
		"lsof -ti:80 | xargs kill":                          true,
		"echo x >> a.conf":                                  true,
		"git lfs pull":                                      true,
	} {
		if got := activity.ParseLine(command).Changes(); got != want {
			t.Errorf("%s changes something: %v", command, got)
		}
	}
}
