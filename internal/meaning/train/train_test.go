package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"orihon/internal/meaning"
)

// world is a small corpus: two matters, each in both languages.
func world(t *testing.T) fstest.MapFS {
	t.Helper()
	zip := func(lines ...string) *fstest.MapFile {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return &fstest.MapFile{Data: b.Bytes()}
	}
	var parallel, voices []string
	for i := range 40 {
		parallel = append(parallel, fmt.Sprintf("deploy the service %c\t部署服务", 'a'+i%26), fmt.Sprintf("print the invoice %c\t打印发票", 'a'+i%26))
		voices = append(voices,
			`{"m":"We deploy with make release","p":["rollout how","rollout now","deploy please"],"x":"怎么部署","n":"what is deploying"}`,
			`{"m":"Invoices carry the tax number","p":["bill layout","bill footer","invoice please"],"x":"发票格式","n":"what is tax"}`)
	}
	return fstest.MapFS{
		"parallel.tsv.gz": zip(parallel...), "words.tsv.gz": zip("rollout\tdeploy", "bill\tinvoice"), "text.tsv.gz": zip("deploy\trollout", "invoice\tbill"),
		"voices/v01-01.jsonl": &fstest.MapFile{Data: []byte(strings.Join(voices, "\n") + "\n")},
		"links/w.txt":         &fstest.MapFile{Data: []byte("ship: deploy, live, rollout | 部署, 上線\n\nreceipt: invoice, bill | 发票, 收据\n")},
		"groups/a.txt":        &fstest.MapFile{Data: []byte("deploy;rollout;部署\ninvoice;bill;发票\n")},
	}
}

func TestTrainingBringsTogetherWhatBelongsTogether(t *testing.T) {
	c, err := read(world(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	s := usual
	s.dimensions, s.batch, s.epochs, s.workers = 16, 16, 6, 2
	first := learn(c, s, io.Discard)
	if second := learn(c, s, io.Discard); !bytes.Equal(bits(first), bits(second)) {
		t.Error("trained twice, the vectors differ")
	}
	done := &trained{Words: c.vocabulary, Vectors: first, Dimensions: s.dimensions, Rarity: rarity(c), Twins: c.twins}
	table := meaning.New(string(done.pack(4, 0.2)))
	near := func(a, b string) float64 {
		return table.Encode([]string{a}, nil).Cosine(table.Encode([]string{b}, nil))
	}
	for _, p := range [][3]string{{"deploy", "部署", "发票"}, {"rollout", "deploy", "invoic"}, {"发票", "invoic", "deploy"}} {
		if near(p[0], p[1]) < near(p[0], p[2])+0.3 {
			t.Errorf("%s: %s at %.2f, %s at %.2f", p[0], p[1], near(p[0], p[1]), p[2], near(p[0], p[2]))
		}
	}
	// The head word of a line of links and what belongs with it say the same.
	if same, other := near("ship", "live"), near("ship", "receipt"); same <= other {
		t.Errorf("ship: live at %.2f, receipt at %.2f", same, other)
	}
	if n := table.Neighbours("deploy"); len(n) == 0 || n[0].Cosine < 0.59 {
		t.Errorf("a word of the same concept group is no near neighbour: %v", n)
	}
}

func bits(v []float32) []byte {
	out := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b := math.Float32bits(x)
		out = append(out, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
	}
	return out
}

func TestBadTextsAreNamed(t *testing.T) {
	for name, broken := range map[string]string{
		"voices/v01-01.jsonl": "{\"m\": \"x\"\n", "parallel.tsv.gz": "no archive",
	} {
		files := world(t)
		files[name] = &fstest.MapFile{Data: []byte(broken)}
		if _, err := read(files, 1); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMessagesWithoutTheirPlaceholders(t *testing.T) {
	for text, want := range map[string]string{
		"could not open file \"%s\": %m": `could not open file " ": `,
		"{0} of ${total} rows":           "of rows",
		"a\n  b <b>c</b>":                "a b c",
	} {
		if got := plain(text); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := properties("a.b = x \\u6587\\\ny\n# c = d\n"); len(got) != 1 || got["a.b"] != " x 文y" {
		t.Errorf("properties: %q", got)
	}
}
