package redact_test

import (
	"encoding/base64"
	"strings"
)

// planted is a text with a secret in it that must not survive.
type planted struct {
	name   string
	rule   string
	text   string
	secret string
	keep   string // what must still stand there
}

const (
	mixedText = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5uX8zA1cD4fG7iL0oQ3t"
	upperText = "A3B6C9D2E5F8G1H4J7K0L3M6N9P2Q5R8S1T4U7V0W3X6Y9Z2A5B8C1D4E7F0G3H6"
	hexText   = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
)

// join builds fake keys at run time, so that no scanner of repositories takes
// them for real ones.
func join(parts ...string) string { return strings.Join(parts, "") }

func pem(label, newline string) string {
	line := mixedText
	return join("-----BEGIN ", label, "-----", newline, line, newline, line, newline, line[:30], "==", newline, "-----END ", label, "-----")
}

func secrets() []planted {
	shape := func(name, rule, secret string) planted {
		return planted{name: name, rule: rule, secret: secret, text: "I ran it with " + secret + " and it worked", keep: "and it worked"}
	}
	awsID := join("AK", "IA", "IOSFODNN7EXAMPLE")
	awsSecret := join("wJalrXUtnFEMI", "/K7MDENG/", "bPxRfiCYEXAMPLEKEY")
	jwt := join("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "JzdWIiOiIxMjM0NTY3ODkwIn0.", mixedText[:43])
	twilio := join("S", "K", hexText[:32])
	list := []planted{
		shape("aws id", "aws-access-key", awsID),
		shape("aws temporary id", "aws-access-key", join("AS", "IA", upperText[:16])),
		shape("github personal", "github-token", join("gh", "p_", mixedText[:36])),
		shape("github oauth", "github-token", join("gh", "o_", mixedText[:36])),
		shape("github user", "github-token", join("gh", "u_", mixedText[:36])),
		shape("github server", "github-token", join("gh", "s_", mixedText[:36])),
		shape("github refresh", "github-token", join("gh", "r_", mixedText[:36])),
		shape("github fine-grained", "github-token", join("github", "_pat_", mixedText[:22], "_", mixedText[:59])),
		shape("gitlab", "gitlab-token", join("gl", "pat-", mixedText[:20])),
		shape("slack bot", "slack-token", join("xox", "b-123456789012-1234567890123-", mixedText[:24])),
		shape("slack user", "slack-token", join("xox", "p-123456789012-", mixedText[:24])),
		shape("slack app", "slack-token", join("xa", "pp-1-A012-123-", hexText)),
		shape("stripe live", "stripe-key", join("sk", "_live_", mixedText[:24])),
		shape("stripe restricted", "stripe-key", join("rk", "_live_", mixedText[:24])),
		shape("stripe test", "stripe-key", join("sk", "_test_", mixedText[:24])),
		shape("openai", "openai-key", join("s", "k-", mixedText[:48])),
		shape("openai project", "openai-key", join("s", "k-proj-", mixedText[:30], "_", mixedText[:30])),
		shape("anthropic", "anthropic-key", join("s", "k-ant-", "api03-", mixedText, "-AA")),
		shape("google", "google-key", join("AI", "za", mixedText[:35])),
		shape("npm", "npm-token", join("np", "m_", mixedText[:36])),
		shape("pypi", "pypi-token", join("py", "pi-AgEIcHlwaS5vcmc", mixedText, mixedText)),
		shape("hugging face", "huggingface-token", join("h", "f_", mixedText[:34])),
		shape("sendgrid", "sendgrid-key", join("S", "G.", mixedText[:22], ".", mixedText[:43])),
		shape("digitalocean", "digitalocean-token", join("do", "p_v1_", hexText)),
		shape("age", "age-key", join("AGE-SECRET", "-KEY-1", upperText[:58])),
		shape("jwt", "json-web-token", jwt),
		shape("pem", "private-key", pem("RSA PRIVATE"+" KEY", "\n")),
		shape("pem in a JSON string", "private-key", pem("PRIVATE"+" KEY", `\n`)),
		shape("openssh", "private-key", pem("OPENSSH PRIVATE"+" KEY", "\r\n")),
		shape("pgp", "private-key", pem("PGP PRIVATE"+" KEY BLOCK", "\n")),
		{"pem cut off", "private-key", join("-----BEGIN EC PRIVATE", " KEY-----\n", mixedText, "\n", mixedText[:20]), mixedText[:20], ""},
		{"pem cut off, encrypted", "private-key", join("-----BEGIN RSA PRIVATE", " KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n", mixedText, "\n"), mixedText, ""},
		{"pem cut off, with line numbers", "private-key", join("     1→-----BEGIN PRIVATE", " KEY-----\n     2→", mixedText, "\n     3→", mixedText), mixedText, ""},
		{"pem without its head", "private-key", join("tail:\n", mixedText, "\n", mixedText[:9], "==\n-----END PRIVATE", " KEY-----\ndone"), mixedText, "done"},
		{"pem in yaml", "private-key", "key: |\n    " + strings.ReplaceAll(pem("PRIVATE"+" KEY", "\n"), "\n", "\n    ") + "\nnext: 1", mixedText[:30], "next: 1"},
		{"twilio", "twilio-key", "the Twilio client uses " + twilio + " in tests", twilio, "in tests"},
		{"aws pair", "aws-secret-key", awsID + "\n" + awsSecret + "\n", awsSecret, ""},
		{"aws file", "aws-secret-key", "[default]\naws_secret_access_key = " + awsSecret + "\nregion = eu-west-1", awsSecret, "region = eu-west-1"},
		{"azure storage", "azure-key", join("DefaultEndpointsProtocol=https;AccountName=x;Account", "Key=", mixedText, mixedText[:22], "==;EndpointSuffix=core.windows.net"), mixedText, "EndpointSuffix=core.windows.net"},
		{"azure signature", "azure-key", join("https://x.blob.core.windows.net/c?sv=2022&sig=", mixedText[:40], "%3D&se=2030"), mixedText[:40], "&se=2030"},
		{"slack hook", "slack-webhook", join("https://hooks.slack.com", "/services/", "T00000000/B00000000/", mixedText[:24]), mixedText[:24], "https://hooks.slack.com/"},

		{"discord hook", "webhook", join("https://discord.com/api", "/webhooks/", "123456789012345678/", mixedText, mixedText[:4]), mixedText, "https://discord.com/api/webhooks/123456789012345678/"},
		{"wallet", "seed-phrase", "the seed phrase is apple river stone window paper chair cloud train lamp orange zebra violin", "apple river stone", "the seed phrase is "},
		{"kubeconfig", "private-key", "client-key-data: " + base64.StdEncoding.EncodeToString([]byte(pem("EC PRIVATE"+" KEY", "\n"))) + "\nnext: 1", "LS0tLS1CRUdJTiBF", "next: 1"},
		{"docker", "credential", `{"auths":{"r.dev":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("ann:sw0rdfish")) + `"}}}`, base64.StdEncoding.EncodeToString([]byte("ann:sw0rdfish")), `{"auths":{"r.dev":{"auth":"`},
		{"kubernetes", "credential", "kind: Secret\ndata:\n  smtp: c3dvcmRmaXNo\ntype: Opaque", "c3dvcmRmaXNo", "type: Opaque"},
		{"npmrc, uuid", "service-token", "//r.dev/:_authToken=550e8400-e29b-41d4-a716-446655440000", "550e8400", "//r.dev/:_authToken="},
		{"heroku", "service-token", "the heroku api key is 550e8400-e29b-41d4-a716-446655440000", "550e8400", "the heroku api key is "},
		{"docker login", "command-password", "docker login -u ci -p swordfish r.dev", "swordfish", "docker login -u ci -p "},
		{"redis", "command-password", "redis-cli -a swordfish ping", "swordfish", "ping"},
		{"htpasswd", "command-password", "htpasswd -bc .htpasswd ann swordfish", "swordfish", "htpasswd -bc .htpasswd ann "},
		{"chpasswd", "command-password", "echo 'ann:swordfish' | sudo chpasswd", "swordfish", "echo 'ann:"},
		{"openssl", "command-password", "openssl enc -pass pass:swordfish -in a", "swordfish", " -in a"},
		{"smbclient", "command-password", "smbclient //f/s -U 'ann%swordfish'", "swordfish", "ann%"},
		{"glued to 7z", "command-password", "7z a -pswordfish b.7z", "swordfish", "b.7z"},
		{"in a command in JSON", "command-password", `{"command":"docker login -p \"sword fish\" r.dev"}`, "sword fish", "r.dev"},
		{"xml", "credential", "<username>ann</username><password>hunter2x</password>", "hunter2x", "<password>"},
		{"password for", "credential", "my password for the vpn is walrus-lantern", "walrus-lantern", "my password for the vpn is "},
		{"password as", "credential", "Use Tr0ub4dor&3 as the password for the demo", "Tr0ub4dor&3", "for the demo"},
		{"changed to", "credential", "I changed the password to n0rdLicht_5 today", "n0rdLicht_5", "today"},
		{"login", "credential", "the login is admin / Winter2025x", "Winter2025x", "the login is admin / "},
		{"pin", "credential", "The PIN is 4829.", "4829", "The PIN is "},
		{"pin, Chinese", "credential", "PIN 碼是 482913", "482913", "PIN 碼是 "},
		{"several words", "credential", "The passphrase is correct horse battery staple.", "battery", "The passphrase is "},
		{"token, hex, with a gap", "credential", "the token for the build server is " + hexText[:40], hexText[:40], "the token for the build server is "},
		{"traditional, 已改為", "credential", "密碼已改為 Lampe-4711 了", "Lampe-4711", " 了"},

		{"url", "url-password", "DATABASE_URL=postgres://app:s3cr3t!x@db.internal:5432/app", "s3cr3t!x", "@db.internal:5432/app"},
		{"url, weak password", "url-password", "redis://default:swordfish@cache:6379", "swordfish", "redis://default:"},
		{"url, slash in password", "url-password", "amqp://u:ab/cd1@mq/vhost", "ab/cd1", "@mq/vhost"},
		{"bearer header", "authorization", "curl -H 'Authorization: Bearer " + mixedText[:32] + "' https://api.x.dev", mixedText[:32], "https://api.x.dev"},
		{"basic header", "authorization", "Authorization: Basic dXNlcjpodW50ZXIy\nAccept: */*", "dXNlcjpodW50ZXIy", "Accept: */*"},
		{"header in a call", "authorization", `req.Header.Set("Authorization", "Bearer ` + mixedText[:28] + `")`, mixedText[:28], `")`},
		{"bearer alone", "authorization", "send Bearer " + hexText[:40] + " with it", hexText[:40], "with it"},
		{"cookie", "cookie", "Cookie: theme=dark; sessionid=" + hexText[:32] + "; lang=en", hexText[:32], "theme=dark"},
		{"set-cookie", "cookie", "Set-Cookie: sid=" + mixedText[:24] + "; Path=/; HttpOnly", mixedText[:24], "; Path=/; HttpOnly"},
		{"netrc", "netrc", "machine api.x.dev\n  login ann\n  password swordfish\n", "swordfish", "login ann"},
		{"netrc in one line", "netrc", "machine h login ann password hunter2x", "hunter2x", "machine h"},
		{"option", "command-password", "deploy --user ann --password hunter2x --dry-run", "hunter2x", "--dry-run"},
		{"option with a quote", "command-password", `deploy --db-password "correct-horse"`, "correct-horse", "deploy"},
		{"option with a token", "command-password", "gh auth --token " + mixedText[:30], mixedText[:30], ""},
		{"option with a sign", "credential", "deploy --password=hunter2x --dry-run", "hunter2x", "--dry-run"},
		{"mysql", "command-password", "mysql -u root -psw0rdfish app", "sw0rdfish", "mysql -u root -p"},
		{"mysqldump", "command-password", "mysqldump -h db -p'sword fish' app", "sword fish", "app"},
		{"sshpass", "command-password", "sshpass -p swordfish ssh ann@host", "swordfish", "ssh ann@host"},
		{"curl user", "command-password", "curl -s -u ann:swordfish https://x.dev", "swordfish", "https://x.dev"},

		{"env", "credential", "PORT=80\nDB_PASSWORD=swordfish\nDEBUG=1", "swordfish", "DEBUG=1"},
		{"env, quoted", "credential", `export STRIPE_SECRET="k9fjw02mfks"`, "k9fjw02mfks", "export STRIPE_SECRET="},
		{"env in a command", "credential", "PGPASSWORD=swordfish psql -h db", "swordfish", "psql -h db"},
		{"env, hex", "credential", "API_KEY=" + hexText[:32] + "\n", hexText[:32], "API_KEY="},
		{"env, with more words", "credential", "API_KEY_OPENAI=" + mixedText[:32], mixedText[:32], ""},
		{"yaml", "credential", "db:\n  user: app\n  password: swordfish\n  port: 1", "swordfish", "port: 1"},
		{"yaml, digits", "credential", "password: 123456\n", "123456", ""},
		{"ini", "credential", "[db]\npassword = hunter2x\nhost = x", "hunter2x", "host = x"},
		{"json", "credential", `{"user":"ann","password":"hunter2hunter2"}`, "hunter2hunter2", `"user":"ann"`},
		{"json in a string", "credential", `"{\"apiKey\": \"` + mixedText[:24] + `\", \"n\": 1}"`, mixedText[:24], `\"n\": 1`},
		{"json, cut off", "credential", `{"client_secret": "` + mixedText[:24], mixedText[:24], ""},
		{"go", "credential", `const dbPassword = "swordfish1"`, "swordfish1", "const dbPassword"},
		{"go, typed", "credential", `var apiKey string = "` + mixedText[:24] + `"`, mixedText[:24], "var apiKey string"},
		{"python", "credential", `password: str = 'hunter2x'`, "hunter2x", "password: str"},
		{"typescript", "credential", "const config = { clientSecret: 'k9fjw02mfks', retries: 3 }", "k9fjw02mfks", "retries: 3"},
		{"setenv", "credential", `os.Setenv("DB_PASSWORD", "hunter2x")`, "hunter2x", "os.Setenv"},
		{"comparison", "credential", `if password == "hunter2x" {`, "hunter2x", "if password =="},
		{"query", "credential", "GET /x?access_token=abc123def456&page=2", "abc123def456", "page=2"},
		{"dsn", "credential", "host=db user=app password=swordfish dbname=app", "swordfish", "dbname=app"},
		{"ado", "credential", "Server=db;User Id=sa;Password=swordfish;Encrypt=true", "swordfish", "Encrypt=true"},
		{"npmrc", "credential", "//registry.x.dev/:_authToken=" + hexText[:36], hexText[:36], "//registry.x.dev/"},
		{"passphrase", "credential", `"passphrase": "correct horse battery staple"`, "correct horse", "passphrase"},
		{"escaped newline before", "credential", `env:\npassword=hunter2x\nport=1`, "hunter2x", "port=1"},

		{"prose", "credential", "The password is hunter2x, use it for staging.", "hunter2x", "use it for staging"},
		{"prose, random", "high-entropy", "here is the token you asked for " + mixedText[:32] + " thanks", mixedText[:32], "thanks"},
		{"prose, before", "high-entropy", "use " + mixedText[:32] + " as the token", mixedText[:32], "as the token"},
		{"prose, next line", "high-entropy", "My API key\n\n" + mixedText[:32] + "\n", mixedText[:32], "My API key"},
		{"traditional", "credential", "資料庫密碼：hunter2x，請勿外流", "hunter2x", "請勿外流"},
		{"traditional, 是", "credential", "測試機的密碼是hunter2x。", "hunter2x", "測試機的密碼是"},
		{"simplified", "credential", "数据库密码: hunter2x 不要外传", "hunter2x", "不要外传"},
		{"simplified, 口令", "credential", "口令为 hunter2x", "hunter2x", "口令为"},
		{"simplified, 密钥", "credential", "接口密钥：" + mixedText[:24] + "。", mixedText[:24], "接口密钥："},
		{"simplified, 令牌", "credential", "令牌=" + mixedText[:24], mixedText[:24], "令牌="},
	}
	return list
}

// harmless are texts without any secret.
func harmless() []string {
	return []string{
		"the token expires after 30 minutes",
		"the password reset flow sends a mail; see docs/password-reset.md",
		"tokens: 1500", "max_tokens: 2000", `{"max_tokens": 2000, "input_tokens": 15, "output_tokens": 7}`,
		"token_count = 42", "tokenCount := len(tokens)", "TOKEN_BUDGET=240",
		"func token() string { return next() }",
		"token := lexer.Next()", "secret = loadSecret()", "password=password", "connect(user=user, password=pw)",
		"token: string;", "password: string", "password: str | None = None", "secret: bool", "password: true", "token: null",
		"interface Login { password: string; token?: string }",
		"PASSWORD=$DB_PASSWORD", "PASSWORD=${DB_PASSWORD:-}", `password: "${{ secrets.DB_PASSWORD }}"`, "TOKEN=$(gh auth token)",
		`apiKey: process.env.API_KEY`, `apiKey := os.Getenv("API_KEY")`, `api_key = os.environ["API_KEY"]`, `"api_key": "process.env.X"`,
		"API_KEY=<your key>", "API_KEY=your-api-key-here", "API_KEY=xxxxxxxxxxxxxxxx", "API_KEY=****************", "password: changeme", "SECRET=example",
		"password: [redacted:credential]", "the mark is [redacted:high-entropy] here",
		"commit 9f2c1e4b7a6d5c3f8e0b1a2d4c6e8f0a1b3d5e7f fixed the token refresh",
		"the secret was removed in 9f2c1e4b7a6d5c3f8e0b1a2d4c6e8f0a1b3d5e7f",
		"token 550e8400-e29b-41d4-a716-446655440000", "token_id: 550e8400-e29b-41d4-a716-446655440000", "secret: 550e8400-e29b-41d4-a716-446655440000",
		"sha256:" + hexText + " secret", "docker.io/library/token@sha256:" + hexText,
		"token sha512-" + mixedText + mixedText[:24] + "==", `"integrity": "sha512-` + mixedText + `=="`,
		"github.com/x/token v1.2.3 h1:" + mixedText[:43] + "=", "password digest md5 " + hexText[:32],
		"SHA256:" + mixedText[:43] + " the private key's fingerprint",
		"password_file=/run/secrets/db_password", "secretName: my-tls", `"secret": "my-secret"`, "token_url: https://x.dev/oauth/token",
		"token=https://x.dev/a", "private_key_path = ~/.ssh/id_ed25519", "PWD=/home/ann/src/orihon", "OLDPWD=/tmp",
		"see internal/redact/named.go and internal/token/v2/TokenBucketV2.go", `import "github.com/golang-jwt/jwt/v5" // token`,
		"the `--token` flag", "use --password option", "--password PASSWORD", "--token string   the token to use", "the --api-key flag is required",
		"git@github.com:ann/x.git", "https://x.dev:8080/a@b", "http://localhost:3000/", "ssh://git@github.com/x.git", "https://user:$PASS@host/", "https://user:<password>@host/",
		"postgres://user:password@localhost/db",
		"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "an Authorization header with a Bearer token", "the authorization code flow",
		`case "Authorization", "Www-Authenticate", "Cookie", "Cookie2":`,
		"Cookie: theme=dark", "cookie: a small text", "Set-Cookie: lang=en; Path=/; Max-Age=3600",
		"-----BEGIN PUBLIC KEY-----\n" + mixedText + "\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n" + mixedText,
		"look for -----BEGIN PRIVATE KEY----- in the file and delete it",
		"sk-loading-indicator-wrapper-large", "task-1234567890-abcdefghijk", "risk-assessment-2024-report", "desk-", "npm_config_registry=x",
		"ghp_token", "AKIA is the prefix", "in Asia and Africa", "mysql -p app", "mysql -u root -p", "mysql --port 3306",
		"version 1.2.3-rc.1+build.5 of the token library", "password hashing: argon2id", "password: bcrypt", "secret: sha256", "jwt token alg: HS256",
		`"password": "is required"`, `"forgot_password": "Forgot your password?"`, `"token": "Invalid token"`, `{"type":"password","name":"password"}`,
		`<input type="password" name="password" placeholder="Password">`, `t.Run("token", func(t *testing.T) {`,
		"password: Must be at least 8 characters", "Passwords: 3 changed", "secrets: []", "credentials: include",
		`"output_tokens":12},"id":"msg_01XFDUDYJgAACzvnptvVoYEL"`, `token usage for toolu_01A09q90qw90lq917835lq9`,
		"密碼重設流程在 docs/reset.md", "密碼長度：12", "令牌在 30 分鐘後過期", "密码是必填的", "忘记密码", "token 數：1500", "口令：見保險櫃",
		"// token returns the next token", "if token == nil {", `token, err := parse(s)`, "for _, token := range tokens {",
		"class PasswordField(Field):", "def get_password(self):", "self.password = password", "this.token = response.data.token",
		"secret_key_base: <%= ENV['SECRET_KEY_BASE'] %>", "password: !vault |", "key: value", "keyboard: dvorak",
		"passing tests: 12", "compass: north", "bypass=true", "",
	}
}
