package learn

// Gate judges a statement.
func Gate(s Statement) Verdict { return gate(s, read(s.Text)) }

// Similarity says how alike two statements are.
func Similarity(a, b string) float64 { return similarity(read(a), read(b)) }
