package capture

import "strings"

// forTeam takes off a statement what only says that the team is to have it, and reports
// whether it says so: "for the team: …", 分享給整個團隊：…
func forTeam(text string) (rest string, team bool) {
	at := prefix(asciiLower(text), lists.Phrases("for-team")...)
	if at == 0 {
		at = toTeamInChinese(text)
	}
	if at == 0 {
		return text, false
	}
	told, apart := besides(text[at:], reaching{})
	if !apart || !meaningful(told) {
		return text, false
	}
	return told, true
}

// toTeamInChinese is the length of such words at the start of a text, 0 for none.
func toTeamInChinese(text string) int {
	at := prefix(text, lists.Phrases("to-team-zh")...)
	if at == 0 {
		return 0
	}
	at += prefix(text[at:], lists.Phrases("whole-zh")...)
	team := prefix(text[at:], lists.Phrases("team-zh")...)
	if team == 0 {
		return 0
	}
	return at + team + prefix(strings.TrimLeft(text[at+team:], " "), "的人", "同事")
}
