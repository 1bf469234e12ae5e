package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
)

// snapshot is one state of the file, read over one connection: who holds one
// and waits for another may wait for ever. A connection keeps queries compiled
// that come again.
type snapshot struct {
	conn *sql.Conn
	asks map[string]*sql.Stmt // nil: asked once
	// lost says that a query did not come back: the connection holds locks that
	// nobody releases, and is not touched again.
	lost bool
}

// QueryContext compiles a query the second time it is asked: most processes are
// hooks, which search once.
func (s *snapshot) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s.lost = true
	rows, err := s.query(ctx, query, args)
	s.lost = false
	return rows, err
}

func (s *snapshot) query(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	const most = 64
	stmt, asked := s.asks[query]
	if stmt == nil && asked {
		var err error
		if stmt, err = s.conn.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
	}
	if asked || len(s.asks) < most {
		s.asks[query] = stmt
	}
	if stmt == nil {
		return s.conn.QueryContext(ctx, query, args...)
	}
	return stmt.QueryContext(ctx, args...)
}

// connections are those of ended snapshots.
type connections struct {
	mu     sync.Mutex
	free   []*snapshot
	closed bool
}

// maxFree is how many connections wait for the next snapshot.
const maxFree = 2

// snapshot begins one. The caller ends it.
func (x *Index) snapshot(ctx context.Context) (*snapshot, error) {
	x.connections.mu.Lock()
	var s *snapshot
	if n := len(x.connections.free); n > 0 {
		s, x.connections.free = x.connections.free[n-1], x.connections.free[:n-1]
	}
	x.connections.mu.Unlock()
	if s == nil {
		conn, err := x.db.Conn(ctx)
		if err != nil {
			return nil, err
		}
		s = &snapshot{conn: conn, asks: make(map[string]*sql.Stmt)}
	}
	if _, err := s.conn.ExecContext(context.WithoutCancel(ctx), `BEGIN`); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (x *Index) end(s *snapshot) {
	if s.lost {
		return
	}
	if _, err := s.conn.ExecContext(context.Background(), `ROLLBACK`); err != nil {
		// A connection within a transaction must not be used for another. Its
		// compiled queries go first: they are part of it.
		s.forget()
		_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
		_ = s.conn.Close()
		return
	}
	x.connections.mu.Lock()
	defer x.connections.mu.Unlock()
	if x.connections.closed || len(x.connections.free) == maxFree {
		_ = s.close() // it has written nothing
		return
	}
	x.connections.free = append(x.connections.free, s)
}

func (s *snapshot) close() error {
	s.forget()
	return s.conn.Close()
}

// forget closes the compiled queries.
func (s *snapshot) forget() {
	for _, stmt := range s.asks {
		if stmt != nil {
			_ = stmt.Close() // it is only read by
		}
	}
}

// close closes the free connections; those in use close when they end.
func (c *connections) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var err error
	for _, s := range c.free {
		err = errors.Join(err, s.close())
	}
	c.free = nil
	return err
}
