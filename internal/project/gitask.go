package project

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tracked lists the files that git tracks in a folder, at most so many, as
// slash-separated paths within it. It starts a git process and must not be
// called while somebody waits for an answer.
func Tracked(ctx context.Context, root string, most int) ([]string, error) {
	out, err := askGit(ctx, root, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	return names[:min(len(names), most)], nil
}

// Subjects returns the first lines of the latest commits that are no merges,
// newest first. Like [Tracked] it starts a git process.
func Subjects(ctx context.Context, root string, most int) ([]string, error) {
	out, err := askGit(ctx, root, "log", "--no-merges", "--format=%s", fmt.Sprintf("-n%d", most))
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(strings.TrimRight(out, "\n"), "\n"), nil
}

// askGit runs git in a folder. What a repository's own configuration could have
// it run (a monitor, a check of signatures, a pager) is switched off, since the
// repository may be somebody else's.
func askGit(ctx context.Context, root string, args ...string) (string, error) {
	args = append([]string{"--no-pager", "--no-optional-locks", "-C", root, "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.hooksPath=" + os.DevNull}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git in %s: %w: %s", filepath.Base(root), err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
