package agent_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"orihon/journal"
	"orihon/llm/llmtest"
)

// steps answers with the step behind the last one that a result speaks of, two at a
// time now and then, and ends behind the last.
func steps(last int) func(int, llmtest.Asked) llmtest.Reply {
	done := regexp.MustCompile(`step (\d+)`)
	return func(_ int, a llmtest.Asked) llmtest.Reply {
		n := 0
		if all := done.FindAllSubmatch(a.Body, -1); len(all) > 0 {
			n, _ = strconv.Atoi(string(all[len(all)-1][1]))
		}
		if n >= last {
			return llmtest.Reply{Text: "All steps are taken."}
		}
		reply := llmtest.Reply{Text: fmt.Sprintf("Now step %d.", n+1)}
		for i := range 1 + n%2 {
			reply.Calls = append(reply.Calls, call(fmt.Sprintf("toolu_%d_%d", n, i), "step", fmt.Sprintf(`{"n": %d}`, n+1+i)))
		}
		return reply
	}
}

const stepper = `
name: stepper
tools:
  - name: step
    shell: true
    command: ['echo "$ORIHON_CALL" >> calls; echo "step $1 is taken"']
    parameters: [{name: n, type: integer, required: true}]
limits: {max_iterations: 5000, context_tokens: 32000}
context_builder: {strategy: folding}
`

// grown reports whether a journal is longer than it was.
func grown(path string, before []byte) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > int64(len(before))
}

// calling reports whether a journal ends with calls of which nothing has come yet: what
// is noted of the request stands behind them.
func calling(path string) bool {
	data, _ := os.ReadFile(path)
	data = bytes.TrimRight(data, "\n")
	return bytes.Contains(data[bytes.LastIndexByte(data, '\n')+1:], []byte(`"tool_use"`))
}

// until waits for a condition.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("waited a minute in vain")
		}
	}
}

// A run that is killed again and again ends as if it had not been: the journal only
// grows, no call that was acknowledged is made again, and of one that was not, the
// model is told.
func TestAKilledRunRepeatsNothing(t *testing.T) {
	kills := 12
	if os.Getenv("ORIHON_LONG") != "" {
		kills = 100
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := llmtest.Serve(steps(100_000))
	defer s.Close()
	def := folder(t, map[string]string{"config.yaml": stepper, "system_prompt.md": "You take steps."})
	work, runs := t.TempDir(), t.TempDir()
	path := filepath.Join(runs, "r", "journal.jsonl")
	start := func(url string, more ...string) *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childVariable+"="+strings.Join(append([]string{def, url, runs, work}, more...), "\n"))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	var before []byte
	for i := range kills {
		cmd := start(s.URL)
		if i%2 == 0 {
			until(t, func() bool { return grown(path, before) })
			time.Sleep(time.Duration(r.IntN(150)) * time.Millisecond)
		} else {
			until(t, func() bool { return grown(path, before) && calling(path) })
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		now, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		whole := before[:bytes.LastIndexByte(before, '\n')+1]
		if !bytes.HasPrefix(now, whole) {
			t.Fatalf("the journal lost what it had: %d bytes, then %d", len(before), len(now))
		}
		before = now
	}
	end := llmtest.Serve(func(int, llmtest.Asked) llmtest.Reply { return llmtest.Reply{Text: "Enough."} })
	defer end.Close()
	if err := start(end.URL, "Stop here.").Wait(); err != nil {
		t.Fatal(err)
	}
	v := viewOf(t, filepath.Join(runs, "r"))
	made := map[string]int{}
	calls, _ := os.ReadFile(filepath.Join(work, "calls"))
	for _, id := range strings.Fields(string(calls)) {
		made[id]++
	}
	unknown, acknowledged := 0, 0
	got := results(t, v)
	for _, e := range v.ByType(journal.ActionRequest) {
		res, ok := got[e.ID]
		switch {
		case !ok:
			t.Errorf("call %s has no result", e.ID)
		case strings.HasPrefix(res.Output, "Outcome unknown"):
			unknown++
			if made[e.ID] > 1 {
				t.Errorf("call %s, whose outcome is unknown, was made %d times", e.ID, made[e.ID])
			}
		default:
			acknowledged++
			if made[e.ID] != 1 || res.Error {
				t.Errorf("call %s was acknowledged and made %d times: %+v", e.ID, made[e.ID], res)
			}
		}
		delete(made, e.ID)
	}
	if len(made) > 0 {
		t.Errorf("calls were made that the journal does not know: %v", made)
	}
	t.Logf("%d kills: %d calls acknowledged, %d with an unknown outcome", kills, acknowledged, unknown)
	if acknowledged < kills/2 || unknown == 0 {
		t.Errorf("%d acknowledged, %d unknown: the kills did not hit the run", acknowledged, unknown)
	}
}
