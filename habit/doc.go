// Package habit is what was learned of how somebody works: instincts, each one
// trigger and one action with the dated places where it was seen, one Markdown
// file each. It reads and writes these files ([Read], [Write], [Parse],
// [Instinct.Markdown]) and keeps a folder of them ([Store]).
//
// It finds no habits, that is package mining's, and shows them to nobody. A file
// may have been edited by hand or come from elsewhere: what is wrong with it is
// said with its line, and costs that file alone.
//
// # The file
//
//	---
//	id: prefer-pnpm-3f2a
//	trigger: when installing packages
//	confidence: 0.6
//	domain: packages
//	kind: preference
//	source: observed
//	created_at: 2026-03-02T09:10:00Z
//	evidence_count: 2
//	---
//
//	## Action
//
//	Use pnpm, not npm.
//
//	## Evidence
//
//	- 2026-03-02T09:10:00Z [5d3c/14] pnpm add zod
//	- 2026-03-04T16:22:00Z [81aa/6] pnpm install
//
// The place of evidence is a session, escaped as in a URL's path, and the number
// of an event in its journal. A section "## Against" has lines of the same form,
// where the person took it back. Other sections stay as they are.
package habit
