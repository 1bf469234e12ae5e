package redact

// Rules lists the names of all rules.
func Rules() []string { return names[:] }
