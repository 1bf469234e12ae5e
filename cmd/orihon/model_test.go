package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"orihon/llm"
	"orihon/llm/llmtest"
)

// scriptTinyModel is the program tiny-model DIR: it writes the source of a
// model of five tokens and two dimensions.
func scriptTinyModel() {
	if len(os.Args) != 2 {
		die("usage: tiny-model DIR")
	}
	dir := os.Args[1]
	const tokenizer = `{"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},
		"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"deploy":1,"ship":2,"部":3,"署":4}}}`
	header, err := json.Marshal(map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int{5, 2}, "data_offsets": []int{0, 40}}})
	if err != nil {
		die(err)
	}
	tensors := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for _, x := range []float32{0, 0, 1, 0, 1, 1, 0, 1, 0, 1} {
		tensors = binary.LittleEndian.AppendUint32(tensors, math.Float32bits(x))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		die(err)
	}
	for name, data := range map[string][]byte{"tokenizer.json": []byte(tokenizer), "model.safetensors": tensors} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			die(err)
		}
	}
}

// scriptServing is the program serving DIR PROGRAM...: it runs a program while
// the folder is served on this machine; URL in an argument is the address.
func scriptServing() {
	if len(os.Args) < 3 {
		die("usage: serving DIR PROGRAM [ARG...]")
	}
	s := httptest.NewServer(http.FileServer(http.Dir(os.Args[1])))
	defer s.Close()
	rest := os.Args[2:]
	for i := range rest {
		rest[i] = strings.ReplaceAll(rest[i], "URL", s.URL)
	}
	cmd := exec.Command(rest[0], rest[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		die(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// scriptOllama is the program ollama-server LOG PROGRAM...: it runs a program
// whose embedder is a server on this machine that speaks Ollama's API, and
// notes in LOG how many texts it was asked for.
func scriptOllama() {
	if len(os.Args) < 3 {
		die("usage: ollama-server LOG PROGRAM [ARG...]")
	}
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			die(err)
		}
		var out [][]float32
		for _, text := range in.Input {
			v := make([]float32, 16)
			for _, word := range strings.Fields(strings.ToLower(text)) {
				v[int(word[0])%16]++
			}
			v[0]++
			out = append(out, v)
		}
		asked += len(in.Input)
		if err := json.NewEncoder(w).Encode(map[string]any{"embeddings": out}); err != nil {
			die(err)
		}
	}))
	defer s.Close()
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Env = append(os.Environ(), "ORIHON_EMBEDDER_PROVIDER=ollama", "ORIHON_EMBEDDER_URL="+s.URL)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		die(err)
	}
	if err := os.WriteFile(os.Args[1], []byte(strconv.Itoa(asked)+"\n"), 0o600); err != nil {
		die(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// playedReplies are those in a file, where @FILE stands for an answer.
func playedReplies(answer string) (out []llmtest.Reply) {
	file, ok := strings.CutPrefix(answer, "@")
	if !ok {
		return nil
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil || len(out) == 0 {
		die(fmt.Sprint("replies in ", file, ": ", err))
	}
	return out
}

// scriptModelServer runs a program beside a server of language models, whose last
// request is printed behind what the program prints.
func scriptModelServer() {
	if len(os.Args) < 4 {
		die("usage: model-server ANSWER CONFIG PROGRAM [ARG...]")
	}
	script := playedReplies(os.Args[1])
	s := llmtest.Serve(func(n int, _ llmtest.Asked) llmtest.Reply {
		if len(script) > 0 {
			return script[min(n, len(script)-1)]
		}
		reply := llmtest.Reply{Text: os.Args[1], Usage: llm.Usage{Input: 1000, Output: 20, CacheRead: 400}}
		if status, err := strconv.Atoi(os.Args[1]); err == nil {
			reply = llmtest.Reply{Status: status}
		} else if os.Args[1] == "never" {
			reply = llmtest.Reply{Fault: llmtest.Silent}
		}
		return reply
	})
	defer s.Close()
	config, err := os.ReadFile(os.Args[2])
	if err != nil {
		die(err)
	}
	path := filepath.Join(os.Getenv("HOME"), ".orihon", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		die(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(config), "URL", s.URL)), 0o600); err != nil {
		die(err)
	}
	cmd := exec.Command(os.Args[3], os.Args[4:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		die(err)
	}
	for _, a := range s.Asked() {
		fmt.Fprintf(os.Stderr, "asked: %s %s %s\n", a.Path, a.Header.Get("X-Api-Key"), a.Body)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
