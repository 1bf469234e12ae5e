package eval

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orihon/internal/redact"
)

// share is what part of all tries must find nothing.
const share = 0.97

func TestEveryKindOfSecretIsTakenOut(t *testing.T) {
	kinds, err := SecretKinds()
	if err != nil {
		t.Fatal(err)
	}
	if len(kinds) < 126 {
		t.Errorf("%d kinds are tried, want 126", len(kinds))
	}
	missed, tried := missedSecrets(kinds, 4, 1)
	seen := make(map[string]int)
	for _, m := range missed {
		if seen[m[0]]++; seen[m[0]] == 3 {
			t.Errorf("%s mostly stays: %q", m[0], m[1])
		}
	}
	if found := 1 - float64(len(missed))/float64(tried); found < share {
		t.Errorf("%.4f of %d secrets are taken out, want %.2f: %q", found, tried, share, missed)
	}
}

func TestWhatOnlyLooksLikeASecretStays(t *testing.T) {
	for seed := range uint64(3) {
		texts := LookAlikes(seed)
		if len(texts) < 250 {
			t.Errorf("%d look-alikes, want 250", len(texts))
		}
		if altered := Altered(texts); len(altered) > 2 {
			t.Errorf("seed %d: %d look-alikes are altered, at most 2 may be: %q", seed, len(altered), altered)
		}
	}
}

func TestWhatSomebodyElseWroteStays(t *testing.T) {
	texts := BlindLookAlikes()
	if len(texts) < 250 {
		t.Errorf("%d blind look-alikes, want 250", len(texts))
	}
	if altered := Altered(texts); len(altered) > 2 {
		t.Errorf("%d blind look-alikes are altered, at most 2 may be: %q", len(altered), altered)
	}
}

// A part of the kinds, on all channels that need no process of their own.
func TestSecretsAreNowhereOnAnyChannel(t *testing.T) {
	r, err := RunSecrets(t.Context(), &SecretOptions{Dir: t.TempDir(), Seed: 3, Kinds: 24})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Channels) < 14 {
		t.Errorf("%d channels were tried, want 14", len(r.Channels))
	}
	if r.Recall() < share {
		t.Errorf("nothing is to be found in %.4f of kinds × channels, want %.2f: %+v", r.Recall(), share, r.Missed)
	}
}

// Were nothing taken out, every channel would show it: else the search proves
// nothing. What has no settings to go by, the registry of projects, takes out
// in any case.
func TestEveryChannelReachesTheDiskOrAModel(t *testing.T) {
	off := map[string]string{"redact.off": strings.Join(allRules(t), ",")}
	r, err := RunSecrets(t.Context(), &SecretOptions{Dir: t.TempDir(), Seed: 3, Kinds: 60, Settings: off, Skip: []string{"working memory"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Channels {
		if c.Kept == 0 {
			t.Errorf("%s: nothing of %d secrets is to be found although no rule is on", c.Name, c.Planted)
		}
	}
}

// missedSecrets are the kinds whose value stays when the redactor alone sees the
// text, with the text, for each of n values.
func missedSecrets(kinds []SecretKind, n int, seed uint64) (missed [][2]string, tried int) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range kinds {
		for range n {
			p := kinds[i].plant(r)
			tried++
			clean, _ := redact.Text(p.text)
			if p.within(clean) {
				missed = append(missed, [2]string{kinds[i].Class + "/" + kinds[i].Name, p.text})
			}
		}
	}
	return missed, tried
}

// within reports whether anything of the secret stands in a text.
func (p *planted) within(text string) bool {
	for _, n := range p.needles {
		if strings.Contains(text, n) {
			return true
		}
	}
	return false
}

// allRules are the rules by which anything is found in the planted texts, those
// that come in when others are off included.
func allRules(t *testing.T) (off []string) {
	kinds, err := SecretKinds()
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, known := redact.New(off), len(off)
		for i := range kinds {
			_, found := r.Text(kinds[i].plant(rand.New(rand.NewPCG(1, 1))).text)
			for _, f := range found {
				if !slices.Contains(off, f.Rule) {
					off = append(off, f.Rule)
				}
			}
		}
		if len(off) == known {
			return off
		}
	}
}
