package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// When the progress of something is first shown, and how often after.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// progress shows on the terminal how far something is once it has taken half a
// second: one line on stderr, which end takes away again. step says how far it
// is; a total of 0 is not known. Off a terminal, and with --json, nothing is
// shown. Both functions may be called from any goroutine, end more than once.
func (a *app) progress(what string) (step func(done, total int), end func()) {
	f, ok := a.errs.(*os.File)
	if !ok || a.json || !isTerminal(f) {
		return func(int, int) {}, func() {}
	}
	m := newMeter(f, what)
	return m.step, m.end
}

// meter is one line of progress.
type meter struct {
	w     io.Writer
	what  string
	begin time.Time
	stop  func() // ends the goroutine that draws

	mu          sync.Mutex
	done, total int
}

func newMeter(w io.Writer, what string) *meter {
	m := &meter{w: w, what: what, begin: time.Now()}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		m.draw(stop)
	}()
	m.stop = sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
	return m
}

func (m *meter) step(done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.total = done, total
}

func (m *meter) end() { m.stop() }

// draw draws the line until stop is closed, and leaves none.
func (m *meter) draw(stop <-chan struct{}) {
	timer := time.NewTimer(progressAfter)
	defer timer.Stop()
	const erase = "\r\x1b[K"
	for drawn := false; ; drawn = true {
		select {
		case <-stop:
			if drawn {
				fmt.Fprint(m.w, erase)
			}
			return
		case <-timer.C:
			fmt.Fprint(m.w, erase+m.line())
			timer.Reset(progressEvery)
		}
	}
}

func (m *meter) line() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	seconds := int(time.Since(m.begin).Seconds())
	switch {
	case m.total > 0:
		return fmt.Sprintf("%s … %d of %d · %d s", m.what, m.done, m.total, seconds)
	case m.done > 0:
		return fmt.Sprintf("%s … %d · %d s", m.what, m.done, seconds)
	}
	return fmt.Sprintf("%s … %d s", m.what, seconds)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
