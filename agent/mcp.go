package agent

import (
	"context"
	"strings"

	"orihon/internal/mcptools"
	"orihon/llm"
)

// remote is a tool of an MCP server.
type remote struct {
	server *mcptools.Server
	def    *ToolDef
	spec   mcptools.Spec
}

// serve starts the server of a tool's definition, and returns its tools.
func serve(ctx context.Context, def *ToolDef, p place) (*mcptools.Server, []Tool, error) {
	path, args, err := p.program(def)
	if err != nil {
		return nil, nil, err
	}
	s, specs, err := mcptools.Start(ctx, mcptools.Command{
		Path: path, Args: args, Dir: p.work, Env: p.environment(def), Allow: def.Allow, MaxOutput: def.MaxOutput,
	})
	if err != nil {
		return nil, nil, err
	}
	var out []Tool
	for _, spec := range specs {
		out = append(out, remote{s, def, spec})
	}
	return s, out, nil
}

// Spec implements [Tool]. The server's name stands before the tool's, so that two
// servers may have tools of one name.
func (t remote) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: t.def.Name + "_" + wireName(t.spec.Name), Description: t.spec.Description, Schema: t.spec.Schema}
}

// wireName is a name as models may call it.
func wireName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// Call implements [Tool].
func (t remote) Call(ctx context.Context, c Call) (string, error) {
	if t.def.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.def.Timeout)
		defer cancel()
	}
	return t.server.Call(ctx, t.spec.Name, c.Input)
}
