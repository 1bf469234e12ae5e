package sqlite

import (
	"context"
	"database/sql"

	"orihon/internal/jsonl"
)

// transact runs fn in a transaction, after waiting for its turn.
func (x *Index) transact(ctx context.Context, fn func(tx *sql.Tx) error) error {
	unlock, err := jsonl.Lock(ctx, x.lockPath())
	if err != nil {
		return err
	}
	defer unlock()
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

const lockSuffix = ".lock"

func (x *Index) lockPath() string { return x.path + lockSuffix }
