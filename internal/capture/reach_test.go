package capture_test

import (
	"testing"

	"orihon/internal/capture"
	"orihon/memory"
)

func TestExplicitSaysWhatHoldsInAllProjects(t *testing.T) {
	for _, tt := range []struct {
		prompt, text string
		everywhere   bool
	}{
		{"remember everywhere: test names are whole sentences", "Test names are whole sentences", true},
		{"Remember for all projects: two reviewers per merge.", "Two reviewers per merge.", true},
		{"please remember globally that branch names carry the ticket", "branch names carry the ticket", true},
		{"remember this across all my repos: log lines are JSON", "Log lines are JSON", true},
		{"remember in every project of mine to run the formatter first", "Run the formatter first", true},
		{"from now on two blank lines between functions, in all my projects", "Two blank lines between functions", true},
		{"From now on, for every repo: run the linter first.", "Run the linter first.", true},
		{"from now on run the linter first in all my codebases", "Run the linter first in all my codebases", true},
		{"For all my projects, never commit generated files.", "Never commit generated files.", true},
		{"never commit generated files, this goes for all my repositories", "Never commit generated files", true},
		{"in each of my repos: the changelog is written by hand, remember that", "The changelog is written by hand", true},
		{"The changelog is written by hand, remember that for all my projects.", "The changelog is written by hand", true},
		{"The changelog is written by hand. Remember that globally, please.", "The changelog is written by hand", true},
		{"the changelog is written by hand\nremember this everywhere", "The changelog is written by hand", true},
		{"Never commit generated files. That goes for all my projects.", "Never commit generated files.", true},
		{"Never commit generated files. Remember that everywhere.", "Never commit generated files.", true},
		{"remember: all my projects use pnpm", "All my projects use pnpm", true},
		{"記住，所有專案都不要用 emoji", "不要用 emoji", true},
		{"記住我所有的項目裡提交訊息用英文", "提交訊息用英文", true},
		{"以後全部 repo 都先跑測試再提交", "先跑測試再提交", true},
		{"以后在所有项目里都用两个空格缩进", "用两个空格缩进", true},
		{"記住：喺全部 project 入面註解用英文", "註解用英文", true},
		{"註解用英文，所有項目都一樣，記住", "註解用英文", true},
		{"註解用英文，全部 project 都要記住", "註解用英文", true},
		{"从现在起注释用英文，所有项目都一样。", "注释用英文", true},
		{"註解用英文。全部專案都適用，記住", "註解用英文", true},
		{"註解用英文。記住這個，所有專案都一樣", "註解用英文", true},
		{"註解用英文。這個所有專案都一樣 記得喔", "註解用英文", true},
		{"注释用英文。把上一句记到所有项目", "注释用英文", true},
		{"註解用英文。頭先嗰句幫我記低，喺所有 repo 都係", "註解用英文", true},
		{"註解一律用英文，呢個所有專案都一樣", "註解一律用英文", true},

		{"Remember that the nightly job runs in all projects", "The nightly job runs in all projects", false},
		{"remember that Ann pays for all projects of the department", "Ann pays for all projects of the department", false},
		{"from now on use UTC everywhere", "Use UTC everywhere", false},
		{"remember: not in all my projects the linter runs", "Not in all my projects the linter runs", false},
		{"from now on use tabs, but not in all my projects", "Use tabs, but not in all my projects", false},
		{"記住所有項目都在 GitLab 上", "所有項目都在 GitLab 上", false},
		{"記住全局變數不要用縮寫", "全局變數不要用縮寫", false},
		{"We deploy on Fridays. Remember that.", "We deploy on Fridays", false},
		{"部署改在週二。記住這點。", "部署改在週二", false},
	} {
		got := capture.Explicit(tt.prompt)
		if len(got) != 1 || got[0].Text != tt.text || got[0].Everywhere != tt.everywhere {
			t.Errorf("%q: %+v, want %q, everywhere %v", tt.prompt, got, tt.text, tt.everywhere)
		}
	}
}

func TestExplicitKeepsNoWordsThatOnlyPointBack(t *testing.T) {
	for _, prompt := range []string{
		"remember that globally", "Remember this everywhere!", "remember in all my projects", "remember that", "keep that in mind for all my repos",
		"Why does the build fail? Remember that.", "```\nnpm ci\n```\nremember that for all projects", "That goes for all my projects.",
		"全部 project 都要記住", "所有項目都記住。", "全部專案都適用，記住", "記住這個，所有專案都一樣", "把上一句记到所有项目", "这个坑记一下",
	} {
		if got := capture.Explicit(prompt); len(got) > 0 {
			t.Errorf("%q: %+v, want none", prompt, got)
		}
	}
}

func TestReaches(t *testing.T) {
	for _, tt := range []struct {
		text  string
		topic memory.Topic
		want  bool
	}{
		{"The nightly job runs in all projects", memory.Fact, true},
		{"所有項目都在 GitLab 上", memory.Fact, true},
		{"Use UTC everywhere", memory.Preference, true},
		{"UTC is used everywhere", memory.Fact, false},
		{"Use UTC everywhere in the importer", memory.Preference, false},
		{"Ann pays for all projects of the department", memory.Fact, false},
		{"Use UTC in this project", memory.Preference, false},
		{"全局變數不要用縮寫", memory.Preference, false},
	} {
		if got := capture.Reaches(tt.text, tt.topic); got != tt.want {
			t.Errorf("%q: %v", tt.text, got)
		}
	}
}
