package journal_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/journal"
)

// TestWhatIsToldAgainIsOneMessage: hooks and transcripts each name messages or not;
// whatever they do, what is said twice stands twice in the journal and nothing thrice.
func TestWhatIsToldAgainIsOneMessage(t *testing.T) {
	yes, no, asked := journal.Digest("yes"), journal.Digest("no"), journal.Digest("do not keep this")
	tests := []struct {
		name       string
		noted      []string // "ID words", as hooks noted them
		told, want []string // the names that they get
	}{
		{"nobody names them", []string{yes + " yes", yes + "#2 yes"}, []string{" yes", " yes"}, []string{yes, yes + "#2"}},
		{"the hook alone does", []string{"p1 yes", "p2 no", "p3 yes"}, []string{" yes", " no", " yes"}, []string{"p1", "p2", "p3"}},
		{"the transcript alone does", []string{yes + " yes", yes + "#2 yes"}, []string{"p1 yes", "p2 yes"}, []string{yes, yes + "#2"}},
		{"both do", []string{"p1 yes", "p3 yes"}, []string{"p1 yes", "p2 yes", "p3 yes"}, []string{"p1", "p2", "p3"}},
		{"one was never noted", []string{"p1 yes", "p3 yes"}, []string{" yes", " yes", " yes"}, []string{"p1", "p3", yes}},
		{"a name by words is taken", []string{"p1 yes", yes + " yes"}, []string{" yes", " yes", " yes"}, []string{"p1", yes, yes + "#2"}},
		{"other words", []string{"p1 yes"}, []string{" no"}, []string{no}},
		{"space around them", []string{"p1 yes\n"}, []string{" yes"}, []string{"p1"}},
		{"the words are gone", []string{asked + " (withheld)"}, []string{"p1 (withheld)"}, []string{asked}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := open(t, t.TempDir())
			message := func(said string) journal.Event {
				id, text, _ := strings.Cut(said, " ")
				e, err := journal.New(journal.UserMessage, id, journal.Message{Role: journal.RoleUser, Text: text})
				if err != nil {
					t.Fatal(err)
				}
				return e
			}
			for _, said := range tt.noted {
				if _, err := j.Append(t.Context(), message(said)); err != nil {
					t.Fatal(err)
				}
			}
			for again := range 2 {
				telling, err := j.Telling(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, said := range tt.told {
					e := message(said)
					telling.Name(&e)
					if got = append(got, e.ID); again == 0 {
						if _, err := j.AppendExact(t.Context(), e); err != nil {
							t.Fatal(err)
						}
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("the names are %q, want %q (%d)", got, tt.want, again)
				}
			}
		})
	}
}

func TestAnswersAreToldByTheirWords(t *testing.T) {
	j := open(t, t.TempDir())
	answer := func(id string) journal.Event {
		e, err := journal.New(journal.AssistantMessage, id, journal.Message{Role: journal.RoleAssistant, Text: "Done."})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	noted := []string{journal.AnswerID("p1", "Done."), journal.AnswerID("", "Done.")}
	if _, err := j.Append(t.Context(), answer(noted[0]), answer(noted[1])); err != nil {
		t.Fatal(err)
	}
	telling, err := j.Telling(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, id := range []string{"", journal.AnswerID("p2", "Done."), journal.AnswerID("p3", "Done.")} {
		e := answer(id)
		telling.Name(&e)
		got = append(got, e.ID)
	}
	if want := append(noted, journal.AnswerID("p3", "Done.")); !slices.Equal(got, want) {
		t.Errorf("the names are %q, want %q", got, want)
	}
}

// A message in the same words costs as much the thousandth time as the first.
func TestManyMessagesInTheSameWordsAreNamedAtOnce(t *testing.T) {
	const many = 100_000
	telling, err := open(t, t.TempDir()).Telling(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e, err := journal.New(journal.UserMessage, "", journal.Message{Role: journal.RoleUser, Text: "go on"})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	var last string
	for range many {
		next := e
		telling.Name(&next)
		last = next.ID
	}
	if want := journal.NthID(journal.Digest("go on"), many); last != want {
		t.Errorf("the last is named %s, want %s", last, want)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
