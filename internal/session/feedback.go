package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// FeedbackWindow is how many of the latest judged passages decide whether the
// threshold moves; it moves at most once in as many.
const FeedbackWindow = 50

// When the threshold moves, and by how much.
const (
	tooFewUsed  = 0.3 // share below which less is injected
	manyUsed    = 0.8 // share above which more is
	feedbackBy  = 0.05
	feedbackMax = 0.2 // either way
)

// Feedback is what a project has learned from whether the passages it injected
// were used. It is derived from the usage log: without its file it is counted
// again.
type Feedback struct {
	Version int   `json:"version"`
	Offset  int64 `json:"offset"` // bytes of the usage log that are counted
	// Shift is added to the base threshold.
	Shift  float64 `json:"shift"`
	Recent []bool  `json:"recent,omitempty"` // whether the latest were used, oldest first
	Since  int     `json:"since"`            // judged since the threshold was last looked at
	Judged int     `json:"judged"`           // ever
	Used   int     `json:"used"`             // ever
}

// Judge counts one injected passage.
func (f *Feedback) Judge(used bool) {
	f.Judged++
	if used {
		f.Used++
	}
	f.Recent = last(append(f.Recent, used), FeedbackWindow)
	if f.Since++; f.Since < FeedbackWindow {
		return
	}
	f.Since = 0
	switch share := f.Share(); {
	case share < tooFewUsed:
		f.Shift += feedbackBy
	case share > manyUsed:
		f.Shift -= feedbackBy
	}
	f.Shift = math.Round(100*max(-feedbackMax, min(feedbackMax, f.Shift))) / 100
}

// Share is the share of the recent passages that were used; 0 without any.
func (f *Feedback) Share() float64 {
	used := 0
	for _, u := range f.Recent {
		if u {
			used++
		}
	}
	return float64(used) / float64(max(1, len(f.Recent)))
}

const feedbackName = "feedback.json"

// LoadFeedback reads the feedback kept in a folder. One that is missing or
// broken is the zero value: it is counted again.
func LoadFeedback(dir string) Feedback {
	var f Feedback
	data, err := jsonl.ReadFile(filepath.Join(dir, feedbackName))
	if err != nil || json.Unmarshal(data, &f) != nil || f.Version != version || f.Offset < 0 || math.Abs(f.Shift) > feedbackMax || len(f.Recent) > FeedbackWindow {
		return Feedback{Version: version}
	}
	return f
}

// SaveFeedback keeps the feedback in a folder that exists.
func SaveFeedback(dir string, f Feedback) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("feedback in %s: %w", dir, memory.ErrNotFound)
	}
	return jsonl.Place(filepath.Join(dir, feedbackName), append(data, '\n'))
}
