package importer

import (
	"encoding/json"

	"orihon/memory"
)

// ledger reads lines of our own, as orihon export and the ledgers hold them.
type ledger struct{ *run }

func (l *ledger) take(_ string, raw json.RawMessage, line int) error {
	var rec struct {
		V  int    `json:"v"`
		Op string `json:"op"`
		memory.Item
	}
	if err := json.Unmarshal(raw, &rec); err != nil {
		l.problem(line, err.Error())
		return nil
	}
	const known = 1
	switch {
	case rec.V > known:
		l.problem(line, "was written by a newer version: update this program")
		return nil
	case rec.Op != "":
		l.count(rec.Op)
		return nil // what was forgotten there is not known here
	}
	if err := rec.Item.Validate(); err != nil {
		l.problem(line, err.Error())
		return nil
	}
	l.count("item")
	it := rec.Item
	return l.fact(Fact{
		ID: it.ID, Title: it.Title, Text: it.Content, Kind: it.Kind, Topic: it.Topic, Tags: it.Metadata.Tags,
		Confidence: it.Metadata.Confidence, Created: it.Metadata.CreatedAt, Updated: it.Metadata.UpdatedAt,
		ValidFrom: it.ValidFrom, ValidTo: it.ValidTo, Session: it.Metadata.Session, Item: &it,
	}, line)
}
