package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"orihon/internal/importer"
	"orihon/internal/transcript"
	"orihon/memory"
)

// PastQuestion is a question about what was said or done in a session of another
// program that was read from its transcript.
type PastQuestion struct {
	Question   string      `json:"question"`
	Transcript string      `json:"transcript"` // its file's name, or how that begins
	Turn       lineNumbers `json:"turn"`       // lines of the unpacked file that answer, from 1
	// Words stand in the answer and nowhere else; without them the turn's own text
	// is looked for.
	Words string `json:"words"`
}

// lineNumbers is a number, or a list of numbers.
type lineNumbers []int

// UnmarshalJSON implements [json.Unmarshaler].
func (l *lineNumbers) UnmarshalJSON(data []byte) error {
	var one int
	if json.Unmarshal(data, &one) == nil {
		*l = lineNumbers{one}
		return nil
	}
	return json.Unmarshal(data, (*[]int)(l))
}

// PastOptions are how [Past] plays.
type PastOptions struct {
	Dir string // for the home; the caller removes it
	// Program runs the program that is measured, see lives.
	Program  func(ctx context.Context, home, project string, stdin []byte, args ...string) ([]byte, error)
	Progress func(done, all int)
}

// PastReport says what reached the agent of what it asked about.
type PastReport struct {
	Questions int `json:"questions"`
	// Turn is the share of prompts that brought words of a turn which answers,
	// Episode the share that brought the episode of the request it was said in, Either
	// of both.
	Turn    float64 `json:"turn"`
	Episode float64 `json:"episode"`
	Either  float64 `json:"either"`
	// Words is the share, of the questions with words, that brought those.
	Words float64 `json:"words"`
	// WithStart is Either with what the session began with.
	WithStart float64    `json:"with_start"`
	Missed    []PastMiss `json:"missed,omitempty"`
}

// PastMiss is a question whose prompt brought neither.
type PastMiss struct {
	PastQuestion
	Got string `json:"got"`
}

// ReadPastQuestions reads questions, one JSON object a line.
func ReadPastQuestions(path string) ([]PastQuestion, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []PastQuestion
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var q PastQuestion
		switch err := dec.Decode(&q); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("%w questions: %s: question %d: %w", memory.ErrInvalid, path, len(out)+1, err)
		case q.Question == "" || q.Transcript == "" || len(q.Turn) == 0:
			return nil, fmt.Errorf("%w questions: %s: question %d has no question, transcript or turn", memory.ErrInvalid, path, len(out)+1)
		}
		out = append(out, q)
	}
}

// past is one run.
type past struct {
	o        *PastOptions
	home     string
	folders  map[string]string            // of the projects here, by those of the transcripts
	texts    map[string]map[int]string    // what stands on a line, by transcript
	times    map[string]map[int]time.Time // when it was said
	project  map[string]string            // folder by transcript
	episodes map[string][]memory.Item     // by session, oldest first
}

// Past makes a client's folder of transcripts, has the program read it, and asks the
// questions through its hooks, each as the first prompt of a session.
func Past(ctx context.Context, transcripts string, questions []PastQuestion, o *PastOptions) (*PastReport, error) {
	p := &past{
		o: o, home: filepath.Join(o.Dir, "home"), folders: make(map[string]string), texts: make(map[string]map[int]string),
		times: make(map[string]map[int]time.Time), project: make(map[string]string), episodes: make(map[string][]memory.Item),
	}
	if err := p.fill(ctx, transcripts); err != nil {
		return nil, err
	}
	r := &PastReport{Questions: len(questions)}
	worded := 0
	for i := range questions {
		q := &questions[i]
		name, err := p.find(q.Transcript)
		if err != nil {
			return nil, fmt.Errorf("question %d: %w", i+1, err)
		}
		session := fmt.Sprintf("asking-%d", i)
		begun, err := p.event(ctx, p.project[name], session, map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
		if err != nil {
			return nil, err
		}
		got, err := p.event(ctx, p.project[name], session, map[string]any{"hook_event_name": "UserPromptSubmit", "prompt_id": "p", "prompt": q.Question})
		if err != nil {
			return nil, err
		}
		turn, episode := p.told(q, name, got), p.summed(q, name, got)
		r.Turn += oneIf(turn)
		r.Episode += oneIf(episode)
		r.Either += oneIf(turn || episode)
		r.WithStart += oneIf(turn || episode || p.told(q, name, begun) || p.summed(q, name, begun))
		if q.Words != "" {
			worded++
			r.Words += oneIf(strings.Contains(plain(got), plain(q.Words)))
		}
		if !turn && !episode {
			r.Missed = append(r.Missed, PastMiss{*q, got})
		}
		if o.Progress != nil {
			o.Progress(i+1, len(questions))
		}
	}
	for _, sum := range []*float64{&r.Turn, &r.Episode, &r.Either, &r.WithStart} {
		*sum /= float64(max(1, len(questions)))
	}
	r.Words /= float64(max(1, worded))
	return r, nil
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// fill makes the client's folder and has the program read it.
func (p *past) fill(ctx context.Context, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, fmt.Errorf("%w: no transcripts in %s", memory.ErrNotFound, dir))
	}
	for _, f := range files {
		if err := p.take(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
	}
	first := p.project[filepath.Base(files[0])]
	if _, err := p.o.Program(ctx, p.home, first, nil, "import", "--found"); err != nil {
		return err
	}
	for _, folder := range p.folders {
		out, err := p.o.Program(ctx, p.home, folder, nil, "list", "--tag", "episode", "--limit", "0", "--json")
		if err != nil {
			return err
		}
		var listed []memory.Item
		if err := json.Unmarshal(out, &listed); err != nil {
			return fmt.Errorf("episodes: %w", err)
		}
		for i := range listed {
			of := listed[i].Metadata.Session
			p.episodes[of] = append(p.episodes[of], listed[i])
		}
	}
	for _, list := range p.episodes {
		slices.SortFunc(list, func(a, b memory.Item) int { return a.Metadata.CreatedAt.Compare(b.Metadata.CreatedAt) })
	}
	return nil
}

var workedIn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"cwd":"((?:[^"\\]|\\.)*)"`) })

// take puts one transcript where the client keeps it, as if its sessions had worked
// in a folder that is there.
func (p *past) take(ctx context.Context, file string) error {
	data, err := unpacked(file)
	if err != nil {
		return err
	}
	found := workedIn().FindSubmatch(data)
	if found == nil {
		return fmt.Errorf("%w transcript: it names no folder", memory.ErrInvalid)
	}
	was, name := string(found[1]), filepath.Base(file)
	folder := p.folders[was]
	if folder == "" {
		folder = filepath.Join(p.o.Dir, "work", fmt.Sprintf("project-%d", len(p.folders)+1))
		p.folders[was] = folder
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	p.project[name] = folder
	here, err := json.Marshal(folder)
	if err != nil {
		return err
	}
	data = workedIn().ReplaceAll(data, append([]byte(`"cwd":`), bytes.ReplaceAll(here, []byte("$"), []byte("$$"))...))
	into := filepath.Join(p.home, ".claude", "projects", transcript.FolderName(folder), strings.TrimSuffix(name, ".gz"))
	if err := os.MkdirAll(filepath.Dir(into), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(into, data, 0o600); err != nil {
		return err
	}
	texts := make(map[int]string)
	times := make(map[int]time.Time)
	p.texts[name], p.times[name] = texts, times
	_, err = importer.Read(ctx, into, &importer.Options{Format: importer.ClaudeCode}, func(r importer.Record) error {
		if r.Event != nil {
			texts[r.Line] += " " + plain(r.Event.Text)
			times[r.Line] = r.Event.At
		}
		return nil
	})
	return err
}

func unpacked(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !strings.HasSuffix(file, ".gz") {
		return io.ReadAll(f)
	}
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func (p *past) find(name string) (string, error) {
	var found []string
	for file := range p.project {
		if strings.HasPrefix(file, name) {
			found = append(found, file)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%w transcript %q: %d begin so", memory.ErrInvalid, name, len(found))
	}
	return found[0], nil
}

func (p *past) event(ctx context.Context, folder, session string, event map[string]any) (string, error) {
	event["session_id"], event["cwd"] = session, folder
	in, err := json.Marshal(event)
	if err != nil {
		return "", err
	}
	// The questions are no past for those that follow.
	out, err := p.o.Program(ctx, p.home, folder, in, "hook", "--set", "capture.enabled=false")
	if err != nil || len(out) == 0 {
		return "", err
	}
	var answer struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	err = json.Unmarshal(out, &answer)
	return answer.Specific.Context, err
}

// leastSaid is how much of a turn must stand in the request, in bytes of its plain
// text, unless the turn is shorter.
const leastSaid = 40

// told reports whether the request holds words of a turn that answers.
func (p *past) told(q *PastQuestion, name, request string) bool {
	if q.Words != "" && strings.Contains(plain(request), plain(q.Words)) {
		return true
	}
	for line := range strings.Lines(request) {
		// What was said stands behind who said it and when.
		for at := range len(line) {
			if at > 0 && line[at-1] != ' ' {
				continue
			}
			said := strings.TrimSuffix(plain(withoutOrigin(line[at:])), "…")
			if slices.ContainsFunc(q.Turn, func(n int) bool {
				text := strings.TrimSpace(p.texts[name][n])
				return len(said) >= leastSaid && strings.Contains(text, said) || text != "" && len(text) < leastSaid && said == text
			}) {
				return true
			}
		}
	}
	return false
}

// withoutOrigin is a line of the request without when and by whom it was said.
func withoutOrigin(line string) string {
	line = strings.TrimSpace(line)
	if at := strings.LastIndex(line, " ("); at > 0 && strings.HasSuffix(line, ")") {
		return line[:at]
	}
	return line
}

// summed reports whether the request holds the episode of what was asked for when one
// of the turns that answer was said: the first that ended then or later.
func (p *past) summed(q *PastQuestion, name, request string) bool {
	all := p.episodes[strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl")]
	return slices.ContainsFunc(q.Turn, func(line int) bool {
		at := slices.IndexFunc(all, func(e memory.Item) bool { return !e.Metadata.CreatedAt.Before(p.times[name][line]) })
		if at < 0 {
			return false
		}
		text := plain(all[at].Content)
		return strings.Contains(plain(request), text[:min(len(text), leastTold)])
	})
}

// leastTold is how much of an episode must stand in the request, in bytes of its plain
// text.
const leastTold = 80

// plain is a text with single blanks, in lower case.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
