package activity_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/activity"
)

func TestToolsAreToldByTheirNames(t *testing.T) {
	const file = `{"file_path":"a.go"}`
	for _, tt := range []struct {
		tool, input string
		want        activity.Effect
	}{
		{"Read", file, activity.Reading}, {"NotebookRead", file, activity.Reading}, {"read_file", file, activity.Reading},
		{"Edit", file, activity.Editing}, {"Write", file, activity.Editing}, {"MultiEdit", file, activity.Editing},
		{"NotebookEdit", `{"notebook_path":"n.ipynb"}`, activity.Editing}, {"str_replace_based_edit_tool", `{"path":"a","command":"insert"}`, activity.Editing},
		{"apply-patch", `{"filename":"a"}`, activity.Editing}, {"mcp__files__write_file", `{"path":"a"}`, activity.Editing}, {"mcp__edit__view", file, activity.Reading},
		{"TodoWrite", `{"todos":[]}`, activity.NoEffect}, {"mcp__tracker__create_issue", `{"title":"x"}`, activity.NoEffect},
		{"Grep", file, activity.NoEffect}, {"Bash", `{"command":"cat a"}`, activity.NoEffect}, {"Reader", file, activity.NoEffect}, {"mcp__", "", activity.NoEffect}, {"", "", activity.NoEffect},
	} {
		a := activity.New(tt.tool, json.RawMessage(tt.input), nil)
		if got := a.Effect(); got != tt.want {
			t.Errorf("%s %s: effect %d, want %d", tt.tool, tt.input, got, tt.want)
		}
	}
}

func TestACallIsReadLeniently(t *testing.T) {
	type read struct {
		Command string
		Files   []string
	}
	for input, want := range map[string]read{
		`{"command":"ls","path":5}`:                      {"ls", nil},
		`{"path":"b","file_path":"a"}`:                   {"", []string{"a"}},
		`{"command":"str_replace","path":"a"}`:           {"", []string{"a"}},
		`{"command":"str_replace","notebook_path":"a"}`:  {"str_replace", []string{"a"}},
		`{"command":["ls"],"file":"x","file_path":null}`: {"", []string{"x"}},
		`["ls"]`: {}, `{`: {}, ``: {}, `null`: {},
	} {
		a := activity.New("edit", json.RawMessage(input), nil)
		if diff := cmp.Diff(want, read{a.Command, a.Files}); diff != "" {
			t.Errorf("%s: -want +got:\n%s", input, diff)
		}
	}
	a := activity.New("Grep", json.RawMessage(`{"pattern":"x","path":"p"}`), []string{"known.go"})
	if a.Telling() != "x" || a.Files[0] != "known.go" {
		t.Errorf("got %+v", a)
	}
	a.DropInput()
	if a.Telling() != "" || a.Input != nil || a.Files[0] != "known.go" {
		t.Errorf("after its input was dropped: %+v", a)
	}
}

// run is a run of calls, one a line: "ok" or what failed, the tool, and its
// command or file.
func run(lines ...string) []activity.Action {
	var log activity.Log
	for i, line := range lines {
		output, rest, _ := strings.Cut(line, " | ")
		tool, what, _ := strings.Cut(rest, " ")
		input, _ := json.Marshal(map[string]string{"file_path": what})
		if tool == "Bash" {
			input, _ = json.Marshal(map[string]string{"command": what})
		}
		a := activity.New(tool, input, nil)
		a.Iter = i + 1
		log.Call("", a)
		log.Result("", activity.Action{Tool: tool, Output: output, Failed: !strings.HasPrefix(output, "ok")})
	}
	return log.Actions
}

func TestAWiderCheckSettlesAFailure(t *testing.T) {
	for _, tc := range []struct {
		failed, passed string
		settled        bool
	}{
		{"go test ./tax -run TestVatOf", "go test -count=1 ./...", true},
		{"go test ./tax -run TestVatOf", "cd /w && go test ./tax 2>&1", true},
		{"go test ./tax/vat", "go test ./tax/...", true},
		{"go test ./tax/vat", "go test ./tax", false},
		{"go test ./tax", "go test ./cart", false},
		{"go test ./tax", "go test", false},
		{"go test ./tax", "go test ./... -run TestTotal", false},
		{"go test ./tax", "go build ./...", false},
		{"go test ./...", "go test ./tax", false},
		{"pytest tests/test_tax.py::test_vat", "pytest tests/test_tax.py", true},
		{"python -m pytest tests/test_tax.py", "python -m pytest -q tests", true},
		{"pytest tests/test_tax.py", "pytest", true},
		{"pytest", "pytest tests/test_tax.py", false},
		{"pytest tests/test_tax.py", "pytest -k total", false},
		{"cargo test vat", "cargo test", true},
		{"npm test -- vat.test.js", "npm test", true},
		{"make ship", "make test", false},
	} {
		outcomes := activity.NewOutcomes("/w", run("FAIL | Bash "+tc.failed, "ok | Edit a.go", "ok | Bash "+tc.passed))
		success, edit, _ := outcomes.Settled(0)
		if got := success != nil && edit != nil; got != tc.settled {
			t.Errorf("%s, then %s: settled %v, want %v", tc.failed, tc.passed, got, tc.settled)
		}
	}
}

func TestALaterSuccessSettlesAFailure(t *testing.T) {
	actions := run(
		"FAIL | Bash cd /w && go test ./... | tail", // 1: settled by 5, with 3 between
		"no file | Edit b.go",                       // 2: settled by 4, itself an edit
		"ok | Edit a.go",
		"ok | Write /w/b.go",
		"ok | Bash go test ./... 2>&1",
		"FAIL | Bash make ship", // 6: tried again in 8, refused in 9
		"no | Bash grep x a.go", // 7: only looks
		"FAIL again | Bash make ship",
		"The user doesn't want to take this action | Bash make ship",
	)
	outcomes := activity.NewOutcomes("/w", actions)
	type settled struct {
		By, Edit int // iterations
		Retried  bool
	}
	for failed, want := range map[int]settled{1: {5, 4, true}, 2: {4, 4, true}, 6: {0, 0, true}, 7: {}, 8: {}} {
		success, edit, retried := outcomes.Settled(failed - 1)
		got := settled{Retried: retried}
		if success != nil {
			got.By = success.Iter
		}
		if edit != nil {
			got.Edit = edit.Iter
		}
		if got != want {
			t.Errorf("failure %d: %+v, want %+v", failed, got, want)
		}
	}
	if left := outcomes.Unresolved(); len(left) != 1 || left[0].Iter != 8 {
		t.Errorf("unresolved: %v, want the second make ship", left)
	}
	var tries []string
	for _, a := range activity.Attempts(actions) {
		tries = append(tries, a.Line().Essence()+strings.Repeat(" run", a.Runs)+strings.Repeat(" failed", a.Errors))
		if a.Succeeded != (a.Runs > a.Errors) {
			t.Errorf("%+v", a)
		}
	}
	if diff := cmp.Diff([]string{"go test ./... run run failed", "make ship run run failed failed"}, tries); diff != "" {
		t.Errorf("attempts, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]activity.File{{Name: "a.go", Times: 1, Last: 3}, {Name: "b.go", Times: 1, Last: 4}}, activity.Touched("/w", actions, activity.Editing)); diff != "" {
		t.Errorf("touched, -want +got:\n%s", diff)
	}
}

func TestSubjectsTellCallsApart(t *testing.T) {
	subject := func(tool, input string) string {
		a := activity.New(tool, json.RawMessage(input), nil)
		return a.Subject("/w")
	}
	for _, same := range [][2]string{
		{subject("Edit", `{"file_path":"/w/a"}`), subject("Write", `{"file_path":"a","content":"x"}`)},
		{subject("Read", `{"file_path":"a"}`), subject("mcp__fs__read_file", `{"path":"/w/./a"}`)},
		{subject("Grep", `{"pattern":"a"}`), subject("Grep", ` { "pattern" : "a" }`)},
	} {
		if same[0] != same[1] {
			t.Errorf("%q and %q are not the same", same[0], same[1])
		}
	}
	for _, other := range [][2]string{
		{subject("Edit", `{"file_path":"a"}`), subject("Read", `{"file_path":"a"}`)},
		{subject("Grep", `{"pattern":"a","path":"x"}`), subject("Grep", `{"pattern":"b","path":"x"}`)},
		{subject("Bash", `{"command":"make a"}`), subject("Bash", `{"command":"make b"}`)},
	} {
		if other[0] == other[1] {
			t.Errorf("%q stands for two", other[0])
		}
	}
}

func TestResultsFindTheirCalls(t *testing.T) {
	var log activity.Log
	log.Result("lost", activity.Action{Tool: "Read", Files: []string{"x"}, Output: "early"})
	log.Call("1", activity.New("Bash", json.RawMessage(`{"command":"a"}`), nil))
	log.Call("2", activity.New("Bash", json.RawMessage(`{"command":"b"}`), nil))
	log.Result("2", activity.Action{Tool: "Other", Output: "of b", Failed: true, Files: []string{"b.go"}})
	log.Result("1", activity.Action{Output: "of a"})
	log.Result("1", activity.Action{Output: "again"})
	var got []string
	for _, a := range log.Actions {
		if !a.Done {
			t.Errorf("%+v is not done", a)
		}
		got = append(got, strings.Join(append([]string{a.Tool, a.Command, a.Output}, a.Files...), "/"))
	}
	if diff := cmp.Diff([]string{"Read//early/x", "Bash/a/of a", "Bash/b/of b/b.go", "//again"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCommitsAreTakenFromLinesAndReports(t *testing.T) {
	actions := run(
		"ok\n[main 1a2b3c4] Mend it\n 1 file changed | Bash git commit -m 'Mend it'",
		"ok | Bash git commit -m 'Mend it'",
		"rejected\n[dev (root-commit) 1a2b3c4d] Ship it | Bash make commit && git push",
		"hook failed | Bash git commit -m 'Never made'",
		"ok [main 1a2b3c4] Not one | Bash git log --grep commit",
	)
	want := []activity.Commit{{Subject: "Mend it", Hash: "1a2b3c4", Iter: 1}, {Subject: "Ship it", Hash: "1a2b3c4d", Iter: 3}}
	if diff := cmp.Diff(want, activity.Commits(actions)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPathsOfBothKindsAreRelative(t *testing.T) {
	for _, tt := range [][3]string{
		{"/w", "/w/a/../b.go", "b.go"}, {"/w/", "/w/b.go", "b.go"}, {"/w", "/wide/b.go", "/wide/b.go"}, {"/w", "./b.go", "b.go"}, {"", "/a/b", "/a/b"}, {"/w", "", ""}, {"/w", "/w", "/w"},
		{`C:\w`, `c:\W\a\b.go`, "a/b.go"}, {`C:\w`, `D:\w\b.go`, "D:/w/b.go"}, {`\\host\share`, `\\host\share\b.go`, "b.go"}, {"/", "/etc/x", "etc/x"}, {"/w", `a\b`, `a\b`},
	} {
		if got := activity.Relative(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%q below %q is %q, want %q", tt[1], tt[0], got, tt[2])
		}
	}
	if got := activity.Base(`C:\w\b.go`); got != "b.go" {
		t.Errorf("got %q", got)
	}
}

func TestWhatAnEditTakesAndWritesAndATask(t *testing.T) {
	for _, test := range []struct {
		tool, input string
		gone, added string
		task        bool
		kind, text  string
	}{
		{"Edit", `{"file_path":"a.go","old_string":"one","new_string":"two"}`, "one", "two", false, "", ""},
		{"MultiEdit", `{"file_path":"a.go","edits":[{"old_string":"one","new_string":"two"},{"old_string":"three"}]}`, "one three", "two", false, "", ""},
		{"MultiEdit", `{"edits":[7,{"old_string":{}}]}`, "", "", false, "", ""},
		{"Task", `{"subagent_type":"builder","description":"Ledger","prompt":"Test it"}`, "", "", true, "builder", "Ledger Test it"},
		{"Agent", `[]`, "", "", true, "", ""},
	} {
		a := activity.New(test.tool, json.RawMessage(test.input), nil)
		words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		task, ok := a.Task()
		if words(a.Replaced()) != test.gone || words(a.Written()) != test.added || ok != test.task || task.Kind != test.kind || words(task.Text) != test.text {
			t.Errorf("%s %s: %q → %q, task %v %+v", test.tool, test.input, a.Replaced(), a.Written(), ok, task)
		}
	}
}
