package registry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/child"
	"orihon/internal/project"
	"orihon/memory"
)

// cloned is the folder of a clone below the one it is made in.
const cloned = "agent"

const gitTime = 2 * time.Minute

// isAddress reports a source that git has to fetch. A folder that is there is none.
func isAddress(source string) bool {
	if _, err := os.Stat(source); err == nil {
		return false
	}
	return strings.Contains(source, "://") || strings.HasPrefix(source, "git@")
}

// fetch clones a repository as it is now into a folder of ours, and returns its
// commit. Git has no configuration but ours: no hook, filter, helper or submodule
// runs, links become plain files, and only transports that a person could have
// meant are allowed.
func fetch(ctx context.Context, source, dir string) (commit string, err error) {
	address, ref, _ := strings.Cut(source, "#")
	if strings.HasPrefix(ref, "-") || strings.HasPrefix(address, "-") {
		return "", fmt.Errorf("%w source %q", memory.ErrInvalid, source)
	}
	git, err := project.Program("git", dir)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, cloned)
	args := []string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "core.symlinks=false", "-c", "core.fsmonitor=false", "-c", "credential.helper=", "-c", "core.askPass=",
		"clone", "--quiet", "--depth=1", "--no-tags", "--single-branch", "--no-recurse-submodules", "--template=",
	}
	if ref != "" {
		args = append(args, "--branch", ref)
	}
	run := func(args ...string) (string, error) {
		out, said, err := child.Run(ctx, child.Command{
			Path: git, Args: args, Dir: dir, Env: gitEnv(dir), Timeout: gitTime, MaxOutput: 64 << 10,
		})
		if err != nil {
			return "", fmt.Errorf("git: %w: %s", err, strings.Join(strings.Fields(string(said)), " "))
		}
		return strings.TrimSpace(string(out)), nil
	}
	if _, err := run(append(args, "--", address, to)...); err != nil {
		return "", err
	}
	return run("-C", to, "rev-parse", "HEAD")
}

// gitEnv is the whole environment of git: how it reaches a server, and that nothing
// is configured.
func gitEnv(dir string) []string {
	out := []string{
		"PATH=" + project.Path(dir), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=https:ssh:file", "GIT_LFS_SKIP_SMUDGE=1", "GIT_NO_LAZY_FETCH=1", "GIT_CEILING_DIRECTORIES=" + dir,
	}
	for _, v := range child.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "HOME", "USER", "USERPROFILE", "SystemRoot", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy":
			out = append(out, v)
		}
	}
	return out
}
