package sqlite

import "context"

// Read reads every passage's text under one snapshot, and calls step when it
// has the first.
func (x *Index) Read(ctx context.Context, step func()) (n int, err error) {
	defer faults(&err)()
	s, err := x.snapshot(ctx)
	if err != nil {
		return 0, err
	}
	defer x.end(s)
	rows, err := s.QueryContext(ctx, `SELECT doc FROM body`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if n++; n == 1 {
			step()
		}
	}
	return n, rows.Err()
}
