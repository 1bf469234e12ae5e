package redact

import "strings"

// maxBlock is the longest armoured key that is taken as a whole.
const maxBlock = 32 << 10

// blockStart takes a private key in armour (PEM, OpenSSH, PGP) from its first
// line to its last. A key that was cut off is taken as far as it looks like
// one. The newlines may be real or escaped.
func (sc *scan) blockStart(from, to int) {
	s := sc.s
	body := labelEnd(s, to)
	if body == 0 {
		return
	}
	rest := s[body:min(len(s), body+maxBlock)]
	if i := strings.Index(rest, "-----"); i >= 0 && len(rest) > i+9 && strings.EqualFold(rest[i:i+9], "-----END ") && armoured(rest[:i]) {
		end := body + i + 9
		if j := strings.Index(s[end:min(len(s), end+48)], "-----"); j >= 0 {
			end += j + len("-----")
		}
		sc.shaped(privateKey, from, end)
		return
	}
	if end, ok := sc.cutBlock(body); ok {
		sc.shaped(privateKey, from, end)
	}
}

// labelEnd is the end of the label of a private key that begins at i, with the
// signs behind it; 0 where there is none.
func labelEnd(s string, i int) int {
	label, _, ok := strings.Cut(s[i:min(len(s), i+48)], "-----")
	if !ok || !strings.Contains(strings.ToUpper(label), "PRIVATE KEY") {
		return 0
	}
	return i + len(label) + len("-----")
}

// armoured reports whether the text between the first and last line can be a
// key and not prose that names both: few spaces within its lines.
func armoured(body string) bool {
	spaces, inside := 0, false
	for i := range len(body) {
		switch body[i] {
		case '\n':
			inside = false
		case ' ':
			if inside {
				spaces++
			}
		default:
			inside = true
		}
	}
	return spaces <= 12+len(body)/16
}

// cutBlock walks over lines of base64, with what tools put before lines
// (quote signs, line numbers), and the armour's headers. It reports false
// unless there was a line that can only be a key.
func (sc *scan) cutBlock(from int) (end int, ok bool) {
	s, i := sc.s, from
	for i < len(s) {
		start := lineText(s, i)
		i = start
		for i < len(s) && base64Set.has(s[i]) {
			i++
		}
		rest := s[start:]
		switch {
		case i-start >= 20, ok && i > start && (i == len(s) || strings.IndexByte("\n\r\\\"'", s[i]) >= 0):
			ok, end = true, i
		case !ok && startsWithAny(rest, "Proc-Type:", "DEK-Info:", "Version:", "Comment:"):
			i = start + headerLength(rest)
		default:
			return end, ok
		}
	}
	return end, ok
}

// lineText is where the text of the next line begins: behind spaces, real or
// escaped newlines, quote signs and a line number.
func lineText(s string, i int) int {
	for i < len(s) {
		switch {
		case isSpace(s[i]) || strings.IndexByte(`>|"'`, s[i]) >= 0:
			i++
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`nrt"\`, s[i+1]) >= 0:
			i += 2
		case isDigit(s[i]):
			j := i
			for j < len(s) && j < i+6 && isDigit(s[j]) {
				j++
			}
			if arrow := strings.HasPrefix(s[j:], "→"); arrow {
				j += len("→")
			} else if !strings.HasPrefix(s[j:], "\t") {
				return i
			}
			i = j
		default:
			return i
		}
	}
	return i
}

// headerLength is the length of a header of the armour, up to its newline,
// which may be an escaped one.
func headerLength(s string) int {
	s = s[:min(len(s), 200)]
	if i := strings.IndexAny(s, "\n\\"); i >= 0 {
		return i
	}
	return len(s)
}

// blockEnd takes the lines before the last line of a private key whose first
// line is missing, as a tail of a file shows it.
func (sc *scan) blockEnd(from, to int) {
	s := sc.s
	end := labelEnd(s, to)
	if end == 0 {
		return
	}
	floor := max(sc.shapeDone, from-maxBlock)
	start, long := from, false
	for start > floor {
		i := start
		for i > floor && (isSpace(s[i-1]) || i-1 > floor && s[i-2] == '\\' && (s[i-1] == 'n' || s[i-1] == 'r')) {
			i--
			if s[i] == 'n' || s[i] == 'r' {
				i--
			}
		}
		end := i
		for i > floor && base64Set.has(s[i-1]) {
			i--
		}
		// An escaped newline leaves its letter on the run's first character.
		if i > floor && s[i-1] == '\\' && i < end && (s[i] == 'n' || s[i] == 'r') {
			i++
		}
		switch {
		case end-i >= 40:
			long = true
		case end-i == 0 || start != from:
			i = -1
		}
		if i < 0 {
			break
		}
		start = i
	}
	if long {
		sc.shaped(privateKey, start, end)
	}
}

// webToken takes a JSON web token: three parts in base64, the first two being
// objects, the last one possibly cut off.
func (sc *scan) webToken(from, to int) {
	s := sc.s
	if from < sc.shapeDone || s[from:to] != "eyJ" || !wordStart(s, from) || from > 0 && (s[from-1] == '_' || s[from-1] == '-') {
		return
	}
	first := sc.run(to, base64url)
	if first-to < 8 || first+4 > len(s) || s[first:min(len(s), first+4)] != ".eyJ" {
		return
	}
	end := sc.run(first+1, base64url)
	if end-first < 10 {
		return
	}
	if end < len(s) && s[end] == '.' {
		end = sc.run(end+1, base64url)
	}
	sc.shaped(jsonWebToken, from, end)
}

// awsID takes an access key id, and the secret key that often follows it.
func (sc *scan) awsID(from, to int) {
	s := sc.s
	if c := s[from]; c != 'A' || !isUpper(s[from+1]) || !isUpper(s[from+2]) || !isUpper(s[from+3]) || !wordStart(s, from) {
		return
	}
	end := from + 20
	if end > len(s) || end < len(s) && alnum.has(s[end]) {
		return
	}
	digits := 0
	for i := to; i < end; i++ {
		if !isUpper(s[i]) && !isDigit(s[i]) {
			return
		}
		if isDigit(s[i]) {
			digits++
		}
	}
	if digits == 0 {
		return
	}
	sc.shaped(awsAccessKey, from, end)
	for i := end; i < min(len(s), end+120); i++ {
		if !base64Set.has(s[i]) {
			continue
		}
		stop := i
		for stop < len(s) && stop < i+42 && (base64Set.has(s[stop])) && s[stop] != '=' && s[stop] != '%' {
			stop++
		}
		if c := count(s[i:stop]); stop-i == 40 && c.uppers > 0 && c.lowers > 0 && c.digits > 0 && !isHexText(s[i:stop]) {
			sc.shaped(awsSecretKey, i, stop)
			return
		}
		i = stop
	}
}

// twilio takes the ids around the word: AC or SK and 32 hexadecimal digits.
func (sc *scan) twilio(from, to int) {
	s := sc.s
	i := max(sc.nearTwilio, from-200, 0)
	stop := min(len(s), to+200)
	sc.nearTwilio = max(sc.nearTwilio, stop-33)
	for ; i+34 <= stop; i++ {
		if p := s[i : i+2]; (p == "SK" || p == "AC") && wordStart(s, i) && isHexText(s[i+2:i+34]) && (i+34 == len(s) || !alnum.has(s[i+34])) {
			sc.shaped(twilioKey, i, i+34)
			i += 33
		}
	}
}

// azureSignature takes the signature of a shared access address.
func (sc *scan) azureSignature(from, to int) {
	if from == 0 || sc.s[from-1] != '&' && sc.s[from-1] != '?' {
		return
	}
	if end := sc.run(to, base64Set); end-to >= 30 {
		sc.shaped(azureKey, to, end)
	}
}
