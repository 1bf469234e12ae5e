package learn

import (
	"slices"
	"strings"

	"orihon/memory"
)

// Event is something that changes how far an item is believed: what it is worth.
type Event float64

// The events.
const (
	SeenAgain     Event = 0.1
	UserConfirms  Event = 0.2
	Contradiction Event = -0.2
)

// Believe is a confidence after an event, within 0..1.
func Believe(confidence float64, e Event) float64 { return min(1, max(0, confidence+float64(e))) }

// capped bounds what an item of untrusted origin may be believed. One that is
// believed further already was confirmed by a person.
func capped(it *memory.Item, confidence float64) float64 {
	if untrusted(it) && it.Metadata.Confidence <= memory.ImportedConfidence {
		return min(confidence, memory.ImportedConfidence)
	}
	return confidence
}

// How often an item must be seen again before its tier changes.
const (
	promoteAfter = 20 // confirmations: provisional becomes observed by itself
	proposeAfter = 4  // sessions: the next tier is proposed
	mostEvidence = 40 // references kept, the latest
)

// confirm makes an item one that was said again. It reports false when that is
// no news: the same session said it before.
func (b *batch) confirm(it *memory.Item, s Statement) bool {
	session := s.Session
	if session == "" && !s.byUser() {
		// Without a session the repetitions of a day count as one.
		session = string(s.Source) + " " + b.l.o.Now().UTC().Format("2006-01-02")
	}
	if session != "" && saidIn(it, session) {
		return false
	}
	m := &it.Metadata
	if s.byUser() {
		m.Confidence = Believe(m.Confidence, UserConfirms)
		m.Tags = slices.DeleteFunc(slices.Clone(m.Tags), func(t string) bool { return t == memory.UntrustedTag })
	} else {
		m.Confidence = capped(it, Believe(m.Confidence, SeenAgain))
	}
	m.Confirmations++
	m.UpdatedAt = b.l.o.Now().UTC()
	m.Evidence = union(slices.Clone(m.Evidence), s.Evidence)
	if session != "" && !saidIn(it, session) {
		m.Evidence = append(m.Evidence, session)
	}
	m.Evidence = m.Evidence[max(0, len(m.Evidence)-mostEvidence):]
	return true
}

// saidIn reports whether a session is among those an item was said in: its own,
// and those its evidence names, as "<session>" or "<session>/<event>".
func saidIn(it *memory.Item, session string) bool {
	if it.Metadata.Session == session {
		return true
	}
	return slices.ContainsFunc(it.Metadata.Evidence, func(e string) bool {
		rest, ok := strings.CutPrefix(e, session)
		return ok && (rest == "" || rest[0] == '/')
	})
}

// promote raises the tier of an item that was confirmed often enough, and
// returns the tier that is a person's to give. Settled is never reached by
// itself.
func (b *batch) promote(it *memory.Item, s Statement) (proposed memory.Tier) {
	m := &it.Metadata
	provisional := it.Tier == memory.Provisional || it.Tier == ""
	switch {
	case provisional && s.byUser():
		it.Tier = memory.Observed
		b.audit(memory.AuditRecord{Op: memory.AuditPromote, Why: "provisional to observed: stated by user"}, it, &s)
	case provisional && m.Confirmations >= promoteAfter:
		it.Tier = memory.Observed
		b.audit(memory.AuditRecord{Op: memory.AuditPromote, Why: "provisional to observed: confirmed 20 times"}, it, &s)
	}
	if m.Confirmations+1 < proposeAfter || it.Tier == memory.Settled {
		return ""
	}
	next := memory.Settled
	if it.Tier == memory.Provisional || it.Tier == "" {
		next = memory.Observed
	}
	if m.Confirmations+1 == proposeAfter || m.Confirmations == promoteAfter {
		up := *it
		up.Tier = next
		b.propose(memory.QuestionPromote, up, it.ID, "seen in several sessions")
	}
	return next
}

// bullet reports whether an item is a line of an atom, which has no place for
// more than its text and tier.
func bullet(it *memory.Item) bool { return strings.Contains(it.ID, "#") }
