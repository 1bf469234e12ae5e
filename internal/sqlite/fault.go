package sqlite

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// errFault means that a part of the file that was mapped into memory is gone:
// somebody cut the file short while it was open. It counts as damage.
var errFault = errors.New("a part of the file is gone")

// faults begins a call that reads mapped memory, and the function it returns,
// to be deferred at once, ends it: a fault in between becomes the call's error
// instead of the end of the process. It is for calls that read: a transaction
// that is interrupted so holds locks that it waits for itself when it is rolled
// back, and a process that writes had better end.
func faults(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		p := recover()
		if p == nil {
			return
		}
		if _, ok := p.(interface{ Addr() uintptr }); !ok {
			panic(p)
		}
		*err = fmt.Errorf("index: %w: %v", errFault, p)
	}
}
