// Package child runs a program of somebody else's within bounds: of time, of
// output, and of what it and all it starts may outlive.
//
// It does not say which program may be run, nor with what environment: that is
// its caller's, and docs/SECURITY.md lists who that is. Start with [Run].
package child

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// Command is what to run. No shell reads it.
type Command struct {
	Path      string
	Args      []string
	Dir       string
	Env       []string // the whole of it; PWD is set to Dir
	Stdin     []byte
	Timeout   time.Duration // required
	MaxOutput int           // bytes of standard output, required without Each
	// Beginning has the program go on when it writes more than MaxOutput, of which
	// the beginning is kept.
	Beginning bool
	// Linger is how long a child that holds the output open is waited for; 0 is one
	// second.
	Linger time.Duration
	// Each gets every line of both outputs instead, one at a time and without its
	// end; of a line of more than 64 KB the beginning.
	Each func(line string)
	// Together has what it writes to standard error come with the output, in the
	// order of its writing.
	Together bool
}

// ErrTooMuch means that a program wrote more than it may.
var ErrTooMuch = errors.New("it wrote too much")

// maxStderr bounds what is kept of standard error, in bytes.
const maxStderr = 4 << 10

// Run runs a program to its end and returns what it wrote. Behind its end, and at
// the end of its time or of ctx, all is killed that it started and that stayed in
// its process group.
// Beside an error stands what it had written by then.
func Run(ctx context.Context, c Command) (stdout, stderr []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Stdin = c.Dir, bytes.NewReader(c.Stdin)
	cmd.Env = append(slices.Clone(c.Env), "PWD="+c.Dir)
	cmd.WaitDelay = cmp.Or(c.Linger, time.Second)
	OwnGroup(cmd)
	out, errs := bounded{max: c.MaxOutput}, bounded{max: maxStderr}
	if !c.Beginning {
		out.full = cancel
	}
	cmd.Stdout, cmd.Stderr = &out, &errs
	if c.Each != nil {
		told := &lines{each: c.Each}
		defer told.flush()
		cmd.Stdout, cmd.Stderr = told, told
	}
	if c.Together {
		cmd.Stderr = cmd.Stdout
	}
	err = cmd.Run()
	KillRest(cmd)
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well; what it left behind does not count
	}
	if tooMuch := out.over && !c.Beginning; err != nil || tooMuch {
		switch {
		case tooMuch:
			err = fmt.Errorf("%w: more than %d bytes", ErrTooMuch, c.MaxOutput)
		case ctx.Err() != nil:
			err = ctx.Err()
		}
	}
	return out.buf.Bytes(), errs.buf.Bytes(), err
}

// Environ is the environment of this process.
func Environ() []string { return (&exec.Cmd{}).Environ() }

// bounded takes at most max bytes and swallows the rest. The buffer is no
// embedded one: its ReadFrom would take all.
type bounded struct {
	buf  bytes.Buffer
	max  int
	over bool
	full func() // called when there is more; may be nil
}

func (b *bounded) Write(p []byte) (int, error) {
	room := max(0, b.max-b.buf.Len())
	if len(p) > room {
		b.over = true
		if b.full != nil {
			b.full()
		}
	}
	b.buf.Write(p[:min(len(p), room)])
	return len(p), nil
}

// lines hands on what is written line by line.
type lines struct {
	each func(string)
	buf  []byte
}

const maxLine = 64 << 10

func (l *lines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		l.buf = append(l.buf, line[:min(len(line), max(0, maxLine-len(l.buf)))]...)
		if ended {
			l.flush()
		}
		rest = after
	}
	return len(p), nil
}

func (l *lines) flush() {
	if len(l.buf) > 0 {
		l.each(string(bytes.TrimSuffix(l.buf, []byte{'\r'})))
		l.buf = l.buf[:0]
	}
}
