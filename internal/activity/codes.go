package activity

import (
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// codes are a number behind a colon, which may be a port, and capitals with a number
// behind them, as compilers and databases name errors.
var codes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^\s:/]:(\d{4,5})\b|\b([A-Z]{1,6}-?\d{2,6})\b`)
})

// Codes are the numbers in an error that tell it from others that read alike: ports and
// codes. Lines, which are the first to change, are none, nor are exit codes.
func Codes(text string) []string {
	const firstFree = 1024 // lower ones belong to few services, and are lines of files mostly
	var out []string
	for _, m := range codes().FindAllStringSubmatch(text, -1) {
		code := m[2]
		if n, err := strconv.Atoi(m[1]); err == nil && n >= firstFree && n <= 65535 {
			code = m[1]
		}
		if code != "" && !slices.Contains(out, code) {
			out = append(out, code)
		}
	}
	return out
}
