package hostile

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// touch is one thing that a program did to a path: look, read, write, run,
// connect, or dial, where the path is the address.
type touch struct{ path, access, by string }

// tracer reads what strace -f -y -xx prints, line by line.
type tracer struct {
	dir     string            // where the first process starts
	cwd     map[string]string // thread → working directory
	program map[string]string // thread → base name of its program
	partial map[string]string // thread → call that has not returned yet
	forker  string            // thread that forked last
	seen    map[touch]string  // → the line that shows it
	broken  []string          // lines that could not be read
}

func newTracer(dir string) *tracer {
	return &tracer{dir: dir, cwd: map[string]string{}, program: map[string]string{}, partial: map[string]string{}, seen: map[touch]string{}}
}

var (
	callLine = regexp.MustCompile(`^(\d+) +(.*)$`)
	call     = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+|\?)(.*)$`)
	// argument is a descriptor with its path, or a string.
	argument = regexp.MustCompile(`(AT_FDCWD|\d+)<((?:[^<>]|\\x3e)*)>(?:\(deleted\))?|"((?:\\x[0-9a-f]{2})*)"(?:\.\.\.)?`)
)

func (tr *tracer) line(l string) {
	m := callLine.FindStringSubmatch(strings.TrimRight(l, "\n"))
	if m == nil {
		return
	}
	tid, text := m[1], m[2]
	if tr.program[tid] == "" { // new: it is what the one that forked last was
		tr.program[tid], tr.cwd[tid] = tr.program[tr.forker], tr.cwd[tr.forker]
		if tr.cwd[tid] == "" {
			tr.cwd[tid] = tr.dir
		}
	}
	switch {
	case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
		return
	case strings.HasSuffix(text, "<detached ...>"): // it ended while its last call was noted
		return
	case strings.HasSuffix(text, "<unfinished ...>"):
		tr.partial[tid] = strings.TrimSuffix(text, "<unfinished ...>")
		if name, _, _ := strings.Cut(text, "("); forks[name] {
			tr.forker = tid
		}
		return
	case strings.HasPrefix(text, "<... "):
		_, rest, ok := strings.Cut(text, "resumed>")
		if tr.partial[tid] == "" || !ok {
			return // its beginning was not to be traced
		}
		text = tr.partial[tid] + rest
		delete(tr.partial, tid)
	}
	if strings.HasPrefix(text, "???(") {
		return // the thread was killed before strace could read which call it was
	}
	c := call.FindStringSubmatch(text)
	if c == nil {
		tr.broken = append(tr.broken, l)
		return
	}
	tr.call(tid, c[1], c[2], c[3], c[4], l)
}

var forks = map[string]bool{"clone": true, "clone3": true, "fork": true, "vfork": true}

// looks and writes are the calls by what they do to the paths they name. A call
// that opens is looked at by itself, and one that is in no list reads.
var (
	looks = set("stat lstat newfstatat fstatat64 statx access faccessat faccessat2 readlink readlinkat chdir statfs getxattr lgetxattr listxattr getcwd inotify_add_watch name_to_handle_at")

	writes = set("creat mkdir mkdirat rename renameat renameat2 unlink unlinkat rmdir link linkat truncate chmod fchmodat fchmodat2 chown lchown fchownat utime utimes futimesat utimensat mknod mknodat setxattr lsetxattr removexattr mount umount2")

	ignored = set("exit exit_group wait4 waitid kill tgkill tkill rt_sigqueueinfo pidfd_send_signal pidfd_open socketpair getsockname getpeername getsockopt setsockopt shutdown fchdir umask")
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func (tr *tracer) call(tid, name, args, result, rest, line string) {
	switch {
	case forks[name]:
		tr.forker = tid
		if result != "-1" && result != "?" && tr.program[result] == "" {
			tr.program[result], tr.cwd[result] = tr.program[tid], tr.cwd[tid]
		}
		return
	case ignored[name]:
		return
	case name == "socket":
		if !strings.HasPrefix(args, "AF_UNIX") && !strings.HasPrefix(args, "AF_NETLINK") {
			tr.note(touch{args, "dial", tr.program[tid]}, line)
		}
		return
	case name == "connect" || name == "bind" || strings.HasPrefix(name, "send") || strings.HasPrefix(name, "recv") || strings.HasPrefix(name, "accept") || name == "listen":
		if _, address, ok := strings.Cut(args, "sun_path="); ok {
			for _, p := range tr.paths(tid, address) {
				tr.note(touch{p, "connect", tr.program[tid]}, line)
			}
		} else if strings.Contains(args, "sa_family=AF_INET") {
			tr.note(touch{args, "dial", tr.program[tid]}, line)
		}
		return
	case name == "execve" || name == "execveat":
		paths := tr.paths(tid, args)
		if result == "0" && len(paths) > 0 {
			tr.note(touch{paths[0], "run", tr.program[tid]}, line)
			tr.program[tid] = filepath.Base(paths[0])
		}
		return
	case name == "symlink" || name == "symlinkat":
		_, args, _ = strings.Cut(args, ",") // the target is text
	}
	access := "read"
	switch {
	case looks[name]:
		access = "look"
	case writes[name]:
		access = "write"
	case name == "symlink", name == "symlinkat":
		access = "write"
	case strings.HasPrefix(name, "open"):
		for _, flag := range []string{"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"} {
			if strings.Contains(args, flag) {
				access = "write"
			}
		}
		if result == "-1" && access == "read" {
			access = "look" // nothing of it was read
		}
	}
	paths := tr.paths(tid, args)
	// What was opened in the end, whatever links led there.
	if at := argument.FindStringSubmatch(result + rest); at != nil && at[1] != "" && strings.HasPrefix(name, "open") {
		if opened := unhex(at[2]); filepath.IsAbs(opened) {
			paths = []string{filepath.Clean(opened)}
		}
	}
	for _, p := range paths {
		tr.note(touch{p, access, tr.program[tid]}, line)
	}
	if name == "chdir" && result == "0" && len(paths) > 0 {
		tr.cwd[tid] = paths[0]
	}
}

// paths are those that arguments name: absolute, or from the descriptor before
// them, or from the working directory.
func (tr *tracer) paths(tid, args string) []string {
	var out []string
	base := tr.cwd[tid]
	for _, m := range argument.FindAllStringSubmatch(args, -1) {
		if m[1] != "" {
			base = unhex(m[2])
			if m[1] == "AT_FDCWD" {
				tr.cwd[tid] = base
			}
			continue
		}
		p := unhex(m[3])
		switch {
		case p == "":
			if !filepath.IsAbs(base) {
				continue // a pipe or a socket
			}
			p = base
		case !filepath.IsAbs(p):
			p = filepath.Join(base, p)
		}
		out = append(out, filepath.Clean(p))
	}
	return out
}

func (tr *tracer) note(t touch, line string) {
	if _, ok := tr.seen[t]; !ok {
		tr.seen[t] = line
	}
}

// unhex reads the letters that strace writes as \x2f.
func unhex(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], `\x`) && len(s) >= i+4 {
			if n, err := strconv.ParseUint(s[i+2:i+4], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestATraceIsRead(t *testing.T) {
	tr := newTracer("/p")
	for l := range strings.Lines(`7 execve("/bin/orihon", ["\x68"], 0x1 /* 3 vars */) = 0
7 openat(AT_FDCWD<\x2f\x70>, "\x61", O_RDONLY|O_CLOEXEC) = 3<\x2f\x70\x2f\x61>
7 openat(AT_FDCWD<\x2f\x70>, "\x6c", O_RDONLY) = 3<\x2f\x65>
7 openat(4<\x2f\x71>, "\x6e", O_WRONLY|O_CREAT, 0600) = 3<\x2f\x71\x2f\x6e>
7 openat(AT_FDCWD<\x2f\x70>, "\x7a", O_RDONLY) = -1 ENOENT (No such file or directory)
7 newfstatat(AT_FDCWD<\x2f\x70>, "\x2f\x73", 0x1, 0) = -1 ENOENT (No such file or directory)
7 newfstatat(3<\x2f\x66>, "", {st_mode=S_IFREG|0644, st_size=1, ...}, AT_EMPTY_PATH) = 0
7 symlinkat("\x2f\x65", AT_FDCWD<\x2f\x70>, "\x6b") = 0
7 clone3({flags=CLONE_VM}, 88 <unfinished ...>
8 chdir("\x2f\x77") = 0
7 <... clone3 resumed>) = 8
8 execve("\x2f\x62\x2f\x67\x69\x74", ["\x67"], 0x1 <unfinished ...>
8 <... execve resumed>) = 0
8 rename("\x61", "\x2f\x62") = 0
8 socket(AF_INET, SOCK_STREAM, 0) = 3<socket:[1]>
8 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="\x2f\x6e"}, 110) = -1 ENOENT (No such file or directory)
8 <... ??? resumed>) = ?
8 ???( <unfinished ...>
8 <... ??? resumed>) = ?
8 +++ exited with 0 +++
`) {
		tr.line(strings.ReplaceAll(l, "/bin/orihon", `\x2f\x6f\x72\x69\x68\x6f\x6e`))
	}
	got := map[touch]bool{}
	for t := range tr.seen {
		got[t] = true
	}
	want := map[touch]bool{
		{"/orihon", "run", ""}: true, {"/p/a", "read", "orihon"}: true, {"/e", "read", "orihon"}: true, {"/q/n", "write", "orihon"}: true,
		{"/p/z", "look", "orihon"}: true, {"/s", "look", "orihon"}: true, {"/f", "look", "orihon"}: true, {"/p/k", "write", "orihon"}: true,
		{"/w", "look", "orihon"}: true, {"/b/git", "run", "orihon"}: true, {"/w/a", "write", "git"}: true, {"/b", "write", "git"}: true,
		{"AF_INET, SOCK_STREAM, 0", "dial", "git"}: true, {"/n", "connect", "git"}: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("touches (-want +got):\n%s", diff)
	}
	if len(tr.broken) > 0 {
		t.Errorf("not read: %q", tr.broken)
	}
}
