package recall

import (
	"strings"
	"sync"
)

// lazySet is a set of the words of a text, made when it is first needed.
func lazySet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for _, w := range strings.Fields(words) {
			set[w] = true
		}
		return set
	})
}

// lazyRuns maps words to what they say, made when it is first needed.
func lazyRuns(words map[Lookback]string) func() map[string]Lookback {
	return sync.OnceValue(func() map[string]Lookback {
		runs := make(map[string]Lookback)
		for how, list := range words {
			for _, w := range strings.Fields(list) {
				runs[w] = max(runs[w], how)
			}
		}
		return runs
	})
}
