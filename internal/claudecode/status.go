package claudecode

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"orihon/memory"
)

// Wiring is what a settings file wires for us.
type Wiring struct {
	Hooks   []Hook
	Missing []Name // events that [Install] would add
}

// Hook is one of our hooks.
type Hook struct {
	Event   Name
	Command string // as it stands there
	Runs    string // Command without its guard
	// Program is where the command's program was found; empty when it does
	// not exist.
	Program string
}

// Status reads which of our hooks a settings file has. A file that does not
// exist has none.
func Status(path string) (Wiring, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return Wiring{}, fmt.Errorf("%w: %s is not a settings file", memory.ErrRefused, path)
	}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return Wiring{Missing: wired()}, nil
	}
	if err != nil {
		return Wiring{}, err
	}
	data = bytes.TrimPrefix(data, []byte(bom))
	if len(bytes.TrimSpace(data)) == 0 {
		return Wiring{Missing: wired()}, nil
	}
	d, err := parseSettings(path, data)
	if err != nil {
		return Wiring{}, err
	}
	var w Wiring
	for _, h := range d.handlers() {
		command := text(h.command)
		runs, _ := unguarded(command)
		program := runs
		if !h.exec {
			program, _, _ = firstWord(runs)
		}
		w.Hooks = append(w.Hooks, Hook{Event: h.event, Command: command, Runs: runs, Program: locate(program)})
	}
	for _, event := range wired() {
		if !slices.ContainsFunc(w.Hooks, func(h Hook) bool { return h.Event == event }) {
			w.Missing = append(w.Missing, event)
		}
	}
	return w, nil
}

// locate finds a program the way the shell would.
func locate(program string) string {
	if filepath.IsAbs(program) {
		if info, err := os.Stat(program); err != nil || info.IsDir() {
			return ""
		}
		return program
	}
	if program == "" || strings.ContainsAny(program, `/\$~`) {
		return "" // depends on where and for whom the client runs
	}
	found, err := exec.LookPath(program)
	if err != nil {
		return ""
	}
	return found
}
