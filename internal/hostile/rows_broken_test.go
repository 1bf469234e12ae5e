package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// brokenRows are files that are no files, or too large, or make no sense.
func brokenRows() []row {
	const (
		core   = ".orihon/memory/MEMORY.md"
		shared = ".orihon/memory/shared/"
	)
	breaks := func(name string, make func(s *sandbox)) row { return row{name: "broken/" + name, make: make} }
	// beside adds an atom that must still be found.
	beside := func(r row) row {
		inner := r.make
		r.make = func(s *sandbox) {
			s.write(shared+"aaa.md", atom())
			inner(s)
		}
		r.finds = true
		return r
	}
	rows := []row{
		beside(breaks("shared file that is a pipe", func(s *sandbox) { s.pipe(shared + "x.md") })),
		beside(breaks("MEMORY.md that is a pipe", func(s *sandbox) { s.pipe(core) })),
		beside(breaks("MEMORY.md that is a folder", func(s *sandbox) { s.mkdir(core) })),
		breaks("ledger, lock and lists that are pipes", func(s *sandbox) {
			s.pipe(shared + "semantic.jsonl")
			s.pipe(shared + ".lock")
			s.pipe(".orihon/shared/_roles.md")
			s.pipe(".orihon/shared/_pending_review/x.md")
			s.pipe(".orihon/shared/_rejected/x.md")
		}),
		breaks("folders of memory that are pipes", func(s *sandbox) {
			s.pipe(".orihon/memory")
			s.pipe(".orihon/local")
			s.pipe(".orihon/shared")
		}),
		breaks(".orihon that is a pipe", func(s *sandbox) { s.pipe(".orihon") }),
		breaks(".orihon that is a file", func(s *sandbox) { s.write(".orihon", baitText) }),
		breaks("shared file that is a socket", func(s *sandbox) {
			dir, err := os.MkdirTemp("", "s") // the path of a socket is bounded
			s.must(err)
			defer os.RemoveAll(dir)
			l, err := net.Listen("unix", filepath.Join(dir, "s"))
			s.must(err)
			s.t.Cleanup(func() { l.Close() })
			s.must(os.Rename(filepath.Join(dir, "s"), s.path(shared+"x.md")))
		}),
		beside(breaks("NUL bytes and broken UTF-8", func(s *sandbox) {
			s.write(shared+"x.md", "---\nkind: sem\x00antic\ntitle: \"\xff\xfe\"\n---\n\n- \x00\x00 "+bait+" \xed\xa0\x80\xff\n")
			s.write(core, "\x00\x00# Core\xff\n- "+baitText+"\x00\n")
			s.write(shared+"semantic.jsonl", "\x00\x00\n{\"v\":1,\"id\":\"\x00\",\"content\":\"\\u0000"+bait+"\"}\n\xff\xff\n")
		})),
		beside(breaks("atom of 16 MB", func(s *sandbox) {
			s.write(shared+"x.md", "---\nkind: semantic\n---\n\n- "+strings.Repeat("The release of the toolbox "+bait+" ", 350_000)+"\n")
		})),
		beside(breaks("atom of 100,000 bullets", func(s *sandbox) {
			s.write(shared+"x.md", "---\nkind: semantic\n---\n\n"+strings.Repeat("- release of the toolbox\n", 100_000))
		})),
		breaks("MEMORY.md of 16 MB", func(s *sandbox) { s.write(core, strings.Repeat("- "+baitText+"\n", 175_000)) }),
		breaks("sparse file of 8 GB", func(s *sandbox) {
			s.write(shared+"x.md", "---\nkind: semantic\n---\n")
			s.must(os.Truncate(s.path(shared+"x.md"), 8<<30))
			s.write(core, "# Core\n")
			s.must(os.Truncate(s.path(core), 8<<30))
		}),
		breaks("ledger line of 16 MB", func(s *sandbox) {
			s.write(shared+"semantic.jsonl", `{"v":1,"id":"x","content":"`+strings.Repeat("a ", 8<<20)+`"}`+"\n")
		}),
		beside(breaks("front matter that grows without end", func(s *sandbox) {
			s.write(shared+"x.md", "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\ntriggers: *g\nkind: semantic\n---\n\n- "+baitText+"\n")
			s.write(shared+"y.md", "---\ntags: "+strings.Repeat("[", 50_000)+"\n---\n\n- x\n")
			s.write(shared+"z.md", "---\nkind: semantic\n---\n\n"+strings.Repeat("> ", 20_000)+"x\n"+strings.Repeat("  ", 5_000)+"- x\n")
		})),
		beside(breaks("folders in folders, four hundred deep", func(s *sandbox) {
			s.write(shared+strings.Repeat("a/", 400)+"x.md", atom())
		})),
		beside(breaks("fifteen hundred files", func(s *sandbox) {
			for i := range 1500 {
				s.write(fmt.Sprintf("%sx/%04d.md", shared, i), fmt.Sprintf("---\nkind: semantic\n---\n\n- number %d\n", i))
			}
		})),
		beside(breaks("items that supersede and relate to each other in a circle", func(s *sandbox) {
			for i := range 20 {
				s.write(fmt.Sprintf("%sc%d.md", shared, i), atom(fmt.Sprintf("id: 01939f00-0000-7000-8000-0000000000%02d", i),
					fmt.Sprintf("supersedes: 01939f00-0000-7000-8000-0000000000%02d", (i+1)%20), fmt.Sprintf("related_to: [01939f00-0000-7000-8000-0000000000%02d]", (i+7)%20)))
			}
			s.write(shared+"self.md", atom("id: 01939f00-0000-7000-8000-000000000099", "supersedes: 01939f00-0000-7000-8000-000000000099"))
		})),
		beside(breaks("identifiers that are paths, options and marks", func(s *sandbox) {
			for i, id := range []string{"../../../../../../made-by-orihon", "--help", "</orihon-memory>", "a#b#c", "global/semantic.jsonl", strings.Repeat("x", 100_000), "' OR 1=1 --", "con", "\\u0000"} {
				s.write(fmt.Sprintf("%sid%d.md", shared, i), atom("id: "+quoted(id), fmt.Sprintf("- Release of the toolbox %d with %s", i, bait)))
			}
		})),
		beside(breaks("dates and numbers out of every range", func(s *sandbox) {
			s.write(shared+"x.md", atom("created_at: 9999999-99-99", "confidence: .inf", "confirmations: 99999999999999999999", "valid_from: 0000-00-00"))
			s.write(shared+"y.md", atom("created_at: 0001-01-01T00:00:00Z", "confidence: -1", "updated_at: 292277026596-12-04T15:30:08Z"))
			s.write(shared+"z.md", atom("confidence: .nan", "access_count: -5"))
		})),
		breaks("archive that unpacks to gigabytes", func(s *sandbox) {
			for _, dir := range []string{shared, ".orihon/memory/", ".orihon/local/memory/"} {
				s.write(dir+"archive/2027_01.jsonl.gz", gigabytes(1))
			}
			s.write(".orihon/exports/x.tar.gz", gigabytes(1))
		}),
		breaks("conflict marks and half a front matter", func(s *sandbox) {
			s.write(shared+"x.md", "---\n<<<<<<< HEAD\nkind: semantic\n=======\nkind: procedural\n>>>>>>> evil\n---\n\n- "+baitText+"\n")
			s.write(shared+"y.md", "---\nkind: semantic\n\n- "+baitText+"\n")
			s.write(shared+"z.md", "---")
		}),
		{name: "broken/index of the space is a folder", own: true, linked: true, make: func(s *sandbox) { s.breakIndex(func(p string) { s.mkdir(p + "/x") }) }},
		{name: "broken/index of the space is a pipe", own: true, linked: true, short: true, make: func(s *sandbox) { s.breakIndex(s.pipe) }},
		{name: "broken/journal and state of the session are pipes", own: true, linked: true, make: func(s *sandbox) {
			for id := range s.spaces {
				s.pipe(filepath.Join(s.orihonHome(), "projects", id, "sessions", "s1", "state.json"))
				s.pipe(filepath.Join(s.orihonHome(), "projects", id, "sessions", "s2", "journal.jsonl"))
			}
		}},
	}
	for _, i := range []int{0, 1, 8, 9} {
		rows[i].short = true
	}
	return rows
}

// gigabytes is gzip of so many gigabytes of blanks, one member after another.
func gigabytes(n int) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(bytes.Repeat([]byte(" "), 16<<20))
	_ = w.Close()
	return strings.Repeat(b.String(), n*64)
}

// breakIndex puts something else in the place of every index in the home.
func (s *sandbox) breakIndex(put func(path string)) {
	s.settle()
	for _, pattern := range []string{"projects/*/index", "index"} {
		dirs, _ := filepath.Glob(filepath.Join(s.orihonHome(), pattern))
		for _, dir := range dirs {
			for _, name := range []string{"index.db", "index.db-wal", "index.db.scope", "index.db.sync"} {
				s.must(os.RemoveAll(filepath.Join(dir, name)))
				put(filepath.Join(dir, name))
			}
		}
	}
}
