package follow

import (
	"time"

	"orihon/internal/capture"
	"orihon/internal/extract"
	"orihon/internal/reader"
)

// statement is what a message says by the way.
type statement struct {
	capture.Stated
	in *UserMessage
	at time.Time // when it was said
	// models is what models say of it; nil when they were not asked or do not know.
	models *opinion
}

// doubtful reports whether the reader leaves it to others.
func (s *statement) doubtful() bool {
	return s.Kind != reader.Forget && !s.Sure() && !s.Redacted()
}

// unlikely reports whether it is too unlikely to ask a person about.
func (s *statement) unlikely() bool {
	if s.Kind == reader.Forget {
		return s.P < capture.ForgetLikely
	}
	return s.P < capture.StatedLikely
}

// everywhere reports whether it holds in all projects of the user.
func (s *statement) everywhere() bool { return s.models != nil && s.models.Everywhere }

// opinion is what models say of a statement. A nil one says nothing.
type opinion struct {
	extract.Statement        // by the larger one; empty when it was not asked
	refused           string // why it is not worth keeping
}

func (o *opinion) words() bool { return o != nil && o.Text != "" }
func (o *opinion) sure() bool  { return o.words() && o.Confidence >= modelSure }

func (o *opinion) refuses() string {
	if o == nil {
		return ""
	}
	return o.refused
}
