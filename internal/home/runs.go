package home

import "orihon/runs"

// Runs opens runs: sessions of this project, transcripts and journals.
func (h *Home) Runs() *runs.Runs {
	return runs.New(&runs.Options{
		Sessions: h.Project.Sessions(), Folder: func(id string) string { return h.Project.Session(h.CleanID(id)) },
		Strategy: h.Config.Context.Strategy, Language: h.Config.Language, HookChars: h.Config.Recall.HookChars,
		RedactOff: h.Config.Redact.Off, Now: h.Now, Logger: h.Log,
	})
}
