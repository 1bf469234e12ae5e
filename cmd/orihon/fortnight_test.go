package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orihon/internal/claudecode/clienttest"
)

// fortnight is a developer's two weeks with three projects, in the order in
// which things happened. docs/benchmarks.md says how it was written.
type fortnight struct {
	Projects []fortnightProject
	Sessions []fortnightSession
}

type fortnightProject struct {
	Name     string
	Language string
	Files    map[string]string
}

// fortnightSession is one sitting. What stands in Hand is kept with orihon
// remember before it begins.
type fortnightSession struct {
	Project string
	Hand    []struct{ Fact, Text string }
	Turns   []fortnightTurn
}

// fortnightTurn is a prompt and what the model does with it. It tells a fact,
// asks for one that was told before the session, or does neither.
type fortnightTurn struct {
	Prompt  string
	Tells   string
	How     string // of Tells: request, statement or episode
	Asks    string
	Words   string // of Asks: the fact is where they are
	Replies []struct{ Text, Run, Write, Content string }
}

// toldFact is a fact as the fortnight tells it.
type toldFact struct {
	project string
	how     string // that of a turn, or hand
	text    string
	session int
	words   string // by which it is recognised
}

func readFortnight(t *testing.T) *fortnight {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "fortnight.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f fortnight
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

// facts are all that is told, by name.
func (f *fortnight) facts() map[string]*toldFact {
	facts := map[string]*toldFact{}
	for i, s := range f.Sessions {
		for _, h := range s.Hand {
			facts[h.Fact] = &toldFact{project: s.Project, how: "hand", text: h.Text, session: i}
		}
		for _, turn := range s.Turns {
			if turn.Tells == "" {
				continue
			}
			text := turn.Prompt
			for _, r := range turn.Replies {
				text += "\n" + r.Text
			}
			facts[turn.Tells] = &toldFact{project: s.Project, how: turn.How, text: text, session: i}
		}
	}
	for _, s := range f.Sessions {
		for _, turn := range s.Turns {
			if told := facts[turn.Asks]; told != nil {
				told.words = turn.Words
			}
		}
	}
	return facts
}

func TestFortnightAsksForWhatWasTold(t *testing.T) {
	f := readFortnight(t)
	facts := f.facts()
	asked := map[string]bool{}
	for i, s := range f.Sessions {
		for _, turn := range s.Turns {
			if turn.Asks == "" {
				continue
			}
			told := facts[turn.Asks]
			if told == nil || asked[turn.Asks] {
				t.Errorf("%q asks for %q, which is not told or is asked for twice", turn.Prompt, turn.Asks)
				continue
			}
			asked[turn.Asks] = true
			if told.project != s.Project || told.session > i || told.session == i && told.how != "hand" {
				t.Errorf("%q asks for %q, which was not told before the session", turn.Prompt, turn.Asks)
			}
			if turn.Words == "" || !strings.Contains(told.text, turn.Words) || strings.Contains(strings.ToLower(turn.Prompt), strings.ToLower(turn.Words)) {
				t.Errorf("%q is to stand in what tells %s, not in %q", turn.Words, turn.Asks, turn.Prompt)
			}
		}
	}
	if len(f.Projects) != 3 || len(f.Sessions) < 25 || len(asked) < 45 {
		t.Errorf("%d projects, %d sessions, %d prompts that ask", len(f.Projects), len(f.Sessions), len(asked))
	}
	for name := range facts {
		if !asked[name] {
			t.Errorf("nobody asks for %s", name)
		}
	}
}

// TestFortnight plays the fortnight with Claude Code itself: the first three
// sessions, with ORIHON_LONG all of them.
func TestFortnight(t *testing.T) {
	t.Parallel()
	clienttest.Client(t, clienttest.Messages(t, nil))
	f := readFortnight(t)
	facts := f.facts()
	if brief() {
		f.Sessions = f.Sessions[:3]
	}
	w := wire(t, demoProgram(t))
	for _, p := range f.Projects {
		w.enter(p.Name)
		for name, text := range p.Files {
			path := filepath.Join(w.Project, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.orihon("init")
		w.orihon("install", "claude-code", "--project")
	}

	shares, places := map[string]share{}, map[string]int{}
	for i, s := range f.Sessions {
		w.enter(s.Project)
		for _, h := range s.Hand {
			w.orihon("remember", h.Text)
		}
		sitting := w.Sit("--allowedTools", "Write,Bash")
		for _, turn := range s.Turns {
			requests := w.requests(turn.Prompt, w.scripted(turn), func() { sitting.Say(turn.Prompt) })
			for name, told := range facts {
				// A fact found where nothing can know it is recognised by too little.
				if told.project != s.Project || told.session > i {
					if place := placeOf(told.words, requests); place != "" {
						t.Errorf("session %d: %q of %s, which was not told here, came by %s", i+1, told.words, name, place)
					}
				}
			}
			told := facts[turn.Asks]
			if told == nil {
				continue
			}
			place := placeOf(turn.Words, requests)
			if place == "" {
				t.Logf("session %d, %s: %q came without %q, told by %s in session %d", i+1, s.Project, turn.Prompt, turn.Words, told.how, told.session+1)
			} else {
				places[place]++
			}
			for _, kind := range []string{"all", "project " + s.Project, "told by " + told.how} {
				sum := shares[kind]
				sum.asked++
				if place != "" {
					sum.came++
				}
				shares[kind] = sum
			}
		}
		if err := sitting.End(); err != nil {
			t.Fatal(err)
		}
		w.settle()
	}

	for _, kind := range slices.Sorted(maps.Keys(shares)) {
		t.Logf("%-20s %2d of %2d  %.2f", kind, shares[kind].came, shares[kind].asked, shares[kind].of())
	}
	t.Logf("came by %v", places)
	// What was asked to be remembered must be there. Of all the specification wants
	// three quarters; what is said in passing is mostly not kept, see
	// docs/benchmarks.md.
	for _, how := range []string{"request", "hand"} {
		if s := shares["told by "+how]; s.came < s.asked {
			t.Errorf("%d of %d prompts had the fact in the request that was told by %s", s.came, s.asked, how)
		}
	}
}

// share is how many of the prompts that ask had their fact in the request.
type share struct{ came, asked int }

func (s share) of() float64 { return float64(s.came) / float64(s.asked) }

var hookContext = regexp.MustCompile(`(\w+) hook additional context`)

// placeOf is the hook whose context brought the words into one of the requests,
// "the client" when no hook did, and empty when they are in none.
func placeOf(words string, requests []clienttest.Request) string {
	for _, r := range requests {
		texts := []string{r.System}
		for _, turn := range r.Turns {
			texts = append(texts, turn.Text)
		}
		for _, text := range texts {
			before, _, found := strings.Cut(text, words)
			if !found {
				continue
			}
			hooks := hookContext.FindAllStringSubmatch(before, -1)
			if len(hooks) == 0 {
				return "the client"
			}
			return hooks[len(hooks)-1][1]
		}
	}
	return ""
}

// enter makes one of several projects the working directory.
func (w *wired) enter(project string) {
	w.t.Helper()
	w.Project = filepath.Join(filepath.Dir(w.Home), project)
	if err := os.MkdirAll(w.Project, 0o700); err != nil {
		w.t.Fatal(err)
	}
}

// scripted is what the model does in a turn.
func (w *wired) scripted(turn fortnightTurn) (replies []clienttest.Reply) {
	for _, r := range turn.Replies {
		reply := clienttest.Reply{Text: r.Text}
		switch {
		case r.Run != "":
			reply.Calls = []clienttest.Call{{Tool: "Bash", Input: map[string]any{"command": r.Run, "description": r.Text}}}
		case r.Write != "":
			reply.Calls = []clienttest.Call{{Tool: "Write", Input: map[string]any{
				"file_path": filepath.Join(w.Project, filepath.FromSlash(r.Write)), "content": r.Content,
			}}}
		}
		replies = append(replies, reply)
	}
	return replies
}
