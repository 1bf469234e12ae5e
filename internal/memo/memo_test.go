package memo_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"orihon/internal/memo"
)

func TestAWordIsFoundOutOnce(t *testing.T) {
	var words memo.Words[string]
	asked := 0
	upper := func(w string) string { asked++; return strings.ToUpper(w) }
	for range 3 {
		if got := words.Of("kiosk", upper); got != "KIOSK" {
			t.Errorf("kiosk is %s", got)
		}
		if got := words.Of("", upper); got != "" {
			t.Errorf("nothing is %s", got)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times about two words", asked)
	}
}

// There are more words than places: those that meet at one must not be mistaken.
func TestWordsThatMeetKeepTheirOwn(t *testing.T) {
	var words memo.Words[string]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 20_000 {
				w := fmt.Sprint("word", i)
				if got := words.Of(w, strings.ToUpper); got != strings.ToUpper(w) {
					t.Errorf("%s is %s", w, got)
					return
				}
			}
		})
	}
	wg.Wait()
}
