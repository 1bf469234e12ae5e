package importer_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"orihon/internal/importer"
	"orihon/memory"
)

var update = flag.Bool("update", false, "write what is wanted into the cases anew")

// read returns the records of a path as text, and the report.
func read(t testing.TB, path string, o *importer.Options) (string, *importer.Report, error) {
	t.Helper()
	var b strings.Builder
	r, err := importer.Read(context.Background(), path, o, func(r importer.Record) error {
		show(&b, &r)
		return nil
	})
	return b.String(), r, err
}

func show(b *strings.Builder, r *importer.Record) {
	at := func(name string, t time.Time) {
		if !t.IsZero() {
			fmt.Fprintf(b, " %s=%s", name, t.Format(time.RFC3339Nano))
		}
	}
	part := func(name, s string) {
		if s != "" {
			fmt.Fprintf(b, " %s=%q", name, s)
		}
	}
	if f := r.Fact; f != nil {
		fmt.Fprintf(b, "fact %s %s/%s", r.Where(), f.Kind, f.Topic)
		part("title", f.Title)
		part("tags", strings.Join(f.Tags, ","))
		part("session", f.Session)
		if f.Confidence > 0 {
			fmt.Fprintf(b, " confidence=%g", f.Confidence)
		}
		at("created", f.Created)
		at("updated", f.Updated)
		at("from", f.ValidFrom)
		at("to", f.ValidTo)
		fmt.Fprintf(b, "\n\t%s\n", strings.ReplaceAll(f.Text, "\n", "\n\t"))
		return
	}
	e := r.Event
	fmt.Fprintf(b, "event %s %s", r.Where(), e.Type)
	for _, p := range []struct{ name, value string }{
		{"session", e.Session}, {"id", e.ID}, {"prompt", e.Prompt}, {"tool", e.Tool}, {"speaker", e.Speaker}, {"trigger", e.Trigger}, {"cwd", e.CWD},
	} {
		part(p.name, p.value)
	}
	if e.IsError {
		b.WriteString(" error")
	}
	at("at", e.At)
	if e.Text != "" {
		fmt.Fprintf(b, "\n\t%s", strings.ReplaceAll(e.Text, "\n", "\n\t"))
	}
	if len(e.Input) > 0 {
		fmt.Fprintf(b, "\n\t%s", e.Input)
	}
	b.WriteByte('\n')
}

// sum is the report as text.
func sum(r *importer.Report) string {
	var b strings.Builder
	for _, f := range slices.Sorted(maps.Keys(r.Formats)) {
		fmt.Fprintf(&b, "format %s %d\n", f, r.Formats[f])
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Lines)) {
		fmt.Fprintf(&b, "lines %s %d\n", kind, r.Lines[kind])
	}
	if r.ToolCalls+r.Answers > 0 {
		fmt.Fprintf(&b, "calls %d answers %d usage %+v\n", r.ToolCalls, r.Answers, r.Usage)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "broken %s\n", p)
	}
	return b.String()
}

// TestEveryFormatBecomesRecords reads testdata/*.txtar: what stands before the
// files says why the case exists, "want" is what they become.
func TestEveryFormatBecomesRecords(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(cases) < len(importer.Formats()) {
		t.Fatalf("%d cases for %d formats: %v", len(cases), len(importer.Formats()), err)
	}
	covered := make(map[importer.Format]bool)
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "in")
			want := -1
			for i, f := range a.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				put(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
			}
			got, r, err := read(t, dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			for f := range r.Formats {
				covered[f] = true
			}
			got += sum(r)
			if *update {
				if want < 0 {
					a.Files = append(a.Files, txtar.File{Name: "want"})
					want = len(a.Files) - 1
				}
				a.Files[want].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want < 0 {
				t.Fatal("the case wants nothing: run with -update and look at it")
			}
			if diff := cmp.Diff(string(a.Files[want].Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again, _, _ := read(t, dir, nil); again+sum(r) != got {
				t.Error("a second reading gives something else")
			}
		})
	}
	for _, f := range importer.Formats() {
		if !covered[f] {
			t.Errorf("no case is told to be %s by its shape", f)
		}
	}
}

func put(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAnUnknownShapeIsOneClearLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "odd.json")
	put(t, name, []byte(`{"what":"ever"}`))
	_, _, err := read(t, name, nil)
	if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "odd.json") || !strings.Contains(err.Error(), "chatgpt") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if _, _, err := read(t, name+".none", nil); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := importer.ParseFormat("mem1"); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "mem0") {
		t.Errorf("%v", err)
	}
}

func TestAForcedFormatIsBelieved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list.json")
	put(t, name, []byte(`[{"text":"Deploys go through make ship"}]`))
	got, _, err := read(t, name, &importer.Options{Format: importer.Mem0})
	if err != nil || !strings.Contains(got, "make ship") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCompressedAndPlainAreTheSame(t *testing.T) {
	dir := t.TempDir()
	text := []byte(`[{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","memory":"部署走 make ship"}]`)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "a"), text)
	put(t, filepath.Join(dir, "b"), z.Bytes())
	plain, _, _ := read(t, filepath.Join(dir, "a"), nil)
	packed, _, err := read(t, filepath.Join(dir, "b"), nil)
	if err != nil || strings.ReplaceAll(plain, "mem0:a:", "mem0:b:") != packed || plain == "" {
		t.Errorf("%q and %q, %v", plain, packed, err)
	}
	put(t, filepath.Join(dir, "cut"), z.Bytes()[:z.Len()-9])
	if _, r, _ := read(t, filepath.Join(dir, "cut"), &importer.Options{Format: importer.Mem0}); r.Broken != 1 {
		t.Errorf("a file that was cut off: %+v", r)
	}
}

func TestArchivesAreReadLikeFolders(t *testing.T) {
	for name, members := range map[string][]string{
		"chatgpt": {"conversations.json", `[{"id":"c","mapping":{"n":{"id":"n","message":{"id":"n","author":{"role":"user"},"content":{"parts":["部署走 make ship"]}}}}}]`, "user.json", `{"id":"x"}`, "chat.html", "<html>"},
		"cogx":    {"manifest.json", `{}`, "memories.jsonl", `{"id":"m","text":"部署走 make ship"}`},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(members); i += 2 {
			w, err := z.Create(members[i])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(members[i+1])); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "export.zip")
		put(t, path, b.Bytes())
		got, r, err := read(t, path, nil)
		if err != nil || strings.Count(got, "make ship") != 1 || r.Formats[importer.Format(name)] != 1 || len(r.Formats) != 1 || r.Broken+r.Unknowns > 0 {
			t.Errorf("%s: %q, %+v, %v", name, got, r, err)
		}
	}
}

func TestSymlinksAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "outside.md"), []byte("- A secret of somebody else\n"))
	put(t, filepath.Join(dir, "in", "a.md"), []byte("- Known here\n"))
	if err := os.Symlink(filepath.Join(dir, "outside.md"), filepath.Join(dir, "in", "b.md")); err != nil {
		t.Skip("SKIPPED: no symlinks here:", err)
	}
	if got, _, err := read(t, filepath.Join(dir, "in"), nil); err != nil || strings.Contains(got, "secret") || !strings.Contains(got, "Known here") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSessionsOfOtherProjectsAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	line := `{"type":"user","sessionId":%q,"cwd":%q,"uuid":"u","message":{"content":"hello you"}}` + "\n"
	put(t, filepath.Join(dir, "-here", "a.jsonl"), fmt.Appendf(nil, line, "a", "/here"))
	put(t, filepath.Join(dir, "-there", "b.jsonl"), fmt.Appendf(nil, line, "b", "/there"))
	for _, folder := range []string{"-here", "-there"} {
		put(t, filepath.Join(dir, folder, "memory", "MEMORY.md"), []byte("- Something of "+folder+"\n"))
	}
	got, r, err := read(t, dir, &importer.Options{Within: func(cwd string) bool { return cwd == "/here" }})
	if err != nil || r.Elsewhere != 2 || !strings.Contains(got, `session="a"`) || strings.Contains(got, "there\n") {
		t.Errorf("%d elsewhere: %s %v", r.Elsewhere, got, err)
	}
	if !strings.Contains(got, "fact claude-memory:memory/MEMORY.md:1 ") || !strings.Contains(got, "Something of -here") {
		t.Errorf("the name of the folder, which is a path, is told, or the memory beside is lost: %s", got)
	}
}

func TestTheCallerMayStop(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.json")
	put(t, name, []byte(`{"results":[{"memory":"one thing"},{"memory":"another thing"}]}`))
	stop, calls := errors.New("enough"), 0
	_, err := importer.Read(context.Background(), name, nil, func(importer.Record) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := importer.Read(ctx, name, nil, func(importer.Record) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestTheProgressEndsAtTheSize(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.json")
	put(t, name, []byte(`{"results":[{"memory":"one thing"}]}`+strings.Repeat("\n", 1000)))
	var done, total int64
	if _, _, err := read(t, name, &importer.Options{Progress: func(d, n int64) { done, total = d, n }}); err != nil || done != total || total == 0 {
		t.Errorf("%d of %d, %v", done, total, err)
	}
}
