package lives

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/memory"
)

// ForgetSheet is what a tool holds of one person, and what the person types later, some of
// it requests to forget.
type ForgetSheet struct {
	Name    string `json:"-"`
	Memory  []Memory
	Prompts []struct {
		Text   string
		Forget []string // the memories that are to go; none of what asks for nothing
		Note   string
	}
}

// ReadForgets reads sheets: each path is a file or a folder of them. Errors name the file
// and wrap [memory.ErrInvalid] or [memory.ErrNotFound].
func ReadForgets(paths ...string) ([]ForgetSheet, error) {
	var out []ForgetSheet
	err := eachFile(paths, ".json", func(file string) error {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		s := ForgetSheet{Name: filepath.Base(file)}
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("%s: %w sheet: %w", file, memory.ErrInvalid, err)
		}
		out = append(out, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w: no *.json in the folder", strings.Join(paths, ", "), memory.ErrInvalid)
	}
	return out, nil
}

// ForgetReport says what becomes of requests to forget.
type ForgetReport struct {
	Requests int `json:"requests"`
	// Done are those of which exactly what is to go went at once; Told those of which the
	// rest is named to the agent, which can take it out.
	Done   int `json:"done"`
	Told   int `json:"told"`
	Astray int `json:"astray"` // something else went
	// Others are prompts that ask for nothing: Lost is how many took something out, Named
	// how many made the agent a needless offer.
	Others int `json:"others"`
	Lost   int `json:"lost"`
	Named  int `json:"named"`
	// Missed are requests that came to nothing, Wrong the texts of what went astray.
	Missed []string `json:"missed,omitempty"`
	Wrong  []string `json:"wrong,omitempty"`
}

// RunForgets types every prompt of the sheets in a session of its own, to a memory that
// holds the sheet's; what went is brought back before the next. Sheets without a memory
// are left out.
func RunForgets(ctx context.Context, sheets []ForgetSheet, o *Options) (*ForgetReport, error) {
	r := new(ForgetReport)
	sheets = slices.DeleteFunc(slices.Clone(sheets), func(s ForgetSheet) bool { return len(s.Memory) == 0 })
	for i := range sheets {
		s := &sheets[i]
		dir := filepath.Join(o.Dir, fmt.Sprint(i))
		p := &player{o: o, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), life: &Life{Memories: s.Memory}, mentions: new(Life).mentions()}
		if err := p.forgets(ctx, s, r); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if o.Progress != nil {
			o.Progress(i+1, len(sheets))
		}
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (p *player) forgets(ctx context.Context, s *ForgetSheet, r *ForgetReport) error {
	if err := p.fill(ctx); err != nil {
		return err
	}
	if err := p.equip(); err != nil {
		return err
	}
	texts := make(map[string]string, len(s.Memory)) // of each, by its name in the sheet
	for _, m := range s.Memory {
		texts[m.ID] = letters(m.Text)
	}
	before, err := p.ids(ctx)
	if err != nil {
		return err
	}
	for i, t := range s.Prompts {
		told := ""
		session := fmt.Sprintf("forgets-%d", i)
		if err := p.event(ctx, session, "UserPromptSubmit", map[string]any{"prompt": t.Text, "prompt_id": session}, func(context string) { told = context }); err != nil {
			return err
		}
		after, err := p.ids(ctx)
		if err != nil {
			return err
		}
		var gone []string // their texts
		for id, text := range before {
			if after[id] != "" {
				continue
			}
			gone = append(gone, text)
			if _, err := p.o.Program(ctx, p.home, p.project, nil, "restore", id); err != nil {
				return err
			}
		}
		for id := range after {
			if before[id] == "" { // kept by the way: the next prompts know nothing of it
				if _, err := p.o.Program(ctx, p.home, p.project, nil, "forget", id); err != nil {
					return err
				}
			}
		}
		offer := ""
		for line := range strings.Lines(told) {
			if strings.Contains(line, deleteTool) {
				offer = line
			}
		}
		var want []string
		named := true
		for _, id := range t.Forget {
			want = append(want, texts[id])
			if !slices.Contains(gone, texts[id]) {
				named = named && slices.ContainsFunc(shortID().FindAllString(offer, -1), func(short string) bool { return shows(before, short, texts[id]) })
			}
		}
		r.add(t.Text, want, gone, named, offer != "")
	}
	return nil
}

// shows reports whether a short ID is that of a statement in some words.
func shows(all map[string]string, short, text string) bool {
	for id, content := range all {
		if memory.ShortID(id) == short {
			return content == text
		}
	}
	return false
}

func (r *ForgetReport) add(prompt string, want, gone []string, named, offered bool) {
	stray := slices.ContainsFunc(gone, func(text string) bool { return !slices.Contains(want, text) })
	if len(want) == 0 {
		r.Others++
		switch {
		case stray:
			r.Lost++
			r.Wrong = append(r.Wrong, prompt)
		case offered:
			r.Named++
		}
		return
	}
	r.Requests++
	switch {
	case stray:
		r.Astray++
		r.Wrong = append(r.Wrong, prompt)
	case len(gone) == len(want):
		r.Done++
	case named:
		r.Told++
	default:
		r.Missed = append(r.Missed, prompt)
	}
}

// ids are the statements in memory: the letters of what each says, by its ID.
func (p *player) ids(ctx context.Context) (map[string]string, error) {
	listed, err := p.o.Program(ctx, p.home, p.project, nil, "list", "--json", "--limit", "0")
	if err != nil {
		return nil, err
	}
	var items []struct{ ID, Content string }
	if err := json.Unmarshal(listed, &items); err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	out := make(map[string]string, len(items))
	for _, it := range items {
		out[it.ID] = letters(it.Content)
	}
	return out, nil
}
