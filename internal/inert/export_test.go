package inert

// Steps is how many characters are looked at for a text.
func Steps(s string) int {
	m := marker{text: visible(s), table: standard()}
	m.walk()
	return m.steps
}

// ReadTable reads a table as of boundaries.txt.
func ReadTable(text string) error {
	_, err := readTable(text)
	return err
}

// ReadStandard reads the table of the program.
func ReadStandard() error { return ReadTable(boundaries) }
