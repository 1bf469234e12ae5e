package transcript_test

import (
	"testing"

	"orihon/internal/transcript"
)

func TestFolderName(t *testing.T) {
	for path, want := range map[string]string{
		"/home/dev/acme_shop.v2": "-home-dev-acme-shop-v2",
		`C:\src\acme`:            "C--src-acme",
		"/w/商店":                  "-w---",
	} {
		if got := transcript.FolderName(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
