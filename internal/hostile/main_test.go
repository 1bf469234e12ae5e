package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// program is the built orihon; empty where this system cannot play.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds the program once, without cgo as releases are.
func run(m *testing.M) int {
	if runtime.GOOS == "windows" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "hostile-program-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "orihon")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "orihon/cmd/orihon")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build orihon: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// needProgram skips where the canaries, which are shell scripts, cannot run.
func needProgram(t *testing.T) {
	t.Helper()
	if program == "" {
		t.Skip("SKIPPED: the programs that must not run are shell scripts")
	}
}

// brief reports whether a part of the folders is played: all of them take
// minutes and are for .ci/long, which sets ORIHON_LONG.
func brief() bool { return testing.Short() || os.Getenv("ORIHON_LONG") == "" }
