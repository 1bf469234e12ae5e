package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestToolsAreServedToTheClientThatStartedTheServerWhileItRuns(t *testing.T) {
	dir := t.TempDir()
	client := Caller()
	if Served(dir, client) {
		t.Error("served before anything runs")
	}
	release := Serve(dir)
	if !Served(dir, client) {
		t.Error("not served while the server runs")
	}
	other := client
	other.Start += "-later" // the number was given to another process
	if Served(dir, other) || Served(dir, Process{}) {
		t.Error("served to another client")
	}
	release()
	if Served(dir, client) {
		t.Error("served after the end")
	}
}

func TestANoteOfAServerThatDiedIsNotBelieved(t *testing.T) {
	dir := t.TempDir()
	client := Caller()
	for name, text := range map[string]string{
		"a server that died": `{"server":{"pid":2147483646,"pid_start":"1"},"client":` + string(must(json.Marshal(client))) + `}`,
		"no JSON":            `{"server":`,
		"no server":          `{"client":` + string(must(json.Marshal(client))) + `}`,
	} {
		path := servedPath(dir, client)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if Served(dir, client) {
			t.Errorf("%s: served", name)
		}
		stale := filepath.Join(filepath.Dir(path), "tools-7.json")
		if err := os.WriteFile(stale, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		Serve(dir)()
		if _, err := os.Stat(stale); err == nil {
			t.Errorf("%s: the note stays", name)
		}
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
