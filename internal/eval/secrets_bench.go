package eval

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

// bench is a home of its own for one channel.
type bench struct {
	ctx     context.Context
	o       *SecretOptions
	dir     string
	project string
	m       *orihon.Memory
	session *follow.Session
	shown   bytes.Buffer // to a model or a person
	own     []string     // files that hold the secret because somebody put it there
	clock   time.Time
}

// open opens the memory of the bench's project and a session in it.
func (b *bench) open(c follow.Client, id string) error {
	var err error
	if b.m == nil {
		b.m, err = orihon.Open(b.ctx, &orihon.Options{
			Home: b.home(), Dir: b.project, User: person, GitConfig: []string{}, Settings: b.o.Settings,
			Now: func() time.Time { b.clock = b.clock.Add(time.Second); return b.clock }, Logger: slog.New(slog.NewTextHandler(&b.shown, nil)),
		})
		if err != nil {
			return err
		}
	}
	b.session, err = b.m.Session(b.ctx, id, c)
	return err
}

func (b *bench) home() string { return filepath.Join(b.dir, "home") }

// see keeps what a call returned beside its error, which it returns.
func (b *bench) see(v any, err error) error {
	raw, _ := json.Marshal(v) // values of ours always encode
	b.shown.Write(raw)
	fmt.Fprintf(&b.shown, "%+v\n", v)
	return err
}

// write writes a file that holds secrets because somebody put them there.
func (b *bench) write(path, text string) error {
	b.own = append(b.own, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// each calls fn for every plant and joins what went wrong.
func each(all []planted, fn func(i int, p *planted) error) error {
	for i := range all {
		if err := fn(i, &all[i]); err != nil {
			return fmt.Errorf("%s/%s: %w", all[i].kind.Class, all[i].kind.Name, err)
		}
	}
	return nil
}

// ignoreRefused drops the refusal of what is nothing but a secret, which is an
// answer as well.
func ignoreRefused(err error) error {
	if errors.Is(err, memory.ErrRefused) || errors.Is(err, memory.ErrInvalid) {
		return nil
	}
	return err
}

// recalled syncs and looks at what recall gives.
func (b *bench) recalled(text string) error {
	if err := b.see(b.m.Sync(b.ctx)); err != nil {
		return err
	}
	return b.see(b.m.Recall(b.ctx, memory.Query{Text: text, Turns: true, MaxTokens: 20000}))
}

// parts cuts the plants into lists of n.
func parts(all []planted, n int) (out [][]planted) {
	for len(all) > n {
		out, all = append(out, all[:n]), all[n:]
	}
	return append(out, all)
}

// texts are those of plants, one each.
func texts(all []planted) (out []string) {
	for i := range all {
		out = append(out, all[i].text)
	}
	return out
}

func input(p *planted) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"command": p.text, "nested": map[string]any{"list": []string{p.text}}}) // strings always encode
	return raw
}

// makeRepository makes a folder that git would know for a worktree.
func makeRepository(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
}

// leaks are the plants of which something stands where it must not.
func (b *bench) leaks(all []planted) (left []*planted, err error) {
	texts := [][]byte{b.shown.Bytes()}
	err = filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(path, b.home()) {
			texts = append(texts, []byte(path))
		}
		if d.IsDir() || slices.Contains(b.own, path) {
			return nil
		}
		data, err := os.ReadFile(path)
		texts = append(texts, data)
		if r, gerr := gzip.NewReader(bytes.NewReader(data)); gerr == nil {
			plain, _ := io.ReadAll(r) // a torn archive is read as far as it goes
			texts = append(texts, plain)
		}
		return err
	})
	for i := range all {
		if all[i].inAny(texts) {
			left = append(left, &all[i])
		}
	}
	return left, err
}

func (p *planted) inAny(texts [][]byte) bool {
	return slices.ContainsFunc(p.needles, func(needle string) bool {
		return slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Contains(t, []byte(needle)) })
	})
}
