package evolve

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"orihon/habit"
	"orihon/internal/home"
)

func some(domain string, said ...string) (out []Habit) {
	for i, s := range said {
		trigger, action, _ := strings.Cut(s, ": ")
		out = append(out, Habit{ID: fmt.Sprintf("h%02d", i), Trigger: trigger, Action: action, Domain: domain, Confidence: 0.7})
	}
	return out
}

func TestGroupsAreOfHabitsThatAreAlike(t *testing.T) {
	for name, tt := range map[string]struct {
		habits []Habit
		want   string
	}{
		"the same occasion in other words": {some("git", "before a commit: run the tests", "when committing: sign it", "when committing changes: split them"), "[3]"},
		"one domain is not enough":         {some("git", "before a commit: run the tests", "when rebasing: sign it", "when pushing: ask"), "[]"},
		"words that say little":            {some("go", "when writing code: a b", "when writing a parser: c d", "when writing docs: e f"), "[]"},
		"both scripts":                     {some("db", "修改資料庫結構時: 先備份", "更改资料库结构之前: 先寫遷移", "動到資料庫結構: 通知團隊"), "[3]"},
		"two domains with the same words": {
			append(some("git", "when releasing the server: tag it with the version"), some("ops", "when releasing the server: tag it with the version")...), "[2]",
		},
		"through others": {some("css", "grid layout: use gap", "grid layout columns: use fr", "columns width: use fr"), "[3]"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range tt.habits {
				tt.habits[i].ID = fmt.Sprint(i)
			}
			sizes := []int{}
			for _, g := range groups(tt.habits, 2) {
				sizes = append(sizes, len(g))
			}
			if got := fmt.Sprint(sizes); got != tt.want {
				t.Errorf("groups of %s, want %s", got, tt.want)
			}
		})
	}
}

func TestKindsByRules(t *testing.T) {
	correction := some("db", "a: drop nothing", "b: ask")
	for i := range correction {
		correction[i].kind = habit.Correction
	}
	for name, tt := range map[string]struct {
		group []Habit
		want  Kind
	}{
		"constraints":          {some("db", "when migrating: Never drop a column", "when migrating: 必須先備份", "when migrating: Don't edit old migrations"), Rule},
		"what was corrected":   {correction, Rule},
		"one workflow":         {some("git", "when committing: vet, then test", "when committing: split, then commit", "when committing: sign it"), Command},
		"a Chinese workflow":   {some("git", "提交代碼時：先測試: 先測試，然後提交", "提交代碼時: 先看差異，再提交", "提交代碼時: 寫說明"), Command},
		"knowledge":            {some("test", "when testing: use tables", "when testing: use go-cmp", "when testing: never mock"), Skill},
		"work with many steps": {some("ops", "when releasing: 1. tag\n2. build\n3. sign\n4. upload", "on incidents: - page\n- mitigate\n- write up", "after it: close, then tell them"), Agent},
	} {
		if d := byRule(tt.group); d.Kind != tt.want || d.Why == "" || d.By != byRules {
			t.Errorf("%s: %+v, want %s", name, d, tt.want)
		}
	}
}

func TestNamesAreAFewPlainLetters(t *testing.T) {
	for text, want := range map[string]string{
		"Commit Keeper":                  "commit-keeper",
		"../../etc/passwd":               "etc-passwd",
		"claude's own":                   "s-own",
		"資料庫":                            "",
		"a\x00b\nc":                      "a-b-c",
		strings.Repeat("very-long-", 40): strings.TrimSuffix(strings.Repeat("very-long-", 40)[:maxName-len("-habits-99")], "-"),
	} {
		if got := slug(text); got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
	if got := nameOf(some("db", "修改資料庫: x", "動到資料庫: y")); got != "db" {
		t.Errorf("a Chinese group is called %q", got)
	}
	if got := nameOf(some("general", "修改資料庫: x")); got != "habits" {
		t.Errorf("a group without a word is called %q", got)
	}
}

func TestWhatAClientCarriesOutIsTakenOut(t *testing.T) {
	for text, want := range map[string]string{
		"run !`rm -rf x` now":      "run ! `rm -rf x` now",
		"```!\nrm\n```":            "``` ! \nrm\n```",
		"`a`!`b`":                  "`a` ! `b`",
		"see @/etc/passwd, a@b.c":  "see ＠/etc/passwd, a@b.c",
		"install `@types/node`":    "install `@types/node`",
		"$ARGUMENTS $1 ${X} $HOME": "＄ARGUMENTS ＄1 ＄{X} $HOME",
		"Stop! Use `x`.":           "Stop! Use `x`.",
		"":                         "",
		"!":                        "!",
	} {
		got := powerless(text)
		if got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if again := powerless(got); again != got {
			t.Errorf("%q became %q the second time", got, again)
		}
	}
}

func TestBadFilesAreRefusedByLine(t *testing.T) {
	const skill = "---\nname: x\ndescription: y\n---\nbody\n"
	for name, tt := range map[string]struct {
		kind Kind
		text string
		want string
	}{
		"good":                  {Skill, skill, ""},
		"CRLF":                  {Skill, strings.ReplaceAll(skill, "\n", "\r\n"), ""},
		"a rule needs no front": {Rule, "Always.\n", ""},
		"a rule with paths":     {Rule, "---\npaths: [a, b]\n---\nAlways.\n", ""},
		"no front matter":       {Skill, "body\n", "line 1: front matter has no name"},
		"not closed":            {Skill, "---\nname: x\n", "not closed"},
		"another name":          {Skill, strings.Replace(skill, "name: x", "name: z", 1), `line 2: name is "z"`},
		"unknown key":           {Agent, strings.Replace(skill, "name: x", "name: x\nrun: rm", 1), `line 3: a agent has no key "run"`},
		"a bomb":                {Skill, "---\nname: x\ndescription: &a [y]\nmodel: [*a,*a]\n---\nb\n", "anchor"},
		"a key twice":           {Skill, "---\nname: x\nname: x\n---\nb\n", "twice"},
		"nothing behind":        {Command, "---\ndescription: y\n---\n\n", "nothing behind"},
		"a long description":    {Skill, "---\nname: x\ndescription: " + strings.Repeat("字", 1025) + "\n---\nb\n", "line 3: description is longer"},
		"a NUL":                 {Skill, skill + "\x00", "NUL"},
		"no UTF-8":              {Skill, skill + "\xff", "UTF-8"},
		"too large":             {Skill, skill + strings.Repeat("x", maxText), "larger"},
		"a large front":         {Skill, "---\nname: x\ndescription: " + strings.Repeat("x", maxFront) + "\n---\nb\n", "line 1"},
	} {
		err := check(tt.kind, "x", []byte(tt.text))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// Whatever habits say, the file of them has the form of its kind, and says nothing
// twice in its front matter.
func FuzzText(f *testing.F) {
	f.Add("when deploying: # ---", "!`x`\n---\nname: evil\n---", "Use it.")
	f.Add("寫測試時", "## x\n- y\n<!-- z", "\u2028")
	e := New(bare(f))
	f.Fuzz(func(t *testing.T, trigger, action, description string) {
		trigger, action = e.plain(strings.Join(strings.Fields(trigger), " ")), e.plain(action)
		if trigger == "" || action == "" || len(action) > 4000 || len(trigger) > 400 || len(description) > 300 {
			return
		}
		for _, kind := range kinds() {
			p := Proposal{Name: "x", Kind: kind, Habits: []Habit{{ID: "a", Trigger: trigger, Action: action}}, description: cut(e.plain(description), 300)}
			if err := check(kind, "x", []byte(p.text())); err != nil {
				t.Fatalf("%v:\n%s", err, p.text())
			}
		}
	})
}

func bare(t testing.TB) *home.Home {
	t.Helper()
	dir := t.TempDir()
	h, err := home.Open(&home.Options{Home: filepath.Join(dir, "home"), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}
