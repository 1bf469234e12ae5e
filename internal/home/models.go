package home

import (
	"cmp"
	"fmt"
	"path/filepath"

	"orihon/internal/child"
	"orihon/internal/config"
	"orihon/internal/project"
	"orihon/llm"
	"orihon/llm/gateway"
	"orihon/llm/provider"
)

// CallsFolder is where what models are asked is counted, in a user's home.
func CallsFolder(home string) string { return filepath.Join(home, "calls") }

// ChildFolder is where clients' programs work that are asked as models: sessions
// there are nobody's.
func ChildFolder(home string) string { return filepath.Join(CallsFolder(home), "child") }

// Models is the way to the language models of the settings. Nothing is opened or
// read before one is asked.
func (h *Home) Models() *gateway.Gateway { return h.models() }

func (h *Home) newModels() *gateway.Gateway {
	s := &h.Config.Spend
	o := gateway.Options{
		Dir: CallsFolder(h.Project.Home), Redactor: h.Redactor, Now: h.Now,
		Limits: gateway.Limits{DailyTokens: int64(s.DailyTokens), DailyCost: s.DailyCost, CallTokens: s.CallTokens},
	}
	for i := range h.Config.Models {
		o.Backends = append(o.Backends, h.backend(&h.Config.Models[i]))
	}
	h.gateway = gateway.New(o)
	return h.gateway
}

// backend is an entry of the settings as the gateway knows it.
func (h *Home) backend(m *config.Model) gateway.Backend {
	b := gateway.Backend{
		Name: m.Name, Identity: m.Type, Timeout: m.Timeout,
		Price: gateway.Price{Input: m.PriceInput, Output: m.PriceOutput, CacheRead: m.PriceCacheRead, CacheWrite: m.PriceCacheWrite},
	}
	if m.Model != "" {
		b.Identity += " " + m.Model
	}
	if m.URL != "" {
		b.Identity += " at " + m.URL
	}
	if m.Size != "any" {
		b.Size = m.Size
	}
	switch {
	case !h.Config.Spend.Enabled:
		b.Off = "spend.enabled is false"
	case !m.Enabled && m.Program():
		b.Off = "a program is asked only with enabled: true"
	case !m.Enabled:
		b.Off = "enabled is false"
	case m.Program():
		h.program(m, &b)
	default:
		h.server(m, &b)
	}
	return b
}

// server is a backend over HTTP.
func (h *Home) server(m *config.Model, b *gateway.Backend) {
	open, variable := provider.NewOpenAI, m.KeyEnv
	o := provider.Options{Model: m.Model, URL: m.URL, Timeout: m.Timeout}
	switch m.Type {
	case "anthropic":
		open = provider.NewAnthropic
		if m.URL == "" {
			variable = cmp.Or(variable, "ANTHROPIC_API_KEY")
		}
	case "openai":
		if m.URL == "" {
			variable = cmp.Or(variable, "OPENAI_API_KEY")
		}
	case "ollama":
		o.URL = cmp.Or(m.URL, provider.OllamaURL)
	}
	if variable != "" {
		if h.env != nil {
			o.Key, _ = h.env(variable)
		}
		if o.Key == "" {
			b.Broken, b.Off = true, fmt.Sprintf("the environment variable %s holds no key", variable)
		}
	}
	b.Open = func() (llm.Model, error) { return open(o) }
}

// program is a backend that is a client's program: one that no project could have
// put there, with an environment of its own.
func (h *Home) program(m *config.Model, b *gateway.Backend) {
	path, err := project.Program(m.Type, h.Project.Root)
	if err != nil {
		b.Broken, b.Off = true, err.Error()
		return
	}
	var besides []string
	if m.KeyEnv != "" {
		besides = append(besides, m.KeyEnv)
	}
	p, err := provider.NewProgram(provider.ProgramOptions{
		Client: m.Type, Path: path, Dir: ChildFolder(h.Project.Home), Model: m.Model, Timeout: m.Timeout,
		Env: provider.ProgramEnv(child.Environ(), project.Path(h.Project.Root), besides...),
	})
	if err != nil {
		b.Broken, b.Off = true, err.Error()
		return
	}
	b.Overhead, b.NoTools = p.Overhead(), true
	b.Open = func() (llm.Model, error) { return p, nil }
}
