package watch

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"orihon/memory"
)

// Options of [Run].
type Options struct {
	// Dirs are watched with every folder below them, also those that come
	// into being later; one that does not exist yet is awaited. Symlinks are
	// not followed.
	Dirs []string
	// Ignore leaves a file, or a folder with all below it, out. Names that
	// begin with a dot (locks, files about to be renamed) or end in .tmp or ~
	// are always left out.
	Ignore func(path string) bool

	Settle time.Duration // how long nothing must change; 0 is 100 ms
	// Most is how long changes that never rest are waited for; 0 is 5 s.
	Most time.Duration
	Poll time.Duration // between two looks where the system cannot notify; 0 is 5 s

	// Ready is called once, as soon as every later change will be told; what
	// changed before is for the caller to read. Nil does nothing.
	Ready func()

	Logger *slog.Logger // nil discards

	open func() (notifier, error) // test seam; nil asks the system
}

func (o *Options) filled() *Options {
	f := *o
	f.Settle = cmp.Or(f.Settle, 100*time.Millisecond)
	f.Most = cmp.Or(f.Most, 5*time.Second)
	f.Poll = cmp.Or(f.Poll, 5*time.Second)
	if f.Logger == nil {
		f.Logger = slog.New(slog.DiscardHandler)
	}
	if ready := f.Ready; ready != nil {
		f.Ready = sync.OnceFunc(ready)
	} else {
		f.Ready = func() {}
	}
	if f.open == nil {
		f.open = openSystem
	}
	return &f
}

// Run calls changed each time files have changed and then rested, from one
// goroutine, until ctx ends; it returns nil then. Changes that come while
// changed runs lead to another call. It fails at once, with
// [memory.ErrInvalid], when there is nothing to watch.
func Run(ctx context.Context, o *Options, changed func()) error {
	if len(o.Dirs) == 0 {
		return fmt.Errorf("watch: %w options: no folders", memory.ErrInvalid)
	}
	f := o.filled()
	ctx, cancel := context.WithCancel(ctx)
	touched := make(chan struct{}, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.observe(ctx, func() {
			select {
			case touched <- struct{}{}:
			default: // one is waiting already
			}
		})
	}()
	f.settle(ctx, touched, changed)
	cancel()
	<-ended
	return nil
}

// observe calls touch for every change, as the system tells, or else by
// looking.
func (o *Options) observe(ctx context.Context, touch func()) {
	err := o.notify(ctx, touch)
	if ctx.Err() != nil {
		return
	}
	o.Logger.Warn("watch: the system cannot notify of changes; looking in intervals instead", "every", o.Poll, "err", err)
	// Between the two nobody looked.
	touch()
	o.poll(ctx, touch)
}

// settle turns touches into calls.
func (o *Options) settle(ctx context.Context, touched <-chan struct{}, changed func()) {
	rest, last := time.NewTimer(0), time.NewTimer(0)
	defer rest.Stop()
	defer last.Stop()
	rest.Stop()
	last.Stop()
	moving := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-touched:
			rest.Reset(o.Settle)
			if !moving {
				last.Reset(o.Most)
			}
			moving = true
			continue
		case <-rest.C:
		case <-last.C:
		}
		rest.Stop()
		last.Stop()
		moving = false
		changed()
	}
}
