package recount

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// request is what was asked once, and what came of it. Calls are named as the
// transcript names them.
type request struct {
	prompt        string // the transcript's line
	changed, read map[string]int
	commands      []ran
	errors        []string // calls
	outcome       string
	answered      bool
	calls         []*call
}

type ran struct{ call, result string }

// call is a tool call with its result.
type call struct {
	id, tool, command, file string

	output       string
	done, failed bool
}

// line is a line of a transcript, as far as anything is counted in it.
type line struct {
	Type      string
	UUID      string
	CWD       string
	SessionID string
	GitBranch string
	Subtype   string

	IsMeta, IsSidechain, IsCompactSummary, IsAPIErrorMessage bool

	Message struct {
		Model   string
		Content json.RawMessage
	}
	ToolUseResult json.RawMessage

	raw    string
	text   string
	blocks []block
}

type block struct {
	Type, Text, ID, Name string
	Input                json.RawMessage
	ToolUseID            string `json:"tool_use_id"`
	Content              json.RawMessage
	IsError              bool `json:"is_error"`
}

// lines reads a transcript. What is no line of one is left out.
func lines(file string) ([]line, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 64<<20)
	var out []line
	for scan.Scan() {
		l := line{raw: scan.Text()}
		if json.Unmarshal(scan.Bytes(), &l) != nil {
			continue
		}
		if json.Unmarshal(l.Message.Content, &l.text) != nil {
			_ = json.Unmarshal(l.Message.Content, &l.blocks)
		}
		out = append(out, l)
	}
	return out, scan.Err()
}

// words joins what the blocks of a result or a message say.
func words(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var list []block
	_ = json.Unmarshal(content, &list)
	var out []string
	for _, b := range list {
		if b.Type == "text" {
			out = append(out, b.Text)
		}
	}
	return strings.Join(out, "\n")
}

// count counts a session.
func count(all []line) []*request {
	var out []*request
	var now *request
	calls := map[string]*call{}
	cwd := ""
	said := false // something, and no call since: that is an answer once the person speaks again
	ended := func() {
		if now != nil && said {
			now.answered = true
		}
		said = false
	}
	for i := range all {
		l := &all[i]
		if cwd == "" {
			cwd = l.CWD
		}
		if l.IsSidechain || l.IsMeta || l.IsCompactSummary || l.IsAPIErrorMessage || l.Message.Model == "<synthetic>" {
			continue
		}
		typed := l.typed()
		if typed != "" {
			ended()
		}
		if asks(typed) {
			now = &request{prompt: l.UUID, changed: map[string]int{}, read: map[string]int{}}
			out = append(out, now)
		}
		for _, b := range l.blocks {
			switch {
			case l.Type == "assistant" && b.Type == "tool_use":
				c := &call{id: b.ID, tool: b.Name}
				var in struct {
					Command  string
					File     string `json:"file_path"`
					Notebook string `json:"notebook_path"`
				}
				_ = json.Unmarshal(b.Input, &in)
				if c.tool == "Bash" {
					c.command = in.Command
				}
				c.file = in.File + in.Notebook
				calls[c.id], said = c, false
				if now != nil {
					now.calls = append(now.calls, c)
				}
			case l.Type == "user" && b.Type == "tool_result":
				if c := calls[b.ToolUseID]; c != nil {
					c.done, c.failed, c.output = true, b.IsError, words(b.Content)
				}
			case l.Type == "assistant" && b.Type == "text" && strings.TrimSpace(b.Text) != "":
				said = true
			}
		}
	}
	ended()
	for _, r := range out {
		r.sum(cwd)
	}
	return out
}

// typed is what a person typed in a line; empty for what the client wrote.
func (l *line) typed() string {
	if l.Type != "user" {
		return ""
	}
	text := l.text
	for _, b := range l.blocks {
		if b.Type == "text" {
			text += "\n" + b.Text
		}
	}
	text = strings.TrimSpace(elements.ReplaceAllString(text, ""))
	if clients.MatchString(text) {
		return ""
	}
	return text
}

var (
	elements = regexp.MustCompile(`(?s)<(system-reminder|local-command-\w+|bash-\w+|command-\w+|task-notification|ide_\w+)>.*?</(system-reminder|local-command-\w+|bash-\w+|command-\w+|task-notification|ide_\w+)>`)
	clients  = regexp.MustCompile(`^(/\w[\w-]*( |$)|\[Request interrupted|This session is being continued|Caveat: The messages|Base directory for this skill|Stop hook feedback|\[Image: source)`)
	ascii    = regexp.MustCompile(`[A-Za-z']+`)
	digit    = regexp.MustCompile(`[0-9]`)
)

// goAhead are words of which none asks for anything new.
var goAhead = strings.Fields(`a again ahead all alright also an and are as at be but by can could do done down for from fine go good got great have he hello hey hi how
	i if in is it its just keep let lets looks make me my nice no not now of off ok okay on one only or our out over perfect please proceed right she should so some sounds
	still sure thank thanks that the their them then there these they this those to too up us was we well what when which who will with would y yeah yep yes you your
	let's it's that's continue`)

// asks tells whether a prompt asks for something, beyond that it may go on.
func asks(typed string) bool {
	said := ascii.FindAllString(strings.ToLower(typed), -1)
	if digit.MatchString(typed) || len(said) > 1 && strings.HasSuffix(typed, "?") {
		return true
	}
	return slices.ContainsFunc(said, func(w string) bool { return !slices.Contains(goAhead, w) })
}

// sum counts the calls of a request.
func (r *request) sum(cwd string) {
	broken := map[*call]bool{}
	acts := false
	var last *call
	for _, c := range r.calls {
		if c.command != "" && ours(c.command) {
			continue
		}
		if c.done {
			last = c
		}
		name := path.Clean(c.file)
		if below, ok := strings.CutPrefix(name, strings.TrimSuffix(cwd, "/")+"/"); ok {
			name = below
		}
		good := c.done && !c.failed && c.file != ""
		switch c.tool {
		case "Edit", "Write", "MultiEdit", "NotebookEdit":
			if good {
				r.changed[name]++
				acts = true
			}
		case "Read", "NotebookRead":
			if good {
				r.read[name]++
			}
		}
		broken[c] = c.broke()
		if broken[c] {
			r.errors = append(r.errors, c.id)
		}
		if c.command != "" {
			result := "ok"
			switch {
			case !c.done:
				result = "unknown"
			case c.failed && c.refused():
				result = "refused"
			case c.failed, broken[c]:
				result = "failed"
			}
			r.commands = append(r.commands, ran{c.id, result})
			acts = acts || !looks(c.command)
		}
	}
	open := false
	for i, c := range r.calls {
		work := c.command != "" || c.tool == "Edit" || c.tool == "Write"
		open = open || broken[c] && work && !settled(c, r.calls[i+1:], broken)
	}
	switch {
	case !r.answered, last != nil && last.failed && last.refused():
		r.outcome = "stopped"
	case open:
		r.outcome = "failing"
	case acts:
		r.outcome = "done"
	default:
		r.outcome = "answered"
	}
}

func (c *call) refused() bool {
	return strings.Contains(c.output, "user doesn't want to") || strings.Contains(c.output, "Request interrupted by user") || strings.Contains(c.output, "tool use was rejected") || strings.Contains(c.output, "Sibling tool call errored")
}

// broke tells whether a call failed and it matters: not a search that found nothing.
func (c *call) broke() bool {
	switch {
	case c.failed:
		return !c.refused() && !(c.command != "" && looks(c.command))
	case !c.done || c.command == "":
		return false
	}
	return hides(c.command) && says.MatchString(c.output)
}

// piece is a command of a line, and the sign in front of it.
type piece struct{ sign, text string }

// pieces cuts a line where its commands end, outside of quotes.
func pieces(command string) []piece {
	if at := strings.Index(command, "<<"); at >= 0 { // a here-document is no command
		if end := strings.IndexByte(command[at:], '\n'); end >= 0 {
			command = command[:at+end]
		}
	}
	command = strings.ReplaceAll(command, "\\\n", " ")
	var out []piece
	sign, start, quote := "", 0, byte(0)
	cut := func(end, width int) {
		if text := strings.TrimSpace(command[start:end]); text != "" {
			out = append(out, piece{sign, text})
		}
		sign, start = command[end:end+width], end+width
	}
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.HasPrefix(command[i:], "&&") || strings.HasPrefix(command[i:], "||"):
			cut(i, 2)
			i++
		case c == '|' || c == ';' || c == '\n':
			cut(i, 1)
		}
	}
	cut(len(command), 0)
	return out
}

var (
	setting = regexp.MustCompile(`^(\w+=\S* +)+`)
	quiet   = regexp.MustCompile(` *(2>&1|2?>/dev/null|2>/dev/null|&>/dev/null)`)
	lookers = strings.Fields("cd ls cat head tail less grep egrep rg find fd test [ [[ which type diff cmp pgrep ps pwd wc sort uniq cut awk echo true stat file tree jq sleep")
	asked   = regexp.MustCompile(`^git( -C \S+| --no-pager| -c \S+)* (log|blame|annotate|show|diff|status|rev-parse|cat-file|ls-files|ls-tree|ls-remote|reflog|describe|merge-base|rev-list|show-ref|for-each-ref|shortlog|name-rev|check-ignore|count-objects|fsck|worktree list|stash list|branch( -\S+)*$)`)
	checks  = regexp.MustCompile(`^(mise (run|r) (test|lint|build)\S*|mise (test|lint|build)\S*|go (test|build|vet|install)\b|golangci-lint|staticcheck|gotestsum|make\b|npm (test|t|run (test|build|lint)\S*)|npx (tsc|eslint|jest|vitest|prettier)|cargo (test|build|check|clippy)|pytest|shellcheck)`)
	says    = regexp.MustCompile(`(?m)^\s*--- FAIL: |^FAIL(\s|$)|^FAILED |^make(\[\d+\])?: \*\*\* |^npm ERR! |^\[\w+\] ERROR task failed|^error(: could not compile|\[E\d)|^test result: FAILED|\b[1-9]\d* (tests? )?fail(ed|ures?|ing)\b|^\d+ issues?:$|^Exit code [1-9]|^exit status [1-9]|^\S+\.(go|ts|tsx|py|rs|c|cc|cpp|java):\d+:\d+: (error|undefined|cannot|undeclared|.* \(typecheck\))`)
	fine    = regexp.MustCompile(`(?m)^ok\s|^PASS\b|^\s*--- PASS|^OK\b|\b0 issues|\bpassed\b|\bpassing\b|test result: ok|[✓✔]`)
	filters = strings.Fields("tail head tee cat less wc grep sort")
	ready   = strings.Fields("cd pushd export source set echo true sleep")
)

func program(text string) string {
	name, _, _ := strings.Cut(setting.ReplaceAllString(text, ""), " ")
	return path.Base(name)
}

// looks tells whether a line only looks at something.
func looks(command string) bool {
	for _, p := range pieces(command) {
		text := setting.ReplaceAllString(p.text, "")
		if strings.Contains(unquoted(quiet.ReplaceAllString(text, "")), ">") || !slices.Contains(lookers, program(text)) && !asked.MatchString(text) {
			return false
		}
	}
	return true
}

var quotes = regexp.MustCompile(`'[^']*'|"[^"]*"`)

func unquoted(s string) string { return quotes.ReplaceAllString(s, "") }

// hides tells whether a line can end well though a check in it does not.
func hides(command string) bool {
	check := false
	for _, p := range pieces(command) {
		if checks.MatchString(setting.ReplaceAllString(p.text, "")) {
			check = true
		} else if check && (p.sign == "|" || p.sign == "||" || p.sign == ";" || p.sign == "\n") {
			return true
		}
	}
	return false
}

// subject is what a line is about: without what makes ready for it, and what shortens
// what it prints. Of checks, each by itself.
func subject(command string) (whole string, each []string) {
	for _, p := range pieces(command) {
		text := strings.TrimSpace(quiet.ReplaceAllString(p.text, ""))
		if p.sign == "|" && slices.Contains(filters, program(text)) || slices.Contains(ready, program(text)) {
			continue
		}
		whole += "\n" + text
		if bare := setting.ReplaceAllString(text, ""); checks.MatchString(bare) {
			each = append(each, strings.Join(slices.DeleteFunc(strings.Fields(bare), func(w string) bool {
				name, _, _ := strings.Cut(w, "=")
				return slices.Contains([]string{"-v", "-q", "--verbose", "--quiet", "-count", "-timeout"}, name)
			}), " "))
		}
	}
	return whole, each
}

// settled tells whether what failed was done well later.
func settled(c *call, later []*call, broken map[*call]bool) bool {
	for i, o := range later {
		if !o.done || o.tool != c.tool {
			continue
		}
		if broken[o] && c.command != "" && same(c.command, o.command) {
			return settled(o, later[i+1:], broken) // from there on it is the same failure
		}
		if o.failed || broken[o] {
			continue
		}
		if c.command == "" {
			if o.file == c.file {
				return true
			}
			continue
		}
		whole, each := subject(c.command)
		others, passed := subject(o.command)
		silent := hides(o.command) && !fine.MatchString(o.output) && strings.Contains(strings.Join(passed, " "), "test")
		switch {
		case silent:
		case len(each) > 0 && !slices.ContainsFunc(each, func(s string) bool { return !slices.Contains(passed, s) }):
			return true
		case len(each) == 0 && whole == others:
			return true
		case covers(o, c):
			return true
		}
	}
	return false
}

// same tells whether two lines are about the same.
func same(a, b string) bool {
	whole, each := subject(a)
	others, checked := subject(b)
	return whole == others || len(each) > 0 && slices.Equal(each, checked)
}

var failing = regexp.MustCompile(`(?m)^\s*--- FAIL: (\w+)`)

// covers tells whether a test run passed that names all tests another says failed.
func covers(o, c *call) bool {
	names := failing.FindAllStringSubmatch(c.output, -1)
	for _, n := range names {
		named := false
		for w := range strings.FieldsSeq(o.command) {
			for p := range strings.SplitSeq(strings.Trim(w, `"'`), "|") {
				p = strings.Trim(p, "^$()")
				named = named || len(p) >= 5 && strings.Contains(n[1], p)
			}
		}
		if !named && !strings.Contains(o.output, "--- PASS: "+n[1]) {
			return false
		}
	}
	return len(names) > 0 && strings.Contains(o.command, "test")
}

// ours tells whether a line runs the program that is tested.
func ours(command string) bool {
	return slices.ContainsFunc(pieces(command), func(p piece) bool { return program(p.text) == "orihon" })
}
