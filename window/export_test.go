package window

// The rules that the tables in package window_test reach.
var (
	SaysDone      = saysDone
	Decides       = decides
	CommitSubject = commitSubject
	Essence       = essence
	Importance    = importance
	ParseCustom   = parseCustom
)
