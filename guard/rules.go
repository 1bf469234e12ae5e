package guard

// Rules are all rules, in the order in which they may speak.
func Rules() []Rule {
	return []Rule{stopGate(), contentGate(), others(), escalation(), repeats(), drift(), health()}
}
