package agent

import (
	"time"

	"orihon/window"
)

// Definition is an agent as its folder describes it. The zero value of each part
// means the default named there.
type Definition struct {
	// Dir is the agent's folder, absolute; empty for one that has none. Commands
	// with a relative path lie below it.
	Dir string `yaml:"-"`
	// Prompt is system_prompt.md.
	Prompt string `yaml:"-"`
	// Schema is output.schema.json, to which the last answer has to hold; nil
	// when the folder has none.
	Schema []byte `yaml:"-"`
	// Context is the section context_builder.
	Context ContextDef `yaml:"-"`
	// Mended are mistakes in the files that leave a run possible: they say what is
	// used instead.
	Mended []*Problem `yaml:"-"`

	Name        string    `yaml:"name"` // required: letters, digits, - and _; a scope may stand before it, @scope/name
	Version     string    `yaml:"version"`
	Description string    `yaml:"description"`
	LLM         LLM       `yaml:"llm"`
	Tools       []ToolDef `yaml:"tools"`
	Memory      MemoryDef `yaml:"memory"`
	Limits      Limits    `yaml:"limits"`
	Hooks       Hooks     `yaml:"hooks"`
}

// LLM says which model is wanted. Which there are is the user's to say.
type LLM struct {
	Backend     string   `yaml:"backend"` // its name in the user's settings
	Model       string   `yaml:"model"`
	Temperature *float64 `yaml:"temperature"`
	MaxTokens   int      `yaml:"max_tokens"` // of an answer; 4096
}

// Kinds of tools.
const (
	CommandTool  = "command"
	SubAgentTool = "sub_agent"
	MCPTool      = "mcp"
)

// ToolDef is a tool of the configuration.
type ToolDef struct {
	Name        string `yaml:"name"`
	Type        string `yaml:"type"` // command (the default), sub_agent or mcp
	Description string `yaml:"description"`

	// Of commands and of MCP servers: the program and its arguments. No shell
	// reads them unless Shell is set; then Command has one entry, the script, and
	// what is injected as arguments is $1, $2 and so on.
	Command    []string          `yaml:"command"`
	Shell      bool              `yaml:"shell"`
	Parameters []Parameter       `yaml:"parameters"`
	WorkDir    string            `yaml:"workdir"` // below the run's working directory
	Env        map[string]string `yaml:"env"`
	PassEnv    []string          `yaml:"pass_env"`   // variables of the runner's own environment
	Timeout    time.Duration     `yaml:"timeout"`    // 60 seconds; of a sub-agent 10 minutes
	MaxOutput  int               `yaml:"max_output"` // bytes; 256 KiB

	AgentPath string   `yaml:"agent_path"` // of a sub-agent: below the agent's folder, or a standard or installed agent
	Allow     []string `yaml:"allow"`      // of an MCP server: the tools that may be called, by name
}

// Ways of handing a parameter to a command.
const (
	InjectArgument = "argument" // a word of its own, in the order of the parameters
	InjectOption   = "option"   // --name=value, or as Parameter.Option says
	InjectStdin    = "stdin"
	InjectEnv      = "env"
)

// Types of parameters.
const (
	TypeString  = "string"
	TypeInteger = "integer"
	TypeNumber  = "number"
	TypeBoolean = "boolean"
	TypePath    = "path" // below the working directory, symlinks followed
	TypeList    = "list" // of strings
)

// Parameter is a typed parameter of a command.
type Parameter struct {
	Name        string   `yaml:"name"`
	Type        string   `yaml:"type"` // string
	Description string   `yaml:"description"`
	Required    bool     `yaml:"required"`
	Default     *string  `yaml:"default"`
	Enum        []string `yaml:"enum"`      // of a string
	InjectAs    string   `yaml:"inject_as"` // argument
	// Option is the option of inject_as: option. One that ends in = takes its
	// value in the same word, another one in the next; empty is --name=.
	Option string `yaml:"option"`
	// EnvName is the variable of inject_as: env; empty is the name in capitals.
	EnvName string `yaml:"env_name"`
	// Dash lets a value of inject_as: argument begin with a dash, which programs
	// may take for an option. Behind a -- in the command that is not needed.
	Dash bool `yaml:"allow_dash"`
}

// ContextDef says what the model sees of a run.
type ContextDef struct {
	Strategy string // of package window; sliding_window
	// Options tune it. A file says them as the user's config.yaml does. Where programs
	// run, and with what, each run fills in.
	Options window.Options
}

// MemoryDef says what an agent has of long-term memory.
type MemoryDef struct {
	Recall   *bool `yaml:"recall"`   // true
	Capture  *bool `yaml:"capture"`  // true
	Messages int   `yaml:"messages"` // last messages that are asked with; 5
	Tokens   int   `yaml:"tokens"`   // of what is recalled in a turn; 1,500
}

// Limits bound a run. Iterations and time count anew when it is resumed.
type Limits struct {
	MaxIterations int           `yaml:"max_iterations"` // 50
	Time          time.Duration `yaml:"time"`           // 0 sets no bound
	Tokens        int64         `yaml:"tokens"`         // in and out, of the whole run; 0 sets no bound
	ContextTokens int           `yaml:"context_tokens"` // the model's window, answer included; 100,000
	Parallel      int           `yaml:"parallel"`       // tool calls at once; 8
}

// Hooks are commands that are told of a run: they get an [Event] as JSON on
// standard input. What they print is not read, and one that fails is logged.
type Hooks struct {
	Start     []string `yaml:"start"`
	Iteration []string `yaml:"iteration"` // after the results of each
	End       []string `yaml:"end"`
}

// on reports a switch that is on unless it was set to false.
func on(b *bool) bool { return b == nil || *b }
