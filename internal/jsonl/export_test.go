package jsonl

import (
	"io"
	"os"
)

// Fault says which call of a file fails, and how.
type Fault struct {
	Write, Sync, Close error
	// Short is how many bytes a failing or short write still lets through.
	Short int
	// Silent makes the short write report no error.
	Silent bool
}

// Failing returns options whose files fail as f says.
func Failing(f Fault, sync bool) *Options {
	return &Options{Sync: sync, open: func(path string) (file, error) {
		real, err := openAppend(path)
		return &faulty{real, f}, err
	}}
}

// WriteFileFailing is WriteFile on a disk that fails as f says.
func WriteFileFailing(path string, data []byte, f Fault) error {
	wrap := func(real *os.File) file { return &faulty{real, f} }
	return replace(path, true, wrap, func(w io.Writer) error { return all(w, data) })
}

type faulty struct {
	file
	fault Fault
}

func (f *faulty) Write(p []byte) (int, error) {
	if f.fault.Write == nil && !f.fault.Silent {
		return f.file.Write(p)
	}
	n, err := f.file.Write(p[:min(f.fault.Short, len(p))])
	if err == nil {
		err = f.fault.Write
	}
	return n, err
}

func (f *faulty) Sync() error {
	if f.fault.Sync != nil {
		return f.fault.Sync
	}
	return f.file.Sync()
}

func (f *faulty) Close() error {
	if err := f.file.Close(); err != nil {
		return err
	}
	return f.fault.Close
}
