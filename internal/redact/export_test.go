package redact

// Rules lists the names of all rules.
func Rules() []string { return names[:] }

// Wordless reports a text in which no word stands.
func Wordless(s string) bool { return wordless(s) }
