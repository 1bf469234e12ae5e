package memory

import "errors"

// The errors callers branch on. Everything else is text.
var (
	ErrNotFound = errors.New("not found")
	ErrInvalid  = errors.New("invalid")
	// ErrRefused means that a rule, not a failure, kept something from
	// happening.
	ErrRefused = errors.New("refused")
	// ErrBusy means that another call, maybe in another process, is doing the
	// same work.
	ErrBusy = errors.New("busy")
	// ErrStale means that an index must be built anew before it can be searched.
	ErrStale = errors.New("index is stale")
)
