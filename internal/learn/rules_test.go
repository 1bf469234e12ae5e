package learn_test

import (
	"testing"

	"orihon/internal/learn"
)

func TestRulesTellHowTwoStatementsStandToEachOther(t *testing.T) {
	const (
		contradicts = learn.Contradicts
		extends     = learn.Extends
		duplicates  = learn.Duplicates
		unrelated   = learn.Unrelated
		unknown     = learn.Unknown
	)
	for _, tt := range []struct {
		old, new string
		want     learn.Relation
	}{
		// Negation.
		{"Use tabs in Makefiles.", "Never use tabs in Makefiles.", contradicts},
		{"Don't squash commits", "Squash commits", contradicts},
		{"The job retries failed uploads", "The job does not retry failed uploads", contradicts},
		{"Emoji are allowed in commit messages", "No emoji in commit messages", contradicts},
		{"Direct pushes to main are forbidden", "Direct pushes to main are allowed", contradicts},
		{"The cache is enabled", "The cache is disabled", contradicts},
		{"We no longer support Python 3.7", "We support Python 3.7", contradicts},
		{"提交前要跑測試", "提交前不要跑測試", contradicts},
		{"可以直接推到主分支", "禁止直接推到主分支", contradicts},
		{"周五可以部署", "不要在周五部署", contradicts},
		{"缓存是启用的", "缓存已停用", contradicts},
		{"服務會記錄請求內容", "服務不會記錄請求內容", contradicts},
		{"Never merge without a review", "Merge only after a review", extends},
		{"Do not deploy without tests", "There must be no deploy without tests", duplicates},
		// Numbers, units, versions.
		{"timeout 30s", "timeout 60s", contradicts},
		{"逾時 30 秒", "逾時 60 秒", contradicts},
		{"The upload limit is 10 MB", "The upload limit is 25 MB", contradicts},
		{"上傳上限是 10 MB", "上傳上限是 25 MB", contradicts},
		{"We run Node 18.1", "We run Node 18.10", contradicts},
		{"The session lasts one hour", "The session lasts 30 minutes", contradicts},
		{"The session lasts 60 minutes", "The session lasts one hour", duplicates},
		{"重試三次", "重試五次", contradicts},
		{"保留備份七天", "保留备份三十天", contradicts},
		{"Standup is at 9:30", "Standup is at 10:00", contradicts},
		{"站會在早上九點半", "站會在早上十點", contradicts},
		{"Coverage must reach 80%", "Coverage must reach 90%", contradicts},
		{"Go is at version 1.22", "Go is at version 1.24", contradicts},
		// Paths and names.
		{"Fixtures live in test/fixtures", "Fixtures live in testdata/fixtures", contradicts},
		{"設定檔在 config/app.yml", "設定檔在 etc/app.yml", contradicts},
		{"The staging host is called marmot", "The staging host is called beaver", contradicts},
		{"The owner of billing is Ann", "The owner of billing is Ben", contradicts},
		{"支付模块由李明负责", "支付模块由王芳负责", contradicts},
		{"默认分支是 main", "默认分支是 develop", contradicts},
		// Preferences and alternatives.
		{"Use tabs", "Use spaces", contradicts},
		{"Use npm", "Use pnpm", contradicts},
		{"Use npm to install", "Use pnpm instead of npm", contradicts},
		{"Always Svelte, never Angular", "Use Vue, not Svelte", contradicts},
		{"Use Vue, not Svelte", "Always Svelte, never Angular", contradicts},
		{"一律用 rollup，不用 webpack", "用 vite，不用 rollup", contradicts},
		{"Commit messages in English, never in Chinese", "Answer in Chinese, not in German", unrelated},
		{"The shop uses Svelte, not Angular", "The depot uses Vue, not Svelte", unrelated},
		{"Prefer tabs to spaces", "Prefer spaces to tabs", contradicts},
		{"We use MySQL for storage", "We migrated from MySQL to PostgreSQL", contradicts},
		{"Unit tests run on Jest", "Unit tests run on Vitest", contradicts},
		{"回答用英文", "回答用中文", contradicts},
		{"縮排用空格", "縮排用 tab", contradicts},
		{"用 npm 安裝套件", "改用 pnpm 安裝套件", contradicts},
		{"引号用单引号", "引号一律用双引号", contradicts},
		{"The weekly meeting is on Monday", "The weekly meeting is on Thursday", contradicts},
		{"周会在周一", "周会在周四", contradicts},
		{"Use pnpm", "Use pnpm, never npm", extends},
		{"Use pnpm", "Use pnpm, not npm", extends},
		// Opposites.
		{"The repository is public", "The repository is private", contradicts},
		{"Uploads are processed synchronously", "Uploads are processed asynchronously", contradicts},
		{"The field is required", "The field is optional", contradicts},
		{"Migrations run before the deploy", "Migrations run after the deploy", contradicts},
		{"The list is sorted in ascending order", "The list is sorted in descending order", contradicts},
		{"The ticket is open", "The ticket is closed", contradicts},
		{"部署前先備份", "部署后再备份", contradicts},
		{"接口是同步的", "接口是异步的", contradicts},
		{"仓库是公开的", "仓库是私有的", contradicts},
		{"主題用深色", "主題用淺色", contradicts},
		{"電話欄位是必填", "電話欄位是選填", contradicts},
		// The same.
		{"Use tabs.", "use TABS!", duplicates},
		{"部署前必須先跑測試", "部署前必须先跑测试", duplicates},
		{"Before committing, run the linter", "Run the linter before committing", duplicates},
		{"The limit is 1024 MB", "The limit is 1 GB", duplicates},
		{"Tests need a database.", "The tests need the database", duplicates},
		{"文件用英文寫", "文档用英文写", duplicates},
		// More about the same.
		{"Logs go to stdout", "Logs go to stdout as JSON", extends},
		{"Deploys need an approval", "Deploys need an approval from the release manager", extends},
		{"日誌寫到 stdout", "日誌寫到 stdout，格式是 JSON", extends},
		{"The API supports JSON", "The API also supports YAML", extends},
		{"網站支援信用卡", "網站也支援轉帳", extends},
		// Something else.
		{"Service s1 is owned by team 101", "Service s2 is owned by team 102", unrelated},
		{"Host z1 listens on port 1001", "Host z2 listens on port 1002", unrelated},
		{"The frontend uses React", "The backend uses Django", unrelated},
		{"Use tabs in Go files", "Use spaces in Python files", unrelated},
		{"Staging runs Postgres 15", "Production runs Postgres 14", unrelated},
		{"The staging host is called marmot", "The production host is called beaver", unrelated},
		{"On Linux the config is in /etc/app", "On Windows the config is in C:/app", unrelated},
		{"The build takes four minutes", "The office is in Lyon", unrelated},
		{"前端用 React", "後端用 Go", unrelated},
		{"測試環境用 5432 埠", "生產環境用 5433 埠", unrelated},
		{"管理員可以刪除", "訪客不能刪除", unrelated},
		{"Ann works on Mondays", "Ben works on Fridays", unrelated},
		{"小王負責前端", "小李負責後端", unrelated},
		// Rules do not guess.
		{"The cache is slow", "The cache is broken under load", unknown},
		{"Retry while n < 3", "Retry while n > 3", unknown},
		{"A calls B", "B calls A", unknown},
	} {
		got, why, err := learn.Rules{}.Classify(t.Context(), tt.old, tt.new)
		if err != nil || got != tt.want {
			t.Errorf("%q, then %q: %s (%s), %v; want %s", tt.old, tt.new, got, why, err, tt.want)
		}
	}
}
