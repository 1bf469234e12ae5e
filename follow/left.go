package follow

import "slices"

// Work that a session leaves to a process of its own, in the order it is done.
const (
	workUse        = "use"
	workLog        = "log"
	workNotice     = "notice"
	workEpisode    = "episode"
	workStyle      = "style"
	workHabits     = "habits"
	workSync       = "sync"
	workExtract    = "extract"
	workPhrases    = "phrases"
	workEverywhere = "everywhere"
)

// allWork is all of it. What asks models comes late: nothing waits for it but what looks
// at all that a session left.
var allWork = []string{workUse, workLog, workNotice, workEpisode, workStyle, workHabits, workSync, workExtract, workPhrases, workEverywhere}

// plainWork is what asks no model: nobody waits long for it.
var plainWork = allWork[:slices.Index(allWork, workExtract)]

// endWork is what the end of a session leaves.
func (f *Sessions) endWork() []string {
	return slices.DeleteFunc(slices.Clone(allWork), func(w string) bool { return w == workExtract && !f.asksModels() || w == workPhrases && !f.phrases() })
}

// turnWork is what an answer leaves.
func (f *Sessions) turnWork() []string {
	return slices.DeleteFunc(f.endWork(), func(w string) bool { return w != workUse && w != workSync && w != workExtract && w != workPhrases })
}

// flushWork is what a window leaves that is about to lose what was said in it.
func (f *Sessions) flushWork() []string {
	return slices.DeleteFunc(f.endWork(), func(w string) bool { return w != workNotice && w != workEpisode && w != workSync && w != workExtract })
}
