package claudecode

import (
	"slices"
	"strings"
)

// guard stands around a hook's command, so that the client sees exit code 0
// whatever becomes of the program: gone, not for this machine, killed, or
// refused memory and threads by the system before it runs a line of its own.
// Code 2, which a Go program dies with then, would block the user's prompt.
type guard struct{ before, behind string }

// guards are known by heart: a change makes those that are installed unknown.
var (
	// The trap also answers when the shell itself cannot start a process, and
	// the shell's own remarks go where the program's go.
	posixGuard = guard{"{ trap 'exit 0' 0; ", "; } 2>/dev/null"}
	// Of what Git Bash and PowerShell both understand this is all: without
	// Git Bash the client runs its hooks by PowerShell.
	windowsGuard = guard{"", "; exit 0"}
)

func (g guard) around(command string) string { return g.before + command + g.behind }

// unguarded takes the guard from a command; the guard is zero where there is
// none.
func unguarded(command string) (string, guard) {
	for _, g := range [...]guard{posixGuard, windowsGuard} {
		if inner, ok := strings.CutPrefix(command, g.before); ok {
			if inner, ok = strings.CutSuffix(inner, g.behind); ok {
				return inner, g
			}
		}
	}
	return command, guard{}
}

// simple reports whether a command is a program with its arguments, so that a
// guard may stand around it.
func simple(command string) bool { return !strings.ContainsAny(command, ";&|<>(){}`\n#") }

// Command is the hook command that runs the binary at an absolute path, quoted
// and guarded for the shell that the client uses on that system (goos as in
// runtime.GOOS; on Windows slashes suit each of its shells).
func Command(binary, goos string) string {
	if goos == "windows" {
		return windowsGuard.around(bare(binary, goos))
	}
	return posixGuard.around(bare(binary, goos))
}

func bare(binary, goos string) string {
	quote := `'`
	if goos == "windows" {
		binary = strings.ReplaceAll(binary, `\`, `/`)
		quote = `"`
	}
	if plain(binary) {
		return binary + " hook"
	}
	if quote == `'` {
		binary = strings.ReplaceAll(binary, `'`, `'\''`)
	}
	return quote + binary + quote + " hook"
}

func plain(path string) bool {
	for _, r := range path {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("/._-+@%:,", r):
		default:
			return false
		}
	}
	return path != ""
}

// runsHook reports whether a command is Orihon's hook: one of the exact
// commands that are known to be, or a program named orihon whose first argument
// is hook. args is the exec form of the settings, where the command is the bare
// program.
func runsHook(command string, args []string, exact []string) bool {
	if command != "" && slices.Contains(exact, command) {
		return true
	}
	command, _ = unguarded(command)
	program, rest := command, args
	if len(args) == 0 {
		word, _, end := firstWord(command)
		program, rest = word, strings.Fields(command[end:])
	}
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	named := base == "orihon" || strings.EqualFold(base, "orihon.exe")
	return named && len(rest) > 0 && rest[0] == "hook"
}

// rebase gives an existing command the program and the guard of another one and
// keeps the arguments and variables that somebody may have added.
func rebase(command string, exec bool, recorded, wanted string) string {
	fresh, guards := unguarded(wanted)
	word, from, to := firstWord(fresh)
	switch {
	case exec:
		return word
	case command == recorded:
		return wanted
	}
	now, has := unguarded(command)
	if old, start, end := firstWord(now); old != word {
		now = now[:start] + fresh[from:to] + now[end:]
	}
	if has == (guard{}) && !simple(now) || guards == (guard{}) {
		guards = has
	}
	return guards.around(now)
}

// firstWord is the program a shell command runs, unquoted, and where it stands.
// Variables set before it are stepped over.
func firstWord(command string) (word string, start, end int) {
	for end < len(command) {
		start = end + len(command[end:]) - len(strings.TrimLeft(command[end:], " \t"))
		word, end = shellWord(command, start)
		name, _, assigned := strings.Cut(word, "=")
		if !assigned || strings.ContainsAny(name, `/\"'. `) {
			break
		}
	}
	return word, start, end
}

// shellWord reads one word from start on. A backslash escapes only blanks,
// quotes and itself, so that unquoted Windows paths stay what they are.
func shellWord(s string, start int) (word string, end int) {
	var b strings.Builder
	var quote byte
	for i := start; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0 && (c == ' ' || c == '\t'):
			return b.String(), i
		case c == '\\' && quote != '\'' && i+1 < len(s) && strings.IndexByte(" \t\"'\\", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(s)
}
