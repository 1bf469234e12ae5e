package agent

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"orihon/memory"
	"orihon/window"
)

//go:embed standard
var standard embed.FS

// Standard is one of the agents that come with the program: those of
// window.Summarizers.
func Standard(name string) (*Definition, error) {
	if !slices.Contains(window.Summarizers(), name) {
		return nil, fmt.Errorf("standard agent %q: %w: there are %v", name, memory.ErrNotFound, window.Summarizers())
	}
	files, err := fs.Sub(standard, "standard/"+name)
	if err != nil {
		return nil, err
	}
	return readFrom(files, "")
}
