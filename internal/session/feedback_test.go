package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFeedbackMovesTheThreshold(t *testing.T) {
	tests := []struct {
		name   string
		judged int
		used   int // of every ten
		want   float64
	}{
		{"nothing before a whole window", 49, 0, 0},
		{"few used: less is injected", 50, 2, 0.05},
		{"once for each window", 99, 2, 0.05},
		{"again in the next one", 100, 2, 0.1},
		{"as it should be", 200, 5, 0},
		{"exactly three of ten are enough", 100, 3, 0},
		{"exactly eight of ten are not too many", 100, 8, 0},
		{"nearly all used: more is injected", 50, 9, -0.05},
		{"never beyond the bound", 1000, 0, 0.2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f Feedback
			for i := range tt.judged {
				f.Judge(i%10 < tt.used)
			}
			if f.Shift != tt.want {
				t.Errorf("shift %v after %d passages, want %v", f.Shift, tt.judged, tt.want)
			}
		})
	}
}

func TestFeedbackSurvivesItsFile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		whole, kept := Feedback{Version: version}, LoadFeedback(dir)
		for _, used := range rapid.SliceOfN(rapid.Bool(), 0, 150).Draw(rt, "used") {
			whole.Judge(used)
			kept.Judge(used)
			if err := SaveFeedback(dir, kept); err != nil {
				rt.Fatal(err)
			}
			kept = LoadFeedback(dir)
		}
		if diff := cmp.Diff(whole, kept); diff != "" {
			rt.Errorf("(-at once +through the file):\n%s", diff)
		}
	})
}

func TestBrokenFeedbackIsCountedAgain(t *testing.T) {
	for name, data := range map[string]string{
		"torn": `{"version":1,"off`, "another version": `{"version":9,"shift":0.1}`,
		"a shift nobody makes": `{"version":1,"shift":5}`, "not JSON": "\x00\x01", "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, feedbackName), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Feedback{Version: version}, LoadFeedback(dir)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
