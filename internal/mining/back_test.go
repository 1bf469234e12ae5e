package mining_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon/habit"
	"orihon/internal/mining"
	"orihon/memory"
)

// gaveUp is a habit that its person gave up: what was said and done for it, by session.
type gaveUp struct {
	name     string
	sessions [][]string
	back     int // the session in which it is given up
}

func readGaveUp(t *testing.T, path string) (out []gaveUp) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "== "):
			out = append(out, gaveUp{name: line[3:], sessions: [][]string{nil}})
		default:
			g := &out[len(out)-1]
			if strings.HasPrefix(line, "--") {
				if g.sessions = append(g.sessions, nil); line == "-- back" {
					g.back = len(g.sessions) - 1
				}
				continue
			}
			g.sessions[len(g.sessions)-1] = append(g.sessions[len(g.sessions)-1], line)
		}
	}
	return out
}

// ordinary is work without a habit.
var ordinary = [][]string{
	{"> where is the pager number kept", "$ grep -rn pager conf", "> ring the new one", "~ conf/pager.ini | 4410 | 4417", "$ git commit -am 'new pager'"},
	{"> 昨天的報表打不開", "$ ls -la reports", "! python report.py | KeyError: 'total'", "~ report.py | row['total'] | row['sum']", "$ python report.py"},
	{"> which version runs on the desk", "$ cat VERSION", "> and what changed in it", "$ git log --oneline -5"},
	{"> 把首頁的標題換掉", "~ site/index.html | <h1>Hello</h1> | <h1>Guten Tag</h1>", "> 推上去", "$ git push"},
	{"> the backup disk is nearly full, what is on it", "$ du -sh /backup/one", "> the oldest can go", "$ rm -r /backup/one/2021"},
	{"> 帮我看下这个日志", "$ tail -50 app.log", "> 行，超时调大", "~ app.toml | timeout = 5 | timeout = 9", "$ git commit -am timeout"},
	{"> rename the export button", "~ ui/menu.ts | Export | Save as", "$ npm test", "> ship it", "$ git push"},
	{"> 多少行代码了", "$ wc -l src/main.c", "> 有没有人写过单测", "$ grep -rn assert src"},
	{"> the map tiles look wrong on the phone", "$ curl -I tiles/4/3", "~ map/view.ts | zoom: 3 | zoom: 4", "$ npm test"},
	{"> 新同事的帳號", "~ conf/people.yaml | - mei | - mei and - tao", "$ git commit -am people"},
}

// standing are the habits that stand at 0.5 and above once all was played as one
// person's sessions, with or without what gives them up.
func standing(t *testing.T, all []gaveUp, withBack bool) (out []string) {
	t.Helper()
	var sessions []*mining.Session
	of := make(map[string]string) // place → habit
	for n, day := range ordinary {
		sessions = append(sessions, played(fmt.Sprint("o", n), n-len(ordinary), day...))
	}
	for n := range 6 {
		var lines []string
		for k := range all {
			g := &all[(k*(n+1)+n)%len(all)] // each session in an order of its own
			if n >= len(g.sessions) || n >= g.back && !withBack {
				continue
			}
			for _, l := range g.sessions[n] {
				lines = append(lines, l)
				of[fmt.Sprintf("s%d:%d", n, len(lines))] = g.name
			}
			lines = append(lines, "> next") // what one looks at before the next matter
			for i := range 6 {
				lines = append(lines, fmt.Sprintf("$ cat notes/%d-%d.md", n, 6*k+i))
			}
		}
		sessions = append(sessions, played(fmt.Sprint("s", n), n, lines...))
	}
	found, err := mining.Mine(t.Context(), sessions, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		f := &found[i]
		if f.Confidence() < memory.InjectConfidence {
			continue
		}
		e := f.Evidence[0]
		out = append(out, of[fmt.Sprintf("%s:%d", e.Session, e.Turn)])
		t.Logf("back %v: %.2f %s: %s → %s", withBack, f.Confidence(), out[len(out)-1], f.Trigger, f.Action)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestWhatAPersonGaveUpStandsNoMore(t *testing.T) {
	files, err := filepath.Glob("testdata/back/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no cases")
	}
	stood := 0
	for _, f := range files {
		all := readGaveUp(t, f)
		stood += len(standing(t, all, false))
		for _, name := range standing(t, all, true) {
			t.Errorf("%s: stands although it was given up", name)
		}
	}
	if stood < 15 {
		t.Errorf("%d of them stood before they were given up: the cases say little", stood)
	}
}

// What is run in place of something else, and later the other way round: commands have no
// text that goes and comes, and one that takes another back names it.
func TestACommandThatIsRunInsteadAgainTakesTheHabitBack(t *testing.T) {
	sessions := []*mining.Session{
		played("a", 1, "> bring the branch up to main", "! git merge origin/main | CONFLICT (content): Merge conflict in menu.json",
			"> no merge, rebase", "$ git merge --abort && git rebase origin/main"),
		played("b", 2, "> main has moved, pull it in", "$ git merge origin/main",
			"> I do not want that merge commit, rebase onto it", "$ git reset --hard ORIG_HEAD && git rebase origin/main"),
	}
	for i, day := range ordinary {
		sessions = append(sessions, played(fmt.Sprint("o", i), 3+i, day...))
	}
	against := func(sessions []*mining.Session) (found bool, against int) {
		all, err := mining.Mine(t.Context(), sessions, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			f := &all[i]
			if f.Kind != habit.Correction || f.Evidence[0].Session != "a" {
				continue
			}
			if found, against = true, against+len(f.Against); len(f.Against) > 0 && f.Confidence() >= memory.InjectConfidence {
				t.Errorf("believed at %.2f although it was taken back", f.Confidence())
			}
		}
		return found, against
	}
	if found, n := against(sessions); !found || n > 0 {
		t.Fatalf("found %v, taken back at %d places, want found and not taken back", found, n)
	}
	back := played("c", 30, "> a lot went into main, catch up", "! git rebase origin/main | error: could not apply 5d10c3e",
		"> ah, the team lead wants it joined, out of that", "$ git rebase --abort && git merge origin/main")
	if _, n := against(append(sessions, back)); n == 0 {
		t.Error("not taken back")
	}
}

// A message takes back only what it speaks of, however near to a habit it is said.
func TestAnotherCorrectionTakesNothingBack(t *testing.T) {
	fixed := func(day int, more ...string) *mining.Session {
		return played(fmt.Sprint("s", day), day, append([]string{"> 跑一下測試", "! pnpm test | Error: connect ECONNREFUSED 127.0.0.1:5432", "$ make db-up", "$ pnpm test"}, more...)...)
	}
	for name, x := range map[string]struct {
		said string
		day  int // behind which fix it is said
		back bool
	}{
		"nothing":                      {"", 0, false},
		"of the commit, at first":      {"commit message 要寫英文,不要寫中文", 0, false},
		"of the commit, at last":       {"commit message 要寫英文,不要寫中文", 2, false},
		"of the button, in English":    {"no longer blue, the button is green now", 2, false},
		"of the database, at last":     {"make db-up 不用再跑了，現在 CI 自己會開", 2, true},
		"of the database, in English":  {"no more db-up, the database runs by itself now", 2, true},
		"of the port that was refused": {"5432 is gone, we no longer have that one, it moved away", 2, true},
	} {
		var all []*mining.Session
		for d := range 3 {
			var more []string
			if d == x.day && x.said != "" {
				more = []string{"> " + x.said}
			}
			all = append(all, fixed(d, more...))
		}
		found, err := mining.Mine(t.Context(), all, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		for i := range found {
			if f := &found[i]; f.Kind == habit.Fix {
				seen = true
				if told := f.Confidence() >= memory.InjectConfidence; told == x.back {
					t.Errorf("%s: believed at %.2f, taken back %v", name, f.Confidence(), f.Against)
				}
			}
		}
		if !seen {
			t.Errorf("%s: not found", name)
		}
	}
}
