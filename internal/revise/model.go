package revise

import (
	_ "embed"
	"sync"

	"orihon/internal/gate"
)

//go:embed model.txt
var fitted string

var model = sync.OnceValue(func() *gate.Model {
	m, err := gate.Parse(fitted)
	if err != nil {
		return &gate.Model{}
	}
	return m
})
