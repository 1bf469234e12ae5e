package redact

import "strings"

// placeholder reports whether v stands for a value that is not there.
func placeholder(v string) bool {
	same, repeat := true, 1
	for i := 1; i < len(v); i++ {
		if v[i] != v[0] {
			same = false
		}
		if v[i] == v[i-1] {
			if repeat++; repeat >= 4 && strings.IndexByte("xX*.•_-#?", v[i]) >= 0 {
				return true
			}
		} else {
			repeat = 1
		}
	}
	if same || strings.HasPrefix(v, "...") || strings.HasPrefix(v, "…") {
		return true
	}
	if len(v) > 64 {
		return false
	}
	low := strings.Trim(strings.ToLower(v), "\"'`.,:;!?*_ ")
	if listed(low, placeholderWord) {
		return true
	}
	if startsWithAny(low, "your-", "your_", "my-example", "example-", "example_", "<your") {
		return true
	}
	return !strings.ContainsAny(low, allDigits) && (strings.HasPrefix(low, "your") ||
		containsAny(low, "example", "placeholder", "changeme", "change-me", "change_me", "replace", "insert", "dummy", "enter-", "enter_", "redacted", "goes-here", "goes_here", "todo"))
}

// mentions reports whether v itself speaks of credentials, as names do.
func mentions(v string) bool {
	return containsAny(strings.ToLower(v), "password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "credential", "pwd")
}

// algorithm reports whether v is the name of an algorithm, an encoding or a
// type, which often stand beside a password and have digits too.
func algorithm(v string) bool {
	const most = 24
	name := strings.NewReplacer("-", "", "_", "").Replace(v)
	return len(name) <= most && listed(strings.ToLower(name), algorithmWord)
}

// passphrase reports whether the words of v are chosen words and not a
// sentence: three to ten plain words, none of which sentences need.
func passphrase(v string) bool {
	words := 0
	for word := range strings.FieldsSeq(v) {
		low := strings.ToLower(word)
		if len(word) < 3 || !alnum.all(strings.ReplaceAll(word, "-", "")) || listed(low, sentenceWord) || endsWithAny(low, "ed", "ing") {
			return false
		}
		words++
	}
	return words >= 3 && words <= 10 && !mentions(v)
}

// describes reports whether a word tells what a password is like.
func describes(v string) bool {
	low := strings.ToLower(v)
	return listed(low, describingWord) || endsWithAny(low, "ed", "ing")
}

// adjective reports whether a word can stand behind "the password is" without
// being it.
func adjective(v string) bool {
	low := strings.ToLower(v)
	return listed(low, adjectiveWord) || len(low) <= 9 && strings.HasSuffix(low, "en") || len(low) <= 12 && endsWithAny(low, "able", "ible", "ive", "less", "ful", "ly", "ent", "ous", "ant", "ial")
}

func inManual(w string) bool {
	return listed(strings.TrimRight(strings.ToLower(w), ".,:"), manualWord) || strings.ToUpper(w) == w && count(w).digits == 0
}
