package guard

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// digest shortens a cause.
func digest(cause string) string {
	h := fnv.New64a()
	h.Write([]byte(cause))
	return strconv.FormatUint(h.Sum64(), 36)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func last[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }
