package window

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"orihon/internal/jsonl"
)

// SummaryCache keeps results of the standard summarisers in a folder:
//
//	summaries/iter_50_100.json   the results over this range, by summariser
//	summaries/cache_index.json   [{"agent", "range", "hash", "summary_path", "generated_at"}]
//
// Both are derived; what cannot be read is made anew. A nil cache keeps nothing.
type SummaryCache struct {
	Dir string           // the session's folder
	Now func() time.Time // nil is [time.Now]
}

type cacheEntry struct {
	Agent string    `json:"agent"`
	Range [2]int    `json:"range"`
	Hash  string    `json:"hash"`
	Path  string    `json:"summary_path"`
	At    time.Time `json:"generated_at"`
}

const summariesDir = "summaries"

func (s SummaryResult) cachePath() string {
	return fmt.Sprintf("%s/iter_%d_%d.json", summariesDir, s.Range[0], s.Range[1])
}

func (c *SummaryCache) path(name string) string {
	return filepath.Join(c.Dir, filepath.FromSlash(name))
}

// load finds the result with the agent, range and hash of one that is to be made.
func (c *SummaryCache) load(want SummaryResult) (SummaryResult, bool) {
	if c == nil {
		return SummaryResult{}, false
	}
	got, ok := c.results(want.cachePath())[want.Agent]
	return got, ok && got.Agent == want.Agent && got.Range == want.Range && got.Hash == want.Hash
}

// results are those of a file; one that cannot be read has none.
func (c *SummaryCache) results(name string) map[string]SummaryResult {
	out := map[string]SummaryResult{}
	if raw, err := os.ReadFile(c.path(name)); err != nil || json.Unmarshal(raw, &out) != nil {
		return map[string]SummaryResult{}
	}
	return out
}

func (c *SummaryCache) store(ctx context.Context, s SummaryResult) error {
	if c == nil {
		return nil
	}
	if err := os.MkdirAll(c.path(summariesDir), 0o700); err != nil {
		return err
	}
	unlock, err := jsonl.Lock(ctx, c.path(summariesDir+"/.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	all := c.results(s.cachePath())
	all[s.Agent] = s
	if err := c.write(s.cachePath(), all); err != nil {
		return err
	}
	now := c.Now
	if now == nil {
		now = time.Now
	}
	const index = summariesDir + "/cache_index.json"
	var entries []cacheEntry
	if raw, err := os.ReadFile(c.path(index)); err != nil || json.Unmarshal(raw, &entries) != nil {
		entries = nil
	}
	entries = slices.DeleteFunc(entries, func(e cacheEntry) bool { return e.Agent == s.Agent && e.Range == s.Range })
	return c.write(index, append(entries, cacheEntry{s.Agent, s.Range, s.Hash, s.cachePath(), now().UTC()}))
}

func (c *SummaryCache) write(name string, v any) error {
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return jsonl.WriteFile(c.path(name), append(raw, '\n'))
}
