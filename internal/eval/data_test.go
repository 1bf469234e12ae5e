package eval_test

import (
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/eval"
	"orihon/memory"
)

func TestADataSetIsReadPlainAndCompressed(t *testing.T) {
	const text = "\n" + `{"id":"c","turns":[{"id":"t1","session":3,"date":"2026-01-02T10:11","speaker":"Ann","text":"部署用 make ship","caption":"圖"},{"id":"t2","session":"五","date":"","speaker":"user","text":"x"},{"id":"t3","speaker":"u","text":"y"}],"questions":[{"id":"q","question":"怎麼部署？","category_name":"single","evidence":["t1"]}]}` + "\r\n\n"
	want := []eval.Conversation{{
		ID: "c",
		Turns: []eval.Turn{
			{ID: "t1", Session: "3", Date: "2026-01-02T10:11", Speaker: "Ann", Text: "部署用 make ship", Caption: "圖"},
			{ID: "t2", Session: "五", Speaker: "user", Text: "x"},
			{ID: "t3", Speaker: "u", Text: "y"},
		},
		Questions: []eval.Question{{ID: "q", Text: "怎麼部署？", Category: "single", Evidence: []string{"t1"}}},
	}}
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "d.jsonl"), filepath.Join(dir, "d.jsonl.gz")
	if err := os.WriteFile(plain, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(packed)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{plain, packed} {
		got, err := eval.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filepath.Base(path), diff)
		}
	}
}

func TestABrokenDataSetIsRefusedWithFileAndLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"{\"id\":\"a\"}\n{\n", "d:2: "},
		{`{"model":"m","id":"q","ranked":["t"]}`, "d:1: invalid conversation: not a conversation but a ranking: give it with --dense"},
		{`{"type":"user","uuid":"u"}`, `not a conversation but an object of ["type" "uuid"]: want {"id", "turns": […], "questions": […]}, one a line`},
		{`[{"id":"a","turns":[]}]`, "not a conversation: want {"},
		{`{"id":""}`, `d:1: invalid conversation: id "": want one word`},
		{`{"id":"a b"}`, "one word"},
		{"{\"id\":\"a\"}\n{\"id\":\"a\"}", `d:2: invalid conversation: id "a" stands twice`},
		{`{"id":"a","turns":[{"id":"t"},{"id":"t"}]}`, `turn 2: id "t" stands twice`},
		{`{"id":"a","turns":[{"id":"t","date":"5月3号"}]}`, `turn t: date "5月3号": want YYYY-MM-DD`},
		{`{"id":"a","turns":[{"id":"t","session":[1]}]}`, "session [1]: want a string or a number"},
		{`{"id":"a","questions":[{"id":"q"},{"id":"q"}]}`, `question 2: id "q" stands twice`},
		{"{\"id\":\"a\",\"questions\":[{\"id\":\"q\"}]}\n{\"id\":\"b\",\"questions\":[{\"id\":\"q\"}]}", `d:2: invalid conversation: question 1: id "q"`},
	} {
		_, err := eval.Decode(strings.NewReader(tt.in), "d")
		if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Decode(%s): %v, want %q", tt.in, err, tt.want)
		}
	}
	if _, err := eval.Read(filepath.Join(t.TempDir(), "none.jsonl")); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("a missing file: %v, want ErrNotFound", err)
	}
	bad := filepath.Join(t.TempDir(), "bad.gz")
	if err := os.WriteFile(bad, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := eval.Read(bad); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a file that is only called .gz: %v, want ErrInvalid", err)
	}
}

func TestASplitIsHalfOfTheLines(t *testing.T) {
	data := []eval.Conversation{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	for part, want := range map[string]string{"all": "abc", "": "abc", "dev": "a", "test": "bc"} {
		got, err := eval.Split(data, part)
		names := ""
		for _, c := range got {
			names += c.ID
		}
		if err != nil || names != want {
			t.Errorf("split %q: %s, %v; want %s", part, names, err, want)
		}
	}
	if _, err := eval.Split(data, "train"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("an unknown split: %v, want ErrInvalid", err)
	}
}

func FuzzADataSetNeverBreaksItsReader(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "null", "\xef\xbb\xbf{}", `{"id":"a","turns":[{"id":"t","session":1e9,"date":"2026-01-02"}],"questions":[{"id":"q","evidence":["t"]}]}`,
		`{"id":"問","turns":[{"id":"1","session":"一","speaker":"雅婷","text":"記住"}]}`, `{"id":"a","turns":[{"id":"t","session":null}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data, err := eval.Decode(strings.NewReader(text), "d")
		if err != nil {
			if data != nil || !errors.Is(err, memory.ErrInvalid) {
				t.Fatalf("%d conversations with %v, want none and ErrInvalid", len(data), err)
			}
			return
		}
		// Whatever is accepted can be scored.
		s := eval.Score(data, eval.Ranking{}, nil)
		if n := s.Groups[0].N; n > 0 && s.Value("R@5") != 0 {
			t.Fatalf("an empty ranking found something in %q", text)
		}
	})
}
