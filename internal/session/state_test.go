package session_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/session"
)

func TestPassageIsSeenUntilItChangesOrTheWindowIsCompacted(t *testing.T) {
	var s session.State
	s.Inject(map[string]string{"a": "1", "記憶": "2"}, 120)
	s.Blind("部署")
	if !s.Seen("a", "1") || !s.Seen("記憶", "2") || s.Seen("a", "9") || s.Seen("b", "") {
		t.Errorf("what was injected is not what is seen: %v", s.Injected)
	}
	if s.Blind("部署") {
		t.Error("a blind spot was reported twice")
	}
	if !s.Compacted(7) || s.Compacted(7) || s.Compacted(3) {
		t.Error("one compaction must count once, however often its events fire")
	}
	if s.Seen("a", "1") || !s.Blind("部署") {
		t.Error("the window still holds what was compacted away")
	}
	if s.InjectedTokens != 120 {
		t.Errorf("%d tokens spent, want 120: a compaction gives no new budget", s.InjectedTokens)
	}
	if !s.Answer() || s.Answer() {
		t.Error("one compaction must be answered once")
	}
	if !s.Compacted(9) || !s.Answer() {
		t.Error("the next compaction must be answered again")
	}
}

func TestAnEventBringsASessionBackToWorking(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, status := range []session.Status{session.Ended, session.Working, "merged"} {
		s := session.State{Head: session.Head{Status: status, Last: now, Pending: []string{"episode"}}}
		s.Touch(now.Add(-time.Hour)) // a clock that went back
		if s.Status != session.Working || !s.Last.Equal(now) || len(s.Pending) != 1 {
			t.Errorf("%s became %+v", status, s)
		}
	}
}

func TestRecordedToolCallsAreTracked(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "hook-events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s session.State
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Name  string          `json:"hook_event_name"`
			Tool  string          `json:"tool_name"`
			Input json.RawMessage `json:"tool_input"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Name == "PostToolUse" {
			s.Track(e.Tool, e.Input)
		}
	}
	want := map[string]int{filepath.Clean("/home/dev/acme/hello.txt"): 1}
	if diff := cmp.Diff(want, s.FilesChanged); diff != "" {
		t.Error(diff)
	}
}

func TestTrackKeepsFilesOnceAndBounded(t *testing.T) {
	s := session.State{Head: session.Head{CWD: filepath.FromSlash("/w")}}
	call := func(tool, input string) { s.Track(tool, json.RawMessage(input)) }
	call("Read", `{"file_path":"/w/a.go"}`)
	call("Read", `{"file_path":"筆記.md","limit":5}`)
	call("Read", `{"file_path":"/w/./x/../a.go"}`)
	call("Edit", `{"file_path":"/w/a.go","old_string":"x"}`)
	call("MultiEdit", `{"file_path":"/w/a.go"}`)
	call("Write", `{"file_path":"/w/b.go","content":"c"}`)
	call("NotebookEdit", `{"notebook_path":"/w/n.ipynb"}`)
	call("Grep", `{"file_path":"/w/no"}`)
	call("Read", `{"file_path":5}`)
	call("Read", `[`)
	call("Edit", ``)
	slash := filepath.FromSlash
	if diff := cmp.Diff([]string{slash("/w/筆記.md"), slash("/w/a.go")}, s.FilesRead); diff != "" {
		t.Error("read:", diff)
	}
	if diff := cmp.Diff(map[string]int{slash("/w/a.go"): 2, slash("/w/b.go"): 1, slash("/w/n.ipynb"): 1}, s.FilesChanged); diff != "" {
		t.Error("changed:", diff)
	}
	for i := range 600 {
		call("Read", fmt.Sprintf(`{"file_path":"/r/%d"}`, i))
		call("Write", fmt.Sprintf(`{"file_path":"/c/%d"}`, i))
		call("Bash", fmt.Sprintf(`{"command":"git show %d"}`, i))
	}
	if len(s.FilesRead) != session.MaxFiles || s.FilesRead[session.MaxFiles-1] != slash("/r/599") || len(s.FilesChanged) != session.MaxFiles || len(s.VCS) != session.MaxVCS {
		t.Errorf("%d read, %d changed, %d questions", len(s.FilesRead), len(s.FilesChanged), len(s.VCS))
	}
	if s.FilesChanged[slash("/w/a.go")] != 2 {
		t.Error("a full list forgot an earlier count")
	}
}

func TestQuestionsToVersionControlAreFound(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    []string
	}{
		{"git log --oneline -5", []string{"git log --oneline -5"}},
		{"cd x && git -C 'my dir' --no-pager diff HEAD~1; git status", []string{"git -C my dir --no-pager diff HEAD~1"}},
		{"svn blame a.c | head; /usr/bin/git show abc", []string{"svn blame a.c", "git show abc"}},
		{"GIT_PAGER=cat time git blame -L1,5 \"a b.go\"", []string{"git blame -L1,5 a b.go"}},
		{"git commit -m 'git log; git show'", nil},
		{"echo \"git log\" # git diff", nil},
		{"out=$(git log --grep=決定)", []string{"git log --grep=決定"}},
		{"git \\\n  log", []string{"git log"}},
		{"git -c", nil},
		{"digit log", nil},
		{"git", nil},
		{"A=1", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(tt.want, session.Queries(tt.command)); diff != "" {
			t.Errorf("%q: %s", tt.command, diff)
		}
	}
	long := session.Queries("git show " + strings.Repeat("長", 500))
	if len(long) != 1 || len([]rune(long[0])) != 200 {
		t.Errorf("a long question is kept as %q", long)
	}
}

func FuzzTrack(f *testing.F) {
	for _, s := range []string{`{"command":"git log 'a"}`, `{"command":"git \\"}`, `{"file_path":"\u0000"}`, `{"file_path":"../../x"}`, `[]`, `{"command":"a=b c=d"}`, `{"notebook_path":1,"file_path":"a"}`} {
		for _, tool := range []string{"Read", "Edit", "NotebookEdit", "Bash"} {
			f.Add(tool, s)
		}
	}
	f.Fuzz(func(t *testing.T, tool, input string) {
		s := session.State{Head: session.Head{CWD: "/w"}}
		s.Track(tool, json.RawMessage(input))
		for _, q := range s.VCS {
			if !strings.HasPrefix(q, "git ") && !strings.HasPrefix(q, "svn ") || len([]rune(q)) > 200 {
				t.Errorf("question %q in %q", q, input)
			}
		}
		for _, file := range s.FilesRead {
			if file == "" || strings.ContainsRune(file, 0) {
				t.Errorf("file %q in %q", file, input)
			}
		}
		if _, err := json.Marshal(s); err != nil {
			t.Error(err)
		}
	})
}
