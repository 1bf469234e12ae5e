package project

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"orihon/memory"
)

// Path is the PATH of this process without what a project could put there:
// relative folders, and those in the working directory or in one of the folders
// given. A folder that holds the user's home is no project of somebody else's
// and takes nothing away. What is started is given this PATH.
func Path(away ...string) string {
	if wd, err := os.Getwd(); err == nil {
		away = append(slices.Clone(away), wd)
	}
	home, _ := os.UserHomeDir()
	var foreign []string
	for _, dir := range away {
		if dir = realPath(dir); dir != "" && (home == "" || !Within(dir, realPath(home))) {
			foreign = append(foreign, dir)
		}
	}
	dirs := slices.DeleteFunc(filepath.SplitList(inherited("PATH")), func(dir string) bool {
		return !filepath.IsAbs(dir) || slices.ContainsFunc(foreign, func(f string) bool { return Within(f, realPath(dir)) })
	})
	return strings.Join(dirs, string(os.PathListSeparator))
}

// Env is the environment of this process with that PATH.
func Env(away ...string) []string {
	return append((&exec.Cmd{}).Environ(), "PATH="+Path(away...))
}

// inherited is a variable as a program would get it that is started as usual.
func inherited(name string) string {
	value := ""
	for _, v := range (&exec.Cmd{}).Environ() {
		if n, text, _ := strings.Cut(v, "="); n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			value = text
		}
	}
	return value
}

// Program finds a program on [Path]. The error wraps [memory.ErrNotFound].
func Program(name string, away ...string) (string, error) {
	for _, dir := range filepath.SplitList(Path(away...)) {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("program %s: %w on the PATH outside of the project", name, memory.ErrNotFound)
}
