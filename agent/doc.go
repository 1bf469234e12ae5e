// Package agent runs agents: a folder with config.yaml and system_prompt.md says
// which model is asked, which commands it may call, and what it sees. The loop
// recalls from memory, builds the context, asks, runs what the answer calls, and
// writes everything into a journal from which a run goes on after any end.
//
// It knows no provider and no settings: a model is handed in, and so are memory
// and the session that a run is for it. Nothing is global; a run that has no
// memory leaves its journal and nothing else.
//
// # Where to start
//
// [Read] or [Standard] gives a [Definition], [New] an [Agent], [Agent.Run] works
// on a task. The loop stands in agent.go, as it is described in [Agent.Run].
//
// # What a run leaves
//
// A folder with journal.jsonl, see package journal; run.json, which names the
// agent; io/sub_agents/ with the journals of its sub-agents, and tasks/ with
// their whole output where that was too long for a report. A call of a tool is
// acknowledged when its result stands in the journal. One that was begun and has
// none is never repeated: the model is told that its outcome is unknown.
//
// # Cost
//
// An iteration costs, beside the model and the tools, what its strategy costs
// (see package window), one recall, and one wait for the disk.
package agent
