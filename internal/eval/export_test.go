package eval

import "io"

// Decode is [Read] from a stream; name stands in errors.
func Decode(in io.Reader, name string) ([]Conversation, error) {
	d := newDecoder(name)
	if err := eachLine(in, name, d.line); err != nil {
		return nil, err
	}
	return d.out, nil
}

// DecodeDense is [ReadDense] from a stream; name stands in errors.
func DecodeDense(in io.Reader, name string) ([]Dense, error) {
	var out []Dense
	if err := eachLine(in, name, denseLine(&out, name)); err != nil {
		return nil, err
	}
	return out, nil
}
