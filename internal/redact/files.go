package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// base64Key takes a private key in base64, as kubeconfig files hold it. A
// certificate begins with the same letters and stays.
func (sc *scan) base64Key(from, _ int) {
	s := sc.s
	const begin = "LS0tLS1CRUdJTi"
	if !strings.HasPrefix(s[from:], begin) || from > 0 && alnum.has(s[from-1]) {
		return
	}
	end := sc.run(from, base64Set)
	head := s[from:min(end, from+64)]
	label, _ := base64.StdEncoding.DecodeString(head[:len(head)/4*4])
	if strings.Contains(string(label), "PRIVATE KEY") {
		sc.shaped(privateKey, from, end)
	}
}

// basicAuth takes user:password in base64 behind the name auth, as Docker's and
// npm's files hold it.
func (sc *scan) basicAuth(from, to int) {
	s := sc.s
	if from > 0 && alnum.has(s[from-1]) {
		return
	}
	i := skipBlank(s, skipSigns(s, to, 4, "\\\"'"), 8)
	if i == len(s) || s[i] != ':' && s[i] != '=' {
		return
	}
	i = skipSigns(s, skipBlank(s, i+1, 8), len(s), "\\\"'")
	end := sc.run(i, base64Set)
	v := s[i:end]
	if len(v) < 8 || len(v) > 1024 {
		return
	}
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil || !utf8.Valid(pair) || strings.ContainsFunc(string(pair), func(r rune) bool { return r < ' ' }) {
		return
	}
	if user, password, ok := strings.Cut(string(pair), ":"); ok && user != "" && len(password) >= 3 {
		sc.valued(credential, i, end)
	}
}

// kubernetesSecret takes the values below data and stringData of a Secret,
// whatever they are called.
func (sc *scan) kubernetesSecret(from, to int) {
	s := sc.s
	const most = 8 << 10
	if from < sc.manifest {
		return // looked at with the one before
	}
	if rest := strings.TrimLeft(s[to:min(len(s), to+2)], "\"' \r"); rest != "" && rest[0] != '\n' {
		return // SecretList, SecretStore
	}
	begin := max(0, from-most)
	if n := strings.LastIndex(s[begin:from], "\n---"); n >= 0 {
		begin += n
	}
	end := min(len(s), to+most)
	if n := strings.Index(s[to:end], "\n---"); n >= 0 {
		end = to + n
	}
	begin = max(begin, sc.manifest)
	sc.manifest = end
	indent, encoded := -1, false
	for at := begin; at < end; {
		line := sc.line(at, end-at)
		text := strings.TrimLeft(line, " ")
		depth := len(line) - len(text)
		name, value, ok := strings.Cut(strings.TrimRight(text, " \r"), ":")
		switch value = strings.TrimSpace(value); {
		case ok && value == "" && (name == "data" || name == "stringData"):
			indent, encoded = depth, name == "data"
		case text == "" || indent < 0:
		case depth <= indent:
			indent = -1
		case ok && value != "":
			from := at + strings.LastIndex(line, value)
			if f, t, quoted := quotedText(s, from); quoted {
				sc.manifestValue(f, t, encoded)
			} else {
				sc.manifestValue(from, from+len(value), encoded)
			}
		}
		at += len(line) + 1
	}
}

func (sc *scan) manifestValue(from, to int, encoded bool) {
	v := sc.s[from:to]
	if len(v) < 4 || markAt(v, 0) > 0 || reference(v, inData) || placeholder(v) || encoded && sc.run(from, base64Set) < to {
		return
	}
	sc.valued(credential, from, to)
}

// passwordFile takes the password of a line of PostgreSQL's password file:
// host:port:database:user:password.
func (sc *scan) passwordFile(from, to int) {
	s := sc.s
	start, end := from, to
	for start > 0 && from-start < 160 && s[start-1] > ' ' {
		start--
	}
	for end < len(s) && end-to < 160 && s[end] > ' ' && s[end] < 0x80 {
		end++
	}
	line := s[start:end]
	f := strings.Split(line, ":")
	if len(f) != 5 || strings.ContainsAny(line, "\"'/{}(),") || f[0] == "" || f[2] == "" || f[3] == "" {
		return
	}
	if v := s[end-len(f[4]) : end]; secretValue(password, v, inData) {
		sc.valued(credential, end-len(v), end)
	}
}

// seedWords takes the words that open a wallet, behind a name for them: twelve
// to twenty-four small words, none of which a sentence needs.
func (sc *scan) seedWords(from, to int) {
	s := sc.s
	const within = 80
	stop := min(len(s), to+within)
	for i := to; i < stop; i++ {
		if !isLower(s[i]) || alnum.has(s[i-1]) {
			continue
		}
		end, n := i, 0
		for j := i; n < 24; {
			w := j
			for w < len(s) && isLower(s[w]) {
				w++
			}
			if w-j < 3 || w-j > 8 || listed(s[j:w], bindingWord) || w < len(s) && alnum.has(s[w]) {
				break
			}
			end = w
			n++
			for j = w; j < len(s) && j < w+4 && strings.IndexByte(" ,\n\"'", s[j]) >= 0; j++ {
			}
			if j == w {
				break
			}
		}
		if n >= 11 {
			sc.valued(seedPhrase, i, end)
			return
		}
		for i < stop && isLower(s[i]) {
			i++
		}
	}
}
