package plugin

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"modernc.org/quickjs"
)

// machine is an interpreter that keeps to its limits.
type machine struct {
	vm  *quickjs.VM
	ctx context.Context
	o   Options

	done    chan struct{}
	watcher sync.WaitGroup
}

// maxDepth is how deep calls are nested, about one for each: every one takes some
// 3 kB of our own stack, which ends a process that has too many.
const maxDepth = 10_000

// newMachine makes an interpreter. When the context ends it is interrupted, again
// and again, because what runs next begins anew.
func newMachine(ctx context.Context, o Options) (*machine, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	vm.SetMemoryLimit(uintptr(o.MaxMemory))
	vm.SetMaxStackSize(maxDepth)
	m := &machine{vm: vm, ctx: ctx, o: o, done: make(chan struct{})}
	m.watcher.Go(func() {
		select {
		case <-m.done:
			return
		case <-ctx.Done():
		}
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			vm.Interrupt()
			select {
			case <-m.done:
				return
			case <-tick.C:
			}
		}
	})
	return m, nil
}

func (m *machine) close() {
	close(m.done)
	m.watcher.Wait()
	_ = m.vm.Close() // the process ends after it
}

// run evaluates a script and everything that waits for its promises.
func (m *machine) run(script string) error {
	_, err := m.vm.Eval(script, quickjs.EvalGlobal)
	for n := 1; err == nil && n > 0 && m.ctx.Err() == nil; {
		n, err = m.vm.ExecutePendingJobs()
	}
	if m.ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		return m.plain(err)
	}
	return nil
}

// plain words an error of the interpreter, on one line.
func (m *machine) plain(err error) error {
	text := oneLine(err.Error())
	switch {
	case m.ctx.Err() != nil, strings.HasSuffix(text, "interrupted"):
		return fmt.Errorf("it took longer than %s", m.o.Timeout)
	case strings.HasSuffix(text, "out of memory"):
		return fmt.Errorf("it took more than %d MiB of memory", m.o.MaxMemory>>20)
	case strings.HasSuffix(text, "stack overflow"), strings.HasSuffix(text, "stack size exceeded"):
		return errors.New("its calls are nested too deeply")
	}
	return errors.New(text)
}

// compiler is sucrase 3.35.1 (MIT, see NOTICE), which takes types out of
// TypeScript line by line, bundled and minified by esbuild from
// "export {transform} from 'sucrase'" with
//
//	--bundle --minify --format=iife --global-name=sucrase --platform=neutral --main-fields=module,main
//
// and packed with gzip -9n.
var compiler = sync.OnceValues(func() (string, error) {
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(in)
	return string(text), err
})

//go:embed typescript.js.gz
var packed []byte

const strip = `(source, name) => sucrase.transform(source, {transforms: ["typescript"], disableESTransforms: true, filePath: name}).code`

// withoutTypes makes JavaScript of TypeScript, in an interpreter of its own.
func withoutTypes(ctx context.Context, name, source string, o Options) (string, error) {
	m, err := newMachine(ctx, o)
	if err != nil {
		return "", err
	}
	defer m.close()
	types, err := compiler()
	if err != nil {
		return "", fmt.Errorf("compiler of TypeScript: %w", err)
	}
	if err := m.run(types); err != nil {
		return "", err
	}
	code, err := m.vm.Call(strip, source, name)
	if err != nil {
		return "", m.plain(inTypeScript(name, err))
	}
	text, ok := code.(string)
	if !ok {
		return "", errors.New("it cannot be read as TypeScript")
	}
	return text, nil
}

// inTypeScript words the compiler's "SyntaxError: Error transforming a.ts: what (1:8)".
func inTypeScript(name string, err error) error {
	text := oneLine(err.Error())
	what, ok := strings.CutPrefix(text, "SyntaxError: Error transforming "+name+": ")
	if !ok {
		return err
	}
	if what, at, ok := strings.Cut(what, " ("); ok {
		line, _, _ := strings.Cut(at, ":")
		return fmt.Errorf("%s:%s: %s", name, line, what)
	}
	return fmt.Errorf("%s: %s", name, what)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
