package capture_test

import (
	"testing"

	"orihon/internal/capture"
)

// The words by which something is for the team are no part of what is remembered.
func TestWhatIsForTheTeam(t *testing.T) {
	for prompt, want := range map[string]string{
		"remember for the team: the probe is calibrated in May":       "The probe is calibrated in May",
		"remember, for the whole team: each cable has a label":        "Each cable has a label",
		"Remember for our team that the long cable is in the drawer.": "The long cable is in the drawer.",
		"記住，分享給整個團隊：探針五月校正":                                           "探針五月校正",
		"记住,给团队:周二发版":                                                 "周二发版",

		"remember: the stand for the team is in hall 4": "",
		"remember: for the team lunch we book Da Mario": "",
		"記住：給團隊的信箱是 crew@a.example":                     "",
	} {
		got := capture.Explicit(prompt)
		if len(got) != 1 || got[0].Team != (want != "") || want != "" && got[0].Text != want {
			t.Errorf("%q: %+v, want %q", prompt, got, want)
		}
	}
}
