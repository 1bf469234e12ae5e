package project

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"orihon/memory"
)

// How much of a history is read at the most.
const (
	maxCommits   = 10_000
	maxSubjects  = 1 << 20 // bytes
	maxAuthor    = 80      // characters of a committer's name
	maxSubject   = 200     // characters of a subject
	gitPatience  = 10 * time.Second
	gitExitDelay = time.Second
)

// Committer is who made a commit, and when. The name is foreign text.
type Committer struct {
	Name string // without control characters, at most 80 characters
	At   time.Time
}

// Subjects returns the first lines of the latest commits that are no merges,
// newest first; nothing where the history cannot be read safely. It starts a
// git process and must not be called while somebody waits for an answer.
func Subjects(ctx context.Context, root string, most int) ([]string, error) {
	var out []string
	err := askGit(ctx, root, func(_ string, r io.Reader) error {
		lines := bufio.NewReader(io.LimitReader(r, maxSubjects))
		for len(out) < most {
			line, err := lines.ReadString('\n')
			if err != nil {
				return nil // what is cut off is no subject
			}
			out = append(out, plain(strings.TrimSuffix(line, "\n"), maxSubject))
		}
		return nil
	}, "--no-merges", "--format=%s", fmt.Sprintf("-n%d", most))
	return out, err
}

// Committers says of files, given as slash-separated paths from root, who made
// the latest commit up to HEAD that touched them, by the committer's name and
// date: who wrote a change may be whoever its author says. What no commit holds, and
// what only a merge touched, is absent.
// Like [Subjects] it starts a git process, one for all paths.
func Committers(ctx context.Context, root string, paths []string) (map[string]Committer, error) {
	out := make(map[string]Committer, len(paths))
	if len(paths) == 0 {
		return out, nil
	}
	return out, askGit(ctx, root, func(prefix string, r io.Reader) error {
		open := make(map[string]string, len(paths)) // from the worktree's top, to what the caller calls it
		for _, p := range paths {
			open[prefix+path.Clean(p)] = p
		}
		return touched(r, func(name string, gone bool, by Committer) bool {
			if p, asked := open[name]; asked {
				delete(open, name)
				if !gone {
					out[p] = by
				}
			}
			return len(open) > 0
		})
	}, "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", "--format=%ct %cn", fmt.Sprintf("-n%d", maxCommits))
}

// touched reads what git log -z --raw prints: of each commit "seconds name",
// then pairs of ":modes and hashes and status" and a path, each ended by NUL. A
// path never stands where anything else could. It ends when visit says so.
func touched(r io.Reader, visit func(name string, gone bool, by Committer) bool) error {
	const most = 1 << 16 // bytes of a path or a line
	fields := bufio.NewScanner(r)
	fields.Buffer(nil, most)
	fields.Split(func(data []byte, _ bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	})
	var by Committer
	for fields.Scan() {
		head := strings.TrimPrefix(fields.Text(), "\n")
		if !strings.HasPrefix(head, ":") {
			at, name, _ := strings.Cut(head, " ")
			seconds, err := strconv.ParseInt(at, 10, 64)
			if err != nil {
				return fmt.Errorf("%w answer of git: %q", memory.ErrInvalid, plain(head, maxAuthor))
			}
			by = Committer{Name: plain(name, maxAuthor), At: time.Unix(seconds, 0).UTC()}
			continue
		}
		if !fields.Scan() || !visit(fields.Text(), strings.HasSuffix(head, "D"), by) {
			break
		}
	}
	return fields.Err()
}

// plain makes one short line of foreign text: control characters, and those
// that turn the direction of writing or cannot be seen, are left out.
func plain(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(text, "") {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			continue
		}
		if n++; n > most {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// askGit has git log tell of the history that HEAD of the worktree around root
// ends. The process never sees the repository's own folder, and so none of what
// is configured there: it works in a folder of ours with a configuration of
// ours, and reads the objects alone. read gets its output and the way from the
// worktree's top to root; what it leaves is not waited for. A history that
// cannot be read, or only in part, is no error.
func askGit(ctx context.Context, root string, read func(prefix string, r io.Reader) error, args ...string) error {
	return askGitOf(ctx, root, nil, read, args...)
}

// askGitOf is askGit for some files, as slash-separated paths from root; none are all.
func askGitOf(ctx context.Context, root string, files []string, read func(prefix string, r io.Reader) error, args ...string) error {
	repo, ok := enclosing(realPath(root))
	if !ok || !repo.own() {
		return nil
	}
	id := repo.head()
	objects := filepath.Join(repo.Common, "objects")
	if id == "" || !plainObjects(objects) {
		return nil
	}
	git, err := Program("git", root, repo.Top)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "orihon-git-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := gitFolder(dir, id, filepath.Join(repo.Common, "shallow")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	args = append(args, id, "--")
	for _, f := range files {
		args = append(args, repo.prefix(root)+path.Clean(f))
	}
	cmd := exec.CommandContext(ctx, git, append([]string{
		"--no-pager", "--no-optional-locks", "--literal-pathspecs", "-c", "core.quotePath=false", "-c", "protocol.allow=never", "-c", "safe.bareRepository=explicit",
		"log", "--no-show-signature", "--no-use-mailmap", "--no-notes", "--no-color", "--no-decorate",
	}, args...)...)
	cmd.Dir, cmd.WaitDelay = dir, gitExitDelay
	cmd.Env = gitEnv(dir, objects, Path(root, repo.Top))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", git, err)
	}
	err = read(repo.prefix(root), out)
	cancel()
	_ = cmd.Wait() // ended by us, or by an object that is missing: what was read counts
	return err
}

// gitFolder makes a git folder that holds nothing but the name of a format, and
// where a shallow history ends.
func gitFolder(dir, id, shallow string) error {
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if len(id) == sha256Digits {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	files := map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config}
	if data, err := readRegular(shallow); err == nil {
		var ends strings.Builder
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); hexID(line) && len(line) == len(id) {
				ends.WriteString(line + "\n")
			}
		}
		files["shallow"] = ends.String()
	}
	err := os.Mkdir(filepath.Join(dir, "refs"), 0o700)
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return err
}

// gitEnv is the whole environment of a git process.
func gitEnv(dir, objects, path string) []string {
	return []string{ // what Windows cannot do without is added by itself
		"PATH=" + path, "HOME=" + dir, "LC_ALL=C",
		"GIT_DIR=" + dir, "GIT_OBJECT_DIRECTORY=" + objects, "GIT_CEILING_DIRECTORIES=" + dir,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
	}
}
