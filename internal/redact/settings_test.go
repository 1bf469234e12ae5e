package redact_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"orihon/internal/redact"
)

func TestFilesThatHoldCredentialsAreKnownByTheirNames(t *testing.T) {
	for file, want := range map[string]bool{
		".env": true, "/app/.env.local": true, "deploy/prod.env": true, "~/.npmrc": true, "/srv/.docker/config.json": true,
		"/etc/nginx/.htpasswd": true, "config/secrets.yml": true, "credentials.json": true, "~/.kube/config": true,
		"/srv/.aws/credentials": true, `C:\\Users\\ann\\.npmrc`: true, "secrets.toml": true, "prod.kubeconfig": false,
		".env.example": false, "secrets.sample.yml": false, "config.json": false, ".git/config": false, "secrets.go": false,
		"docs/secrets.md": false, "secret": false, "environment.ts": false, "env": false, "package.json": false, "": false,
	} {
		if got := redact.CredentialFile(file); got != want {
			t.Errorf("%q: %v", file, got)
		}
	}
}

func TestCallsOnSuchFilesAreKnown(t *testing.T) {
	for input, want := range map[string]bool{
		`{"file_path":"/app/.env"}`:                                  true,
		`{"path":"/app/.env","pattern":"."}`:                         true,
		`{"command":"cd app && cat .env | head"}`:                    true,
		`{"command":"sudo head -3 ~/.docker/config.json"}`:           true,
		`{"command":"grep -n . config/secrets.yml"}`:                 true,
		`{"command":"echo A=b >> .env"}`:                             true,
		`{"command":"cat > .env <<EOF\nA=b\nEOF"}`:                   true,
		`{"command":"printenv"}`:                                     false,
		`{"command":"env | sort"}`:                                   false,
		`{"command":"env A=b make test"}`:                            false,
		`{"command":"ls -la .env"}`:                                  false,
		`{"command":"rm .env && make"}`:                              false,
		`{"command":"cat README.md"}`:                                false,
		`{"file_path":"/app/README.md","content":"copy it to .env"}`: false,
		`{"file_path":"/app/.env.example","content":"A=b"}`:          false,
		`["cat",".env"]`:                                             false,
	} {
		if got := redact.ShowsCredentials(json.RawMessage(input)); got != want {
			t.Errorf("%s: %v", input, got)
		}
	}
}

// marks are what stands in the place of secrets.
var marks = regexp.MustCompile(`\[redacted:[a-z-]+\]`)

func TestSettingsLoseTheirValues(t *testing.T) {
	for in, want := range map[string]string{
		"SMTP=Vq7Marsh_41kd\nPORT=25\nDEBUG=true\n# a note: kept\n": "SMTP=[]\nPORT=25\nDEBUG=true\n# a note: kept\n",
		"export RELAY='Vq7 Marsh' # x":                              "export RELAY='[]' # x",
		"     1→SMTP=Vq7Marsh\n     2→HOST=${RELAY}":                "     1→SMTP=[]\n     2→HOST=${RELAY}",
		"//npm.example.org/:_authToken=Vq7Marsh_41kd":               "//npm.example.org/:_authToken=[]",
		`{"auths":{"h":{"auth":"Vq7MarshAAAA=="}}}`:                 `{"auths":{"h":{"auth":"[]"}}}`,
		"ann:Vq7Marsh_41kd":                                         "ann:[]",
		"smtp: Vq7Marsh_41kd\nrelay:\n  key: \"Vq7\"\n":             "smtp: []\nrelay:\n  key: \"[]\"\n",
		"users:\n- user:\n    client-key-data: Vq7MarshAAAA":        "users:\n- user:\n    client-key-data: []",
		"pem: |\n  Vq7Marsh\n  Vq8Marsh\nport: 25\n":                "pem: |\n  []\n  []\nport: 25\n",
		"+SMTP=Vq7Marsh\n-SMTP=Vq8Marsh":                            "+SMTP=[]\n-SMTP=[]",
		"cat: .env: No such file or directory":                      "cat: .env: No such file or directory",
	} {
		got, _ := new(redact.Redactor).Settings(in)
		if got = marks.ReplaceAllString(got, "[]"); got != want {
			t.Errorf("%q\nbecame %q\nwant   %q", in, got, want)
		}
		if again, _ := new(redact.Redactor).Settings(got); again != got {
			t.Errorf("%q becomes %q once more", got, again)
		}
	}
}

func TestAPastedFileOfSettingsLosesItsValues(t *testing.T) {
	for in, want := range map[string]string{
		"here is my .env:\nSMTP=Vq7Marsh_41kd\nPORT=25\n\nHOST=stays":                   "here is my .env:\nSMTP=[]\nPORT=25\n\nHOST=stays",
		"the `config/secrets.yml`:\n```\nsmtp: Vq7Marsh_41kd\n\nx: Vq8\n```\nmode=fast": "the `config/secrets.yml`:\n```\nsmtp: []\n\nx: []\n```\nmode=fast",
		"這是 .npmrc：\n//r/:_authToken=Vq7Marsh_41kd":                                     "這是 .npmrc：\n//r/:_authToken=[]",
		"copy .env.example:\nMODE=fast":                                                 "copy .env.example:\nMODE=fast",
		"it reads .env, then: MODE=fast\nSTEP=second":                                   "it reads .env, then: MODE=fast\nSTEP=second",
	} {
		got, _ := redact.Text(in)
		if got = marks.ReplaceAllString(got, "[]"); got != want {
			t.Errorf("%q\nbecame %q\nwant   %q", in, got, want)
		}
	}
}

func TestWhatIsWrittenIntoSuchAFileLosesItsValues(t *testing.T) {
	for _, in := range []string{
		`{"file_path":"/app/.env","content":"SMTP=Vq7Marsh_41kd\nX=Vq7Marsh_42kd"}`,
		`{"file_path":"/app/credentials.json","new_string":"\"k\": \"Vq7Marsh_41kd\""}`,
		`{"command":"cat > .env <<EOF\nSMTP=Vq7Marsh_41kd\nEOF"}`,
		`{"command":"echo \"SMTP=Vq7Marsh_41kd\" >> .env"}`,
	} {
		got, _ := new(redact.Redactor).Call(json.RawMessage(in))
		if strings.Contains(string(got), "Vq7") || !json.Valid(got) || strings.Contains(in, "/app/") && !strings.Contains(string(got), `"/app/`) {
			t.Errorf("%s\nbecame %s", in, got)
		}
	}
}
