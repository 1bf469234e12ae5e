package sample

import (
	"slices"
	"testing"
)

func TestSplitLosesNothing(t *testing.T) {
	if got, want := Split(100, 3), []int{34, 33, 33}; !slices.Equal(got, want) {
		t.Errorf("Split(100, 3) = %v, want %v", got, want)
	}
}
