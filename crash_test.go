package orihon_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon"
	"orihon/follow"
	"orihon/journal"
	"orihon/memory"
)

var (
	kills    = flag.Int("kills", 14, "processes that TestKilledProcessesLoseNothing kills")
	killSeed = flag.Uint64("killseed", 1, "seed of TestKilledProcessesLoseNothing; 0 takes one by the clock")
)

// victimEnv makes the test binary a process that waits to be killed: its value
// is "home|project|seed|name|statement to say again".
const victimEnv = "ORIHON_TEST_VICTIM"

const (
	victimsAtOnce = 2
	killsPerHome  = 50
	sharedSession = "everybodys-session"
)

func TestKilledProcessesLoseNothing(t *testing.T) {
	if args := os.Getenv(victimEnv); args != "" {
		beVictim(strings.SplitN(args, "|", 5))
		return
	}
	total := *kills
	if testing.Short() {
		total = min(total, 6)
	}
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("go test -run TestKilledProcessesLoseNothing . -kills %d -killseed %d", total, seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var sum killStats
	for total > sum.kills {
		c := &crime{t: t, r: r, p: newPlace(t), items: make(map[string]*fate), said: make(map[string]map[string]bool), stats: &sum}
		for last := min(total, sum.kills+killsPerHome); sum.kills < last && !t.Failed(); {
			c.round()
			c.check()
		}
		c.checkIndex()
		sum.torn += c.torn()
		if t.Failed() {
			break
		}
	}
	t.Logf("%s", &sum)
	if sum.during() == 0 {
		t.Error("no kill landed inside a call: nothing was shown")
	}
}

// killStats says where the kills landed.
type killStats struct {
	kills, acknowledged, again, torn int
	inside                           map[string]int // by the call that was under way
}

// during counts the kills inside a call that writes.
func (s *killStats) during() int {
	n := 0
	for op, k := range s.inside {
		if op != "recall" && op != "between" {
			n += k
		}
	}
	return n
}

func (s *killStats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d processes killed, %d of them inside a writing call; %d calls acknowledged before, %d interrupted statements said again, %d torn lines set aside\n",
		s.kills, s.during(), s.acknowledged, s.again, s.torn)
	for _, op := range []string{"remember", "forget", "restore", "prompt", "action", "answer", "sync", "recall", "between"} {
		fmt.Fprintf(&b, "  %-9s %d\n", op, s.inside[op])
	}
	return b.String()
}

// fate is what an item must be like.
type fate struct {
	id        string
	forgotten bool
	either    bool // a forget or a restore of it was interrupted
}

// crime is one home, the processes that died in it, and what they had been
// promised.
type crime struct {
	t     *testing.T
	r     *rand.Rand
	p     *place
	n     int                        // processes so far
	items map[string]*fate           // by the text's own word
	said  map[string]map[string]bool // session to "type id" of acknowledged events
	again []string                   // statements that were interrupted
	stats *killStats
}

// round starts a few processes, kills each at a moment of its own and notes
// what they were told had been done.
func (c *crime) round() {
	var wg sync.WaitGroup
	told := make([][]string, 1+c.r.IntN(victimsAtOnce))
	for i := range told {
		c.n++
		again := ""
		if len(c.again) > 0 {
			again, c.again = c.again[0], c.again[1:]
			c.stats.again++
		}
		name, seed := fmt.Sprintf("p%d", c.n), c.r.Uint64()
		calls, delay := 1+c.r.IntN(25), time.Duration(c.r.Int64N(int64(6*time.Millisecond)))
		wg.Go(func() { told[i] = c.kill(name, seed, again, calls, delay) })
	}
	wg.Wait()
	for _, lines := range told {
		c.note(lines)
	}
}

// kill starts a process, lets it begin so many calls, waits a little longer,
// kills it and returns every whole line it had printed.
func (c *crime) kill(name string, seed uint64, again string, calls int, delay time.Duration) []string {
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcessesLoseNothing$")
	cmd.Env = append(os.Environ(), victimEnv+"="+strings.Join([]string{c.p.home, c.p.dir, strconv.FormatUint(seed, 10), name, again}, "|"))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.t.Errorf("start a process: %v", err)
		return nil
	}
	var lines []string
	killed := false
	timer := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() }) // should it hang
	defer timer.Stop()
	for in := bufio.NewReader(out); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
		if strings.HasPrefix(line, "begin") {
			if calls--; calls == 0 {
				// The pipe keeps what is printed meanwhile.
				time.Sleep(delay)
				killed = cmd.Process.Kill() == nil
			}
		}
	}
	if err := cmd.Wait(); !killed {
		c.t.Errorf("%s ended or hung: %v\n%s", name, err, &complaints)
	}
	for line := range strings.Lines(complaints.String()) {
		if !strings.Contains(line, "cut off a torn last line") {
			c.t.Errorf("%s complained: %s", name, line)
		}
	}
	return lines
}

// note takes the lines of a process into account: "begin op word" before a
// call, "done op word id" behind it.
func (c *crime) note(lines []string) {
	c.stats.kills++
	if c.stats.inside == nil {
		c.stats.inside = make(map[string]int)
	}
	under := ""
	for _, line := range lines {
		f := append(strings.Fields(line), "", "", "")
		switch f[0] {
		case "begin":
			under = line
		case "done":
			under = ""
			c.stats.acknowledged++
			c.done(f[1], f[2], f[3])
		default:
			c.t.Errorf("a process said %q", line)
		}
	}
	if under == "" {
		c.stats.inside["between"]++
		return
	}
	f := append(strings.Fields(under), "", "")
	c.stats.inside[f[1]]++
	switch f[1] {
	case "remember":
		c.again = append(c.again, f[2])
	case "forget", "restore":
		c.items[f[2]].either = true
	}
}

func (c *crime) done(op, word, id string) {
	switch op {
	case "remember":
		c.items[word] = &fate{id: id}
	case "forget":
		c.items[word].forgotten = true
	case "restore":
		c.items[word].forgotten = false
	case "prompt", "action":
		if c.said[id] == nil {
			c.said[id] = make(map[string]bool)
		}
		c.said[id][word] = true
	}
}

// check opens everything anew and compares it with what was promised.
func (c *crime) check() {
	t := c.t
	var warnings bytes.Buffer
	m := c.p.open(t, at(time.Now()), logTo(&warnings))
	defer m.Close()
	// Without a sync, the next processes and the recalls below find the index
	// as the killed ones have left it.
	if c.r.IntN(3) == 0 {
		done, err := m.Sync(t.Context())
		if err != nil {
			t.Errorf("sync: %v", err)
		}
		for _, problem := range done.Problems {
			if !strings.Contains(problem, "had a torn last line") {
				t.Errorf("the text has a problem: %s", problem)
			}
		}
	}
	there := make(map[string][]memory.Stored)
	for _, s := range list(t, m, memory.Filter{Retired: true}) {
		word, _, _ := strings.Cut(s.Item.Content, " ")
		there[word] = append(there[word], s)
	}
	for word, found := range there {
		if len(found) > 1 {
			t.Errorf("%s is there %d times", word, len(found))
		}
	}
	added, audited := make(map[string]int), make(map[string]bool)
	records, err := m.Items().Audits(t.Context(), nil)
	if err != nil {
		t.Errorf("audit: %v", err)
	}
	for _, r := range records {
		audited[r.ID] = true
		if r.Op == "add" {
			added[r.ID]++
		}
	}
	recalled := 0
	for word, f := range c.items {
		found := there[word]
		switch {
		case len(found) == 0:
			t.Errorf("%s was acknowledged and is lost", word)
			continue
		case found[0].Item.ID != f.id:
			t.Errorf("%s was acknowledged as %s and is %s", word, f.id, found[0].Item.ID)
		case found[0].Retired != f.forgotten && !f.either:
			t.Errorf("%s: forgotten is %v, acknowledged was %v", word, found[0].Retired, f.forgotten)
		case !strings.HasSuffix(found[0].Item.Content, lastWord(word)):
			t.Errorf("%s lost its end", word)
		}
		if n := added[f.id]; n > 1 || !audited[f.id] {
			t.Errorf("%s stands %d times as added in the audit trail", word, n)
		}
		// A sample keeps a round short; checkIndex asks for every one.
		if recalled < 10 && !f.either {
			recalled++
			c.recall(m, word, f)
		}
	}
	c.checkJournals(m)
	for line := range strings.Lines(warnings.String()) {
		if !strings.Contains(line, "torn") {
			t.Errorf("opened with a complaint: %s", line)
		}
	}
}

// recall asks for an item by its own word.
func (c *crime) recall(m *orihon.Memory, word string, f *fate) {
	r, err := m.Recall(c.t.Context(), memory.Query{Text: "who keeps " + word + "?", Explain: true})
	if err != nil || len(r.Degraded) > 0 {
		c.t.Errorf("recall is degraded: %v, %v", r.Degraded, err)
	}
	hits := r.Hits
	if long(word) { // it is found, and then too long to be injected
		hits = append(hits, r.Dropped...)
	}
	n := 0
	for i := range hits {
		if hits[i].Passage.ID == f.id {
			n++
		}
	}
	want := 1
	if f.forgotten {
		want = 0
	}
	if n != want {
		c.t.Errorf("recall found %s %d times, want %d", word, n, want)
	}
}

// checkJournals looks for every acknowledged event and for gaps.
func (c *crime) checkJournals(m *orihon.Memory) {
	for id, said := range c.said {
		j, err := journal.Open(m.Project().Session(id), nil)
		if err != nil {
			c.t.Errorf("journal: %v", err)
			continue
		}
		seen := make(map[string]int)
		seq := int64(0)
		for e, err := range j.Events(c.t.Context(), 0) {
			if err != nil {
				c.t.Errorf("journal %s: %v", id, err)
				continue
			}
			if seq++; e.Seq != seq {
				c.t.Errorf("journal %s: event %d follows %d", id, e.Seq, seq-1)
				seq = e.Seq
			}
			if _, err := j.Body(e); err != nil {
				c.t.Errorf("journal %s: %v", id, err)
			}
			if e.ID != "" && (e.Type == journal.UserMessage || e.Type == journal.ActionResult) {
				seen[e.ID]++
			}
		}
		for event := range said {
			if seen[event] != 1 {
				c.t.Errorf("journal %s: %s stands there %d times", id, event, seen[event])
			}
		}
	}
}

// checkIndex compares the index that lived through all of it with one built
// from the text alone.
func (c *crime) checkIndex() {
	t := c.t
	now := at(time.Now()) // one moment for both, since relevance ages
	m := c.p.open(t, now)
	defer m.Close()
	if _, err := m.Sync(t.Context()); err != nil {
		t.Errorf("sync: %v", err)
	}
	if found, err := m.Health().Examine(t.Context()); err != nil || found.Index != "" {
		t.Errorf("examined: %s, %v", found.Index, err)
	}
	fresh := &place{home: filepath.Join(t.TempDir(), "home"), dir: c.p.dir}
	if err := os.CopyFS(fresh.home, os.DirFS(c.p.home)); err != nil {
		t.Fatal(err)
	}
	dropIndexes(t, fresh.home)
	again := fresh.open(t, now)
	defer again.Close()
	if _, err := again.Sync(t.Context()); err != nil {
		t.Errorf("sync: %v", err)
	}
	// Prompts that tell the statements apart: of more than 60 whose vectors are
	// exactly alike, the order of writing decides which are candidates.
	prompts := []string{"how do I deploy?", "how do I deploy? 怎麼部署", "what did we say about p1n1?"}
	for word, f := range c.items {
		if !f.either {
			c.recall(m, word, f)
		}
		prompts = append(prompts, "who keeps "+word+"?")
	}
	slices.Sort(prompts)
	if diff := cmp.Diff(answers(t, again, prompts), answers(t, m, prompts)); diff != "" {
		t.Errorf("the index differs from one built from the text (-built +lived):\n%s", diff)
	}
}

// answers is what recall says at one moment, with all its figures.
func answers(t *testing.T, m *orihon.Memory, prompts []string) []string {
	t.Helper()
	out := make([]string, 0, len(prompts))
	for _, prompt := range prompts {
		r, err := m.Recall(t.Context(), memory.Query{Text: prompt, Turns: true})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s degraded %v\n%s\n", prompt, r.Degraded, r.Text)
		for i := range r.Hits {
			fmt.Fprintf(&b, "%s %.4f %.4f %.4f\n", r.Hits[i].Passage.ID, r.Hits[i].Own, r.Hits[i].Vector, r.Hits[i].Relevance)
		}
		out = append(out, b.String())
	}
	return out
}

func dropIndexes(t *testing.T, home string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(home, "projects", "*", "index"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(dirs, filepath.Join(home, "index")) {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// torn counts the torn lines that were set aside.
func (c *crime) torn() int {
	n := 0
	for _, pattern := range []string{"projects/*/*.torn-*", "projects/*/*/*.torn-*", "projects/*/*/*/*.torn-*"} {
		found, err := filepath.Glob(filepath.Join(c.p.home, filepath.FromSlash(pattern)))
		if err != nil {
			c.t.Fatal(err)
		}
		n += len(found)
	}
	return n
}

// lastWord ends a text that begins with word, so that a cut one is noticed.
func lastWord(word string) string { return "end-of-" + word }

// sentence is the statement that begins with a word of its own; it is the same
// each time it is said. A few are long enough to be torn while being written.
func sentence(word string) string {
	text := word + " is the service that keeps the ledger 帳本由這個服務保管"
	if long(word) {
		text += strings.Repeat(" and its port is "+word, 3_000)
	}
	return text + " " + lastWord(word)
}

func long(word string) bool { return strings.HasSuffix(word, "7") }

// scopeOf spreads the statements over ledgers of both spaces and Markdown.
func scopeOf(word string) memory.Scope {
	switch word[len(word)-1] {
	case '3', '5':
		return memory.Shared
	case '4':
		return memory.Global
	}
	return "" // the user's own
}

// beVictim does one call after the other on a home, each between a line that
// it begins and one that it is done, until the process is killed.
func beVictim(args []string) {
	home, dir, name, again := args[0], args[1], args[3], args[4]
	seed, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		failVictim(err)
	}
	v := &victim{name: name, r: rand.New(rand.NewPCG(seed, 1)), home: home, dir: dir}
	if again != "" {
		v.remember(again)
	}
	for {
		v.step()
	}
}

type victim struct {
	name      string
	r         *rand.Rand
	home, dir string
	m         *orihon.Memory
	readOnly  bool
	n         int      // calls so far
	live      []string // words of what it remembers, and of what it has forgotten
	forgotten []string
	ids       map[string]string
}

// failVictim tells the parent, who takes every line on stderr for a failure.
func failVictim(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// open gives a new handle now and then, of both kinds.
func (v *victim) open(readOnly bool) *orihon.Memory {
	if v.m != nil {
		if err := v.m.Close(); err != nil {
			failVictim(err)
		}
	}
	o := &orihon.Options{Home: v.home, Dir: v.dir, User: "ann", GitConfig: []string{}, ReadOnly: readOnly}
	logTo(os.Stderr)(o)
	m, err := orihon.Open(context.Background(), o)
	if err != nil {
		failVictim(err)
	}
	v.m, v.readOnly = m, readOnly
	return m
}

func (v *victim) step() {
	if v.m == nil || v.r.IntN(4) == 0 {
		v.open(v.r.IntN(2) == 0)
	}
	v.n++
	word := fmt.Sprintf("%sn%d", v.name, v.n)
	ctx := context.Background()
	switch n := v.r.IntN(100); {
	case n < 40 || n < 60 && len(v.live) == 0:
		v.remember(word)
	case n < 52:
		i := v.r.IntN(len(v.live))
		word := v.live[i]
		v.live = slices.Delete(v.live, i, i+1)
		v.call("forget", word, "", func() error { _, err := v.m.Items().Forget(ctx, v.ids[word], "不要了"); return err })
		v.forgotten = append(v.forgotten, word)
	case n < 60:
		if len(v.forgotten) == 0 {
			return
		}
		i := v.r.IntN(len(v.forgotten))
		word := v.forgotten[i]
		v.forgotten = slices.Delete(v.forgotten, i, i+1)
		v.call("restore", word, "", func() error { _, err := v.m.Items().Restore(ctx, v.ids[word]); return err })
		v.live = append(v.live, word)
	case n < 84:
		v.event(word)
	case n < 92:
		v.call("sync", "", "", func() error { _, err := v.m.Sync(ctx); return err })
	default:
		v.call("recall", "", "", func() error {
			_, err := v.m.Recall(ctx, memory.Query{Text: "which service keeps the ledger?"})
			return err
		})
	}
}

func (v *victim) remember(word string) {
	if v.m == nil {
		v.open(false)
	}
	if v.ids == nil {
		v.ids = make(map[string]string)
	}
	if scopeOf(word) == memory.Shared && v.readOnly {
		v.open(false) // what is for the team is not said by way of a hook
	}
	fmt.Println("begin remember", word)
	out, err := v.m.Remember(context.Background(), orihon.Statement{Text: sentence(word), Scope: scopeOf(word)})
	if err != nil {
		failVictim(err)
	}
	v.ids[word], v.live = out.Item.ID, append(v.live, word)
	fmt.Println("done remember", word, out.Item.ID)
}

// event adds to a session of its own, or to one that all share.
func (v *victim) event(word string) {
	ctx, id := context.Background(), v.name
	if v.r.IntN(2) == 0 {
		id = sharedSession
	}
	s, err := v.m.Session(ctx, id, follow.Client{Name: "test"})
	if err != nil {
		failVictim(err)
	}
	switch v.r.IntN(3) {
	case 0:
		v.call("prompt", word, id, func() error { _, err := s.Prompt(ctx, word, "what did we say about the port? "+word); return err })
	case 1:
		v.call("action", word, id, func() error {
			return s.Action(ctx, follow.Action{ID: word, Tool: "Bash", Input: []byte(`{"command":"make"}`), Output: strings.Repeat(word+" 輸出\n", v.r.IntN(20_000))})
		})
	default:
		v.call("answer", word, id, func() error { return s.Answer(ctx, word, "port 443 of "+word) })
	}
}

func (v *victim) call(op, word, id string, fn func() error) {
	fmt.Println("begin", op, word)
	if err := fn(); err != nil {
		failVictim(fmt.Errorf("%s: %w", op, err))
	}
	fmt.Println("done", op, word, id)
}

func at(now time.Time) func(*orihon.Options) {
	return func(o *orihon.Options) { o.Now = func() time.Time { return now } }
}

func logTo(w io.Writer) func(*orihon.Options) {
	return func(o *orihon.Options) {
		o.Logger = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
}
