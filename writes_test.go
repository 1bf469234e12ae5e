package orihon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon"
)

// told are n made-up statements whose words are as unevenly spread as in prose,
// with a figure in every third; the same ones for the same seed.
func told(n, seed int) []orihon.Statement {
	const syllables = "bakadafagamanaparasatavazabekedefegemeneperesetevezebikidifigiminipirisitivizi"
	state := uint64(seed)*2654435761 + 1
	next := func(most int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state>>33) % most
	}
	word := func() string {
		k := 40 + 4000/(1+next(4000)) + next(1+next(4000))
		var w strings.Builder
		for ; k > 0; k /= 39 {
			at := k % 39 * 2
			w.WriteString(syllables[at : at+2])
		}
		return w.String()
	}
	out := make([]orihon.Statement, n)
	for i := range out {
		words := make([]string, 10+next(8))
		for j := range words {
			words[j] = word()
		}
		text := strings.Join(words, " ")
		if i%3 == 0 {
			text += fmt.Sprintf(" is %d ms", 10+next(9000))
		}
		out[i] = orihon.Statement{Text: text}
	}
	return out
}

// BenchmarkWritesIntoTenThousand takes 10,000 statements the whole way (secrets,
// gate, neighbours, conflicts, ledger, audit, index) into a store of 10,000.
// Run it with -benchtime 1x.
func BenchmarkWritesIntoTenThousand(b *testing.B) {
	const n = 10_000
	for range b.N {
		b.StopTimer()
		m := filledWith(b, n)
		batch := told(n, 2)
		b.StartTimer()
		start := time.Now()
		out, err := m.RememberAll(b.Context(), batch)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(n/time.Since(start).Seconds(), "writes/s")
		b.StopTimer()
		inOrder(b, m, batch, out)
		b.StartTimer()
	}
}

// BenchmarkOneWriteIntoTenThousand is a single durable one, with a handle that
// stays open and with one opened for it.
func BenchmarkOneWriteIntoTenThousand(b *testing.B) {
	const n = 10_000
	b.Run("open", func(b *testing.B) {
		m := filledWith(b, n)
		more := told(b.N+1, 3)
		b.ResetTimer()
		for i := range b.N {
			if _, err := m.Remember(b.Context(), more[i]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("opened", func(b *testing.B) {
		home, dir := b.TempDir(), b.TempDir()
		fillAt(b, home, dir, n).Close()
		more := told(b.N+1, 4)
		b.ResetTimer()
		for i := range b.N {
			m := openAt(b, home, dir)
			if _, err := m.Remember(b.Context(), more[i]); err != nil {
				b.Fatal(err)
			}
			m.Close()
		}
	})
}

func openAt(b *testing.B, home, dir string) *orihon.Memory {
	b.Helper()
	m, err := orihon.Open(b.Context(), &orihon.Options{Home: home, Dir: dir, User: "ann", GitConfig: []string{}})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func fillAt(b *testing.B, home, dir string, n int) *orihon.Memory {
	b.Helper()
	m := openAt(b, home, dir)
	if _, err := m.RememberAll(b.Context(), told(n, 1)); err != nil {
		b.Fatal(err)
	}
	if _, err := m.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	return m
}

func filledWith(b *testing.B, n int) *orihon.Memory {
	b.Helper()
	m := fillAt(b, b.TempDir(), b.TempDir(), n)
	b.Cleanup(func() { m.Close() })
	return m
}

// inOrder holds the ledger against what was written.
func inOrder(t tb, m *orihon.Memory, said []orihon.Statement, out []orihon.Outcome) {
	t.Helper()
	if len(out) != len(said) {
		t.Fatal(fmt.Sprintf("%d outcomes of %d statements", len(out), len(said)))
	}
	at := make(map[string]int)
	for i, line := range strings.Split(ledgerText(t, m), "\n") {
		for _, part := range strings.Split(line, `"`) {
			if len(part) == 36 {
				if _, ok := at[part]; !ok {
					at[part] = i + 1
				}
				break
			}
		}
	}
	last := 0
	for i := range out {
		if out[i].Action != "add" {
			continue
		}
		n, ok := at[out[i].Item.ID]
		if !ok || n <= last {
			t.Errorf("statement %d stands in line %d, the one before it in %d", i+1, n, last)
			return
		}
		last = n
	}
}

func ledgerText(t tb, m *orihon.Memory) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(m.Project().Personal, "semantic.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestManyWritesKeepTheirOrder(t *testing.T) {
	m := newPlace(t).open(t)
	said := told(600, 5) // more than one group
	out, err := m.RememberAll(t.Context(), said)
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	for i := range out {
		if out[i].Action == "add" {
			added++
		}
	}
	if added < 550 {
		t.Errorf("%d of 600 different statements were added", added)
	}
	inOrder(t, m, said, out)
}
