package activity_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/activity"
)

func TestShellLinesAreReadForWhatTheyAreAbout(t *testing.T) {
	for line, want := range map[string]string{
		"cd /home/dev && go test ./... 2>&1 | tail -20": "go test ./...",
		"ls": "ls", "echo a; make ship": "make ship", `grep "a | b" x.go`: `grep "a | b" x.go`, "cd x": "cd x",
		// The signs stay.
		"make build || make clean; make ship": "make build || make clean; make ship", "serve & curl localhost": "serve & curl localhost",
		"make | sort | uniq": "make | uniq", "make\nmake ship": "make; make ship", "make \\\n  ship": "make ship",
		// What only makes ready, waits, silences or explains goes.
		"export A=1; sleep 5; A=2 make > /dev/null 2>&1": "A=2 make", "# all of it\ngo test ./... # slow": "go test ./...", "make &> /dev/null": "make",
		"time go test ./... | tail": "go test ./...", "make > log.txt": "make > log.txt", "! make": "! make",
		// Compound commands are one, and so are those with text of their own.
		"cd x && (cd y; make | tail) | tail": "(cd y; make | tail)", "for f in *; do\n  vet $f\ndone": "for f in *; do vet $f done",
		"python3 - <<'EOF' | tail\nimport os; a && b\nEOF\nmake": "python3 - <<'EOF' import os; a && b EOF; make",
		// What is no shell is cut plainly.
		"cd x && make 'it | tail": "make 'it", "cd x && make $( 2>&1 | tail -3": "make $(", "a && ": "a", "  ": "", "&&": "&&",
	} {
		if got := activity.ParseLine(line).Essence(); got != want {
			t.Errorf("%q is about %q, want %q", line, got, want)
		}
	}
}

func TestTheMessageOfACommitIsFound(t *testing.T) {
	for line, want := range map[string]string{
		`git commit -m "Mend the dates"`: "Mend the dates", `git add . && git commit -am 'fix: it' && git push`: "fix: it",
		"git commit -m \"$(cat <<'EOF'\nSubject line\n\nBody\nEOF\n)\"": "Subject line", "git commit --no-edit": "", "echo commit -m x": "",
		"git commit -mfix": "fix", "git -C sub commit --message='one two' --amend": "one two", "hg commit --message x": "x",
		"git commit -m \"\n  First\nsecond\"": "First", "git log -m commit": "", "git commit -m": "", "git commit -C HEAD -- main.go": "",
		// In a here-document.
		"git commit -F - <<'EOF'\nMend it\n\nWhy\nEOF": "Mend it", "cat <<EOF | git commit -qF -\nMend it\nEOF": "Mend it", "git commit --file=- <<<'Mend it'": "Mend it",
		"cat > /tmp/msg <<'EOF'\nMend it\nEOF\ngit commit -F /tmp/msg": "Mend it", "printf 'Mend it' | git commit -F -": "Mend it",
		"cat > other <<'EOF'\nMend it\nEOF\ngit commit -F /tmp/msg": "", "git commit -F": "",
	} {
		if got := activity.ParseLine(line).CommitSubject(); got != want {
			t.Errorf("%q has the subject %q, want %q", line, got, want)
		}
	}
}

func TestLinesThatOnlyLookAreTold(t *testing.T) {
	for line, want := range map[string]bool{
		"ls": true, "cd x && grep -rn a . | head": true, "egrep a b; cmp a b; pgrep x": true, "[ -f a ] && [[ -f b ]] && cat a b": true,
		"git status --short": true, "git -C sub status": true, "git --no-pager log": true, "hg annotate a": true, "git branch -a": true, "git rev-parse HEAD": true,
		"for f in *.go; do grep -c a $f; done": true, "sleep 3 && cat log": true, "/usr/bin/find . -name a 2>/dev/null >&2": true, "cat $(make where)": true,
		"make": false, "ls && make": false, "git branch new": false, "git commit -m log": false, "git": false, "A=1": false, "": false, "# ls": false,
		"cat > a.go <<EOF\nls\nEOF": false, "echo a >> b": false, "for f in *; do rm $f; done": false, "if ls; then ls; fi > out": false, "tar x": false,
	} {
		if got := activity.ParseLine(line).Looks(); got != want {
			t.Errorf("%q only looks: %v, want %v", line, got, want)
		}
	}
}

func TestQuestionsToVersionControl(t *testing.T) {
	type question struct{ Text, Words string }
	for line, want := range map[string][]question{
		`cd x && git -C "my dir" log --grep "a;b" 2>&1 | head`:                 {{`git -C "my dir" log --grep "a;b" 2>&1`, "git -C my dir log --grep a;b"}},
		"A=1 sudo env B=2 /usr/bin/git show abc":                               {{"/usr/bin/git show abc", "/usr/bin/git show abc"}},
		"hg log\nsvn blame a; jj diff":                                         {{"hg log", "hg log"}, {"svn blame a", "svn blame a"}, {"jj diff", "jj diff"}},
		"n=$(git log --oneline | wc -l); echo `git diff`":                      {{"git log --oneline", "git log --oneline"}, {"git diff", "git diff"}},
		"for b in a b; do git log $b; done":                                    {{"git log $b", "git log $b"}},
		`C:\Git\bin\git.exe diff a\ b`:                                         {{`C:\Git\bin\git.exe diff a\ b`, `C:\Git\bin\git.exe diff a b`}},
		"git push; git commit -m 'git log'; digit log; echo git log # git log": nil,
		"cat <<'EOF'\ngit log\nEOF":                                            nil,
		"git log 'a":                                                           {{"git log 'a", "git log a"}}, // no shell
	} {
		var got []question
		for _, c := range activity.ParseLine(line).Questions() {
			got = append(got, question{c.Text, strings.Join(c.Words, " ")})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", line, diff)
		}
	}
}

// hostile are the units of lines that go deep or long. Each takes milliseconds;
// without bounds, some take minutes or the whole stack.
var hostile = []string{
	"(", "{ ", "$(", "`", `"$(`, "${a:-", "$((", "if ", "while ", "[[ ( ", "((", "a|", "a&&", "case x in a) ", "f()", "time ", "a[", "$[", "<(", "<<a;",
	"cat <<a\n$(", "\\", "'", "coproc ", "a=($(", "a;", "x ", "a<b ", "`\\`", "@(", "if true;then ", "select x do ", "\x00", "\xff", "git log;", "世",
}

func TestHostileLinesTakeLittleTime(t *testing.T) {
	for _, unit := range hostile {
		for _, size := range []int{1 << 10, 16 << 10, 1 << 20} {
			began := time.Now()
			check(t, strings.Repeat(unit, size/len(unit)))
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%d bytes of %q took %v", size, unit, took)
			}
		}
	}
	closed := strings.Repeat("if a;then ", 800) + "b;" + strings.Repeat("fi;", 800)
	check(t, closed)
}

func FuzzParseLine(f *testing.F) {
	for _, unit := range hostile {
		f.Add(unit)
		f.Add(strings.Repeat(unit, 40))
	}
	for _, line := range []string{
		"cd /home/dev && go test ./... 2>&1 | tail -20", "git commit -m \"$(cat <<'EOF'\nSubject\nEOF\n)\"", "A=1 B=(1 2) sudo git -C 'x y' log > a 2>/dev/null &",
		"for i in {1..3}; do echo $i; done; f() { git diff; }; ! [[ -n $x && -f y ]]", "diff <(git show a:b) <(hg log)", "declare -a x=(1); let i++; export Y", ">a", "<<a\nb\na", "cat <<a\na",
	} {
		f.Add(line)
	}
	f.Fuzz(check)
}

// check asks everything that can be asked about a line.
func check(t *testing.T, line string) {
	l := activity.ParseLine(line)
	for _, s := range []string{l.Essence(), l.CommitSubject()} {
		if strings.ContainsAny(s, "\n\r\t") {
			t.Errorf("%q: %q is no single line", line[:min(len(line), 80)], s)
		}
	}
	l.Looks()
	for _, c := range l.Questions() {
		if c.Program == "" || len(c.Words) < 2 || !strings.Contains(c.Text, c.Program) && utf8.ValidString(line) && !strings.ContainsAny(line, "\\'\"\x00\r") {
			t.Errorf("%q asks %+v", line[:min(len(line), 80)], c)
		}
	}
}

func TestDoing(t *testing.T) {
	for line, want := range map[string]string{
		"cd /w && grep -n KEEP a.kt && sed -i s/a/b/ a.kt": "sed -i s/a/b/ a.kt",
		"sed -n 1,9p a.py; git push && git log -3":         "git push",
		"git show main:a.py | sed -n 10,38p":               "git show main:a.py | sed -n 10,38p",
		"grep -n KEEP a.kt && cat b.kt":                    "grep -n KEEP a.kt && cat b.kt",
		"tail -n 3 a.csv | tr a-z A-Z > b.csv && wc b.csv": "tail -n 3 a.csv | tr a-z A-Z > b.csv",
	} {
		a := activity.New("Bash", json.RawMessage(fmt.Sprintf(`{"command":%q}`, line)), nil)
		if got := a.Line().Doing(); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
