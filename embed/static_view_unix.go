//go:build unix

package embed

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// mapped is a file in memory: only the pages that are looked at are read.
type mapped []byte

func openView(path string) (fileView, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < headerSize || info.Size() > math.MaxInt {
		return nil, badModel("it is cut off")
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return mapped(data), nil
}

func (m mapped) view(at, n int64) []byte {
	if at < 0 || n < 0 || at > int64(len(m)) || n > int64(len(m))-at {
		return nil
	}
	return m[at : at+n : at+n]
}

func (m mapped) size() int64 { return int64(len(m)) }

// Close implements [memory.Index].
func (m mapped) Close() error { return syscall.Munmap(m) }
