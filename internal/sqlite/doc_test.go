package sqlite

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"orihon/memory"
)

// fill gives every field below v some value, other ones with every call.
func fill(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			zone := time.FixedZone("", 900*(r.IntN(100)-50))
			v.Set(reflect.ValueOf(time.Unix(r.Int64N(4e9), r.Int64N(1e9)).In(zone)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), r)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("部署 %d", r.Int()))
	case reflect.Int:
		v.SetInt(r.Int64() - r.Int64())
	case reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 3))
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

func TestAPassageIsReadAsItWasWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	passages := []memory.Passage{{}, {ID: "empty", Item: memory.Item{Triggers: []string{""}}}}
	for range 50 {
		var p memory.Passage
		fill(reflect.ValueOf(&p).Elem(), r)
		p.Near = nil
		passages = append(passages, p)
	}
	for _, p := range passages {
		doc, err := encodePassage(&p, "we deploy\nship")
		if err != nil {
			t.Fatal(err)
		}
		var got memory.Passage
		if words, err := decodePassage(doc, &got); err != nil || words != "we deploy\nship" {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(p, got); diff != "" {
			t.Errorf("-written +read:\n%s", diff)
		}
		_, written := p.Item.Metadata.CreatedAt.Zone()
		if _, read := got.Item.Metadata.CreatedAt.Zone(); read != written {
			t.Errorf("offset %d, want %d", read, written)
		}
		for n := range doc {
			if _, err := decodePassage(doc[:n], &got); !Damaged(err) {
				t.Fatalf("of %d bytes %d were read: %v, want an error that asks for a rebuild", len(doc), n, err)
			}
		}
	}
}

func FuzzDecodePassage(f *testing.F) {
	doc, err := encodePassage(&memory.Passage{ID: "a", Item: memory.Item{Content: "we deploy", Triggers: []string{"ship", "部署"},
		Metadata: memory.Metadata{CreatedAt: time.Unix(1, 0)}}}, "we deploy")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(doc)
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var p, again memory.Passage
		words, err := decodePassage(doc, &p)
		if err != nil {
			return
		}
		doc, err = encodePassage(&p, words)
		if err != nil {
			return // a time with an offset that no clock has
		}
		if _, err := decodePassage(doc, &again); err != nil {
			t.Fatalf("what was read and written cannot be read: %v", err)
		}
	})
}
