package orihon

import "orihon/internal/config"

// Setting is a setting in effect.
type Setting struct {
	Name  string `json:"key"`   // as in [Options].Settings
	Value string `json:"value"` // as it may be written in a file
	From  string `json:"from"`  // as [Memory.Setting] says it
	Doc   string `json:"doc"`   // what it is for
}

// Settings are all settings in effect.
func (m *Memory) Settings() []Setting {
	c, keys := m.home().Config, config.Keys()
	out := make([]Setting, len(keys))
	for i := range keys {
		value, _ := c.Get(keys[i].Name) // every key has one
		out[i] = Setting{keys[i].Name, value, c.Origin(keys[i].Name), keys[i].Doc}
	}
	return out
}

// Setting is the value of one setting in effect, and where it comes from:
// "default", "file:line", "environment ORIHON_…" or "flag". An unknown name wraps
// [memory.ErrNotFound].
func (m *Memory) Setting(name string) (value, from string, err error) {
	c := m.home().Config
	value, err = c.Get(name)
	return value, c.Origin(name), err
}

// Problems tells, one line each, which settings could not be used.
func (m *Memory) Problems() []string { return m.home().Problems }

// CheckEmbedder says what is wrong with the embedder that the settings name: a
// model that is not there, or cannot be used. Servers are not asked.
func (m *Memory) CheckEmbedder() error { return m.home().CheckEmbedder() }
