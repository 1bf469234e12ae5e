package guard

// OthersRule is the name of the rule that passes on the verdicts of the project's
// own commands.
const OthersRule = "hooks"

func others() Rule {
	return Rule{
		Name:     OthersRule,
		Reason:   "a project knows things to watch for that nobody else does",
		Settings: "guard.hooks, each accepted by the person with what it runs",
		Cost:     "one process for each command, within guard.hook_timeout together",
		On:       []Kind{Began, Asked, Acting, Acted, Stopping},
		judge: func(_ *Options, e *Event, _ []byte) (Verdict, []byte, error) {
			var first Verdict
			for _, v := range e.Others {
				if v.Do == Block || first.Do == Nothing {
					first = v
				}
				if v.Do == Block {
					break
				}
			}
			if first.Cause == "" {
				first.Cause = "hooks " + first.Text
			}
			return first, nil, nil
		},
	}
}
