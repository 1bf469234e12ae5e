package window

import "orihon/journal"

// The rules that the tables in package window_test reach.
var (
	SaysDone    = saysDone
	Decides     = decides
	Importance  = importance
	ParseCustom = parseCustom
	Gist        = gist
	Summed      = summed
)

// Bookmarked are the iterations that the bookmarks of a view name.
func Bookmarked(v *journal.View) map[int]bool {
	s := newFoldState()
	s.read(v)
	return s.bookmarks
}

// TitleOf is the title of a whole run.
func TitleOf(v *journal.View) string {
	r := readRecord(v, v.Events())
	return r.title(r.facts())
}
