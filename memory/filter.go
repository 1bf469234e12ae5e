package memory

import "slices"

// Match reports whether a passage passes the filter. Adapters that cannot put
// the filter into a query, and tests, use it; it is the filter's definition.
func (f *Filter) Match(p *Passage) bool {
	it := &p.Item
	switch {
	case !slices.Contains(f.Scopes, it.Scope),
		len(f.Kinds) > 0 && !slices.Contains(f.Kinds, it.Kind),
		len(f.Topics) > 0 && !slices.Contains(f.Topics, it.Topic),
		len(f.Tiers) > 0 && !slices.Contains(f.Tiers, it.Tier),
		len(f.Tags) > 0 && !slices.ContainsFunc(f.Tags, func(t string) bool { return slices.Contains(it.Metadata.Tags, t) }),
		it.Metadata.Confidence < f.MinConfidence,
		p.Retired && !f.Retired,
		p.Conversation() && (f.NoTurns || f.NotSession != "" && it.Metadata.Session == f.NotSession),
		!f.Since.IsZero() && it.Metadata.CreatedAt.Before(f.Since),
		!f.Until.IsZero() && it.Metadata.CreatedAt.After(f.Until):
		return false
	case p.SupersededBy != "" && f.Superseded:
		return f.AsOf.IsZero() || f.begun(it)
	case p.SupersededBy != "" && (f.AsOf.IsZero() || it.ValidTo.IsZero()),
		!f.AsOf.IsZero() && !f.begun(it),
		!f.AsOf.IsZero() && !it.ValidTo.IsZero() && !it.ValidTo.After(f.AsOf):
		return false
	}
	return true
}

// begun reports whether an item holds already at AsOf. What does not say from when it
// holds does so from when it was written.
func (f *Filter) begun(it *Item) bool {
	from := it.ValidFrom
	if from.IsZero() {
		from = it.Metadata.CreatedAt
	}
	return !from.After(f.AsOf) || f.Present && !from.After(it.Metadata.CreatedAt)
}
