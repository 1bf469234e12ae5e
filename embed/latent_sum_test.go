package embed

import (
	"hash/crc32"
	"testing"
)

func TestRowSumIsTheCastagnoliChecksum(t *testing.T) {
	table := crc32.MakeTable(crc32.Castagnoli)
	for n := range 300 {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i*31 + n)
		}
		if got, want := rowSum(data), crc32.Checksum(data, table); got != want {
			t.Errorf("%d bytes: %08x, want %08x", n, got, want)
		}
	}
}
