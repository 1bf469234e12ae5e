package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"orihon"
	"orihon/internal/capture"
	"orihon/memory"
)

// SpeedOptions are what [Measure] needs to know.
type SpeedOptions struct {
	Dir     string   // an empty folder for the homes; required
	Program string   // the orihon binary, for what is timed as a whole process; required
	Environ []string // of that process
	// Against is another program, whose hooks are timed in turn with this one's, on
	// a home of its own that says the same; empty leaves it out.
	Against string
	Items   int // statements in the home
	Files   int // Markdown notes in a home of their own; 0 leaves them out
	Runs    int // how often each hook is timed; 0 is 21
	// Observations is how many tool calls habits are looked for in, those of the scripted
	// sessions in the folder Scripts over and over; 0 leaves them out.
	Observations int
	Scripts      string
	// Progress hears what is measured next; nil tells nobody.
	Progress func(what string)
	Now      func() time.Time // nil is time.Now
	Logger   *slog.Logger     // nil discards
}

// Figure is one thing that was timed.
type Figure struct {
	Name     string
	Process  bool // whole processes, from start to end, else calls within one
	Runs     int
	P50, P95 time.Duration
	// Peak is the most memory the process had, in bytes, measured every 10 ms
	// for the first index; 0 elsewhere and where the system does not tell.
	Peak int64
}

// How often things are timed. One run that is not counted comes before all but
// the first index.
const (
	hookRuns  = 21
	syncRuns  = 7
	callRuns  = 256
	writeRuns = 51
)

// Measure times the program on made-up homes. Nothing else should run on the
// machine meanwhile.
func Measure(ctx context.Context, o *SpeedOptions) ([]Figure, error) {
	s := speed{SpeedOptions: *o}
	s.Runs = cmp.Or(s.Runs, hookRuns)
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	if s.Progress == nil {
		s.Progress = func(string) {}
	}
	for _, part := range []func(context.Context) error{s.statements, s.notes, s.habits, s.detector} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	return s.figures, nil
}

type speed struct {
	SpeedOptions
	figures []Figure
}

// statements times everything that a home of statements is used for. The
// writing comes last, so that the rest sees exactly the items asked for.
func (s *speed) statements(ctx context.Context) error {
	s.Progress(fmt.Sprintf("writing %d statements", s.Items))
	b, m, err := s.open(ctx, "items")
	if err != nil {
		return err
	}
	defer m.Close()
	if err := Fill(ctx, m, s.Items); err != nil {
		return err
	}
	sides := []side{{place: b}}
	if s.Against != "" {
		other, err := s.other(ctx, b)
		if err != nil {
			return err
		}
		sides = append(sides, side{place: other, name: filepath.Base(other.program)})
	}
	watched, err := s.watched(b)
	if err != nil {
		return err
	}
	sides = append(sides, watched...)
	if err := s.syncs(ctx, b, fmt.Sprintf("%d statements", s.Items)); err != nil {
		return err
	}
	prompts := Prompts(64)
	if err := s.calls("recall", callRuns, func(i int) error {
		r, err := m.Recall(ctx, memory.Query{Text: prompts[i%len(prompts)]})
		if err == nil && len(r.Degraded) > 0 {
			err = fmt.Errorf("recall went on without %v", r.Degraded)
		}
		return err
	}); err != nil {
		return err
	}
	search, end, err := tool(ctx, m, "memory_search")
	if err != nil {
		return err
	}
	err = s.calls("memory_search", callRuns, func(i int) error { return search(prompts[i%len(prompts)]) })
	if err := errors.Join(err, end()); err != nil {
		return err
	}
	if err := s.hooks(ctx, sides, prompts); err != nil {
		return err
	}
	more := Statements(s.Items + writeRuns + 1)[s.Items:]
	return s.calls("remember, durable", writeRuns, func(i int) error {
		_, err := m.Remember(ctx, orihon.Statement{Text: more[i], Source: memory.FromUser})
		return err
	})
}

func (s *speed) notes(ctx context.Context) error {
	if s.Files == 0 {
		return nil
	}
	s.Progress(fmt.Sprintf("writing %d Markdown files", s.Files))
	b, m, err := s.open(ctx, "notes")
	if err != nil {
		return err
	}
	defer m.Close()
	if err := fillNotes(m, s.Files); err != nil {
		return err
	}
	return s.syncs(ctx, b, fmt.Sprintf("%d Markdown files", s.Files))
}

// syncs times the first index, and then that nothing has changed.
func (s *speed) syncs(ctx context.Context, b place, of string) error {
	command := []string{"sync", "--home", b.home, "--project", b.project, "--user", person}
	s.Progress("first index, " + of)
	took, peak, err := s.process(ctx, b, nil, true, command...)
	if err != nil {
		return err
	}
	s.figures = append(s.figures, Figure{Name: "first index, " + of, Process: true, Runs: 1, P50: took, P95: took, Peak: peak})
	return s.time("sync with nothing changed, "+of, true, syncRuns, func(int) (time.Duration, error) {
		took, _, err := s.process(ctx, b, nil, false, command...)
		return took, err
	})
}

// detector times the search for statements in a prompt, the work that every
// prompt pays for before anything is opened.
func (s *speed) detector(context.Context) error {
	prompts := []string{
		"Why does the build fail on Windows?",
		"Fix the flaky test in the upload queue. From now on run the linter before you commit.",
		"幫我看一下這個錯誤。以後一律先寫測試，再改程式。",
		"记住：测试数据库在 5433 端口，不要连生产库。",
		strings.Repeat("The queue drops a message when two workers ask at once; here is what I know. ", 40) + "Remember that retries are capped at three.",
	}
	found := 0
	err := s.calls("explicit statements in a prompt", callRuns, func(i int) error {
		found += len(capture.Explicit(prompts[i%len(prompts)]))
		return nil
	})
	if err == nil && found == 0 {
		err = errors.New("the detector of explicit statements found none")
	}
	return err
}

// calls times a call n times, after one that is not counted.
func (s *speed) calls(name string, n int, call func(i int) error) error {
	return s.time(name, false, n, func(i int) (time.Duration, error) {
		start := s.Now()
		err := call(i)
		return s.Now().Sub(start), err
	})
}

// time notes how long n runs took, after one that is not counted.
func (s *speed) time(name string, process bool, n int, run func(i int) (time.Duration, error)) error {
	s.Progress(name)
	var took []time.Duration
	for i := range n + 1 {
		d, err := run(i)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i > 0 {
			took = append(took, d)
		}
	}
	s.figures = append(s.figures, Figure{Name: name, Process: process, Runs: n, P50: Percentile(took, 50), P95: Percentile(took, 95)})
	return nil
}
