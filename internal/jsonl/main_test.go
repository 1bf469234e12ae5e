package jsonl_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"orihon/internal/jsonl"
)

// writerEnv makes the test binary a writer process: its value is the folder,
// the argument behind it the writer's name.
const writerEnv = "ORIHON_TEST_JSONL_WRITER"

const linesPerWriter = 200

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		if err := writeLines(filepath.Join(dir, "log.jsonl"), os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func writeLines(path, name string) error {
	for i := range linesPerWriter {
		line := fmt.Appendf(nil, `{"writer":%q,"n":%d,"text":"部署 %0*d"}`, name, i, i%97, i)
		if _, err := jsonl.Append(context.Background(), path, nil, line); err != nil {
			return err
		}
	}
	return nil
}
