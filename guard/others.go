package guard

import "slices"

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
			const most = 300 // characters of what is said
			at := slices.IndexFunc(e.Others, func(v Verdict) bool { return v.Do == Block })
			if at < 0 && len(e.Others) == 0 {
				return Verdict{}, nil, nil
			}
			v := e.Others[max(at, 0)]
			if v.Cause = OthersRule + " " + v.Text; v.Do == Say {
				v.Text = clip(oneLine(v.Text), most)
			}
			return v, nil, nil
		},
	}
}
