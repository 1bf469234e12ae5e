package llm

import (
	"errors"
	"time"
)

// What callers branch on. Whoever gets one of them goes on without a model.
var (
	// ErrUnavailable means that no model gave an answer.
	ErrUnavailable = errors.New("no model can be asked")
	// ErrSpent means that the day's budget holds no further call.
	ErrSpent = errors.New("the day's budget for models is spent")
	// ErrTooLong means that a prompt is larger than one call may be.
	ErrTooLong = errors.New("the prompt is too long")
)

// Failure is why a backend gave no answer that can be used.
type Failure struct {
	// Why is a few words without a word of anybody else's, such as "answered
	// 401": they may be kept.
	Why string
	Err error // the whole of it, for a person
	// Request says that the request was refused for what it asks, which is no
	// sign that the backend is unwell.
	Request bool
	// Settled says that asking again as things are gives the same: a key that is
	// refused, a model that is not there.
	Settled bool
	// RetryAfter is how long the backend asks to be left alone; 0 when it does
	// not say.
	RetryAfter time.Duration
	// Worked says that the backend may have worked on the request: it may be
	// charged, with Usage where that is known.
	Worked bool
	Usage  Usage
}

// Error is the whole of it.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }
