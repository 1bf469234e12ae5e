package checkpoint

import "fmt"

// Verdict says how work stands to a checkpoint.
type Verdict string

// The verdicts.
const (
	Progress   Verdict = "progress"
	Regression Verdict = "regression"
	Same       Verdict = "unchanged"
	// Unmeasured means that nothing was known of both, so that nothing can be said.
	Unmeasured Verdict = "unknown"
)

// Comparison is a checkpoint held against the present.
type Comparison struct {
	Then    Checkpoint `json:"then"`
	Now     Measures   `json:"now"`
	Commit  string     `json:"commit"` // that is checked out now
	Dirty   int        `json:"dirty"`  // files that are not committed
	Ahead   int        `json:"ahead"`  // commits made since
	Behind  int        `json:"behind"` // commits of the checkpoint that the present does not have
	Verdict Verdict    `json:"verdict"`
	Reasons []string   `json:"reasons"` // for the verdict, one line each
}

// least is the change of coverage, in points, that counts.
const least = 0.5

// judge compares what is known of both. One thing that became worse outweighs all
// that became better.
func (c *Comparison) judge() {
	then, now := &c.Then.Now, &c.Now
	var worse, better []string
	known := 0
	if then.Build.known() && now.Build.known() {
		known++
		switch {
		case then.Build.State == OK && now.Build.State == Failed:
			worse = append(worse, "the build fails now")
		case then.Build.State == Failed && now.Build.State == OK:
			better = append(better, "the build works again")
		}
	}
	if then.Tests.known() && now.Tests.known() {
		known++
		a, b := &then.Tests, &now.Tests
		counted := a.Counted && b.Counted
		switch {
		case counted && b.Failed > a.Failed:
			worse = append(worse, fmt.Sprintf("%d more fail", b.Failed-a.Failed))
		case a.State == OK && b.State == Failed:
			worse = append(worse, "the tests fail now")
		case counted && b.Passed < a.Passed:
			worse = append(worse, fmt.Sprintf("%d fewer pass", a.Passed-b.Passed))
		case counted && b.Failed < a.Failed:
			better = append(better, fmt.Sprintf("%d fewer fail", a.Failed-b.Failed))
		case a.State == Failed && b.State == OK:
			better = append(better, "the tests pass again")
		case counted && b.Passed > a.Passed:
			better = append(better, fmt.Sprintf("%d more pass", b.Passed-a.Passed))
		}
	}
	if then.Coverage.Counted && now.Coverage.Counted {
		known++
		switch d := now.Coverage.Percent - then.Coverage.Percent; {
		case d <= -least:
			worse = append(worse, fmt.Sprintf("coverage fell by %.1f points", -d))
		case d >= least:
			better = append(better, fmt.Sprintf("coverage rose by %.1f points", d))
		}
	}
	switch {
	case known == 0:
		c.Verdict, c.Reasons = Unmeasured, []string{"nothing was measured both then and now"}
	case len(worse) > 0:
		c.Verdict, c.Reasons = Regression, worse
	case len(better) > 0:
		c.Verdict, c.Reasons = Progress, better
	default:
		c.Verdict, c.Reasons = Same, []string{}
	}
}
