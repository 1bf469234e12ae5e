package hostile

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// failure is one thing that must not have happened.
type failure struct{ check, evidence string }

// verdict gathers what is found on one row.
type verdict struct {
	s        *sandbox
	inside   []*result // what was played in the folder
	home     []*result // what Ann saw in her own project afterwards
	failures []failure
}

func (v *verdict) fail(check, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	const most = 600
	if len(text) > most {
		text = text[:most] + "…"
	}
	v.failures = append(v.failures, failure{check, text})
}

// foreignMark is how text is marked whose author is not known to be the person.
var foreignMark = regexp.MustCompile(`(?i)foreign|repository|not accepted|unaccepted|unreviewed|not reviewed|somebody else|imported|匯入|导入|儲存庫|版本庫|仓库|倉庫|外來|外来|未接受|未經`)

// said is how text is marked that the person said.
var said = regexp.MustCompile(`(?i)the user said|使用者說|用户说`)

// headings are what sections of injected text begin with.
var headings = regexp.MustCompile(`^\s*(📎|🗂|📌|💡|📋|📄|📂|💬|📥|🧭)`)

// line is one line of injected text and the heading it stands under.
type line struct{ heading, text string }

func lines(text string) []line {
	var out []line
	heading := ""
	for l := range strings.SplitSeq(text, "\n") {
		if headings.MatchString(l) {
			heading = l
		}
		out = append(out, line{heading, l})
	}
	return out
}

// common holds on every row: each process ended in time and as it should, and
// nothing it printed can break out of where it stands.
func (v *verdict) common() {
	for _, r := range append(v.inside[:len(v.inside):len(v.inside)], v.home...) {
		if r.hung {
			v.fail("nothing hangs", "%s in %s did not come to an end", r.about, v.short(r.where))
			continue
		}
		if r.event != "" && r.code != 0 {
			v.fail("a hook exits 0", "%s: exit %d: %s", r.about, r.code, r.stderr)
		}
		if r.event == "" && (r.code < 0 || r.code > 4) {
			v.fail("a command exits 0 to 4", "%s: exit %d: %s", r.about, r.code, r.stderr)
		}
		for _, crash := range []string{"panic:", "goroutine 1 [", "fatal error:", "SIGSEGV"} {
			if strings.Contains(r.stderr, crash) {
				v.fail("nothing crashes", "%s: %s", r.about, r.stderr)
			}
		}
		context, message, err := r.context()
		if err != nil {
			v.fail("a hook answers with JSON or nothing", "%s: %v: %s", r.about, err, r.stdout)
			continue
		}
		if n := len(utf16.Encode([]rune(context))); n > 10_000 {
			v.fail("a hook injects at most 10,000 characters", "%s: %d", r.about, n)
		}
		if at := broken(context); at != "" {
			v.fail("stored text closes and opens no mark", "%s: %q", r.about, at)
		}
		for _, text := range []string{context, message, r.stderr} {
			if at := unprintable(text); at != "" {
				v.fail("nothing printed acts on a terminal", "%s: %q", r.about, at)
			}
		}
		if r.event == "" && !strings.Contains(r.about, "--json") {
			if at := unprintable(r.stdout); at != "" {
				v.fail("nothing printed acts on a terminal", "%s: %q", r.about, at)
			}
		}
	}
	log, _ := os.ReadFile(filepath.Join(v.s.orihonHome(), "hook.log"))
	for l := range strings.SplitSeq(string(log), "\n") {
		if strings.Contains(l, "panic") || strings.Contains(l, "did not come to an end") {
			v.fail("nothing crashes", "hook.log: %s", l)
		}
	}
}

// nothingRan holds on every row: no program that the folder names was started.
func (v *verdict) nothingRan() {
	entries, _ := os.ReadDir(v.s.canary)
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(v.s.canary, e.Name()))
		v.fail("no program of the folder runs", "%s was run %d times", e.Name(), strings.Count(string(text), "\n"))
	}
}

// nothingSent holds on every row: no server that the folder names is called.
func (v *verdict) nothingSent() {
	if n := v.s.dialled.Load(); n > 0 {
		v.fail("no server of the folder is called", "%d connections", n)
	}
}

// keepsToItself holds on every row: outside of Orihon's home and the folder
// nothing changed, and in the folder nothing but .orihon, which may stand in dir,
// and what the row names.
func (v *verdict) keepsToItself(outside, inside []string, dir string, may []string) {
	if len(outside) > 0 {
		v.fail("nothing outside the home and the folder changes", "%s", strings.Join(outside, "\n"))
	}
	for _, d := range []string{".", dir} {
		ours := path.Join(d, ".orihon")
		may = append(may[:len(may):len(may)], ours+"/", ours+":")
	}
	var not []string
	for _, c := range inside {
		_, name, _ := strings.Cut(c, " ")
		ok := false
		for _, m := range may {
			ok = ok || strings.HasPrefix(name, m)
		}
		if !ok {
			not = append(not, c)
		}
	}
	if len(not) > 0 {
		v.fail("in the folder nothing but .orihon changes", "%s", strings.Join(not, "\n"))
	}
}

// private holds where the folder is not Ann's: nothing she told elsewhere comes
// out in it, nothing told in it goes to her ledgers, and what she said for all
// projects still stands.
func (v *verdict) private() {
	for _, r := range v.inside {
		if r.where == v.s.payroll() {
			continue
		}
		for _, word := range append([]string{salaryWord, vaultWord}, fileWords...) {
			if strings.Contains(r.stdout, word) || strings.Contains(r.stderr, word) {
				v.fail("what is private elsewhere stays out", "%s shows %s: %s", r.about, word, around(r.stdout+r.stderr, word))
			}
		}
	}
	for _, word := range []string{promptWord, ownWord, toolWord, answerWord, bait} {
		for id := range v.s.spaces {
			v.absent("what is told here stays here", filepath.Join(v.s.orihonHome(), "projects", id), word)
		}
		v.absent("what is told here stays here", filepath.Join(v.s.orihonHome(), "memory"), word)
		for _, r := range v.home {
			if strings.Contains(r.stdout, word) {
				v.fail("what is told here stays here", "in Ann's project %s shows %s: %s", r.about, word, around(r.stdout, word))
			}
		}
	}
}

// files holds on every row: what stands in the home's other files was neither
// kept nor shown.
func (v *verdict) files() {
	for _, word := range fileWords {
		v.absent("files outside are not read", v.s.orihonHome(), word)
		for _, r := range append(v.inside[:len(v.inside):len(v.inside)], v.home...) {
			if strings.Contains(r.stdout, word) || strings.Contains(r.stderr, word) {
				v.fail("files outside are not read", "%s shows %s: %s", r.about, word, around(r.stdout+r.stderr, word))
			}
		}
	}
}

func (v *verdict) absent(check, dir, word string) {
	for _, file := range holding(dir, word) {
		v.fail(check, "%s has %s", v.short(file), word)
	}
}

// foreign holds where nobody has accepted what the folder says: it is no
// standing rule, not the user's word, and marked wherever it is shown.
func (v *verdict) foreign() {
	for _, r := range v.inside {
		context, _, _ := r.context()
		for _, l := range lines(context) {
			for _, word := range []string{toolWord, answerWord} {
				if strings.Contains(l.text, word) && (said.MatchString(l.text) || strings.Contains(l.heading, "📎")) {
					v.fail("what an agent read is not what the user said", "%s: %s / %s", r.about, l.heading, l.text)
				}
			}
			if !strings.Contains(l.text, bait) {
				continue
			}
			if strings.Contains(l.heading, "📎") {
				v.fail("foreign text is no standing rule", "%s: %s / %s", r.about, l.heading, l.text)
			}
			if said.MatchString(l.text) {
				v.fail("foreign text is not what the user said", "%s: %s", r.about, l.text)
			}
			if !foreignMark.MatchString(l.text) && !foreignMark.MatchString(l.heading) {
				v.fail("foreign text is marked", "%s: %s / %s", r.about, l.heading, l.text)
			}
		}
		if strings.Contains(r.about, "--json") {
			for _, it := range itemsIn(r.stdout) {
				if strings.Contains(it.Content, bait) && (it.Metadata.Confidence > 0.5 || it.Metadata.Source == "user" || it.Tier == "settled") {
					v.fail("foreign text is believed up to 0.5", "%s: source %q, tier %q, confidence %v", r.about, it.Metadata.Source, it.Tier, it.Metadata.Confidence)
				}
			}
		}
	}
}

// unlearned holds where nobody has taken the text in: what was shown to the
// agent, and said by it, does not become knowledge.
func (v *verdict) unlearned() {
	for _, ledger := range []string{"semantic.jsonl", "procedural.jsonl"} {
		for _, word := range []string{bait, toolWord, answerWord} {
			for _, file := range holding(v.s.orihonHome(), word) {
				if filepath.Base(file) == ledger {
					v.fail("what an agent read is not kept as knowledge", "%s has %s", v.short(file), word)
				}
			}
		}
	}
}

// item is what a listing says of one item.
type item struct {
	ID       string
	Content  string
	Tier     string
	ValidTo  string `json:"valid_to"`
	Metadata struct {
		Source     string
		Confidence float64
	}
}

// itemsIn finds the items in the JSON of a listing or a recall.
func itemsIn(text string) []item {
	var list []item
	if json.Unmarshal([]byte(text), &list) == nil {
		return list
	}
	var found struct{ Hits []struct{ Item item } }
	_ = json.Unmarshal([]byte(text), &found)
	for _, h := range found.Hits {
		list = append(list, h.Item)
	}
	return list
}

// remembers holds on every row: what Ann told in her own project is found
// there, and what she said for all projects stands everywhere.
func (v *verdict) remembers(everywhere bool) {
	v.found("what Ann told is found", v.home, salaryWord)
	v.found("what Ann told is found", v.home, vaultWord)
	v.found("what Ann said for all projects stands", v.home[:1], globalWord)
	if everywhere {
		v.found("what Ann said for all projects stands", slices.DeleteFunc(slices.Clone(v.inside), func(r *result) bool { return r.event != "SessionStart" }), globalWord)
	}
	for _, r := range v.home {
		for _, it := range itemsIn(r.stdout) {
			if it.ID == v.s.ids[salaryWord] && it.ValidTo != "" {
				v.fail("what Ann told is not ended", "valid_to %s", it.ValidTo)
			}
		}
	}
}

// found wants a word in what one of the results printed.
func (v *verdict) found(check string, in []*result, word string) {
	var where []string
	for _, r := range in {
		if strings.Contains(r.stdout, word) {
			return
		}
		where = append(where, r.about)
	}
	v.fail(check, "%s does not come in %s", word, strings.Join(where, ", "))
}

// notFound wants no word in what any of the results printed.
func (v *verdict) notFound(check string, in []*result, word string) {
	for _, r := range in {
		if strings.Contains(r.stdout+r.stderr, word) {
			v.fail(check, "%s shows %s: %s", r.about, word, around(r.stdout+r.stderr, word))
		}
	}
}

// modes holds on every row: files in the home are Ann's alone.
func (v *verdict) modes() {
	_ = filepath.WalkDir(v.s.orihonHome(), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().Perm()&0o077 != 0 && info.Mode()&os.ModeSymlink == 0 {
			v.fail("files are 0600 and folders 0700", "%s is %v", v.short(path), info.Mode())
		}
		return nil
	})
}

// asks holds where a folder claims to be a project that Ann knows: the start of
// the session says in a line how to tie it.
func (v *verdict) asks() {
	context, message, _ := v.inside[0].context()
	if !strings.Contains(context+message, "project link") {
		v.fail("the session's start says that the folder is not tied", "%s: %q", v.inside[0].about, context)
	}
}

// short names a path within the sandbox.
func (v *verdict) short(path string) string {
	if rel, err := filepath.Rel(v.s.root, path); err == nil {
		return rel
	}
	return path
}

// around is a word with some of what stands about it.
func around(text, word string) string {
	i := strings.Index(text, word)
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%q", text[max(0, i-60):min(len(text), i+len(word)+30)])
}
