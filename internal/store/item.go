package store

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"orihon/memory"
)

// check refuses what cannot be read back as it was written.
func check(it *memory.Item) error {
	if err := it.Validate(); err != nil {
		return err
	}
	for _, text := range []string{it.ID, it.Title, it.Content} {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return fmt.Errorf("%w item %s: its text is not valid UTF-8 or holds a NUL", memory.ErrInvalid, it.ID)
		}
	}
	if strings.ContainsAny(it.ID, "\n\r") {
		return fmt.Errorf("%w item %q: the id has more than one line", memory.ErrInvalid, it.ID)
	}
	return nil
}

// normal spells kind, topic, tier and source as the constants do.
func normal(it memory.Item) memory.Item {
	it.Kind, _ = memory.ParseKind(string(it.Kind))
	it.Topic, _ = memory.ParseTopic(string(it.Topic))
	it.Tier, _ = memory.ParseTier(string(it.Tier))
	it.Metadata.Source, _ = memory.ParseSource(string(it.Metadata.Source))
	return it
}
