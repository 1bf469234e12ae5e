package agent

// The figures of a run that neither its definition nor [Options] have to name.
const (
	defaultAnswer   = 4096 // tokens
	defaultMessages = 5    // that memory is asked with
	defaultRecall   = 1500 // tokens of what comes back

	// The short-term layer: the newest messages that are at hand.
	shortMessages = 50
	shortTokens   = 20_000
	messageChars  = 2000 // of each

	// Memory keeps what was said and done from so many tokens before the window's end
	// on, or that share of the window where it is later, and not more often than every
	// so many iterations.
	flushTokens = 20_000
	flushFrom   = 0.75
	flushEvery  = 10
)
