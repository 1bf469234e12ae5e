package redact

import (
	"iter"
	"strings"
)

// keyKind is what a name promises about its value. The name may be written in
// any of the usual ways: DB_PASSWORD, clientSecret, api-key, spring.password.
func keyKind(key string) kind {
	if n := len(key); n > 0 && key[n-1] >= 0x80 {
		switch {
		case endsWithAny(key, "密碼", "密码", "口令", "通關密語", "通行碼", "通行码"):
			return password
		case endsWithAny(key, "密鑰", "密钥", "金鑰", "令牌", "權杖"):
			return token
		}
		return unnamed
	}
	if n := len(key) - len(`\u78bc`); n >= 0 && key[n] == '\\' && (strings.EqualFold(key[n:], `\u78bc`) || key[n:] == `\u7801`) {
		return password
	}
	found, before := unnamed, ""
	for word := range words(key) {
		if k := wordKind(word, before); k != unnamed {
			if word != "key" || before != "secret" { // a secret key is a secret
				found = unnamed
			}
			found = max(k, found)
		} else if found != unnamed {
			switch {
			case listed(word, neutralTailWord): // says which one of several: DB_PASSWORD_PROD
			case listed(word, denyingTailWord): // makes it something about a credential: TOKEN_COUNT
				return unnamed
			default:
				found = plural
			}
		}
		before = word
	}
	if found == unnamed && strings.HasSuffix(key, "_KEY") && strings.ToUpper(key) == key && !hasListed(key, openingKey) {
		return plural // a setting of a service
	}
	return found
}

// wordKind is the kind of one word of a name, given the word before it.
func wordKind(word, before string) kind {
	switch {
	case word == "pass" && before != "", word == "key" && (before == "wifi" || before == "wlan" || before == "wpa"), listed(word, passwordName), endsWithAny(word, "password", "passwd", "passphrase", "pwd"):
		return password
	case strings.HasSuffix(word, "secret"):
		return secret
	case word == "key" && listed(before, keyOf), listed(word, tokenName), endsWithAny(word, "token", "apikey", "accesskey", "secretkey"):
		return token
	case word == "keys" && (before == "api" || before == "access" || before == "secret"), listed(word, pluralName):
		return plural
	}
	return unnamed
}

// words yields the words of a name in lower case, cut at signs and at humps.
func words(key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i <= len(key); i++ {
			sign := i == len(key) || !alnum.has(key[i])
			hump := !sign && i > from && isUpper(key[i]) &&
				(!isUpper(key[i-1]) || i+1 < len(key) && isLower(key[i+1]))
			if !sign && !hump {
				continue
			}
			if i > from && !yield(strings.ToLower(key[from:i])) {
				return
			}
			from = i
			if sign {
				from = i + 1
			}
		}
	}
}

// hasListed reports whether a word of a name or a text stands in a list.
func hasListed(name string, in list) bool {
	for w := range words(name) {
		if listed(w, in) {
			return true
		}
	}
	return false
}
