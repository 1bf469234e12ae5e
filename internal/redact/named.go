package redact

import "strings"

// kind is what the name of a value promises.
type kind uint8

const (
	unnamed  kind = iota
	plural        // tokens, secrets, or a name with more words behind it: only what looks random
	token         // token, api key: something long
	secret        // secret
	password      // anything a person may choose, however weak
)

// named looks at a credential's name: at what is assigned to it, else at what
// stands beside it.
func (sc *scan) named(from, to int) {
	s := sc.s
	start, end := keyAround(s, from, to)
	if end <= sc.keyEnd {
		return
	}
	sc.keyEnd = end
	if start > 0 && s[start-1] == ':' && strings.Contains(s[max(0, start-80):start], "arn:") {
		return // a part of a resource's name
	}
	k := keyKind(s[start:end])
	if k == unnamed {
		return
	}
	if sc.paired(k, start, end) {
		return
	}
	found := len(sc.spans)
	handled := sc.assigned(k, start, end)
	if len(sc.spans) > found || sc.told(k, start, end) || sc.below(k, start, end) || handled {
		return
	}
	if s[start:end] == s[from:end] {
		sc.beside(start, end)
	}
}

// below takes a value that stands alone in the next line, where the line of its name ends
// in what leads to it. It reports whether there was one.
func (sc *scan) below(k kind, start, end int) bool {
	const most, apart = 80, 4 // bytes behind the name, signs between the lines
	s := sc.s
	lead := sc.line(end, most)
	i := end + len(lead)
	if i == len(s) || s[i] != '\n' || k == plural || !sc.sentence(start) || !endsWithAny(strings.TrimRight(lead, " \t\r*_"), leads[:]...) {
		return false
	}
	i = skipSigns(s, skipSigns(s, i, apart, "\r\n"), judged, " \t`\"'")
	v := strings.TrimRight(sc.line(i, judged), " \t\r`\"'.")
	if strings.ContainsAny(v, " \t") || !secretValue(k, v, inSentence) {
		return false
	}
	sc.valued(valueRule(v), i, i+len(v))
	return true
}

// leads are what a line ends in that leads to a value in the next.
var leads = [...]string{":", "：", "=", "?", "？", " is", " was", "是", "為", "为", "係"}

// maxKey bounds a name to each side of the cue.
const maxKey = 48

// keyAround is the whole name around the cue. What is glued to a Chinese one is no
// part of it.
func keyAround(s string, from, to int) (start, end int) {
	start, end = from, to
	for start > 0 && from-start < maxKey && (wordDashDot.has(s[start-1]) || s[start-1] == '$') {
		start--
	}
	if start > 0 && start < from && s[start-1] == '\\' && strings.IndexByte("nrt", s[start]) >= 0 {
		start++ // the letter of an escaped newline
	}
	for s[from] < 0x80 && end < len(s) && end-to < maxKey && wordDashDot.has(s[end]) {
		end++
	}
	for end > to && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	return start, end
}

// assigned handles name=value, name: value, "name": "value", --name value and
// their kin. It reports whether there was an assignment, secret or not.
func (sc *scan) assigned(k kind, start, end int) bool {
	s := sc.s
	i := end
	quoted := false
	for i < len(s) && i < end+4 && strings.IndexByte("\\\"'`]*", s[i]) >= 0 && !strings.HasPrefix(s[i:], `\u`) {
		quoted = quoted || s[i] == '"' || s[i] == '\''
		i++
	}
	if i == end && i < len(s) && s[i] == '>' && start > 0 && s[start-1] == '<' {
		// An element of XML holds its value up to the next tag.
		if n := strings.IndexByte(s[i:min(len(s), i+judged)], '<'); n > 1 && secretValue(k, s[i+1:i+n], inData) {
			sc.valued(credential, i+1, i+n)
		}
		return true
	}
	gap := i
	i = skipBlank(s, i, 24)
	if i == len(s) {
		return false
	}
	if quoted && strings.HasPrefix(s[i:], "value=") { // <add key="Password" value="…">
		sc.value(k, i+len("value="), inQuotes, loose)
		return true
	}
	spaced := i > gap
	rest := s[i:min(len(s), i+joinMost)]
	sep := separator(rest, quoted && start > 1 && s[start-2] == '(')
	switch {
	case !spaced && sep == 0 && k == password && s[start] >= 0x80:
		return sc.glued(i)
	case !spaced && (sep == 0 || strings.HasPrefix(rest, "->")):
		return false
	case sep == 0 && sc.skipType(i) > i:
		sc.value(k, sc.skipType(i), inProse, loose)
		return true
	case sep == 0 && s[start] == '-':
		return sc.flag(k, i)
	case sep == 0:
		return sc.loginWord(k, start, i)
	}
	v := i + sep
	if rest[0] == ',' || strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, "!=") {
		// A call's or comparison's other side: only a literal counts.
		v = skipBlank(s, v, 24)
		if v < len(s) && (s[v] == '"' || s[v] == '\'') {
			sc.value(k, v, inQuotes, loose)
		}
		return true
	}
	worded := isLower(rest[0]) || rest[0] == '-' || rest[0] >= 0x80 || rest[0] == '\\'
	after := skipBlank(s, v, 24)
	if after = sc.skipType(after); after >= len(s) {
		return true
	}
	p, set := inProse, loose
	if worded {
		p = inSentence
	}
	joined := rest[0] == '=' && !spaced && after == v
	env := joined && s[start] < 0x80 && strings.ToUpper(s[start:end]) == s[start:end] // as environments are written
	switch {
	case worded:
	case joined && start > 0 && (s[start-1] == '&' || s[start-1] == '?'):
		p, set = inData, query
	case env && sc.settingsLine(start):
		p, set = inEnvironment, tight
	case joined && (start > 0 && s[start-1] == ';' || connection(s, start)):
		p, set = inData, tight
	case env && !isUpper(s[after]) && !(start > 0 && s[after] == s[start-1]): // "NAME=" ends there
		p, set = inEnvironment, query
	case sc.settingsLine(start) && sc.wholeLine(after):
		p, set = inData, tight
	}
	if k == password && p.worded() {
		if (rest[0] != '=' || !spaced && after == v) && sc.spoken(argument{start, end}, after, rest[0]) {
			return true
		}
		from := skipOpening(s, after)
		if to, ok := sc.given(from, p, true); ok && rest[0] != '=' && sc.sentence(start) {
			sc.valued(valueRule(s[from:to]), from, to)
			sc.another(to)
			return true
		}
	}
	sc.value(k, after, p, set)
	return true
}

// skipType steps over a type between name and value: password: str = "…",
// var token string = "…" has its type before the sign.
func (sc *scan) skipType(i int) int {
	s := sc.s
	j := i
	for j < len(s) && j < i+24 && (alnum.has(s[j]) || strings.IndexByte("_.|?[]<>", s[j]) >= 0) {
		j++
	}
	e := skipBlank(s, j, 4)
	if j > i && e+1 < len(s) && e > j && s[e] == '=' && s[e+1] != '=' && s[e+1] != '>' {
		return skipBlank(s, e+1, 8)
	}
	return i
}

// value judges the value that begins at i and notes it when it is a secret.
func (sc *scan) value(k kind, i int, p place, set charset) {
	s := sc.s
	for _, prefix := range [...]string{"b", "r", "f", "u", "@", "L"} {
		if strings.HasPrefix(s[i:], prefix) && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\'') {
			i++
			break
		}
	}
	if from, to, ok := quotedText(s, i); ok {
		if secretValue(k, s[from:to], inQuotes) {
			sc.valued(valueRule(s[from:to]), from, to)
		}
		return
	} else if from > i {
		i = from // a quote that never closes: the text was cut
	}
	i = skipOpening(s, i)
	for set == loose && i < len(s) && (s[i] == '`' || s[i] == '*') {
		i++
	}
	to := sc.run(i, set)
	switch {
	case k == password && p.worded():
		to, _ = sc.given(i, p, false)
	case p.worded(), p == inEnvironment && set == query:
		to = trimEnd(s, i, to, ".:!?")
	case set == tight:
		if n := strings.Index(s[i:min(to, i+judged)], "&&"); n >= 0 {
			to = i + n
		}
		to = trimEnd(s, i, to, `,\`)
		if k == password && p == inData && to < len(s) && s[to] == ';' {
			to = max(to, sc.reach(i))
		}
	}
	if to > i && secretValue(k, s[i:to], p) {
		sc.valued(valueRule(s[i:to]), i, to)
	}
}

// settingsLine reports whether a name at start begins its line, as in a file
// of settings, a shell's export, a Dockerfile or a list of YAML.
func (sc *scan) settingsLine(start int) bool {
	s := sc.s
	before := sc.lineBefore(start, 40)
	if i := start - len(before); i > 0 && s[i-1] != '\n' {
		return false
	}
	before = strings.TrimSpace(before)
	switch before {
	case "", "-", "+", "export", "set", "ENV", "ARG", "setx", "$", "\"", "'", "- \"", "-e", "env", ">":
		return true
	}
	return endsWithAny(before, "\\n", "export", " -e", "$env:")
}

// wholeLine reports whether the value at i is all that is left of its line and
// no part of a program: no comma, semicolon or bracket at its end.
func (sc *scan) wholeLine(i int) bool {
	line := strings.TrimRight(sc.line(i, 160), " \t\r")
	if line == "" || strings.ContainsAny(line, " \t") && !strings.Contains(line, " #") {
		return false
	}
	return strings.IndexByte(",;)]}", line[len(line)-1]) < 0
}

// connection reports whether the word before a name is an assignment too, as
// in "host=db user=app password=…".
func connection(s string, start int) bool {
	i := start
	if i == 0 || s[i-1] != ' ' {
		return false
	}
	i--
	stop := max(0, i-64)
	for i > stop && s[i-1] != ' ' && s[i-1] != '\n' {
		i--
		if s[i] == '=' {
			return i > 0 && alnum.has(s[i-1])
		}
	}
	return false
}

// flag handles a value behind an option: --password value. Words of a manual
// ("the --token option") are no values.
func (sc *scan) flag(k kind, i int) bool {
	s := sc.s
	if s[i] == '-' {
		return false
	}
	if from, to, ok := quotedText(s, i); ok {
		if secretValue(k, s[from:to], inQuotes) {
			sc.valued(commandPassword, from, to)
		}
		return true
	}
	to := sc.run(i, loose)
	next := skipBlank(s, to, 4)
	p := inProse
	if next >= len(s) || strings.IndexByte("\n-|&;\\>", s[next]) >= 0 {
		p = inData
	}
	if p == inData && k == password && to < len(s) && inManual(s[i:to]) {
		return true
	}
	if to > i && secretValue(k, s[i:to], p) {
		sc.valued(commandPassword, i, to)
	}
	return true
}

// loginWord handles what has only a space between: the lines of a .netrc file
// ("machine h login u password p") and 密碼 abc123.
func (sc *scan) loginWord(k kind, start, i int) bool {
	s := sc.s
	to := sc.run(i, loose)
	if to == i {
		return false
	}
	if s[start] >= 0x80 {
		if k != password || !secretValue(k, s[i:to], inProse) {
			return false
		}
		sc.valued(credential, i, to)
		return true
	}
	words := strings.Fields(s[max(0, start-200):start])
	n := len(words)
	is := func(back int, word string) bool { return n >= back && strings.HasSuffix(words[n-back], word) }
	if k != password || !is(2, "login") && !is(2, "machine") {
		return false
	}
	p := inProse
	if is(2, "machine") || is(4, "machine") || is(3, "default") {
		p = inData
	}
	if !secretValue(k, s[i:to], p) {
		return false
	}
	sc.valued(netrc, i, to)
	return true
}

// glued takes a value right behind a Chinese name, 密碼abc123, where nothing follows
// that would make it say how a password is kept.
func (sc *scan) glued(i int) bool {
	from := skipOpening(sc.s, i)
	to, ok := sc.given(from, inProse, false)
	if ok && sc.clauseEnds(to) {
		sc.valued(credential, from, to)
		return true
	}
	return false
}

// beside looks for a random token near a credential's name: shortly behind it,
// or shortly before.
func (sc *scan) beside(start, end int) {
	s := sc.s
	stop := min(len(s), end+100)
	for i := end; i < stop; {
		b := s[i]
		if b == '{' || b == '}' || b == ';' || b == '(' || b == '[' || b == '\n' && i > end+40 {
			break
		}
		if !random.has(b) {
			i++
			continue
		}
		to := sc.run(i, random)
		if sc.randomToken(i, to) {
			sc.valued(highEntropy, i, to)
			return
		}
		i = to
	}
	i := start
	floor := max(sc.cueDone, start-40, 0)
	for i > floor && (isSpace(s[i-1]) || isLower(s[i-1]|0x20) || s[i-1] >= 0x80 || s[i-1] == '`' || s[i-1] == '"') {
		i--
	}
	// What stopped the walk is no letter: the token's last word may be in it.
	gap := strings.IndexAny(s[i:start], " \t\n`\"")
	if gap < 0 {
		return
	}
	to := i + gap
	for i > 0 && to-i < 200 && random.has(s[i-1]) {
		i--
	}
	if i < to && i >= sc.cueDone && sc.randomToken(i, to) {
		sc.valued(highEntropy, i, to)
	}
}

// randomToken reports whether the run from..to is a token and not part of an
// address, a digest or an identifier of another kind.
func (sc *scan) randomToken(from, to int) bool {
	s := sc.s
	v := s[from:min(to, from+judged)]
	if !randomText(v) || path(v) {
		return false
	}
	word := from
	for word > 0 && from-word < 200 && !isSpace(s[word-1]) && s[word-1] != '"' {
		word--
	}
	lead := s[word:from]
	if strings.Contains(lead, "://") || endsWithAny(lead, "h1:", ".", "@", "$", "}") {
		return false
	}
	if n := len(lead); n >= 4 && lead[n-1] == ':' && strings.Contains(strings.ToLower(lead), "sha") {
		return false
	}
	n := strings.IndexAny(v, "_-")
	return n < 0 || !listed(v[:n+1], objectID)
}
