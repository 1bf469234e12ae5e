package window_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"orihon/internal/planted"
	"orihon/journal"
	"orihon/window"
)

var (
	titlesOut  = flag.String("titles", "", "write folds with their turns and titles to this file, for people to judge")
	titlesOf   = flag.String("titles-half", "a", "of which half of the transcripts: a is looked at while titles are made, b only by judges; or both")
	titlesList = flag.String("titles-folds", "", "the folds are those of this file, which is written first where it is missing")
	titlesN    = flag.Int("titles-count", 100, "how many folds")
	titlesDir  = flag.String("titles-dir", "", "the folder of the transcripts, where it is not the benchmark's")
	titlesBy   = flag.String("titles-planted", "", "the folder of scripted sessions of internal/planted, in place of transcripts")
	titlesIn   = flag.Int("titles-window", 20_000, "the window that the runs are folded for, in tokens")
)

// listedFold is a fold and what it folds, and its transcript at the top.
type listedFold struct {
	File string
	window.FoldTree
}

// TestWriteTitlesToJudge writes folds of the benchmark's transcripts with their
// titles and says nothing of how good they are.
func TestWriteTitlesToJudge(t *testing.T) {
	if *titlesOut == "" {
		t.Skip("no -titles")
	}
	if *titlesBy != "" {
		*titlesDir = plantedTranscripts(t, *titlesBy)
	}
	dir := *titlesDir
	if dir == "" {
		dir = filepath.Join(benchDir(t), "transcripts")
	}
	views := map[string]*journal.View{}
	view := func(file string) *journal.View {
		if views[file] == nil {
			views[file] = viewOf(t, transcriptLines(t, filepath.Join(dir, file)))
		}
		return views[file]
	}
	var folds []listedFold
	if raw, err := os.ReadFile(*titlesList); err == nil {
		if err := json.Unmarshal(raw, &folds); err != nil {
			t.Fatal(err)
		}
	} else {
		folds = someFolds(t, dir, view)
		if raw, err = json.Marshal(folds); err != nil {
			t.Fatal(err)
		}
		if *titlesList != "" {
			if err := os.WriteFile(*titlesList, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b strings.Builder
	b.WriteString("# Folds and their titles\n\nEach has its turns, shortened, and then a title. Does the title say what happened in the turns?\n")
	for i, f := range folds {
		v := view(f.File)
		fmt.Fprintf(&b, "\n## %d\n\n```\n%s\n```\n\nTitle: %s\n", i+1, turns(v, f.Iterations, 3000), window.TitleOfFold(v, f.FoldTree))
	}
	if err := os.WriteFile(*titlesOut, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// plantedTranscripts writes scripted sessions in the form in which the client keeps
// its own, those of a writer on one project one after the other, and returns the
// folder.
func plantedTranscripts(t *testing.T, from string) string {
	authors, err := planted.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]*bytes.Buffer{}
	for _, a := range authors {
		for _, s := range a.Sessions {
			name := a.Name + "-" + filepath.Base(s.Project)
			if files[name] == nil {
				files[name] = &bytes.Buffer{}
			}
			say := func(role string, content ...map[string]any) {
				id := fmt.Sprint(files[name].Len())
				err = errors.Join(err, json.NewEncoder(files[name]).Encode(map[string]any{
					"type": role, "uuid": id, "sessionId": name, "cwd": s.Project, "timestamp": s.Day + "T09:00:00Z",
					"message": map[string]any{"role": role, "id": id, "content": content},
				}))
			}
			for _, l := range s.Lines {
				id := fmt.Sprint(s.Name, "-", l.Number)
				switch {
				case l.User != "":
					say("user", map[string]any{"type": "text", "text": l.User})
				case l.Tool != "":
					say("assistant", map[string]any{"type": "tool_use", "id": id, "name": l.Tool, "input": l.Input})
					if !l.OK && l.Tool == "Bash" {
						l.Out = "Exit code 1\n" + l.Out
					}
					say("user", map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": !l.OK, "content": l.Out})
				default:
					say("assistant", map[string]any{"type": "text", "text": l.Agent})
				}
			}
		}
	}
	for name, lines := range files {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, werr := z.Write(lines.Bytes())
		if err = errors.Join(err, werr, z.Close(), os.WriteFile(filepath.Join(dir, name+".jsonl.gz"), packed.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// someFolds are folds of one half of the transcripts, of each about as many, in
// even steps.
func someFolds(t *testing.T, dir string, view func(string) *journal.View) (out []listedFold) {
	var files []string
	for _, pattern := range [...]string{"*.jsonl.gz", "extra/*.jsonl.gz"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	all := map[string][]listedFold{}
	var names []string
	for _, path := range files {
		sum := sha256.Sum256([]byte(filepath.Base(path)))
		if half := strings.IndexByte("0123456789abcdef", hex.EncodeToString(sum[:])[3]) % 2; *titlesOf != "both" && half == 0 != (*titlesOf == "a") {
			continue
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		folded, err := foldedAt(view(name), *titlesIn)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range folded {
			all[name] = append(all[name], listedFold{name, f})
		}
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(all[a])-len(all[b]), strings.Compare(a, b)) })
	for i, name := range names {
		n := min(len(all[name]), (*titlesN-len(out))/(len(names)-i))
		for k := range n {
			out = append(out, all[name][k*len(all[name])/n])
		}
	}
	return out
}

// foldedAt are the folds of a run in a window of so many tokens.
func foldedAt(v *journal.View, limit int) ([]window.FoldTree, error) {
	b, err := window.New(window.Folding, nil)
	if err != nil {
		return nil, err
	}
	copied := journal.NewView()
	for _, it := range v.Iterations(0, 0) {
		events, err := withoutFolds(v, it.Events)
		if err != nil {
			return nil, err
		}
		ctx := context.Background()
		if _, err := copied.Append(ctx, events...); err != nil {
			return nil, err
		}
		in := window.Input{View: copied, Limit: limit}
		if err := b.OnIterationComplete(ctx, in); err != nil {
			return nil, err
		}
		if _, err := window.Build(ctx, b, in); err != nil {
			return nil, err
		}
	}
	return window.FoldsOf(copied), nil
}

// turns are the iterations of a range in about so many characters: the first and
// the last turns, those that changed something, and of the others as many as there
// is room for.
func turns(v *journal.View, span [2]int, room int) string {
	type turn struct {
		head, text string
		worth      int
	}
	var all []turn
	for _, e := range v.Range(span[0], span[1]) {
		one := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		switch e.Type {
		case journal.UserMessage, journal.AssistantMessage, journal.Thought:
			var m journal.Message
			if v.Decode(e, &m) != nil || m.Reasoning || m.Signature != "" || strings.HasPrefix(e.ID, "thinking:") || one(m.Text) == "" {
				continue
			}
			head, worth := "AGENT: ", 2
			if e.Type == journal.UserMessage {
				head, worth = "USER: ", 4
			}
			all = append(all, turn{head, one(m.Text), worth})
		case journal.ActionRequest:
			var a journal.Action
			if v.Decode(e, &a) != nil {
				continue
			}
			worth := 1
			if strings.Contains(a.Tool, "Edit") || strings.Contains(a.Tool, "Write") || strings.Contains(string(a.Input), "commit") {
				worth = 3
			}
			all = append(all, turn{"CALL " + a.Tool + ": ", one(string(a.Input)), worth})
		case journal.ActionResult:
			var p journal.Result
			if v.Decode(e, &p) != nil {
				continue
			}
			head, worth := "  RESULT: ", 1
			if p.Error {
				head, worth = "  FAILED: ", 2
			}
			text := one(p.Output)
			if r := []rune(text); len(r) > 90 {
				text = string(r[:45]) + " … " + string(r[len(r)-45:])
			}
			all = append(all, turn{head, text, worth})
		}
	}
	for i := range all {
		if i < 2 || i >= len(all)-4 {
			all[i].worth += 3
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(all[b].worth-all[a].worth, b-a) })
	shown := map[int]bool{}
	width := max(70, min(400, room*3/2/max(1, len(all))))
	short := func(i int) string {
		w := width
		if all[i].worth >= 5 && strings.HasSuffix(all[i].head, "R: ") || all[i].worth >= 5 && strings.HasPrefix(all[i].head, "AGENT") {
			w = max(width, 300)
		}
		if r := []rune(all[i].text); len(r) > w {
			return all[i].head + string(r[:w*2/3]) + " … " + string(r[len(r)-w/3:])
		}
		return all[i].head + all[i].text
	}
	for _, i := range order {
		size := utf8.RuneCountInString(short(i)) + 1
		if room-size < 0 && len(shown) > 4 {
			continue
		}
		room -= size
		shown[i] = true
	}
	var b strings.Builder
	left := 0
	gap := func() {
		if left > 0 {
			fmt.Fprintf(&b, "[%d lines left out]\n", left)
		}
		left = 0
	}
	for i := range all {
		if !shown[i] {
			left++
			continue
		}
		gap()
		b.WriteString(short(i) + "\n")
	}
	gap()
	return strings.TrimRight(strings.ReplaceAll(b.String(), "```", "'''"), "\n")
}
