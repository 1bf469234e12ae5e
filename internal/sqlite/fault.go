package sqlite

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"modernc.org/sqlite"

	"orihon/memory"
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

// Damaged reports whether an error of this package means that the file is
// broken and must be built again.
func Damaged(err error) bool { return damaged(err) || errors.Is(err, memory.ErrStale) }

func damaged(err error) bool {
	const (
		corrupt = 11 // SQLITE_CORRUPT
		notADB  = 26 // SQLITE_NOTADB
	)
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()&0xff == corrupt || e.Code()&0xff == notADB
	}
	return errors.Is(err, errFault)
}

// Unwritable reports whether an error of this package means that nothing can be
// written where the file lies: a full disk, a read-only one, no permission.
func Unwritable(err error) bool {
	const (
		readOnly = 8  // SQLITE_READONLY
		ioErr    = 10 // SQLITE_IOERR
		full     = 13 // SQLITE_FULL
		cantOpen = 14 // SQLITE_CANTOPEN
	)
	var e *sqlite.Error
	return errors.As(err, &e) && slices.Contains([]int{readOnly, ioErr, full, cantOpen}, e.Code()&0xff)
}
