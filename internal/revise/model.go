package revise

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sync"

	"orihon/internal/gate"
)

//go:embed model.txt.gz
var fitted []byte

var model = sync.OnceValue(func() *gate.Model {
	z, err := gzip.NewReader(bytes.NewReader(fitted))
	if err != nil {
		return &gate.Model{}
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return &gate.Model{}
	}
	m, err := gate.Parse(string(text))
	if err != nil {
		return &gate.Model{}
	}
	return m
})
