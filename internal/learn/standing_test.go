package learn_test

import (
	"testing"

	"orihon/internal/learn"
)

// What the user stated is ended by a later statement on the same subject, and by
// nothing else: the worst that a memory can do is to end a rule silently.
func TestARuleIsEndedOnlyByALaterOneOnTheSameSubject(t *testing.T) {
	ended, should := 0, 0
	for _, p := range labelledPairs(t, "standing.jsonl") {
		d := newDesk(t)
		d.learn(learn.Statement{Text: p.Old, Scope: ann})
		out := d.learn(learn.Statement{Text: p.New, Scope: ann})
		switch {
		case p.Label != learn.Contradicts && out.Action == learn.Superseded:
			t.Errorf("%s: %q ended %q: %s", p.ID, p.New, p.Old, out.Why)
		case p.Label == learn.Contradicts:
			should++
			if out.Action == learn.Superseded {
				ended++
			} else {
				t.Logf("%s: %q did not end %q: %s", p.ID, p.New, p.Old, out.Action)
			}
		}
	}
	if least := 0.95; float64(ended) < least*float64(should) {
		t.Errorf("%d of %d replaced, want at least %.2f of them", ended, should, least)
	}
}

func TestRulesOfOneProjectStandBesideEachOther(t *testing.T) {
	for name, rules := range map[string][]string{
		"English": {
			"Answer in Traditional Chinese.", "Write commit messages in English.", "Code comments are in English.", "Keep commit messages short.",
			"Never use axios in the front end.", "Use fetch in the front end.", "Never deploy on Fridays.", "We deploy on Mondays with make ship.",
			"The architecture meeting is on Wednesday morning.", "The retrospective is on Friday afternoon.", "Priya owns billing.", "Tomas owns refunds.",
			"Staging database is db2.internal.", "Production database is db1.internal.", "Log in JSON in production.", "Log as text in development.",
			"Use tabs in Makefiles.", "Use spaces in YAML files.", "Never mock the database.", "Mock the payment provider.",
		},
		"Chinese": {
			"以後都用繁體中文回答。", "提交信息用英文。", "程式碼註解用英文。", "回答要簡短。",
			"前端不要用 axios。", "前端用 fetch。", "不要在週五部署。", "每週一用 make ship 部署。",
			"週三上午開架構會議。", "週五下午開回顧會議。", "付款模組由小陳負責。", "退款模組由小林負責。",
			"测试环境的数据库是 db2。", "正式环境的数据库是 db1。", "订单服务用 8081 端口。", "用户服务用 8082 端口。",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			for _, rule := range rules {
				if out := d.learn(learn.Statement{Text: rule, Scope: ann}); out.Action != learn.Added {
					t.Errorf("%q: %s, %s (%v)", rule, out.Action, out.Why, out.Replaced)
				}
			}
		})
	}
}

// A change is understood in quite other words, too.
func TestAChangeThatIsSaidToBeOneReplacesWhatIsWordedOtherwise(t *testing.T) {
	for _, pair := range [][2]string{
		{"部署用 kubectl", "部署改用 make ship"},
		{"Priya owns billing", "Marta owns billing since Priya left"},
		{"Billing belongs to Priya", "Marta took over billing from Priya"},
		{"小陳負責登入", "小陳離職後登入由小林負責"},
		{"Go version is 1.25", "We upgraded to Go 1.26"},
		{"We deploy with kubectl", "We now deploy with make ship"},
		{"Answer in Traditional Chinese", "Answer in Simplified Chinese"},
	} {
		d := newDesk(t)
		d.learn(learn.Statement{Text: pair[0], Scope: ann})
		if out := d.learn(learn.Statement{Text: pair[1], Scope: ann}); out.Action != learn.Superseded {
			t.Errorf("%q, then %q: %s, %s", pair[0], pair[1], out.Action, out.Why)
		}
	}
}

func TestTheSameRuleInTheOtherLanguageIsNoChange(t *testing.T) {
	for _, pair := range [][2]string{
		{"Write code comments in English", "程式碼註解用英文"},
		{"變數命名用英文", "Name variables in English"},
		{"Answer in Traditional Chinese", "回答用繁體中文"},
		{"Never deploy on Fridays", "不要在週五部署"},
	} {
		rel, why, err := learn.Rules{}.Classify(t.Context(), pair[0], pair[1])
		if err != nil || rel == learn.Contradicts {
			t.Errorf("%q, then %q: %s (%s), %v", pair[0], pair[1], rel, why, err)
		}
	}
}
