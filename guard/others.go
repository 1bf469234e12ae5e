package guard

import "strings"

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
			return together(e.Others), nil, nil
		},
	}
}

// together is what several commands say, each for a cause of its own; where some
// block, it is one block with the reasons of all of those.
func together(others []Verdict) Verdict {
	const most = 300 // characters of what one says
	var reasons, why []string
	var out Verdict
	for _, v := range others {
		if v.Do == Block {
			reasons, why = append(reasons, v.Text), append(why, v.Why)
			continue
		}
		v.Cause, v.Text = OthersRule+" "+v.Text, clip(oneLine(v.Text), most)
		out.More = append(out.More, v)
	}
	if len(reasons) > 0 {
		text := strings.Join(reasons, "; ")
		return Verdict{Do: Block, Cause: OthersRule + " " + text, Text: text, Why: strings.Join(why, "; ")}
	}
	return out
}
