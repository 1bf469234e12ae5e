package window

// The figures of folding, compaction and working memory that are no options of
// [Options], in one place. Those that are have their defaults beside them.
const (
	// How near an iteration must be to be shown in full and trimmed, in iterations.
	fullAtMost    = 20  // newest that are shown in full while the working zone lasts
	trimmedAtMost = 50  // distance from which nothing is trimmed, but folded
	statusBack    = 200 // behind it the stubs tell where things stand
	briefOutput   = 120 // tokens left of a tool's output that is trimmed

	// Blocks, in iterations: a summary's, fewer only at its end, and a chapter's.
	digestIterations, leastDigest, chapterIterations = 8, 3, 20
	chapterTokens                                    = 200 // of what a standard summariser tells of one

	// PageTokens is the most that one page of [Expand] holds.
	PageTokens = 25_000

	// Periods between two looks at what to fold, in iterations, by how full the window is.
	periodEmpty, periodHalf, periodFull = 50, 20, 5
	halfFull, nearlyFull                = 0.5, 0.8

	// A fold must save a tenth: it is at most so many tenths of what it replaces.
	foldTenths = 9

	// Importance is their weighted sum; access and change count fully from
	// accessFull accesses and largeChange characters on.
	weightRecency, weightAccess, weightError, weightChange = 0.3, 0.3, 0.2, 0.2
	recencyFades, accessFull                               = 50, 3 // iterations, by which recency falls to a third; accesses
	largeChange                                            = 6000

	// staleAfter is after how many iterations an error nobody came back to, a call
	// nobody answered and a large change no longer hold their iteration open.
	staleAfter = 60

	// recallStays is for how many iterations a recalled piece stays open at least,
	// recallOften after how many recalls within recallFresh iterations a block moves a
	// level nearer, warmFor for how many it then stays there.
	recallStays, recallOften, recallFresh, warmFor = 5, 3, 50, 30

	// Working memory: turns without a change of the overview until the default
	// strategy takes over, fill from which the oldest messages are compacted, fill
	// levels of the guidance, and from which the reminder is firmer.
	idleTurns     = 10
	fallbackFill  = 0.75
	remindFrom    = 0.5
	leastMessages = 4   // are shown whatever the overview says
	leastOverview = 100 // tokens of room below which a note leaves the overview out
)

// summaryTokens is the size of a summary by its level, in tokens.
var summaryTokens = [...]int{Digest: 220, Chapter: 110, Sentence: 50}

// guideFrom are the fill levels from which the guidance of working memory changes.
var guideFrom = [...]float64{0.2, 0.4, 0.6}
