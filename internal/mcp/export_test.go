package mcp

import (
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Expected of what the tests outside of the package look at.
var (
	ParseCursor = func(s string) (string, error) { c, err := parseCursor(s); return c.String(), err }
	ParsePlace  = parsePlace
	ParseSpan   = parseSpan
	MostTokens  = mostTokens
)

// Described is what models read of the tools of the default profile.
func Described(name string) string {
	words, _ := descriptions.ReadFile("tools/" + name + ".md")
	return strings.TrimSpace(string(words))
}

// Impatient makes every body of a request late.
func (s *Server) Impatient() { s.toRead = -1 }

// Guarded is a handler behind what every request passes.
func (s *Server) Guarded(h sdk.MethodHandler) sdk.MethodHandler { return s.guard(h) }
