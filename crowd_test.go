package orihon_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon"
	"orihon/memory"
)

var crowdTime = flag.Duration("crowd", 3*time.Second, "how long TestACrowdOfProcessesLosesNothing lets eight processes write")

// memberEnv makes the test binary one of a crowd: its value is
// "home|project|name|how long".
const memberEnv = "ORIHON_TEST_MEMBER"

const crowd = 8

// common is what every member of the crowd says as well.
func common(i int) string {
	return fmt.Sprintf("Everybody knows rule %d 人人都知道這一條", i%10)
}

func TestACrowdOfProcessesLosesNothing(t *testing.T) {
	if args := os.Getenv(memberEnv); args != "" {
		if err := joinCrowd(strings.Split(args, "|")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if testing.Short() {
		t.Skip("starts eight processes for some seconds")
	}
	p := newPlace(t)
	var mu sync.Mutex
	promised := make(map[string]string) // text to ID
	var wg sync.WaitGroup
	for n := range crowd {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestACrowdOfProcessesLosesNothing$")
			cmd.Env = append(os.Environ(), memberEnv+"="+strings.Join([]string{p.home, p.dir, fmt.Sprintf("m%d", n), crowdTime.String()}, "|"))
			var out, complaints bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &complaints
			if err := cmd.Run(); err != nil || complaints.Len() > 0 {
				t.Errorf("member %d: %v\n%s", n, err, &complaints)
			}
			mu.Lock()
			defer mu.Unlock()
			for in := bufio.NewScanner(&out); in.Scan(); {
				if id, text, ok := strings.Cut(in.Text(), " "); ok {
					if other := promised[text]; other != "" && other != id {
						t.Errorf("%q is %s and %s", text, id, other)
					}
					promised[text] = id
				}
			}
		})
	}
	wg.Wait()

	now := at(time.Now())
	m := p.open(t, now)
	there := make(map[string][]string)
	for _, s := range list(t, m, memory.Filter{}) {
		there[s.Item.Content] = append(there[s.Item.Content], s.Item.ID)
	}
	for text, id := range promised {
		if got := there[text]; len(got) != 1 || got[0] != id {
			t.Errorf("%q was promised as %s and is there as %v", text, id, got)
		}
	}
	if len(there) != len(promised) {
		t.Errorf("%d statements are there, %d were promised", len(there), len(promised))
	}
	if done, err := m.Sync(t.Context()); err != nil || len(done.Problems) > 0 {
		t.Errorf("sync: %v, %v", done.Problems, err)
	}
	prompts := []string{"which rule does everybody know?", "人人都知道哪一條？"}
	for text := range promised {
		if len(prompts) < 100 {
			prompts = append(prompts, text)
		}
	}
	fresh := &place{home: filepath.Join(t.TempDir(), "home"), dir: p.dir}
	if err := os.CopyFS(fresh.home, os.DirFS(p.home)); err != nil {
		t.Fatal(err)
	}
	dropIndexes(t, fresh.home)
	built := fresh.open(t, now)
	if _, err := built.Sync(t.Context()); err != nil {
		t.Errorf("sync: %v", err)
	}
	if diff := cmp.Diff(answers(t, built, prompts), answers(t, m, prompts)); diff != "" {
		t.Errorf("the index differs from one built from the text (-built +lived):\n%s", diff)
	}
	t.Logf("%d processes for %v: %d statements, every one there once", crowd, *crowdTime, len(promised))
}

// joinCrowd says something of its own and something common in turn, prints what
// was acknowledged, and must find each at once, whichever kind of handle it has.
func joinCrowd(args []string) error {
	ctx, home, dir, name := context.Background(), args[0], args[1], args[2]
	howLong, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	var m *orihon.Memory
	for i, end := 0, time.Now().Add(howLong); time.Now().Before(end); i++ {
		if i%5 == 0 {
			if m != nil {
				if err := m.Close(); err != nil {
					return err
				}
			}
			o := &orihon.Options{Home: home, Dir: dir, User: "ann", GitConfig: []string{}, ReadOnly: i%10 == 5}
			logTo(os.Stderr)(o)
			if m, err = orihon.Open(ctx, o); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("Host %sx%d listens on port %d", name, i, 1000+i)
		if i%4 == 3 {
			text = common(i)
		}
		out, err := m.Remember(ctx, orihon.Statement{Text: text})
		if err != nil {
			return err
		}
		fmt.Println(out.Item.ID, text)
		// Ten that differ in a number stand beside it: which of them is wanted is another
		// question than whether it can be found.
		r, err := m.Recall(ctx, memory.Query{Text: text, Threshold: 0.3})
		switch {
		case err != nil:
			return err
		case len(r.Degraded) > 0:
			return fmt.Errorf("%q: degraded: %v", text, r.Degraded)
		case !strings.Contains(r.Text, text):
			return fmt.Errorf("%q is not recalled right after it was remembered, but %q", text, r.Text)
		}
	}
	return m.Close()
}
