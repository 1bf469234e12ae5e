package terms

// Version changes whenever the same text may be cut into other terms; an index
// made with another version must be rebuilt.
const Version = "2"
