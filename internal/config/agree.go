package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"orihon/memory"
	"orihon/window"
)

// agree mends settings that contradict each other, or name what is not there.
func (l *loader) agree() {
	c, def := l.config, Default()
	if r := &c.Recall; r.ThresholdMin > r.Threshold {
		l.complain("recall.threshold_min", "recall.threshold_min %g is above recall.threshold %g, which is used for both", r.ThresholdMin, r.Threshold)
		r.ThresholdMin = r.Threshold
	}
	if r := &c.Recall; r.RecencyWeight+r.AccessWeight > 1 {
		l.complain("recall.recency_weight", "recall.recency_weight and recall.access_weight are more than 1 together; the defaults are used")
		r.RecencyWeight, r.AccessWeight = def.Recall.RecencyWeight, def.Recall.AccessWeight
	}
	l.zones(&c.ContextBuilder.Options, &def.ContextBuilder.Options)
	l.builder(&c.ContextBuilder)
	summarizers := window.Summarizers()
	if a := &c.AutoSummarize; !slices.Contains(summarizers, a.Agent) && (builtIn(a.Agent) || !isFile(a.Agent)) {
		name := filepath.Base(a.Agent)
		want := cmp.Or(DidYouMean(name, summarizers), DidYouMean(builtInPrefix+name, summarizers), ": want one of "+strings.Join(summarizers, ", ")+", or the path of a program")
		l.complain("auto_summarize.summarizer_agent", "auto_summarize.summarizer_agent %q is no summariser%s; %s is used", a.Agent, want, def.AutoSummarize.Agent)
		a.Agent = def.AutoSummarize.Agent
	}
}

func (l *loader) report(p *Problem) { l.problems = append(l.problems, p) }

// complain reports a setting at the place where it was set.
func (l *loader) complain(key, format string, v ...any) {
	l.report(&Problem{Key: key, Mended: true, Text: l.config.Origin(key) + ": " + fmt.Sprintf(format, v...), cause: memory.ErrInvalid})
}

// zones checks that the parts of a window are no more than the window.
func (l *loader) zones(o, def *ContextOptions) {
	sum := o.Working + o.ShortTerm + o.LongTerm + o.Retrieved + o.Dynamic
	if math.Round(sum*1e6) <= 1e6 { // shares such as 0.3 have no exact sum
		return
	}
	at, most := "", 0.0 // the largest one that was set
	for name, share := range map[string]float64{"working": o.Working, "short_term": o.ShortTerm, "long_term": o.LongTerm, "retrieved": o.Retrieved, "dynamic": o.Dynamic} {
		if key := optionsKey + name; l.config.Origin(key) != "default" && (share > most || share == most && key < at) {
			at, most = key, share
		}
	}
	l.complain(at, "working, short_term, long_term, retrieved and dynamic of context_builder.options are %.4g together: want 1 at most; the defaults are used", sum)
	o.Working, o.ShortTerm, o.LongTerm, o.Retrieved, o.Dynamic = def.Working, def.ShortTerm, def.LongTerm, def.Retrieved, def.Dynamic
}

// builder looks for the program that builds contexts, and sorts out whose the
// options are that no setting has. A strategy that lacks its program stays set: the
// default one builds in its place.
func (l *loader) builder(b *ContextBuilder) {
	if why := badPlugin(b.PluginPath); why != "" {
		l.complain(pluginPathKey, "context_builder.plugin_path %q: %s; the default strategy builds", b.PluginPath, why)
		b.PluginPath = ""
	}
	if why := badCommand(b.Hook.Command, l.sources.Home); why != "" && b.Hook.Type == "script" {
		l.complain(hookKey, "context_builder.hook.command: %s; the default strategy builds", why)
		b.hookGone = true
	}
	l.lacks(b.Strategy == "plugin" && b.PluginPath == "", pluginPathKey, "the path of a .js or .ts file")
	l.lacks(b.Strategy == "custom" && b.Hook.Type == "script" && len(b.Hook.Command) == 0, hookKey, "a program and its arguments")
	if b.Strategy != "plugin" {
		for _, o := range l.own {
			l.report(o.Problem)
		}
		return
	}
	b.PluginOptions = make(map[string]any)
	for _, o := range l.own {
		b.PluginOptions[optionOf(o.Key)] = o.value
	}
	for name := range l.config.origin {
		if option := optionOf(name); option != "" {
			b.PluginOptions[option] = l.config.field(findKey(name)).Interface()
		}
	}
}

// lacks says that the strategy needs a setting, unless what the file has for it was
// refused already.
func (l *loader) lacks(missing bool, key, want string) {
	told := slices.ContainsFunc(l.problems, func(err error) bool {
		p, ok := errors.AsType[*Problem](err)
		return ok && p.Key == key
	})
	if missing && !told {
		l.complain("context_builder.strategy", "context_builder.strategy %s: set %s to %s; the default strategy builds", l.config.ContextBuilder.Strategy, key, want)
	}
}

// badPlugin says why a file cannot be a plug-in; empty for one that can, and for none.
func badPlugin(path string) string {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case path == "":
		return ""
	case !slices.Contains([]string{".js", ".ts", ".mjs", ".mts"}, ext):
		return "it must be a .js or .ts file"
	case !isFile(path):
		return "there is no such file"
	}
	return ""
}

// badCommand says why a command cannot be started, or finds no script behind its
// program; empty for one that can, and for none.
func badCommand(command []string, home string) string {
	if len(command) == 0 || home == "" && strings.HasPrefix(command[0], "${AGENT_HOME}") {
		return ""
	}
	words := slices.Clone(command)
	for i, w := range command {
		if home != "" {
			words[i] = strings.ReplaceAll(w, "${AGENT_HOME}", home)
		}
	}
	fields := strings.Fields(words[0])
	switch _, err := exec.LookPath(words[0]); {
	case err == nil:
	case len(words) == 1 && len(fields) > 1:
		return fmt.Sprintf("there is no program %q: write it as a list, [%s]", clipped(words[0]), clipped(strings.Join(fields, ", ")))
	case !strings.ContainsAny(words[0], `/\`):
		return fmt.Sprintf("there is no program %q on your PATH: install it, or give its path", clipped(words[0]))
	case filepath.IsAbs(words[0]):
		return fmt.Sprintf("there is no program %q: mend the path, or make the file executable", words[0])
	}
	if len(words) > 1 && filepath.IsAbs(words[1]) && filepath.Ext(words[1]) != "" && !strings.Contains(words[1], " ") && !isFile(words[1]) {
		return fmt.Sprintf("there is no file %q: mend the path", words[1])
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
