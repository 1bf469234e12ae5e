package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTestsAreCountedAsTheyArePrinted(t *testing.T) {
	for name, tt := range map[string]struct{ out, want string }{
		"go": {`{"Action":"run","Package":"x","Test":"TestA"}
{"Action":"output","Package":"x","Test":"TestA","Output":"--- PASS: TestA\n"}
{"Action":"pass","Package":"x","Test":"TestA","Elapsed":0}
{"Action":"fail","Package":"x","Test":"TestB","Elapsed":0}
{"Action":"skip","Package":"x","Test":"TestC","Elapsed":0}
{"Action":"fail","Package":"x","Elapsed":0.1}`, "1 1 1"},
		"cargo":        {"running 3 tests\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s\n\ntest result: ok. 5 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.1s", "7 1 2"},
		"pytest":       {"..F                                   [100%]\n1 failed, 2 passed, 1 skipped in 0.03s", "2 1 1"},
		"pytest, long": {"===== 3 passed, 2 warnings in 1.20s =====", "3 0 0"},
		"unittest":     {"Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)", "1 2 1"},
		"unittest, ok": {"Ran 2 tests in 0.001s\n\nOK", "2 0 0"},
		"maven": {`[INFO] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s - in x.T
[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1`, "2 2 1"},
		"jest":          {"Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 1 skipped, 5 passed, 7 total", "5 1 1"},
		"vitest":        {" Test Files  1 passed (1)\n      Tests  1 failed | 3 passed (4)", "3 1 0"},
		"mocha":         {"  3 passing (12ms)\n  1 pending\n  2 failing", "3 2 1"},
		"node":          {"ℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ skipped 0", "2 1 0"},
		"tap":           {"# tests 3\n# pass 3\n# fail 0", "3 0 0"},
		"in colours":    {"\x1b[1mTests:\x1b[22m       \x1b[32m5 passed\x1b[39m, 5 total", "5 0 0"},
		"nothing known": {"all good\n100 passed the gate\nfail early, pass later", "0 0 0"},
		"hostile":       {"{\"Action\":\nTests run: -3, Failures: x\nRan x tests\nOK\n" + strings.Repeat("9", 400) + " passed in 1s", "0 0 0"},
	} {
		var c counter
		for line := range strings.Lines(tt.out) {
			c.line(plain(line))
		}
		if got := fmt.Sprint(c.passed, " ", c.failed, " ", c.skipped); got != strings.Join(strings.Fields(tt.want), " ") {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestCoverageIsReadAsItIsPrinted(t *testing.T) {
	for name, tt := range map[string]struct {
		out  string
		want float64
	}{
		"pytest-cov": {"Name  Stmts  Miss  Cover\nx.py  10  1  90%\nTOTAL  100  13  87%\n1 passed in 3s", 87},
		"istanbul":   {"File      | % Stmts | % Branch | % Funcs | % Lines |\nAll files |   85.71 |      50 |     100 |   85.71 |\n x.js     |   10 |  1 | 1 | 1 |", 85.71},
		"summary":    {"Statements   : 80% ( 8/10 )\nLines        : 85.5% ( 6/7 )", 85.5},
		"llvm-cov":   {"x.rs  5 1 80.00% 2 0 100.00% 9 1 88.89%\nTOTAL 10 2 80.00% 5 1 80.00% 40 3 92.50%", 92.5},
		"go":         {"ok  \tx\t0.1s\tcoverage: 81.3% of statements", 81.3},
		"a number":   {"the tests reach 64 %", 64},
		"nothing":    {"no coverage", -1},
		"too much":   {"900%", -1},
	} {
		var p percentage
		for line := range strings.Lines(tt.out) {
			p.line(plain(line))
		}
		if got := p.value; p.found != (tt.want >= 0) || p.found && got != tt.want {
			t.Errorf("%s: %v %v, want %v", name, p.found, got, tt.want)
		}
	}
	path := filepath.Join(t.TempDir(), "profile")
	if err := os.WriteFile(path, []byte("mode: set\nx/a.go:1.1,2.2 3 1\nx/a.go:3.1,4.2 1 0\nx/a.go:1.1,2.2 3 0\nbroken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var p percentage
	if p.profile(path); !p.found || p.value != 75 {
		t.Errorf("a profile: %+v", p)
	}
}

func TestVerdicts(t *testing.T) {
	measured := func(build State, passed, failed int, cover float64) Measures {
		m := Measures{Build: Result{State: build}, Tests: Tests{Result: Result{State: OK}, Counted: true, Passed: passed, Failed: failed}, Coverage: Coverage{Result: Result{State: OK}, Counted: true, Percent: cover}}
		if failed > 0 {
			m.Tests.State = Failed
		}
		return m
	}
	nothing := Measures{Build: Result{State: Unknown}, Tests: Tests{Result: Result{State: Unknown}}, Coverage: Coverage{Result: Result{State: Unknown}}}
	uncounted := Measures{Build: Result{State: Unknown}, Tests: Tests{Result: Result{State: Failed}}, Coverage: nothing.Coverage}
	for name, tt := range map[string]struct {
		then, now Measures
		want      Verdict
	}{
		"the same":                     {measured(OK, 5, 0, 80), measured(OK, 5, 0, 80.2), Same},
		"more tests":                   {measured(OK, 5, 0, 80), measured(OK, 7, 0, 80), Progress},
		"more coverage":                {measured(OK, 5, 0, 80), measured(OK, 5, 0, 81), Progress},
		"less coverage":                {measured(OK, 5, 0, 80), measured(OK, 5, 0, 79), Regression},
		"tests were deleted":           {measured(OK, 5, 0, 80), measured(OK, 4, 0, 80), Regression},
		"one fails among more":         {measured(OK, 5, 0, 80), measured(OK, 9, 1, 90), Regression},
		"the build broke":              {measured(OK, 5, 0, 80), measured(Failed, 5, 0, 80), Regression},
		"the build was mended":         {measured(Failed, 5, 0, 80), measured(OK, 5, 0, 80), Progress},
		"fewer fail":                   {measured(OK, 5, 3, 80), measured(OK, 6, 2, 80), Progress},
		"nothing known then":           {nothing, measured(OK, 5, 0, 80), Unmeasured},
		"nothing known now":            {measured(OK, 5, 0, 80), nothing, Unmeasured},
		"uncounted tests fail now":     {measured(OK, 5, 0, 80), uncounted, Regression},
		"uncounted tests are fine now": {uncounted, measured(OK, 5, 0, 80), Progress},
	} {
		c := Comparison{Then: Checkpoint{Now: tt.then}, Now: tt.now}
		if c.judge(); c.Verdict != tt.want || (c.Verdict != Same) != (len(c.Reasons) > 0) {
			t.Errorf("%s: %s %q, want %s", name, c.Verdict, c.Reasons, tt.want)
		}
	}
}

func TestWhatAProjectShows(t *testing.T) {
	words := func(all []command) string {
		if len(all) == 0 {
			return ""
		}
		return strings.Join(all[0].words, " ")
	}
	for name, tt := range map[string]struct {
		files       map[string]string
		build, test string
		tested      bool
	}{
		"nothing":        {nil, "", "", false},
		"go":             {map[string]string{"go.mod": "", "package.json": "{}"}, "go build -o " + os.DevNull + " ./...", "go test -json -count=1 -coverprofile={profile} ./...", true},
		"node, no tests": {map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, "", "", false},
		"node, broken":   {map[string]string{"package.json": `{"scripts":`}, "", "", false},
		"python":         {map[string]string{"setup.py": ""}, "", "python3 -m unittest", false},
		"pytest-cov":     {map[string]string{"pyproject.toml": "dependencies = ['pytest', 'pytest-cov']"}, "", "python3 -m pytest -q -p no:cacheprovider --cov", true},
	} {
		d := &detector{t.TempDir()}
		for file, text := range tt.files {
			if err := os.WriteFile(filepath.Join(d.root, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var p plan
		for _, tc := range toolchains() {
			if d.has(tc.markers...) {
				p = tc.plan(d)
				break
			}
		}
		if missing := len(p.tests) > 0 && strings.HasSuffix(p.tests[0].missing, "is not installed"); missing {
			continue
		}
		if words(p.build) != tt.build || words(p.tests) != tt.test || p.tested != tt.tested {
			t.Errorf("%s: %q, %q, %v; want %q, %q, %v", name, words(p.build), words(p.tests), p.tested, tt.build, tt.test, tt.tested)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("test result: ok. 5 passed; 0 failed")
	f.Add("Tests run: 3, Failures: 1")
	f.Add("Ran 3 tests")
	f.Add("TOTAL 1% 2% 3%")
	f.Fuzz(func(t *testing.T, text string) {
		var c counter
		var p percentage
		for line := range strings.Lines(text) {
			line = plain(line)
			c.line(line)
			p.line(line)
		}
		if c.passed < 0 || c.failed < 0 || c.skipped < 0 || p.found && (p.value < 0 || p.value > 100) {
			t.Fatalf("%+v %+v", c, p)
		}
	})
}
