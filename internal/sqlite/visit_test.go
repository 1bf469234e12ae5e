package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"orihon/memory"
)

// visited opens a table of numbered blobs.
func visited(t *testing.T, rows int) *sql.DB {
	t.Helper()
	db := sql.OpenDB(connector{"file:" + t.TempDir() + "/v.db"})
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(`CREATE TABLE v (n INTEGER PRIMARY KEY, data)`); err != nil {
		t.Fatal(err)
	}
	for n := range rows {
		if _, err := db.Exec(`INSERT INTO v VALUES (?, ?)`, n, fmt.Appendf(nil, "row %d", n)); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func TestVisitSeesEveryRowOfItsQueryAlone(t *testing.T) {
	db := visited(t, 50)
	var wg sync.WaitGroup
	for first := range 5 {
		wg.Go(func() {
			var got []string
			err := visit(context.Background(), db, selection{`n, data`, `v WHERE n % 5 = ? ORDER BY n`, []any{first}}, func(row []driver.Value) error {
				n, data, err := numbered(row)
				got = append(got, fmt.Sprintf("%d: %s", n, data))
				return err
			})
			var want []string
			for n := first; n < 50; n += 5 {
				want = append(want, fmt.Sprintf("%d: row %d", n, n))
			}
			if slices.Sort(got); err != nil || !slices.Equal(got, sorted(want)) {
				t.Errorf("rows %d: %q, %v", first, got, err)
			}
		})
	}
	wg.Wait()
	if n := len(shared().uses); n != 0 {
		t.Errorf("%d queries are still under way", n)
	}
}

func sorted(list []string) []string { slices.Sort(list); return list }

func TestVisitEndsAtAnError(t *testing.T) {
	db := visited(t, 10)
	stop := errors.New("enough")
	calls := 0
	err := visit(context.Background(), db, selection{`n`, `v`, nil}, func([]driver.Value) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%v after %d calls, want %v after one", err, calls, stop)
	}
	if err := visit(context.Background(), db, selection{`n`, `nothing`, nil}, func([]driver.Value) error { return nil }); err == nil {
		t.Error("a query of no table succeeded")
	}
	if _, err := db.Exec(`SELECT visit(0, n) FROM v`); err == nil {
		t.Error("rows were visited for nobody")
	}
}

func TestValuesOfAnotherTypeAreDamage(t *testing.T) {
	db := visited(t, 1)
	for _, q := range []string{`UPDATE v SET data = 'a text'`, `UPDATE v SET data = 7`, `UPDATE v SET data = NULL`} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
		err := visit(context.Background(), db, selection{`n, data`, `v`, nil}, func(row []driver.Value) error {
			_, _, err := numbered(row)
			return err
		})
		if !errors.Is(err, memory.ErrStale) {
			t.Errorf("%s: %v, want ErrStale", q, err)
		}
	}
}
