package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"orihon/memory"
)

// Verify reads an archive to its end and checks every file against the
// manifest. The error wraps [memory.ErrInvalid] when the archive is damaged and
// [memory.ErrRefused] when it holds what no backup has: links, and names that
// lead out of it.
func Verify(ctx context.Context, file string) (*Manifest, error) {
	return read(ctx, file, func(string, io.Reader) error { return nil })
}

// read calls fn for every file but the manifest, in order, and checks all of
// them. What fn does not read is still checked.
func read(ctx context.Context, file string, fn func(name string, r io.Reader) error) (*Manifest, error) {
	damaged := func(format string, a ...any) error {
		return fmt.Errorf("%w backup %s: %w", memory.ErrInvalid, filepath.Base(file), fmt.Errorf(format, a...))
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("backup %s: %w", file, memory.ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, damaged("%w", err)
	}
	t := tar.NewReader(z)
	found := make(map[string]File)
	var m *Manifest
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, damaged("%w", err)
		}
		if err := allowed(h); err != nil {
			return nil, fmt.Errorf("backup %s: %w", filepath.Base(file), err)
		}
		if m != nil {
			return nil, damaged("%s stands behind the manifest", h.Name)
		}
		if h.Name == manifestName {
			if m, err = manifest(t); err != nil {
				return nil, damaged("%w", err)
			}
			continue
		}
		if _, twice := found[h.Name]; twice {
			return nil, damaged("%s is in it twice", h.Name)
		}
		sum := sha256.New()
		body := io.TeeReader(t, sum)
		if err := fn(h.Name, body); err != nil {
			return nil, err
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return nil, damaged("%s: %w", h.Name, err)
		}
		found[h.Name] = File{Name: h.Name, Size: h.Size, SHA256: hex.EncodeToString(sum.Sum(nil))}
	}
	if _, err := io.Copy(io.Discard, z); err != nil { // the checksum at the very end
		return nil, damaged("%w", err)
	}
	if m == nil {
		return nil, damaged("it has no manifest: it is not a backup, or not a whole one")
	}
	if len(m.Files) != len(found) {
		return nil, damaged("the manifest names %d files, the archive has %d", len(m.Files), len(found))
	}
	for _, want := range m.Files {
		got, ok := found[want.Name]
		if !ok || got.Size != want.Size || got.SHA256 != want.SHA256 {
			return nil, damaged("%s is not what the manifest says", want.Name)
		}
	}
	return m, nil
}

// allowed refuses what could reach outside of the folder it is unpacked to.
func allowed(h *tar.Header) error {
	name := h.Name
	switch {
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%w: %q is no regular file", memory.ErrRefused, name)
	case name != path.Clean(name), !filepath.IsLocal(filepath.FromSlash(name)), strings.ContainsAny(name, "\\:\x00"):
		return fmt.Errorf("%w: %q leads elsewhere", memory.ErrRefused, name)
	case name != manifestName && !strings.Contains(name, "/"):
		return fmt.Errorf("%w: %q is in no folder", memory.ErrRefused, name)
	}
	return nil
}

func manifest(r io.Reader) (*Manifest, error) {
	const most = 256 << 20
	var m Manifest
	if err := json.NewDecoder(io.LimitReader(r, most)).Decode(&m); err != nil {
		return nil, fmt.Errorf("its manifest: %w", err)
	}
	if m.V != version {
		return nil, fmt.Errorf("its manifest is of version %d, this program reads %d", m.V, version)
	}
	return &m, nil
}

// RestoreOptions of [Restore].
type RestoreOptions struct {
	// Into says where the files of each folder of the archive go; a folder that
	// is not named is left out.
	Into map[string]Place
	// Force keeps a folder that holds other files aside and puts the one of the
	// archive in its place.
	Force bool
	Now   func() time.Time // names what is kept aside
}

// Place is where a folder of an archive goes: to Dir, or below it. Of two places
// none lies in the other's Dir, unless they share it.
type Place struct {
	Dir   string
	Below string // with slashes; empty is Dir itself
}

// of finds where a file of the archive goes.
func (o *RestoreOptions) of(name string) (dir, rel string) {
	folder, rel, _ := strings.Cut(name, "/")
	p := o.Into[folder]
	return p.Dir, path.Join(p.Below, rel)
}

// Restored is what a restore did.
type Restored struct {
	Manifest *Manifest
	Files    int      // written
	Aside    []string // where the old folders are now
}

// Restore unpacks an archive. It checks all of it first, then unpacks beside
// the folders it goes to, checking again, and only then moves anything. Without
// Force a file that exists with other content makes it fail with
// [memory.ErrRefused] before anything is changed; files that are the same, or
// not in the archive, stay.
func Restore(ctx context.Context, file string, o *RestoreOptions) (*Restored, error) {
	m, err := Verify(ctx, file)
	if err != nil {
		return nil, err
	}
	out := &Restored{Manifest: m}
	if !o.Force {
		if err := untouched(ctx, m, o); err != nil {
			return nil, err
		}
	}
	staged := make(map[string]string)
	defer func() {
		for _, dir := range staged {
			_ = os.RemoveAll(dir) // ours alone, and of no use any more
		}
	}()
	for _, f := range m.Files {
		if to, _ := o.of(f.Name); to != "" && staged[to] == "" {
			if staged[to], err = stage(to); err != nil {
				return nil, err
			}
		}
	}
	if out.Files, err = unpack(ctx, file, m, staged, o); err != nil {
		return nil, err
	}
	for _, to := range keys(staged) {
		aside, err := settle(staged[to], to, o)
		if err != nil {
			return out, fmt.Errorf("restore %s: %w", to, err)
		}
		if aside != "" {
			out.Aside = append(out.Aside, aside)
		}
	}
	return out, nil
}

// stage makes the folder, beside the one it will become, to unpack into.
func stage(to string) (string, error) {
	parent := filepath.Dir(to)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, ".restoring-*")
}

func unpack(ctx context.Context, file string, m *Manifest, staged map[string]string, o *RestoreOptions) (files int, err error) {
	times := make(map[string]time.Time, len(m.Files))
	for _, f := range m.Files {
		times[f.Name] = f.Time
	}
	again, err := read(ctx, file, func(name string, r io.Reader) error {
		to, rel := o.of(name)
		if to == "" {
			return nil
		}
		files++
		return place(filepath.Join(staged[to], filepath.FromSlash(rel)), r, times[name])
	})
	if err == nil && !same(m, again) {
		err = fmt.Errorf("%w backup %s: it changed while it was read", memory.ErrInvalid, filepath.Base(file))
	}
	return files, err
}

func same(a, b *Manifest) bool {
	if len(a.Files) != len(b.Files) {
		return false
	}
	for i := range a.Files {
		if a.Files[i].Name != b.Files[i].Name || a.Files[i].SHA256 != b.Files[i].SHA256 {
			return false
		}
	}
	return true
}

// place writes a file and waits until it is on disk.
func place(to string, r io.Reader, at time.Time) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Chtimes(to, at, at)
	}
	return err
}

// untouched refuses to overwrite a file that has other content, and to write
// through a symlink.
func untouched(ctx context.Context, m *Manifest, o *RestoreOptions) error {
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir, rel := o.of(f.Name)
		if dir == "" {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(rel))
		if err := noLinks(dir, rel); err != nil {
			return err
		}
		equal, err := holds(to, f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !equal {
			return fmt.Errorf("%w: %s exists and differs; --force keeps the whole folder aside and restores, --into DIR restores elsewhere", memory.ErrRefused, to)
		}
	}
	return nil
}

func noLinks(root, rel string) error {
	at := root
	for part := range strings.SplitSeq(path.Dir(rel), "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%w: %s is no folder: move it away", memory.ErrRefused, at)
		}
	}
	return nil
}

// holds reports whether a file is the one of the archive already.
func holds(file string, want File) (bool, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() || info.Size() != want.Size {
		return false, nil
	}
	in, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return false, err
	}
	return hex.EncodeToString(sum.Sum(nil)) == want.SHA256, nil
}
