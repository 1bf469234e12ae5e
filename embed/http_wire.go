package embed

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"orihon/internal/apiclient"
)

// Answers of HTTP that mean something here.
const (
	statusBadInput     = 400
	statusUnauthorized = 401
	statusForbidden    = 403
	statusNotFound     = 404
	statusTooLarge     = 413
	statusUnusable     = 422
)

// ollama speaks the API of Ollama, POST /api/embed.
type ollama struct{ c *Config }

type ollamaRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	KeepAlive  string   `json:"keep_alive"`
	Dimensions int      `json:"dimensions,omitempty"`
}

// ollamaKeepAlive is how long the server keeps the model in memory: loading it
// takes longer than a prompt can wait.
const ollamaKeepAlive = "30m"

func (ollama) path() string { return "api/embed" }

func (o ollama) body(texts []string) any {
	return ollamaRequest{Model: o.c.Model, Input: texts, KeepAlive: ollamaKeepAlive, Dimensions: o.c.Dimensions}
}

func (ollama) answer() answer { return &ollamaAnswer{} }

func (o ollama) explain(e *apiclient.Error) string {
	if e.Status == statusNotFound && strings.Contains(e.Message, "model") {
		return "run `ollama pull " + o.c.Model + "`"
	}
	return ""
}

type ollamaAnswer struct {
	Embeddings [][]float32 `json:"embeddings"`
}

func (a *ollamaAnswer) vectors(n int) ([][]float32, error) {
	if len(a.Embeddings) != n {
		return nil, wrongCount(len(a.Embeddings), n)
	}
	return a.Embeddings, nil
}

func wrongCount(got, want int) error {
	return fmt.Errorf("it gave %d vectors for %d texts", got, want)
}

// openAI speaks the embeddings API that OpenAI began and most servers follow,
// POST /v1/embeddings.
type openAI struct{ c *Config }

type openAIRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

func (openAI) path() string { return "embeddings" }

func (o openAI) body(texts []string) any {
	return openAIRequest{Model: o.c.Model, Input: texts, Format: "float", Dimensions: o.c.Dimensions}
}

func (openAI) answer() answer { return &openAIAnswer{} }

func (o openAI) explain(e *apiclient.Error) string {
	if e.Status == statusNotFound {
		return "check embedder.url and embedder.model (" + o.c.Model + ")"
	}
	return ""
}

type openAIAnswer struct {
	Data []struct {
		Index     *int        `json:"index"`
		Embedding floatVector `json:"embedding"`
	} `json:"data"`
}

// vectors puts them in the order that their indexes say; a server that numbers
// none has kept the order.
func (a *openAIAnswer) vectors(n int) ([][]float32, error) {
	if len(a.Data) != n {
		return nil, wrongCount(len(a.Data), n)
	}
	out := make([][]float32, n)
	for i, d := range a.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || out[at] != nil || d.Embedding == nil {
			return nil, errors.New("it did not give each text one vector")
		}
		out[at] = d.Embedding
	}
	return out, nil
}

// floatVector is a vector as numbers, or as base64 of little-endian float32,
// which some servers send whatever they are asked.
type floatVector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *floatVector) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '"' {
		return json.Unmarshal(data, (*[]float32)(v))
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%4 != 0 {
		return errors.New("a vector is no base64 of float32")
	}
	*v = make(floatVector, len(raw)/4)
	for i := range *v {
		(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}
