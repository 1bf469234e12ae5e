package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	"modernc.org/sqlite"

	"orihon/memory"
)

// visitors let Go look at values where SQLite holds them. A row of database/sql
// is a copy, in memory that the process touches for the first time, since a hook
// ends before garbage is collected: page faults cost it more than what it reads.
type visitors struct {
	driver sqlite.Driver

	mu   sync.Mutex
	last int64
	uses map[int64]func([]driver.Value) error // of the queries under way
}

// shared is the one of the process: SQLite calls functions by their name alone,
// and the driver never lets go of one.
var shared = sync.OnceValue(func() *visitors {
	v := &visitors{uses: make(map[int64]func([]driver.Value) error)}
	if err := v.driver.RegisterFunction("visit", &sqlite.FunctionImpl{NArgs: -1, VolatileArgs: true, Scalar: v.call}); err != nil {
		panic(err) // a name taken, on a driver that has none
	}
	return v
})

func (v *visitors) call(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	id, _ := args[0].(int64)
	v.mu.Lock()
	use := v.uses[id]
	v.mu.Unlock()
	if use == nil {
		return nil, fmt.Errorf("visit: no query %d is under way", id)
	}
	return int64(1), use(args[1:])
}

func (v *visitors) begin(use func([]driver.Value) error) (id int64, end func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last++
	id = v.last
	v.uses[id] = use
	return id, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.uses, id)
	}
}

// selection is columns of rows, and what follows them in a query.
type selection struct {
	columns, from string
	args          []any
}

// visit calls use with every selected row, in any order. Texts and blobs are only
// valid during the call, which must not ask the database anything. Its error ends
// the query.
func visit(ctx context.Context, q queryer, sel selection, use func(row []driver.Value) error) error {
	var failed error
	id, end := shared().begin(func(row []driver.Value) error {
		failed = use(row)
		return failed
	})
	defer end()
	rows, err := q.QueryContext(ctx, `SELECT count(visit(?, `+sel.columns+`)) FROM `+sel.from, append([]any{id}, sel.args...)...)
	if err == nil {
		for rows.Next() { // the one row, for which all others are read
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	if failed != nil {
		return failed // err has its text alone
	}
	return err
}

// numbered reads a row of a number and a blob.
func numbered(row []driver.Value) (n int64, data []byte, err error) {
	n, isNumber := row[0].(int64)
	data, isBlob := row[1].([]byte)
	if !isNumber || !isBlob {
		return 0, nil, fmt.Errorf("%w: a row of %T and %T, want a number and a blob", memory.ErrStale, row[0], row[1])
	}
	return n, data, nil
}

// connector opens connections that know visit.
type connector struct{ dsn string }

// Connect implements [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return shared().driver.Open(c.dsn)
}

// Driver implements [driver.Connector].
func (c connector) Driver() driver.Driver { return &shared().driver }
