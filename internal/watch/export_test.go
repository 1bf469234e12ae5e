package watch

import "github.com/fsnotify/fsnotify"

// Notifier is what is needed of the system.
type Notifier = notifier

// Event is what the system tells.
type Event = fsnotify.Event

// Kinds of events.
const (
	Write = fsnotify.Write
	Chmod = fsnotify.Chmod
)

// Overflow is the error of a system that lost events.
var Overflow = fsnotify.ErrEventOverflow

// WithNotifier makes options that ask n instead of the system.
func WithNotifier(o Options, open func() (Notifier, error)) *Options {
	o.open = open
	return &o
}
