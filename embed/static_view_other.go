//go:build !unix

package embed

import "os"

// opened is a file of which pieces are read as they are looked at.
type opened struct {
	*os.File
	length int64
}

func openView(path string) (fileView, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return opened{f, info.Size()}, nil
}

func (o opened) view(at, n int64) []byte {
	if at < 0 || n < 0 || at > o.length || n > o.length-at {
		return nil
	}
	b := make([]byte, n)
	if _, err := o.ReadAt(b, at); err != nil {
		return nil
	}
	return b
}

func (o opened) size() int64 { return o.length }
