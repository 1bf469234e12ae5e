// Command bare is what a hook of this design can hardly be faster than: a
// process that opens an SQLite full-text index of the same statements and runs
// one query. The benchmark of the hook is compared with it.
//
//	bare build FILE < statements, one a line
//	bare query FILE MATCH
package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"

	_ "modernc.org/sqlite"
)

func main() {
	db, err := sql.Open("sqlite", "file:"+os.Args[2]+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=mmap_size(268435456)")
	check(err)
	defer db.Close()
	if os.Args[1] == "build" {
		build(db)
		return
	}
	rows, err := db.Query(`SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY bm25(fts) LIMIT 10`, os.Args[3])
	check(err)
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	check(rows.Err())
	fmt.Println(n)
}

func build(db *sql.DB) {
	_, err := db.Exec(`CREATE VIRTUAL TABLE fts USING fts5 (t, tokenize='porter unicode61')`)
	check(err)
	tx, err := db.Begin()
	check(err)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		_, err := tx.Exec(`INSERT INTO fts VALUES (?)`, in.Text())
		check(err)
	}
	check(in.Err())
	check(tx.Commit())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
