package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon/journal"
	"orihon/window"
	"orihon/window/plugin"
)

// hostEnv makes the test binary a host of plugins.
const hostEnv = "ORIHON_TEST_PLUGIN_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(hostEnv) == "" {
		os.Exit(m.Run())
	}
	question, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = plugin.Confine(4 << 30)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(plugin.Answer(context.Background(), question, &plugin.Options{MaxMemory: 128 << 20}))
}

func file(t testing.TB, name, source string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func events(t testing.TB) (out []journal.Event) {
	t.Helper()
	for i, text := range []string{"Mend the parser.", "修正登入錯誤", "Thanks."} {
		e, err := journal.New(journal.UserMessage, fmt.Sprint("p", i), journal.Message{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func answer(t testing.TB, path string, o *plugin.Options) (text, failed string) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"plugin_path": path, "events": journal.NewView(events(t)...).Events(), "system_prompt": "s", "task": "任務", "current_iteration": 3,
		"options": map[string]any{"n": 2}, "limits": map[string]any{"max_tokens": 500},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := plugin.Answer(context.Background(), raw, o)
	var a struct {
		Error    string
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v in %.200s", err, out)
	}
	for _, m := range a.Messages {
		text += m.Role + ":" + m.Content + "\n"
	}
	return text, a.Error
}

func TestPluginsBuildContexts(t *testing.T) {
	for name, tt := range map[string]struct{ source, want string }{
		"class.js": {`export default class { constructor(o) { this.n = o.n } buildContext(ctx) {
			return [{role: "system", content: ctx.system_prompt}, {role: "user", content: ctx.task + " " + this.n + " " + ctx.current_iteration + " " + ctx.limits.max_tokens}] } }`,
			"system:s\nuser:任務 2 3 500\n"},
		"function.js":   {`module.exports = function (ctx) { return {messages: [{role: "user", content: ctx.task}]} }`, "user:任務\n"},
		"named.mjs":     {`export function buildContext(ctx) { return [{role: "user", content: "named"}] }`, "user:named\n"},
		"namedclass.js": {`export class Mine { buildContext() { return [{role: "user", content: "mine"}] } }`, "user:mine\n"},
		"promise.js":    {`export async function buildContext(ctx) { const t = await Promise.resolve(ctx.task); return [{role: "user", content: t}] }`, "user:任務\n"},
		"typed.ts": {`interface Ctx { task: string; journal: any; tokens(s: string): number }
			export default class Typed { private n: number = 1; buildContext(ctx: Ctx): {role: string, content: string}[] {
				return [{role: "user", content: ctx.task + this.n + (ctx.tokens("one two") > 0)}] } }`, "user:任務1true\n"},
		"journal.js": {`export default ctx => [{role: "user", content: [ctx.journal.iterations(1, 2).length, ctx.journal.events("USER_MESSAGE").length,
			ctx.journal.events().length, ctx.journal.search("登入").map(e => e.payload.text).join()].join(" ")}]`, "user:2 3 3 修正登入錯誤\n"},
	} {
		got, failed := answer(t, file(t, name, tt.source), nil)
		if got != tt.want || failed != "" {
			t.Errorf("%s: %q, error %q", name, got, failed)
		}
	}
}

func TestHostilePluginsAreToldApartAndStopped(t *testing.T) {
	for name, tt := range map[string]struct{ source, want string }{
		"loop.js":     {`export default () => { for (;;) {} }`, "it took longer than 500ms"},
		"loaded.js":   {`for (;;) {}`, "it took longer than 500ms"},
		"promises.js": {`export default async () => { for (;;) await 1 }`, "it took longer than 500ms"},
		"getter.js":   {`export default () => ({ get messages() { for (;;) {} } })`, "it took longer than 500ms"},
		"memory.js":   {`export default () => { const a = []; for (;;) a.push(new Array(1000).fill({})) }`, "it took more than 64 MiB"},
		"giant.js":    {`export default () => [{role: "user", content: "x".repeat(9e6)}]`, "the limit is 1048576"},
		"regexp.js":   {`export default () => /^(a+)+$/.test("a".repeat(60) + "b")`, "it took longer than 500ms"},
		"caught.js":   {`export default async () => { for (;;) { try { await (async () => { for (;;) {} })() } catch {} } }`, "it took longer than 500ms"},
		"buffer.js":   {`export default () => new Uint8Array(1e10).length`, "uffer"},
		"deep.js":     {`const f = () => f(); export default f`, "nested too deeply"},
		"pending.js":  {`export default () => new Promise(() => {})`, "never kept"},
		"rejects.js":  {`export default async () => { throw new Error("no idea") }`, "no idea"},
		"throws.js":   {`export default () => { throw new TypeError("壞掉") }`, "壞掉"},
		"nothing.js":  {`export default () => {}`, "no messages"},
		"number.js":   {`export default () => 7`, "no messages"},
		"empty.js":    {`export default () => []`, "no messages"},
		"cyclic.js":   {`export default () => { const a = [1]; a.push(a); return a }`, "yclic"},
		"noexport.js": {`const x = 1`, "no class or function"},
		"syntax.ts":   {"let a: = 1", "syntax.ts:1"},
		"require.js":  {`const fs = require("fs"); export default () => fs.readFileSync("/etc/passwd")`, "cannot be loaded: fs"},
		"import.js":   {`import fs from "node:fs"; export default () => [{role: "user", content: fs.readFileSync("/etc/passwd")}]`, "cannot be loaded: node:fs"},
		"process.js":  {`export default () => [{role: "user", content: process.env.HOME}]`, "'process' is not defined"},
		"fetch.js":    {`export default () => fetch("http://127.0.0.1/")`, "'fetch' is not defined"},
		"dynamic.js":  {`export default async () => { const m = await import("fs"); return m }`, ""},
		"escape.js":   {`export default ctx => [{role: "user", content: ctx.journal.iterations.constructor("return process")().env}]`, "'process' is not defined"},
		"readonly.js": {"export default ctx => {\n ctx.journal.append({type: 'x'}) }", "not a function (line 2)"},
	} {
		// Patience is for what ends by itself; a machine may be busy.
		o := &plugin.Options{Timeout: time.Minute, MaxMemory: 1 << 30, MaxOutput: 1 << 20}
		if strings.HasPrefix(tt.want, "it took longer") {
			o.Timeout = 500 * time.Millisecond
		}
		if name == "memory.js" {
			o.MaxMemory = 64 << 20
		}
		if got, failed := answer(t, file(t, name, tt.source), o); got != "" || failed == "" || !strings.Contains(failed, tt.want) {
			t.Errorf("%s: %.100q, error %q, want %q", name, got, failed, tt.want)
		}
	}
	if _, failed := answer(t, filepath.Join(t.TempDir(), "gone.js"), nil); failed == "" {
		t.Error("a file that is not there was run")
	}
	if _, failed := answer(t, file(t, "big.js", strings.Repeat("x", 2<<20)), nil); !strings.Contains(failed, "1048576 bytes") {
		t.Errorf("a large file: %q", failed)
	}
	if out := plugin.Answer(context.Background(), []byte("["), nil); !strings.Contains(string(out), `"error"`) {
		t.Errorf("a broken question: %s", out)
	}
}

// The strategy with a real host process: what cannot be stopped inside is killed
// from outside, and the default strategy builds.
func TestTheStrategyFallsBackWhenAPluginFails(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(hostEnv, "1")
	for name, tt := range map[string]struct{ source, want, failure string }{
		"good.ts":    {`export default (ctx: any) => [{role: "user", content: "built of " + ctx.journal.events().length}]`, "built of 3", ""},
		"invalid.js": {`export default () => [{role: "assistant", content: "me first"}]`, "Thanks.", "begins with the user"},
		"budget.js":  {`export default () => [{role: "user", content: "word ".repeat(5000)}]`, "Thanks.", "the limit is 500"},
		"loop.js":    {`export default () => { for (;;) {} }`, "Thanks.", ""},
		"huge.js":    {`export default () => { let s = "x"; for (;;) s = s + s + "y".repeat(1 << 28) }`, "Thanks.", ""},
	} {
		b, err := window.New(window.Plugin, &window.Options{Plugin: window.PluginOptions{Path: file(t, name, tt.source), Host: []string{self}, Timeout: 4 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		messages, err := window.Build(context.Background(), b, window.Input{View: journal.NewView(events(t)...), Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		if got := messages[len(messages)-1].Text; got != tt.want {
			t.Errorf("%s: %q (%v)", name, got, window.Failure(b))
		}
		failure := fmt.Sprint(window.Failure(b))
		if (tt.want == "Thanks.") != (window.Failure(b) != nil) || tt.failure != "" && !strings.Contains(failure, tt.failure) {
			t.Errorf("%s: failure %q, want %q", name, failure, tt.failure)
		}
	}
}
