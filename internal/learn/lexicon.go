package learn

// class is what a word does in a statement, as far as the rules look at it.
type class uint8

const (
	content   class = iota // says what the statement is about
	noise                  // function words, light verbs: say nothing for themselves
	predicate              // separates what is spoken of from what is said of it
	negator                // turns what follows it in its clause
	rejector               // turns the next word alone: instead of X, over X
	verdict                // turns its whole clause: X is forbidden
	relative               // turns what follows, and cancels a negation before it: not without
	qualifier              // begins a restriction: in, for, when
	reason                 // begins an explanation that is not held against anything
	partial                // not all, some: denies or affirms a part only
	comparing              // below, at least: a number beside it is a bound
	also                   // says that what was said stays true
	change                 // says that what was said no longer holds
	history                // speaks of the past
	axis                   // one of two opposites, see word.key
	member                 // one of several that exclude each other, see word.key
	placed                 // names where something holds: an environment, a language, a system
	quantity               // a number, a version, a time; see reading.values
	pause                  // end of a clause
)

// sense is what the lexicon knows of a word.
type sense struct {
	class class
	key   string // axis, category or canonical form
	sign  int8   // side of an axis
}

// enSense looks an English word up by its lower-case form.
func enSense(w string) (sense, bool) {
	switch w {
	case "a", "an", "the", "we", "i", "you", "they", "he", "she", "it", "its", "our", "my", "your", "their", "his", "her", "me", "us", "them",
		"this", "that", "these", "those", "there", "here", "of", "to", "and", "so", "just", "very", "really", "please", "then",
		"do", "does", "did", "got", "be", "been", "being", "am", "let", "make", "sure", "want", "wants", "asked", "asks", "like", "likes",
		"always", "every", "each", "all", "any", "one's", "who", "whose", "which", "what", "as", "by", "up", "out", "about", "than", "or", "s", "m", "re", "ve", "ll", "d",
		"user", "users'", "team's", "currently", "current", "still", "actually", "usually", "generally", "own", "goes", "going", "put", "take", "takes", "took",
		"enabled", "enable", "enables", "allow", "allowed", "allows", "permit", "permitted", "ok", "okay", "fine", "yes", "active", "possible", "able",
		"version", "v", "around", "roughly", "least", "most", "hold", "holds", "thing", "things", "way", "somebody", "someone":
		return sense{class: noise}, true
	case "has", "have", "had", "get", "gets", "is", "are", "was", "were", "must", "should", "shall", "can", "could", "may", "might", "will", "would", "needs", "need", "uses", "use", "used", "using", "runs", "run", "running", "ran",
		"prefer", "prefers", "preferred", "requires", "require", "called", "named", "lives", "live", "lies", "stands", "stays", "stay", "begins", "begin", "starts", "expires", "expire", "keeps", "keep", "kept",
		"stored", "stores", "store", "written", "write", "writes", "wrote", "belongs", "contains", "returns", "return", "listens", "listen", "deployed", "hosted", "turned", "turns", "located", "owned", "leads", "follows", "follow", "install", "installs", "reply", "replies", "answer", "answers", "costs", "sits", "moved", "handled", "handles", "responsible", "maintained", "supports", "support", "went", "approve", "approves":
		return sense{class: predicate, key: canon(w)}, true
	case "not", "no", "never", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "cant", "cannot", "wont", "wouldnt", "shouldnt", "couldnt", "mustnt", "neednt", "havent", "hasnt", "hadnt",
		"none", "neither", "nor", "nobody", "nothing", "avoid", "avoids", "stop", "stops", "stopped", "refuse", "refuses", "hardly", "quit", "disable", "disables", "drop", "dropped", "drops", "ban", "bans", "forbid", "forbids", "deny", "denies", "block", "blocks", "reject", "rejects", "refrain", "abandon", "abandoned", "dislike", "dislikes", "hate", "hates":
		return sense{class: negator}, true
	case "over", "rather", "versus", "replaced", "replaces":
		return sense{class: rejector}, true
	case "forbidden", "prohibited", "avoided", "banned", "disallowed", "disabled", "denied", "off", "rejected", "gone", "blocked", "removed", "retired", "deprecated", "discontinued", "unsupported", "inactive", "obsolete", "impossible", "unavailable", "unable":
		return sense{class: verdict}, true
	case "without", "unless", "until":
		return sense{class: relative, key: w}, true
	case "in", "for", "on", "when", "whenever", "if", "during", "within", "at", "with", "while", "where", "inside", "per", "except", "from", "into", "through", "via", "since", "once", "between", "against":
		return sense{class: qualifier, key: w}, true
	case "because", "due", "therefore", "hence", "thus":
		return sense{class: reason}, true
	case "some", "partly", "partially", "sometimes", "mostly":
		return sense{class: partial}, true
	case "below", "above", "higher", "lower", "under", "exceed", "exceeds", "greater", "fewer":
		return sense{class: comparing}, true
	case "also", "additionally", "besides", "too", "another", "plus", "moreover", "furthermore", "second":
		return sense{class: also}, true
	case "now", "instead", "changed", "change", "switched", "switch", "migrated", "migrate", "replace", "became", "become", "longer", "anymore", "upgraded", "raised", "lowered", "pushed", "renamed", "increased", "decreased", "reduced", "bumped", "from now on", "henceforth":
		return sense{class: change}, true
	case "formerly", "previously", "historically", "originally":
		return sense{class: history}, true
	case "but", "however", "though", "although", "whereas", "yet":
		return sense{class: pause}, true
	}
	if key, sign := enAxis(w); sign != 0 {
		return sense{axis, key, sign}, true
	}
	if key := enMember(w); key != "" {
		return sense{class: member, key: key}, true
	}
	if key := enContext(w); key != "" {
		return sense{class: placed, key: key}, true
	}
	return sense{}, false
}

// enAxis gives the pair of opposites a word belongs to, and its side.
func enAxis(w string) (string, int8) {
	switch w {
	case "before", "prior":
		return "order", 1
	case "after", "afterwards":
		return "order", -1
	case "first", "earliest":
		return "end", 1
	case "last", "latest":
		return "end", -1
	case "increase", "raise", "grow", "increases", "grows":
		return "grow", 1
	case "decrease", "reduce", "shrink", "decreases", "shrinks":
		return "grow", -1
	case "public", "publicly", "published", "external", "externally":
		return "public", 1
	case "private", "privately", "internal", "internally", "secret":
		return "public", -1
	case "synchronous", "synchronously", "sync", "blocking":
		return "sync", 1
	case "asynchronous", "asynchronously", "async", "nonblocking":
		return "sync", -1
	case "required", "mandatory", "compulsory", "obligatory":
		return "required", 1
	case "optional", "optionally", "voluntary":
		return "required", -1
	case "include", "includes", "included":
		return "include", 1
	case "exclude", "excludes", "excluded":
		return "include", -1
	case "static", "statically":
		return "static", 1
	case "dynamic", "dynamically":
		return "static", -1
	case "strict", "strictly":
		return "strict", 1
	case "loose", "lenient", "relaxed":
		return "strict", -1
	case "accept", "accepts", "accepted":
		return "accept", 1
	case "show", "shows", "shown", "visible":
		return "show", 1
	case "hide", "hides", "hidden", "invisible":
		return "show", -1
	case "add", "adds", "added":
		return "add", 1
	case "remove", "removes", "delete", "deletes", "deleted":
		return "add", -1
	case "left":
		return "left", 1
	case "right":
		return "left", -1
	case "top", "upper", "uppercase":
		return "top", 1
	case "bottom", "lowercase":
		return "top", -1
	case "manual", "manually", "hand":
		return "manual", 1
	case "automatic", "automatically", "auto", "automated", "generated":
		return "manual", -1
	case "sequential", "sequentially", "serial", "serially":
		return "serial", 1
	case "parallel", "concurrently", "concurrent":
		return "serial", -1
	case "mutable", "writable":
		return "mutable", 1
	case "immutable", "readonly", "read-only":
		return "mutable", -1
	case "safe", "threadsafe", "thread-safe":
		return "safe", 1
	case "unsafe", "dangerous":
		return "safe", -1
	case "online", "reachable":
		return "online", 1
	case "offline", "down", "unreachable":
		return "online", -1
	case "ascending", "asc":
		return "ascending", 1
	case "descending", "desc":
		return "ascending", -1
	case "short", "brief", "concise", "terse", "shorter":
		return "length", 1
	case "long", "verbose", "detailed", "lengthy":
		return "length", -1
	case "minimum", "min":
		return "bound", 1
	case "maximum", "max":
		return "bound", -1
	case "high", "fast", "quick", "quickly":
		return "high", 1
	case "low", "slow", "slowly":
		return "high", -1
	case "eager", "eagerly":
		return "eager", 1
	case "lazy", "lazily":
		return "eager", -1
	case "single":
		return "single", 1
	case "double":
		return "single", -1
	case "dark":
		return "dark", 1
	case "light":
		return "dark", -1
	case "pass", "passes", "succeeds", "works", "working", "green", "stable", "healthy", "recovered", "restored":
		return "works", 1
	case "broken", "failing", "fails", "fail", "failed", "flaky", "unstable", "unhealthy", "red":
		return "works", -1
	case "free":
		return "free", 1
	case "paid":
		return "free", -1
	case "stateless":
		return "stateful", -1
	case "stateful":
		return "stateful", 1
	case "encrypted":
		return "encrypted", 1
	case "plaintext", "unencrypted", "plain-text":
		return "encrypted", -1
	case "done", "finished", "merged", "closed", "fixed", "resolved", "completed", "complete", "shipped", "released", "signed", "approved", "launched", "delivered", "solved", "ready":
		return "status", 1
	case "waiting", "pending", "open", "underway", "unresolved", "todo", "unsigned", "unfinished", "outstanding", "wip", "incomplete", "unfixed", "unmerged", "unreleased":
		return "status", -1
	case "anyone", "everyone", "everybody", "anybody":
		return "who", 1
	case "only":
		return "who", -1
	case "local", "locally":
		return "local", 1
	case "remote", "remotely":
		return "local", -1
	case "true":
		return "true", 1
	case "false":
		return "true", -1
	case "monorepo":
		return "mono", 1
	case "polyrepo", "multirepo":
		return "mono", -1
	}
	return "", 0
}

// enMember gives the category within which a word excludes the others. The
// lists are open: what they lack is taken for an ordinary word.
func enMember(w string) string {
	switch w {
	case "npm", "pnpm", "yarn", "bun", "npx":
		return "js packages"
	case "pip", "poetry", "uv", "pipenv", "conda", "pdm", "hatch", "rye":
		return "python packages"
	case "maven", "gradle", "sbt", "bazel", "make", "cmake", "ninja", "meson", "just", "makefile":
		return "build tool"
	case "postgres", "postgresql", "mysql", "mariadb", "sqlite", "mongodb", "mongo", "oracle", "dynamodb", "cockroachdb", "mssql", "tidb", "cassandra", "firestore", "couchdb":
		return "database"
	case "redis", "memcached", "valkey", "dragonfly":
		return "cache"
	case "kafka", "rabbitmq", "nats", "sqs", "pulsar", "activemq", "rocketmq":
		return "queue"
	case "jest", "vitest", "mocha", "ava", "jasmine", "karma":
		return "js tests"
	case "cypress", "playwright", "selenium", "puppeteer", "testcafe":
		return "browser tests"
	case "pytest", "unittest", "nose":
		return "python tests"
	case "tab", "tabs", "space", "spaces":
		return "indentation"
	case "react", "vue", "angular", "svelte", "solidjs", "nextjs", "next.js", "nuxt", "flutter", "native":
		return "frontend"
	case "webpack", "vite", "rollup", "esbuild", "parcel", "turbopack", "rspack":
		return "bundler"
	case "prettier", "dprint":
		return "formatter"
	case "eslint", "oxlint", "jshint", "tslint", "biome":
		return "js linter"
	case "black", "yapf", "autopep8":
		return "python formatter"
	case "flake8", "pylint", "ruff":
		return "python linter"
	case "aws", "gcp", "azure", "hetzner", "heroku", "vercel", "netlify", "digitalocean":
		return "cloud"
	case "jenkins", "circleci", "travis", "buildkite", "teamcity", "drone":
		return "ci"
	case "rebase", "squash", "merge":
		return "merging"
	case "camelcase", "snake_case", "kebab-case", "pascalcase", "snakecase":
		return "naming"
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays":
		return "weekday"
	case "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december":
		return "month"
	case "daily", "weekly", "monthly", "hourly", "yearly", "quarterly", "biweekly":
		return "frequency"
	case "english", "chinese", "german", "french", "spanish", "japanese", "korean", "british", "american", "mandarin", "italian":
		return "language"
	case "vim", "neovim", "emacs", "vscode", "helix", "zed", "nano", "intellij", "goland", "pycharm":
		return "editor"
	case "bash", "zsh", "fish", "powershell":
		return "shell"
	case "ubuntu", "debian", "alpine", "fedora", "centos":
		return "distribution"
	case "docker", "podman", "containerd":
		return "containers"
	case "kubernetes", "k8s", "nomad", "swarm":
		return "orchestration"
	case "terraform", "pulumi", "ansible", "opentofu", "cloudformation":
		return "infrastructure"
	case "rest", "graphql", "grpc", "soap", "trpc":
		return "api style"
	case "json", "yaml", "toml", "xml", "csv", "ini", "protobuf", "table":
		return "format"
	case "jwt", "jwts", "sessions", "session", "oauth", "oauth2", "saml":
		return "auth"
	case "tailwind", "bootstrap", "sass", "less-css", "bulma":
		return "css"
	case "prisma", "typeorm", "sequelize", "drizzle", "sqlalchemy", "hibernate":
		return "orm"
	case "zap", "zerolog", "slog", "logrus":
		return "logging"
	case "redux", "zustand", "mobx", "pinia", "vuex", "jotai", "recoil":
		return "state"
	case "axios", "fetch", "ky":
		return "http client"
	case "nginx", "caddy", "apache", "traefik", "haproxy", "envoy":
		return "web server"
	case "django", "flask", "fastapi":
		return "python web"
	case "gin", "echo", "fiber", "chi":
		return "go web"
	case "slack", "teams", "discord", "mattermost":
		return "chat"
	case "jira", "linear", "trello", "asana":
		return "tracker"
	case "integers", "integer", "uuid", "uuids", "uuidv7", "uuidv4", "ulid", "bigint":
		return "key type"
	case "utf-8", "utf8", "big5", "gbk", "latin-1", "utf-16":
		return "encoding"
	case "prometheus", "zabbix", "datadog", "nagios", "newrelic":
		return "monitoring"
	case "eureka", "nacos", "consul", "etcd", "zookeeper":
		return "registry"
	case "mit", "apache-2.0", "gpl", "bsd", "agpl", "mpl":
		return "licence"
	case "utc", "gmt", "cst", "pst", "cet", "localtime":
		return "time zone"
	case "develop", "trunk", "master":
		return "branch"
	}
	return ""
}

// enContext gives what sort of place a word names.
func enContext(w string) string {
	switch w {
	case "staging", "production", "prod", "dev", "development", "ci", "qa", "preview", "sandbox", "uat":
		return "environment"
	case "go", "python", "typescript", "javascript", "rust", "java", "kotlin", "swift", "ruby", "php", "sql", "css", "html", "markdown", "c++", "c#", "scala", "golang", "js", "ts", "dart":
		return "programming language"
	case "linux", "windows", "macos", "ios", "android", "mac":
		return "system"
	case "frontend", "backend", "mobile", "desktop", "server", "web", "cli", "admin":
		return "part"
	case "unit", "integration", "e2e", "end-to-end", "acceptance", "smoke", "performance", "load":
		return "test level"
	case "soft", "hard":
		return "limit"
	case "weekday", "weekdays", "weekend", "weekends", "holiday", "holidays":
		return "days"
	}
	return ""
}
