package claudecode

import (
	"slices"
	"strings"
)

// Command is the hook command that runs the binary at an absolute path, quoted
// for the shell that the client uses on that system (goos as in runtime.GOOS;
// on Windows that is a POSIX shell or cmd, and slashes suit both).
func Command(binary, goos string) string {
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
	program, rest := command, args
	if len(args) == 0 {
		word, _, end := firstWord(command)
		program, rest = word, strings.Fields(command[end:])
	}
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	named := base == "orihon" || strings.EqualFold(base, "orihon.exe")
	return named && len(rest) > 0 && rest[0] == "hook"
}

// rebase gives an existing command the program of another one and keeps the
// arguments and variables that somebody may have added.
func rebase(command string, exec bool, recorded, wanted string) string {
	word, from, to := firstWord(wanted)
	switch {
	case exec:
		return word
	case command == recorded:
		return wanted
	}
	old, start, end := firstWord(command)
	if old == word {
		return command
	}
	return command[:start] + wanted[from:to] + command[end:]
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
