package guard

// Troubles are what a session did not get done with: failures of which it was
// told, and documents that still name what it took away.
func Troubles(s *State) []Trouble {
	var out []Trouble
	tried := recall[attempts](s, EscalationRule)
	for _, a := range tried.Open {
		if a.Told {
			out = append(out, Trouble{Rule: EscalationRule, What: a.Failure.Head, Where: a.Name, Times: a.Runs})
		}
	}
	left := recall[stale](s, DriftRule)
	for _, g := range left.Names {
		out = append(out, Trouble{Rule: DriftRule, What: g.Name, Where: g.Document})
	}
	return out
}

// Settle takes from what a session left the documents that no longer state the
// name.
func Settle(troubles []Trouble, stands func(document, name string) bool) []Trouble {
	var out []Trouble
	for _, t := range troubles {
		if t.Rule != DriftRule || stands(t.Where, t.What) {
			out = append(out, t)
		}
	}
	return out
}
