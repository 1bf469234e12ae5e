package orihon_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/llm/llmtest"
)

// behindEnv makes the test binary a process that does what sessions left: its value
// is "home|project".
const behindEnv = "ORIHON_TEST_BEHIND"

// beBehind is that process. What goes wrong is its exit code.
func beBehind() {
	home, dir, _ := strings.Cut(os.Getenv(behindEnv), "|")
	m, err := orihon.Open(context.Background(), &orihon.Options{Home: home, Dir: dir, User: "ann", GitConfig: []string{}, Now: (&place{}).now})
	if err == nil {
		err = m.Sessions().Work(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// behind is the command of such a process.
func (p *place) behind(test string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), behindEnv+"="+p.home+"|"+p.dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// leaves is a session with a turn that nobody has worked up.
func (p *place) leaves(t *testing.T, session string) {
	t.Helper()
	p.prompt(t, session, session, "what happens to failed invoices in "+session+"?")
	p.do(t, session, func(ctx context.Context, s *follow.Session) error {
		return s.Answer(ctx, session, strings.ReplaceAll(longAnswer, "invoice_parked", "parked_"+session))
	})
}

func TestEightProcessesAskOnceAndWithinTheDay(t *testing.T) {
	if os.Getenv(behindEnv) != "" {
		beBehind()
	}
	const sessions, limit = 8, 6_000
	for _, tt := range []struct {
		name  string
		limit int
	}{{"all of it", 0}, {"a day's budget that does not hold it", limit}} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			got := p.models(t, learns(nil))
			config, err := os.ReadFile(p.home + "/config.yaml")
			if err != nil {
				t.Fatal(err)
			}
			p.config(t, string(config)+fmt.Sprintf("spend:\n  daily_tokens: %d\n", tt.limit))
			for i := range sessions {
				p.leaves(t, fmt.Sprint("s", i))
			}
			var all sync.WaitGroup
			for range sessions {
				cmd := p.behind("TestEightProcessesAskOnceAndWithinTheDay")
				all.Go(func() {
					if err := cmd.Run(); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			p.work(t)
			m := p.open(t)
			if jobs, err := m.Sessions().Jobs(t.Context()); err != nil || len(jobs) != 0 {
				t.Errorf("left to do: %+v, %v", jobs, err)
			}
			today, err := m.Models().Today()
			if err != nil || tt.limit > 0 && today.Tokens > int64(tt.limit) {
				t.Errorf("%d tokens of %d, %v", today.Tokens, tt.limit, err)
			}
			asked := len(got())
			if whole := 3 * sessions; tt.limit == 0 && asked != whole || tt.limit > 0 && (asked == 0 || asked >= whole) {
				t.Errorf("%d questions with a limit of %d, %d would be all", asked, tt.limit, whole)
			}
		})
	}
}

// A process that is killed while a model is being asked leaves its work to the next,
// which keeps everything once.
func TestAKilledProcessLeavesItsQuestionsToTheNext(t *testing.T) {
	if os.Getenv(behindEnv) != "" {
		beBehind()
	}
	const piece = "Failed invoices are parked in a table of their own, from where bin/unpark brings them back"
	for _, at := range []int32{1, 2, 3} { // the question at which it is killed
		p := newPlace(t)
		asking := make(chan struct{})
		var n atomic.Int32
		answer := learns(map[string]string{piece: "bin/unpark"})
		p.models(t, func(q asked) llmtest.Reply {
			if n.Add(1) == at {
				close(asking)
				return llmtest.Reply{Fault: llmtest.Silent}
			}
			return answer(q)
		})
		p.leaves(t, "s1")
		cmd := p.behind("TestAKilledProcessLeavesItsQuestionsToTheNext")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-asking
		jobs, err := p.open(t).Sessions().Jobs(t.Context())
		if err != nil || len(jobs) != 1 || !jobs[0].Running() || strings.Join(jobs[0].Work, " ") != "extract phrases" {
			t.Errorf("question %d: under way: %+v, %v", at, jobs, err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if jobs, _ := p.open(t).Sessions().Jobs(t.Context()); len(jobs) != 1 || jobs[0].Running() {
			t.Errorf("question %d: after the kill %+v", at, jobs)
		}
		p.end(t, "s1")
		p.work(t)
		p.work(t)
		if items := extractedItems(t, p.open(t)); len(items) != 1 || items[0].Content != piece {
			t.Errorf("question %d: kept %+v", at, items)
		}
		if jobs, _ := p.open(t).Sessions().Jobs(t.Context()); len(jobs) != 0 {
			t.Errorf("question %d: left %+v", at, jobs)
		}
	}
}
