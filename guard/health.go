package guard

import "time"

// HealthRule is the name of the rule about sessions that are not kept.
const HealthRule = "health"

// unwell is for how long nothing is kept before it is said.
const unwell = 24 * time.Hour

func health() Rule {
	return Rule{
		Name:     HealthRule,
		Reason:   "a memory that stopped taking in anything looks like one that has nothing to say",
		Settings: "none",
		Cost:     "constant",
		On:       []Kind{Began},
		judge: func(_ *Options, e *Event, _ []byte) (Verdict, []byte, error) {
			text := e.Capture.Unwell(e.Language)
			return Verdict{Do: Say, Cause: "health", Text: text, Why: text}, nil, nil
		},
	}
}

// Unwell says in one line, in a language, that sessions have not been kept for a
// day; empty while they are.
func (c *Capture) Unwell(language string) string {
	e := Event{Language: language}
	const day = "2006-01-02 15:04"
	switch {
	case !c.Failing.IsZero() && c.Now.Sub(c.Failing) >= unwell:
		return e.worded("health-failing", c.Failing.In(c.Now.Location()).Format(day))
	case c.Waiting > 0 && c.Now.Sub(c.Since) >= unwell:
		return e.worded("health", c.Waiting, c.Since.In(c.Now.Location()).Format(day))
	}
	return ""
}
