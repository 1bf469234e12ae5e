package redact

import "strings"

// Values that stand apart from their names, in forms that machines write.

// paired takes the value of a name that stands in one of these forms: a header in quotes,
// a block of YAML, a "value" beside a "name". It reports whether there was one.
func (sc *scan) paired(k kind, start, end int) bool {
	for _, form := range [...]func(*scan, int, int) (int, int){(*scan).headerValue, (*scan).blockValue, (*scan).besideName} {
		if from, to := form(sc, start, end); from < to && secretValue(k, sc.s[from:to], inQuotes) {
			sc.valued(valueRule(sc.s[from:to]), from, to)
			return true
		}
	}
	return false
}

// headerValue is the value of a header that is given as one argument: "X-Api-Key: …".
func (sc *scan) headerValue(start, end int) (from, to int) {
	s := sc.s
	if start == 0 || s[start-1] != '"' && s[start-1] != '\'' || !strings.HasPrefix(s[end:], ": ") {
		return 0, 0
	}
	from = end + len(": ")
	n := strings.IndexByte(sc.line(from, judged), s[start-1])
	if n <= 0 || strings.ContainsAny(s[from:from+n], " \t\\") {
		return 0, 0
	}
	return from, from + n
}

// blockValue is the first line of a block of YAML that is the value of a name.
func (sc *scan) blockValue(start, end int) (from, to int) {
	s := sc.s
	before, lead := sc.lineBefore(start, judged), sc.line(end, judged)
	sign, ok := strings.CutPrefix(strings.TrimRight(lead, " \r"), ": ")
	if !ok || strings.Trim(sign, " |>+-123456789") != "" || !strings.ContainsAny(sign, "|>") || strings.Trim(before, " -") != "" || end+len(lead) >= len(s) {
		return 0, 0
	}
	from = end + len(lead) + 1
	line := sc.line(from, judged)
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) <= len(before) || strings.ContainsAny(strings.TrimRight(text, " \r"), " \t") {
		return 0, 0
	}
	return from + len(line) - len(text), from + len(strings.TrimRight(line, " \r"))
}

// besideName is the value of a name that is itself the value of "name", or "key".
func (sc *scan) besideName(start, end int) (from, to int) {
	const signs = " \t\r\n\"',-"
	s := sc.s
	before := strings.TrimRight(sc.lineBefore(start, judged), " \"'")
	if !endsWithAny(strings.ToLower(before), "name:", `name":`, "key:", `key":`) {
		return 0, 0
	}
	i := skipSigns(s, end, judged, signs)
	if i == end || !hasFoldedPrefix(s[i:], "value") {
		return 0, 0
	}
	i = skipBlank(s, skipSigns(s, i+len("value"), 2, "\"'"), 2)
	if i >= len(s) || s[i] != ':' {
		return 0, 0
	}
	i = skipBlank(s, i+1, 8)
	if f, t, quoted := quotedText(s, i); quoted {
		return f, t
	}
	return i, sc.run(i, tight)
}

// identifiedBy takes the password that an order to a database gives to a user.
func (sc *scan) identifiedBy(_, to int) {
	i := skipBlank(sc.s, to, 4)
	if f, t, quoted := quotedText(sc.s, i); quoted && t > f && secretValue(password, sc.s[f:t], inQuotes) {
		sc.valued(credential, f, t)
	}
}

// hereString takes what a shell gives to a program that reads a password or a token.
func (sc *scan) hereString(from, to int) {
	if !containsAny(strings.ToLower(sc.lineBefore(from, judged)), "password", "token", "passwd", "secret") {
		return
	}
	i := skipBlank(sc.s, to, 4)
	f, t, quoted := quotedText(sc.s, i)
	if !quoted {
		f, t = i, sc.run(i, tight)
	}
	if f < t && secretValue(password, sc.s[f:t], inQuotes) {
		sc.valued(commandPassword, f, t)
	}
}
