package memorytest_test

import (
	"testing"

	"orihon/memory"
	"orihon/memory/memorytest"
)

func TestTheFakeKeepsTheContract(t *testing.T) {
	memorytest.TestStore(t, func(t *testing.T) memory.Store { return new(memorytest.Store) })
}
