package memory

// Freshness is what is known of a file since a time.
type Freshness int

// What is known. That a file has not changed is never known: it may have changed and
// been set back, or its time.
const (
	FileUnknown Freshness = iota
	FileChanged           // it was written since
	FileGone              // it is not there
)
