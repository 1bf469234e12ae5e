package claudecode

import (
	"errors"
	"os"
)

var errBroken = errors.New("broken on purpose")

// Wire and Unwire change the text of settings as Install and Uninstall do.
func Wire(src, command string) (string, error) {
	out, err := wire("settings.json", []byte(src), command, "")
	return string(out), err
}

func Unwire(src, original string) (string, error) {
	out, err := unwire("settings.json", []byte(src), []byte(original), "")
	return string(out), err
}

// BreakWrites makes one operation on the staging file fail; "" makes none.
func BreakWrites(o *Options, operation string) {
	o.wrap = nil
	if operation != "" {
		o.wrap = func(f *os.File) stagingFile { return brokenFile{f, operation, func() {}} }
	}
}

// OnWrite calls fn when the staging file is written.
func OnWrite(o *Options, fn func()) {
	o.wrap = func(f *os.File) stagingFile { return brokenFile{f, "", fn} }
}

type brokenFile struct {
	*os.File
	operation string
	onWrite   func()
}

func (f brokenFile) Write(p []byte) (int, error) {
	f.onWrite()
	switch f.operation {
	case "write":
		return 0, errBroken
	case "short":
		return f.File.Write(p[:len(p)/2])
	}
	return f.File.Write(p)
}

func (f brokenFile) Sync() error {
	if f.operation == "sync" {
		return errBroken
	}
	return f.File.Sync()
}

func (f brokenFile) Close() error {
	err := f.File.Close()
	if f.operation == "close" {
		return errBroken
	}
	return err
}
