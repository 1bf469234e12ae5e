package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/memory"
	"orihon/window/inspect"
)

// conversation is what is said in a session.
var conversation = []journal.Type{journal.UserMessage, journal.AssistantMessage, journal.Report}

// The resources, below this scheme: what a session begins with, an item, what was
// said in a session.
const (
	coreURI    = "orihon://memory"
	itemURI    = "orihon://item/{id}"
	sessionURI = "orihon://session/{id}"
)

// resources adds what a person may put before a model: resources and a prompt.
func (s *Server) resources() {
	s.server.AddResource(&sdk.Resource{URI: coreURI, Name: "memory", Title: "Memory", Description: "what every session begins with", MIMEType: "text/plain"}, s.readable(func(ctx context.Context, _ string) (string, error) {
		text, err := s.o.Memory.Sessions().Opening(ctx)
		return cmp.Or(text, "Nothing is remembered yet."), err
	}))
	s.server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: itemURI, Name: "item", Description: "one item of memory", MIMEType: "text/plain"}, s.readable(func(ctx context.Context, id string) (string, error) {
		stored, err := s.o.Memory.Items().Read(ctx, id)
		return s.framed(cut(line(&stored.Item), mostTokens, "the rest is left out")), err
	}))
	s.server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: sessionURI, Name: "session", Description: "what was said in a session", MIMEType: "text/plain"}, s.readable(s.journal))
	s.server.AddPrompt(&sdk.Prompt{
		Name: "recall", Description: "Put before the model what memory knows about something.",
		Arguments: []*sdk.PromptArgument{{Name: "query", Description: "what it is about", Required: true}},
	}, func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if strings.TrimSpace(req.Params.Arguments["query"]) == "" {
			return nil, wired(fmt.Errorf("%w query: say what it is about", memory.ErrInvalid))
		}
		query := tokens.Fit(req.Params.Arguments["query"], mostQuery)
		found, err := s.search(ctx, call{s.sessionOf(req.Session)}, &searchArguments{Query: query, MaxTokens: 4000})
		if err != nil {
			return nil, wired(s.refusal("recall", err))
		}
		text := inert.Text(query) + "\n\n" + found.Text
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
	})
}

// private keeps what is read of memory out of caches that several share.
func private(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	if _, ok := req.GetParams().(*sdk.ReadResourceParams); ok {
		c.CacheScope = "private"
	}
}

// readable makes a resource of a text that is found by what stands last in its URI.
func (s *Server) readable(read func(ctx context.Context, id string) (string, error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		uri := req.Params.URI
		id, err := url.PathUnescape(uri[strings.LastIndexByte(uri, '/')+1:])
		if err != nil || len(id) > mostID {
			return nil, sdk.ResourceNotFoundError(uri)
		}
		text, err := read(ctx, id)
		if errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrInvalid) {
			return nil, sdk.ResourceNotFoundError(uri)
		}
		if err != nil {
			return nil, wired(s.refusal(uri, err))
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: text}}}, nil
	}
}

// journal is what was said in a session, the end of it.
func (s *Server) journal(ctx context.Context, id string) (string, error) {
	run, err := s.o.Memory.Runs().Session(ctx, id)
	if err != nil {
		return "", err
	}
	all := run.Events(inspect.EventQuery{Types: conversation})
	room, first := mostTokens*3/4, len(all)
	for first > 0 && room > 0 {
		first--
		room -= min(mostEvent, tokens.Estimate(all[first].Text)) + 20
	}
	var lines []string
	for _, e := range all[first:] {
		lines = append(lines, eventLine(fmt.Sprintf("%s/%d", inert.Line(run.Name), e.Seq), &e))
	}
	return s.framed(lines...), nil
}
