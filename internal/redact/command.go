package redact

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed commands.txt
var commandLines string

// command is a program and where its arguments hold passwords.
type command struct {
	names []string

	// What follows is read when the program was found for the first time.
	once  sync.Once
	rest  string
	needs []string // words that must be among the arguments
	slots []slot
}

// slot is where a password stands.
type slot struct {
	option string // empty for the last argument
	letter byte   // of an option, which the last argument then needs; or 0
	sign   string // what stands before the password within the argument
	apart  bool   // in an argument of its own
	glued  bool
}

// commands are the list of commands, see its head, read as far as it takes to look
// for them.
var commands = sync.OnceValue(func() []*command {
	out := make([]*command, 0, strings.Count(commandLines, "\n"))
	for line := range entries(commandLines) {
		names, rest, _ := strings.Cut(line, " ")
		out = append(out, &command{names: strings.Split(names, ","), rest: rest})
	}
	return out
})

func (c *command) read() {
	for w := range strings.FieldsSeq(c.rest) {
		if need, ok := strings.CutPrefix(w, "+"); ok {
			c.needs = append(c.needs, need)
			continue
		}
		c.slots = append(c.slots, readSlot(w))
	}
}

func readSlot(w string) slot {
	if w == "last." {
		return slot{}
	}
	if letter, ok := strings.CutSuffix(w, "&last."); ok {
		return slot{letter: letter[1]}
	}
	if option, sign, ok := strings.Cut(w, "="); ok {
		return slot{option: option, sign: sign, apart: true}
	}
	sl := slot{option: w, apart: true}
	if last := len(w) - 1; strings.IndexByte("*?:%,", w[last]) >= 0 {
		sl.option, sl.glued, sl.apart = w[:last], true, w[last] != '*'
		if strings.IndexByte(":%,", w[last]) >= 0 {
			sl.sign = w[last:]
		}
	}
	return sl
}

// argument is a word of a command line, without its quotes.
type argument struct{ from, to int }

// program is a command by one of its names.
type program struct {
	name string
	*command
}

// command looks at the arguments of a program whose name begins at from.
func (sc *scan) command(c program, from int) {
	s := sc.s
	to := from + len(c.name)
	if !strings.HasPrefix(s[from:], c.name) {
		return
	}
	if from > 0 && wordDashDot.has(s[from-1]) && !wordStart(s, from) || to >= len(s) || s[to] != ' ' && !strings.HasPrefix(s[to:], ".exe ") {
		return
	}
	if from > 0 && strings.IndexByte("_-.", s[from-1]) >= 0 {
		return
	}
	if sc.lastCommand == c.command && from < sc.commandEnd {
		return // its name among its own arguments
	}
	c.once.Do(c.read)
	args := sc.arguments(to)
	if sc.lastCommand = c.command; len(args) > 0 {
		sc.commandEnd = args[len(args)-1].to
	}
	text := func(i int) string { return s[args[i].from:args[i].to] }
	isText := func(word string) bool {
		return slices.ContainsFunc(args, func(a argument) bool { return s[a.from:a.to] == word })
	}
	for _, need := range c.needs {
		if !isText(need) {
			return
		}
	}
	for _, sl := range c.slots {
		if sl.option == "" {
			sc.lastArgument(args, sl.letter, c.needs)
			continue
		}
		for i := range args {
			rest, ok := strings.CutPrefix(text(i), sl.option)
			switch {
			case !ok:
			case rest == "" && sl.apart && i+1 < len(args):
				if i+2 < len(args) && listed(text(i+2), sentenceWord) && count(text(i+1)).lowers == len(text(i+1)) {
					continue // a sentence about the option
				}
				sc.password(args[i+1].from, args[i+1].to, sl.sign)
			case rest != "" && (sl.glued && (sl.option[1] != '-' || rest[0] == '=') || strings.HasPrefix(sl.option, "--") && rest[0] == '='):
				begin := args[i].from + len(sl.option)
				if rest[0] == '=' {
					begin++
				}
				sc.password(begin, args[i].to, sl.sign)
			}
		}
	}
}

// lastArgument takes the last argument of a command that has more of them than
// it must have. A sentence about the command has words that no command has.
func (sc *scan) lastArgument(args []argument, letter byte, needs []string) {
	n := len(args) - 1
	if n < max(len(needs), 1) || slices.Contains(needs, sc.s[args[n].from:args[n].to]) || sc.s[args[n].from] == '-' || letter != 0 && !hasLetter(sc.s, args, letter) {
		return
	}
	if slices.ContainsFunc(args, func(a argument) bool { return listed(sc.s[a.from:a.to], sentenceWord) }) {
		return
	}
	sc.password(args[n].from, args[n].to, "")
}

func hasLetter(s string, args []argument, letter byte) bool {
	return slices.ContainsFunc(args, func(a argument) bool {
		w := s[a.from:a.to]
		return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.IndexByte(w, letter) > 0
	})
}

// password notes the password in an argument: all of it, or what stands behind
// a sign. The words of a manual, variables and files are none.
func (sc *scan) password(from, to int, sign string) {
	s := sc.s
	if sign != "" {
		n := strings.Index(s[from:to], sign)
		if n < 0 || len(sign) > 1 && n > 0 {
			return
		}
		from += n + len(sign)
	}
	if f, t, ok := quotedText(s[:to], from); ok {
		from, to = f, t
	}
	v := s[from:max(from, to)]
	if len(v) < 3 || v[0] == '-' || markAt(v, 0) > 0 || v[0] == '$' && !strings.ContainsAny(v, " #!") || strings.IndexByte("<{[|", v[0]) >= 0 ||
		reference(v, inData) && !strings.ContainsAny(v, "!@#%^&*") || placeholder(v) || inManual(v) || listed(strings.ToLower(v), sentenceWord) {
		return
	}
	sc.valued(commandPassword, from, to)
}

// arguments are the words of a command from a place to its end: a sign that
// ends it, a line break, or the end of the text it is quoted in.
func (sc *scan) arguments(i int) (args []argument) {
	s := sc.s
	stop := min(len(s), i+600)
	for i < stop {
		switch {
		case s[i] == ' ' || s[i] == '\t':
			i++
			continue
		case strings.HasPrefix(s[i:], "\\\n"):
			i += 2
			continue
		case strings.HasPrefix(s[i:], `\\\n`): // the same within JSON
			i += 4
			continue
		case strings.IndexByte("|;&\n\r`)<>", s[i]) >= 0, s[i] >= 0x80: // its end, or a sentence that goes on
			return args
		}
		if from, to, ok := quotedText(s, i); ok {
			args = append(args, argument{from, to})
			i = to + (from - i)
			continue
		} else if from > i {
			return args // the end of what the command is quoted in
		}
		from := i
		for i < stop && s[i] > ' ' && strings.IndexByte("|;&`)", s[i]) < 0 {
			if s[i] == '"' || s[i] == '\'' || s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == 'n') {
				f, t, ok := quotedText(s, i)
				if !ok || s[from] != '-' && s[from] != '/' || t > f && i == from {
					break
				}
				i = t + (f - i)
				continue
			}
			i++
		}
		if i == from {
			return args
		}
		args = append(args, argument{from, i})
		if i < stop && (s[i] == '"' || s[i] == '\'' || s[i] == '\\') {
			return args
		}
	}
	return args
}

// piped takes what echo or printf hands to a program that reads passwords from
// its input: all of it, or what follows the colon of user:password.
func (sc *scan) piped(from, to int) {
	s := sc.s
	before := sc.lineBefore(from, 160)
	sign := ""
	if strings.HasPrefix(s[from:], "chpasswd") {
		sign = ":"
		if i := skipBlank(s, to, 4); strings.HasPrefix(s[i:], "<<<") {
			for _, a := range sc.arguments(i + 3) {
				sc.password(a.from, a.to, sign)
			}
			return
		}
	}
	pipe := strings.LastIndexByte(before, '|')
	for _, echo := range [...]string{"echo ", "printf "} {
		n := strings.LastIndex(before, echo)
		if n < 0 || pipe < n || strings.IndexByte(before[n:pipe], '|') >= 0 {
			continue
		}
		if args := sc.arguments(from - len(before) + n + len(echo)); len(args) > 0 {
			a := args[len(args)-1]
			sc.password(a.from, a.to, sign)
		}
		return
	}
}
