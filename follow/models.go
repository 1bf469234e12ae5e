package follow

import (
	"orihon/internal/extract"
	"orihon/llm"
	"orihon/llm/gateway"
)

// asksModels reports whether models are asked about sessions at all.
func (f *Sessions) asksModels() bool { return f.consults() || f.studies() }

// consults reports whether models are asked about what the user says by the way.
func (f *Sessions) consults() bool {
	c := f.v.Config
	return c.Extract.Statements && c.Capture.Enabled && (c.Capture.Notice == NoticeSure || c.Capture.Notice == NoticeAsk) && c.Asks()
}

// studies reports whether models read what a session says.
func (f *Sessions) studies() bool {
	e := &f.v.Config.Extract
	return f.v.Config.Capture.Enabled && f.v.Config.Asks() && (e.Quick || e.Turns || e.Deep || e.Consolidation)
}

// phrases reports whether models are asked for phrases by which statements may be
// looked for.
func (f *Sessions) phrases() bool {
	c := f.v.Config
	return c.Extract.Phrases && c.Capture.Enabled && c.Asks()
}

// model is the way to models for a purpose.
func (f *Sessions) model(p extract.Purpose) llm.Model {
	size := gateway.Small
	if p.Large {
		size = gateway.Large
	}
	if m := f.v.Models().Model(gateway.Purpose{Feature: p.Feature, Size: size, Patience: p.Patience}); m != nil {
		return m
	}
	return nil
}
