package activity_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/activity"
)

func TestCodesTellErrorsApart(t *testing.T) {
	for text, want := range map[string][]string{
		"Error: connect ECONNREFUSED 127.0.0.1:5432":                         {"5432"},
		"dial tcp [::1]:6379: connect: connection refused":                   {"6379"},
		"cannot reach http://localhost:9092/topics, nor redis:6379":          {"9092", "6379"},
		"src/a.ts:12:5 - error TS2304: Cannot find name 'x'.":                {"TS2304"},
		"ORA-12541: TNS: no listener":                                        {"ORA-12541"},
		"main.go:44: undefined: y, exit code 2":                              nil,
		"2026/01/31 09:26:38 INFO took 12:30, tests: 200 passed, 3 failures": nil,
	} {
		if diff := cmp.Diff(want, activity.Codes(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
