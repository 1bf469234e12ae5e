package agent

import (
	"context"
	"encoding/json"
	"time"

	"orihon/internal/child"
)

// hookTime is how long a hook may take.
const hookTime = 10 * time.Second

// hook tells a command of the definition what happened.
func (r *run) hook(ctx context.Context, words []string, e Event) {
	if len(words) == 0 {
		return
	}
	input, err := json.Marshal(e)
	if err != nil {
		return
	}
	def := &ToolDef{Command: words}
	path, args, err := r.place.program(def)
	if err == nil {
		_, _, err = child.Run(context.WithoutCancel(ctx), child.Command{
			Path: path, Args: args, Dir: r.place.work, Env: r.place.environment(def), Stdin: input, Timeout: hookTime, MaxOutput: 64 << 10,
		})
	}
	if err != nil {
		r.notice("the hook %s failed: %v", words[0], err)
	}
}
