package reader

// Prompt is one cut into pieces, with what each is judged by.
type Prompt struct {
	Text     string
	Features []Features
	pieces   []piece
}

// Prepare cuts a prompt.
func Prepare(text string) Prompt {
	pieces := cut(text)
	return Prompt{Text: text, Features: features(text, pieces), pieces: pieces}
}

// Piece is the i-th piece's place in the text.
func (p Prompt) Piece(i int) (from, to int) { return p.pieces[i].from, p.pieces[i].to }

// Parted reports whether a sentence or a line begins with the i-th piece.
func (p Prompt) Parted(i int) bool { return i == 0 || boundary(p.pieces[i].before) > 0 }
