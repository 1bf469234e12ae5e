package session

import (
	"os"

	"orihon/internal/activity"
)

// WithFault makes options whose state files go through wrap.
func WithFault(o Options, wrap func(*os.File) File) *Options {
	o.wrap = func(f *os.File) file { return wrap(f) }
	return &o
}

// File is what writing a state needs of a file.
type File = file

// Queries finds the questions to version control in a shell command.
func Queries(command string) []string {
	return queries(activity.ParseLine(command))
}
