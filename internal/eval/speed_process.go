package eval

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"orihon"
)

// place is a home and its project, and the program that works there.
type place struct{ home, project, program string }

func (s *speed) open(ctx context.Context, name string) (place, *orihon.Memory, error) {
	b := place{filepath.Join(s.Dir, name, "home"), filepath.Join(s.Dir, name, "shop"), s.Program}
	if err := os.MkdirAll(b.project, 0o700); err != nil {
		return b, nil, err
	}
	m, err := orihon.Open(ctx, &orihon.Options{Home: b.home, Dir: b.project, User: person, GitConfig: []string{}, Logger: s.Logger})
	if err != nil {
		return b, nil, err
	}
	if err := m.Register(ctx); err != nil {
		m.Close()
		return b, nil, err
	}
	return b, m, nil
}

// process runs the program once and returns how long it took and, when it is
// watched, how much memory it had at most.
func (s *speed) process(ctx context.Context, b place, in []byte, watched bool, args ...string) (took time.Duration, peak int64, err error) {
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Dir = b.project
	cmd.Env = append(slices.Clone(s.Environ), "ORIHON_USER="+person)
	cmd.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	start := s.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	if watched {
		watching, stop := context.WithCancel(ctx)
		most := watchPeak(watching, cmd.Process.Pid)
		err = cmd.Wait()
		took = s.Now().Sub(start)
		stop()
		peak = <-most
	} else {
		err = cmd.Wait()
		took = s.Now().Sub(start)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("orihon %s: %w: %s", args[0], err, &errs)
	}
	return took, peak, nil
}

// watchPeak follows how much memory a running process has had at most, in
// bytes, until ctx ends, and sends the last it saw: 0 where the system does not
// tell. What the system says of a finished process will not do: on Linux it
// counts in the parent that started it.
func watchPeak(ctx context.Context, pid int) <-chan int64 {
	out := make(chan int64, 1)
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		var most int64
		for {
			most = max(most, highWater(pid))
			select {
			case <-ctx.Done():
				out <- most
				return
			case <-tick.C:
			}
		}
	}()
	return out
}

func highWater(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for s := bufio.NewScanner(bytes.NewReader(status)); s.Scan(); {
		if f := bytes.Fields(s.Bytes()); len(f) == 3 && string(f[0]) == "VmHWM:" {
			n, _ := strconv.ParseInt(string(f[1]), 10, 64)
			return n << 10
		}
	}
	return 0
}

// Percentile of durations in any order; 0 of none.
func Percentile(took []time.Duration, p int) time.Duration {
	if len(took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(took))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

// other copies a home that has no index yet for the other program, which makes its
// own.
func (s *speed) other(ctx context.Context, b place) (place, error) {
	o := place{b.home + "-against", b.project, s.Against}
	if err := os.CopyFS(o.home, os.DirFS(b.home)); err != nil {
		return o, err
	}
	s.Progress("first index of the other program")
	_, _, err := s.process(ctx, o, nil, false, "sync", "--home", o.home, "--project", o.project, "--user", person)
	return o, err
}
