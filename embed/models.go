package embed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/apiclient"
	"orihon/memory"
)

// Files of a compiled model's folder.
const (
	tableFile = "table.bin"
	modelFile = "model.json"
)

// The files a model is compiled from, and how large they may be.
const (
	tokenizerFile = "tokenizer.json"
	tensorsFile   = "model.safetensors"
	configFile    = "config.json"

	maxTokenizer = 64 << 20
	maxTensors   = 4 << 30
	maxConfig    = 1 << 20
)

// Model describes a compiled static model.
type Model struct {
	Name       string            `json:"name"`
	Tokenizer  string            `json:"tokenizer"`
	Tokens     int               `json:"tokens"`
	Vectors    int               `json:"vectors"`
	Dimensions int               `json:"dimensions"`
	Numbers    string            `json:"numbers"` // how rows are kept: F32, F16 or I8
	Weighted   bool              `json:"weighted"`
	Bytes      int64             `json:"bytes"` // of the compiled file
	Source     string            `json:"source"`
	SHA256     map[string]string `json:"sha256"` // of the files it was made of
	Added      time.Time         `json:"added"`
}

// AddOptions of [AddModel]; nil means all defaults.
type AddOptions struct {
	// Name of the model; empty is taken from the source.
	Name string
	// Progress is told after every piece of work; a total below 0 is not known.
	Progress func(what string, done, total int64)
	Now      func() time.Time // nil is time.Now
}

// AddModel compiles a static-embedding model into a folder of models, tries it
// and describes it. The source is a folder in Model2Vec's layout
// (tokenizer.json, model.safetensors), or the http or https address of one;
// nothing is ever fetched but by this. The model appears whole or not at all.
//
// A source that lacks a file wraps [memory.ErrNotFound], one that cannot be
// used [memory.ErrInvalid], a name that is taken [memory.ErrRefused].
func AddModel(ctx context.Context, models, source string, o *AddOptions) (Model, error) {
	if o == nil {
		o = &AddOptions{}
	}
	a := adding{o: *o, source: source}
	if a.o.Progress == nil {
		a.o.Progress = func(string, int64, int64) {}
	}
	if a.o.Now == nil {
		a.o.Now = time.Now
	}
	a.o.Name = cmp.Or(a.o.Name, nameOf(source))
	if !validModelName(a.o.Name) {
		return Model{}, fmt.Errorf("%w name of a model %.60q: use letters, digits and . _ - (--name)", memory.ErrInvalid, a.o.Name)
	}
	target := filepath.Join(models, a.o.Name)
	if _, err := os.Lstat(target); err == nil {
		return Model{}, fmt.Errorf("%w: there is a model %s already: remove it first, or give another --name", memory.ErrRefused, a.o.Name)
	}
	if err := os.MkdirAll(models, 0o700); err != nil {
		return Model{}, err
	}
	work, err := os.MkdirTemp(models, ".adding-*")
	if err != nil {
		return Model{}, err
	}
	defer os.RemoveAll(work)
	m, err := a.make(ctx, work)
	if err != nil {
		return Model{}, err
	}
	done := filepath.Join(work, "done")
	if err := os.Rename(done, target); err != nil {
		return Model{}, fmt.Errorf("model %s: %w", m.Name, err)
	}
	return m, nil
}

type adding struct {
	o      AddOptions
	source string
}

// make compiles into the folder done below work.
func (a *adding) make(ctx context.Context, work string) (Model, error) {
	dir, err := a.fetch(ctx, work)
	if err != nil {
		return Model{}, err
	}
	sums := map[string]string{}
	text, err := readWhole(filepath.Join(dir, tokenizerFile), maxTokenizer)
	if err != nil {
		return Model{}, a.missing(err)
	}
	sum := sha256.Sum256(text)
	sums[tokenizerFile] = hex.EncodeToString(sum[:])
	vocab, err := parseTokenizer(text)
	if err != nil {
		return Model{}, err
	}
	f, err := os.Open(filepath.Join(dir, tensorsFile))
	if err != nil {
		return Model{}, a.missing(err)
	}
	defer f.Close()
	size, tensorSum, err := a.checksum(ctx, f)
	if err != nil {
		return Model{}, err
	}
	sums[tensorsFile] = tensorSum
	tensors, err := openTensors(f, size)
	if err != nil {
		return Model{}, err
	}
	p, err := newParts(vocab, tensors)
	if err != nil {
		return Model{}, err
	}
	out := filepath.Join(work, "done")
	if err := os.Mkdir(out, 0o700); err != nil {
		return Model{}, err
	}
	source := sha256.Sum256([]byte(sums[tokenizerFile] + sums[tensorsFile]))
	if err := a.compile(filepath.Join(out, tableFile), p, source); err != nil {
		return Model{}, err
	}
	m, err := a.try(ctx, out)
	if err != nil {
		return Model{}, err
	}
	m.Name, m.Source, m.SHA256, m.Added = a.o.Name, a.source, sums, a.o.Now().UTC().Truncate(time.Second)
	m.Weighted = p.weights != nil
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return Model{}, err
	}
	return m, os.WriteFile(filepath.Join(out, modelFile), append(data, '\n'), 0o600)
}

// missing words the lack of a source file.
func (a *adding) missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		var e *fs.PathError
		name := a.source
		if errors.As(err, &e) {
			name = e.Path
		}
		return fmt.Errorf("%w: %s: want a folder with %s and %s", memory.ErrNotFound, name, tokenizerFile, tensorsFile)
	}
	return err
}

// readWhole reads a file of at most limit bytes.
func readWhole(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w %s: it is larger than %d MB", memory.ErrInvalid, name, limit>>20)
	}
	return data, err
}

// fetch gives the folder of the source; an address is downloaded into work.
func (a *adding) fetch(ctx context.Context, work string) (string, error) {
	if !isURL(a.source) {
		dir := a.source
		if filepath.Base(dir) == tensorsFile || filepath.Base(dir) == tokenizerFile {
			dir = filepath.Dir(dir)
		}
		return dir, nil
	}
	base, err := fileBase(a.source)
	if err != nil {
		return "", err
	}
	for _, want := range []struct {
		name  string
		limit int64
		must  bool
	}{{tokenizerFile, maxTokenizer, true}, {configFile, maxConfig, false}, {tensorsFile, maxTensors, true}} {
		f, err := os.OpenFile(filepath.Join(work, want.name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return "", err
		}
		err = apiclient.Download(ctx, base+want.name, f, want.limit, func(done, total int64) { a.o.Progress("downloading "+want.name, done, total) })
		err = cmp.Or(err, f.Close())
		if err != nil && (want.must || !errors.Is(err, memory.ErrNotFound)) {
			return "", err
		}
	}
	return work, nil
}

func isURL(source string) bool {
	return strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://")
}

// fileBase is the address that names of files are appended to. The page of a
// model on Hugging Face leads to its files.
func fileBase(source string) (string, error) {
	u, err := url.Parse(source)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%w address: want that of a folder, such as https://example.com/models/name/", memory.ErrInvalid)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, tensorsFile), "/")
	if parts := strings.Split(strings.Trim(u.Path, "/"), "/"); u.Host == "huggingface.co" && len(parts) == 2 {
		u.Path += "/resolve/main"
	}
	return u.String() + "/", nil
}

// nameOf proposes a name: the last part of the source that is one.
func nameOf(source string) string {
	at := filepath.ToSlash(source)
	if u, err := url.Parse(source); err == nil && isURL(source) {
		at = strings.TrimSuffix(path.Clean(u.Path), "/"+tensorsFile)
		if before, _, ok := strings.Cut(at, "/resolve/"); ok {
			at = before
		}
	} else if abs, err := filepath.Abs(source); err == nil {
		at = strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(abs), "/"+tensorsFile), "/"+tokenizerFile)
	}
	return path.Base(at)
}

func (a *adding) checksum(ctx context.Context, f *os.File) (size int64, sum string, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxTensors {
		return 0, "", badTensors("it is no file, or larger than %d MB", maxTensors>>20)
	}
	h := sha256.New()
	for done := int64(0); done < info.Size(); {
		if err := ctx.Err(); err != nil {
			return 0, "", err
		}
		n, err := io.CopyN(h, f, min(8<<20, info.Size()-done))
		if err != nil {
			return 0, "", err
		}
		done += n
		a.o.Progress("reading "+tensorsFile, done, info.Size())
	}
	return info.Size(), hex.EncodeToString(h.Sum(nil)), nil
}

func (a *adding) compile(name string, p *parts, source [32]byte) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = p.compile(f, source, func(done, total int64) { a.o.Progress("compiling vectors", done, total) })
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// trials are what a new model must give vectors for, at least in one language.
var trials = [...]string{
	"We deploy with make ship after the tests have passed.",
	"部署之前先跑測試", "部署之前先跑测试", "the a of 的",
}

// try opens what was compiled and embeds a few texts.
func (a *adding) try(ctx context.Context, dir string) (m Model, err error) {
	f, err := openView(filepath.Join(dir, tableFile))
	if err != nil {
		return m, err
	}
	s, err := newStatic(a.o.Name, f)
	if err != nil {
		return m, errors.Join(err, f.Close())
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	vectors, err := s.Embed(ctx, trials[:])
	if err != nil {
		return m, err
	}
	if !slices.ContainsFunc(vectors, func(v []float32) bool { return slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }) {
		return m, fmt.Errorf("%w model: it knows no word of %q", memory.ErrInvalid, trials[0])
	}
	t := s.t
	m = Model{Tokenizer: t.cut.Model, Tokens: int(t.entries), Vectors: int(t.rows), Dimensions: int(t.dim), Bytes: f.size()}
	m.Numbers = [...]string{rowF32: "F32", rowF16: "F16", rowI8: "I8"}[t.kind]
	return m, nil
}

// Models describes the compiled models in a folder, by name. A folder that is
// not there holds none; what cannot be read is left out.
func Models(models string) ([]Model, error) {
	entries, err := os.ReadDir(models)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Model
	for _, e := range entries {
		if m, err := FindModel(models, e.Name()); err == nil {
			out = append(out, m)
		}
	}
	return out, nil
}

// FindModel describes one compiled model; one that is not there wraps
// [memory.ErrNotFound].
func FindModel(models, name string) (Model, error) {
	if !validModelName(name) {
		return Model{}, fmt.Errorf("%w: there is no model %.60q", memory.ErrNotFound, name)
	}
	data, err := readWhole(filepath.Join(models, name, modelFile), maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return Model{}, fmt.Errorf("%w: there is no model %s: see `orihon model list`", memory.ErrNotFound, name)
	}
	if err != nil {
		return Model{}, err
	}
	var m Model
	if err := json.Unmarshal(data, &m); err != nil || m.Dimensions < 0 || m.Dimensions > math.MaxInt32 {
		return Model{}, fmt.Errorf("%w %s of the model %s: remove it and add it again", memory.ErrInvalid, modelFile, name)
	}
	m.Name = name
	return m, nil
}

// RemoveModel deletes a compiled model; one that is not there wraps
// [memory.ErrNotFound].
func RemoveModel(models, name string) error {
	if !validModelName(name) {
		return fmt.Errorf("%w: there is no model %.60q", memory.ErrNotFound, name)
	}
	dir := filepath.Join(models, name)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no model %s", memory.ErrNotFound, name)
	}
	return os.RemoveAll(dir)
}
