package corpus

// SameLines is sameLines, for tests.
var SameLines = sameLines
