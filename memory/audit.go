package memory

import (
	"context"
	"iter"
	"time"
)

// AuditRecord is one decision about memory, in the audit trail.
type AuditRecord struct {
	V       int       `json:"v"` // set by [AuditTrail.Audit]
	TS      time.Time `json:"ts"`
	Op      AuditOp   `json:"op"`
	ID      string    `json:"id,omitempty"`
	Other   string    `json:"other,omitempty"` // the item it was weighed against
	By      string    `json:"by,omitempty"`    // who or what decided
	Why     string    `json:"why,omitempty"`
	Score   float64   `json:"score,omitempty"`
	Session string    `json:"session,omitempty"`

	// Project is the ID of the project in which it was decided, of what belongs to none.
	Project string `json:"project,omitempty"`

	// Of an undo: why, as a class, and which of the item's versions, counted
	// from 1 as the store lists them, held before and hold again; 0 is none.
	Reason string `json:"reason,omitempty"`
	From   int    `json:"from,omitempty"`
	To     int    `json:"to,omitempty"`

	// Question is the ID of the [Question] that an approval or a rejection answered,
	// and of an undo the one that waits again by it.
	Question string `json:"question,omitempty"`
}

// AuditOp is what was decided.
type AuditOp string

// The operations of the audit trail.
const (
	// Of a statement.
	AuditAdd      AuditOp = "add"
	AuditUpdate   AuditOp = "update"   // a new version
	AuditConfirm  AuditOp = "confirm"  // it was known already
	AuditConflict AuditOp = "conflict" // two items are at odds
	AuditAsk      AuditOp = "ask"      // it waits for a person
	AuditSkip     AuditOp = "skip"     // it is not worth keeping
	AuditPromote  AuditOp = "promote"  // to a higher tier
	AuditRedact   AuditOp = "redact"   // secrets were taken out

	// Understood in a trail, and written no more.
	AuditMerge     AuditOp = "merge"
	AuditSupersede AuditOp = "supersede"

	// Of an item, by a person or by age.
	AuditRetire  AuditOp = "retire"
	AuditArchive AuditOp = "archive"
	AuditRestore AuditOp = "restore"
	AuditPurge   AuditOp = "purge"
	AuditUndo    AuditOp = "undo" // with To above From it took an undo back

	// Of what waited for a person.
	AuditApprove AuditOp = "approve"
	AuditReject  AuditOp = "reject"

	// Of a session: a rule of the guardian spoke.
	AuditGuard AuditOp = "guard"

	// Of what came with a repository.
	AuditAccept  AuditOp = "accept"
	AuditTrust   AuditOp = "trust"
	AuditUntrust AuditOp = "untrust"
	// AuditUnreject takes [AuditReject] of such text back.
	AuditUnreject AuditOp = "unreject"
)

// AuditFilter chooses records; a zero field does not choose.
type AuditFilter struct {
	ID      string // as ID or Other
	Op      AuditOp
	Session string
	Since   time.Time
}

// Match reports whether a record passes the filter.
func (f *AuditFilter) Match(r *AuditRecord) bool {
	return (f.ID == "" || f.ID == r.ID || f.ID == r.Other) && (f.Op == "" || f.Op == r.Op) &&
		(f.Session == "" || f.Session == r.Session) && !r.TS.Before(f.Since)
}

// AuditTrail is a [Store] that keeps what was decided and why.
type AuditTrail interface {
	// Audit appends records durably. A record without a time gets the present
	// one.
	Audit(ctx context.Context, records ...AuditRecord) error
	// Audits yields the records that match, oldest first; nil matches all. What
	// cannot be read is yielded as an error, and the next ones follow.
	Audits(ctx context.Context, f *AuditFilter) iter.Seq2[AuditRecord, error]
}

// RedactedWhy begins the reason of an [AuditRedact], before the names of the rules
// that found a secret.
const RedactedWhy = "secrets taken out: "
