package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"orihon/internal/redact"
)

// weak are texts with a password that is a plain word, written the way people
// write them; the secret stands between the marks « and ».
var weak = []string{
	// Settings of an environment, anywhere in a text.
	"DB_PASSWORD=«correcthorsebattery»",
	"export DB_PASSWORD=«correcthorsebattery»",
	"we use DB_PASSWORD=«correcthorsebattery» always",
	"run it with `DB_PASSWORD=«correcthorsebattery» make test`",
	"Set REDIS_PASSWORD=«swordfish», then restart.",
	"(ADMIN_PASSWORD=«swordfish»)",
	"MY_SECRET=«letmeinplease»",
	"the value is MY_SECRET=«letmeinplease» on staging",
	"SESSION_SECRET=«opensesamenow»",
	"TOKEN=«abcdefghijklmnop»",
	"call it with TOKEN=«abcdefghijklmnop» please",
	"API_TOKEN=«qwertyuiopasdfgh»",
	"API_KEY=«qwertyuiopasdfgh»",
	"PGPASSWORD=«swordfish» psql -h db",
	"then PGPASSWORD=«swordfish» psql -h db",
	"$ MYSQL_PWD=«swordfish» mysql -u root",
	"env DB_PASSWORD=«swordfish» ./run",
	"docker run -e POSTGRES_PASSWORD=«swordfish» postgres",
	"先執行 DB_PASSWORD=«swordfish» make migrate",
	"先运行 DB_PASSWORD=«swordfish» make migrate",

	// Values apart from their names.
	`curl -H "X-Api-Key: «Vq7Marsh_41kd»" https://a.example`,
	`curl -H 'Private-Token: «Vq7Marsh_41kd»' a.example`,
	"spec:\n  password: |\n    «Vq7Marsh_41kd»\n  port: 25",
	"password: >-\n  «swordfish»\nuser: ann",
	"env:\n- name: DB_PASSWORD\n  value: «Vq7Marsh_41kd»\n- name: MODE\n  value: fast",
	`{"name":"DB_PASSWORD","value":"«Vq7Marsh_41kd»"}`,
	`log: [{"key": "api_token", "value": "«Vq7Marsh_41kd»"}]`,
	"ALTER USER ann IDENTIFIED BY '«Vq7Marsh_41kd»';",
	"docker login -u ann --password-stdin <<< «Vq7Marsh_41kd»",
	`gh auth login --with-token <<< "«Vq7Marsh_41kd»"`,

	// What a person says.
	"password: «swordfish»",
	"the door panel password is: «Wander#Ruf72»",
	"門禁的密碼是：«Wander#Ruf72»",

	// A line leads to the value in the next.
	"the door panel password is:\n«Wander#Ruf72»",
	"what is the password of the panel?\n«Wander#Ruf72»\nand now open it",
	"door panel password:\n\n«ruf72wander»\n\nopen it",
	"the panel's password =\n`«Wander#Ruf72»`.",
	"门禁的密码是：\n«ruf72wander»",
	"門禁個密碼係\n«ruf72wander»",
	"the staging password: «swordfish»",
	"Remember the staging password: «swordfish».",
	"Wifi password: «opensesame»",
	"login ann / password: «swordfish»",
	"Remember: the staging password is «swordfish»",
	"the database password is «opensesame».",
	"my wifi password was «opensesame», change it",
	"passwd: «swordfish»",
	"we start it with password=«swordfish» in the URL",
	"passphrase: «opensesame»",
	"密碼是 «swordfish»",
	"密碼是«swordfish»",
	"密碼：«swordfish»",
	"密碼: «swordfish»",
	"密碼為 «swordfish»",
	"測試機的密碼是 «swordfish»。",
	"資料庫密碼是 «swordfish»，不要外流",
	"記住：正式環境的密碼是 «opensesame»",
	"密碼設成 «swordfish»",
	"資料庫密碼改成 «swordfish» 了",
	"預設密碼是 «letmein»",
	"密码是 «swordfish»",
	"密码是«swordfish»",
	"密码：«swordfish»",
	"密码: «swordfish»",
	"密码为 «swordfish»",
	"测试机的密码是 «swordfish»。",
	"数据库密码是 «swordfish»，不要外传",
	"记住：生产环境的密码是 «opensesame»",
	"密码设成 «swordfish»",
	"密码改成 «swordfish» 了",
	"口令：«opensesame»",
	"密碼是「«swordfish»」",
	"密码是“«swordfish»”",

	// A password may hold every sign; what belongs to the sentence stays.
	"The web02 root password is «Zx9;kk2!q»",
	"ftp passwd: «a1b2(c3d4)e5»",
	"Our Grafana password is «Tr0ub4dor&3», thanks",
	"the password of the NAS is «Blau,Gelb9».",
	"it is live (the password is «x7|Kp2>9q»).",
	"the password for the router: «9x]Kd[2p»",
	"the password is «it's9Now»",
	"the password is «Grün3Wald», thanks",
	"(password: «hunter2x»)",
	"password: «hunter2x»;user: ann",
	"<b>the password is «hunter2x»</b>",
	"密碼是 «Zx9;kk2!q»，不要外流",
	"密码：«a1b2(c3d4)e5»。",
	"密碼是 «Velvol!03»，請記住",
	"password = «Zx9;kk2!q»",
	"{\"password is «hunter2x»\",",

	// A word for a secret within it makes no variable of it, where a verb is.
	"The API password is «hunter2Secret»!",
	"the FTP password is «Password123»",
	"密碼是 «hunter2Secret»",

	// What may stand between a name and its value.
	"the password (for staging) is «hunter2x»",
	"the password we use for staging is «hunter2x»",
	"password -> «hunter2x»",
	"密碼還是 «hunter2x»",
	"密碼應該是 «hunter2x»",
	"密码已经换成了 «hunter2x»",
	"passphrase \"«correct horse battery staple»\"",
	"The password is «4711».",

	// Other names.
	"通行碼是 «hunter2x»",
	"通行码：«hunter2x»",
	"通行碼：«4711»",
	"解鎖碼是 «482913»",
	"the door code is «4711»",
	"the gate code is «8842»",
	"the wifi key is «hunter2x»",
	"WiFi 密码«hunter2x»",
	"通行碼「«hunter2x»」",
	`it said {"pass": "«hunter2x»"} again`,
	"my jira token is «ATATT3" + "xFfGF0abcdEFGH1234567890abcdefghijklmnop»",

	// An account and its password.
	"login as root/«toor123»",
	"basic auth is ann:«toor123»",
	"log in as root/«toor123» please",
	"signed in with ann / «toor123»",
	"登入用 root/«toor123»",
	"帳密：root / «toor123»",
	"账号：root/«toor123»",
	"ssh root:«toor123»@10.0.0.3",
	"the admin login for the test shop is admin / «Lachs?Tonne71»",
	"login to the jump host with marta / «Bucht_Segel20»",
	"you can use user rep_ro with «Anker#Tau8» on db-2",
	"log in to the wiki as marta with «Kai!Lampe5»",
	"imap auth is bills@shop / «Nord-Watt-63»",
	"登录预发用 admin / «Wolke!Eis52»",
	"登入 grafana 用 ops / «Wolke!Eis52»",

	// A key of a service, and one that opens a vault.
	"STATUSPAGE_KEY is «Rb7+kQ2xLmV9tZ4wNs8p»",
	"STATUSPAGE_KEY=«Rb7+kQ2xLmV9tZ4wNs8p» is in the output",
	"unseal key 2 is «p3Zk8vQ1+tR7mXw5Lb0" + "Yc9sHd2Jf6Gn4UaEeKo1Bi8=»",
	"jdbc:oracle:thin:ann/«hunter2»@db:1521/x",

	// A key of any sort, where what is given to it looks drawn.
	"the gateway key is «pQ4zR8vLm2Xw7NbT»",
	"remember: our courier key for the depot is «u7k2m9q4x1z8v5b3t6w0»",
	"terminal_key=«TERM-pQ4zR8vLm2Xw7NbTc5»",
	"HashKey=«Rk3Vq8ZtLm5XwPd2», HashIV=«pN7xQ4zWm9LrTb2K»",
	"綠界的 HashKey 是 «Rk3Vq8ZtLm5XwPd2»，HashIV 是 «pN7xQ4zWm9LrTb2K»",
	"特店的 key：「«Rk3Vq8ZtLm5XwPd2»」",
	"网关 key 改成 «Rk3Vq8ZtLm5XwPd2»",
	"間舖條 key 係 «Rk3Vq8ZtLm5XwPd2»",
	`{"merchantKey":"«Rk3Vq8ZtLm5XwPd2»"}`,

	// A bot token of Telegram says what it is.
	"For telegram we use «110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw9» always",
	"https://api.telegram.org/bot«110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw9»/getMe",
	"uses «110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw» in production",
	"bot token «110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw9»",

	// Escaped as JSON does it, in text that is none.
	`{"cmd": "echo \u5bc6\u78bc\u662f «swordfish»", cut`,
	`{"cmd": "echo \u5bc6\u7801\uff1a«swordfish»", cut`,
	`"\u5bc6\u78bc": "«swordfish»", cut`,
	`"\u5BC6\u78BC": "«swordfish»", cut`,
}

// plain are texts about passwords that hold none.
var plain = []string{
	// Keys that look something up, and that are known.
	"the partition key is Rk3Vq8ZtLm5XwPd2", "快取的 key 是 Rk3Vq8ZtLm5XwPd2", "公開 key：Rk3Vq8ZtLm5XwPd2",
	"the figma file key is Rk3Vq8ZtLm5XwPd2", `{"key": "Rk3Vq8ZtLm5XwPd2"}`, `<li key="Rk3Vq8ZtLm5XwPd2">`,
	"the gateway key is order_number_2026", "the sort key is 9f86d081884c7d659a2feaa0c55ad015", "merchant key 是 checkoutMerchantId2",
	"the div is Rk3Vq8ZtLm5XwPd2", "press the key combination F12",

	// What follows in the next line is no value.
	"what is the password of the panel?\nAsk the caretaker",
	"the panel's password is:\nunknown",
	"password:\n  valueFrom:\n    secretKeyRef:",
	"which algorithm is behind the password?\nsha256",
	"password =\n  readPassword2(stdin);",
	"門禁的密碼是：\n還沒設定",

	"password: required", "the password field", "token = parser.next()", `password = os.Getenv("X")`, "token: string",
	"secret: ${{ secrets.X }}", "password: <your-password>", "password: ****", "DB_PASSWORD=****", "DB_PASSWORD=<your-password>",
	"The password: it must have 12 characters.", "password: at least 12 characters", "Password: optional.", "the password: encrypted",
	"password: hashed with bcrypt", "password: plaintext", "{ user: name, password: input }", "login({ user, password: values })",
	"type Login = { password: string }", "username, password: string", "def login(user: str, password: str):", "password: payload.password",
	"fields: username and password: both are required", "Enter password:", "call f(password=value)", "the password = input in code",
	"Common errors with password: mismatch", "SSH says password: denied", "password: \n", "password:", "New password: Confirm password:",
	"The password is wrong.", "the password is stored hashed", "the password is required", "the password is empty", "is the password correct?", "the password is valid.", "if the password is wrong, retry", "the password is visible",
	"the password is forgotten.", "the password is case-sensitive", "check that the password is secure;", "the password is shorter than 8", "my password is bcrypt",
	"the password is loaded from Vault", "the password is incorrect!", "password is mandatory,", "when the password is there, stop", "the password is none.of your business",
	"PASSWORD=password", "TOKEN=$TOKEN", "TOKEN=${TOKEN}", "SECRET=$(openssl rand -hex 32)", "DB_PASSWORD=$DB_PASSWORD make test",
	"DB_PASSWORD=changeme", "DB_PASSWORD=your_password_here", "API_KEY=YOUR_API_KEY", "use TOKEN=VALUE here", "set PASSWORD=PASSWORD in the manual",
	"TOKEN=parser.next", "MAX_TOKENS=unlimited", "TOKEN_TYPE=bearer", "SECRET_NAME=production", "PASSWORD_FILE=secrets", "TOKENS=everything",
	"if TOKEN==identifier", "TOKEN = iota", "const TOKEN = identifier", "SECRET=example", "SECRET=secret",
	"API_TOKEN=placeholder", "MY_SECRET=supersecret", "PASSWORD=", `cmd.Env = append(os.Environ(), "PWD="+dir)`, `env := append(env, 'DB_PASSWORD='+secret)`, "enum { TOKEN, SECRET }",
	"SECRET_KEY=django", "TOKEN=none", "AUTH_TOKEN=disabled",
	"密碼是必填的", "密碼是 required", "密碼是 string", "密碼：必填", "密碼：****", "密碼: <your-password>", "密碼欄位是空的", "密碼長度是 12 個字",
	"密码2周后过期", "密码8位以上", "密碼MD5雜湊後存", "密码bcrypt2加密", "WiFi 密码长度要 8 位", "the gate code is in the handbook", "the wifi key is on the fridge", "用戶名/密碼欄位",
	"密碼是空的", "密碼是 bcrypt 雜湊過的", "密碼是 base64 編碼", "密碼是 null", "密碼是什麼？", "忘記密碼", "密碼：${DB_PASSWORD}", "密碼是 plaintext 存的",
	"密碼：見 Vault", "密碼是 optional", "密碼的欄位名是 pwd", "令牌是 string", "密碼是 password 欄位",
	"密码是必填的", "密码是 required", "密码是 string 类型", "密码：必填", "密码：****", "密码字段是空的", "密码长度是 12 个字", "密码是 hashed 的",
	"密码是空的", "密码是 bcrypt 哈希过的", "密码是 null", "密码是什么？", "忘记密码", "密码：${DB_PASSWORD}", "密码是 encrypted 的", "密码：见 Vault",
	"at 12:AA:34 it failed", "ratio 10:AAHdq", "12345678:AAAA is short", "1102015430:AAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "commit 110201543 fixed it",
	"login page / Landing page", "log in with Google / GitHub", "the login is name / password", "use user svc with PostgreSQL16 on db-1",
	"log in as admin with Google-OAuth2", "the auth service / Keycloak-24.0", "login test in src / Login_test2.go",
	"SORT_KEY=created_at_desc2024", "PUBLIC_KEY=Rb7+kQ2xLmV9tZ4wNs8p", "CACHE_KEY is Rb7kQ2xLmV9tZ4wNs8pX", "STATUSPAGE_KEY is in the vault", "the unseal key 2 is lost",
	`{"text": "\u5bc6\u78bc\u662f\u5fc5\u586b", cut`, `"\u5bc6\u78bc": "required", cut`,
}

func TestWeakPasswordsAreTakenWhereverTheyAreSaid(t *testing.T) {
	for _, marked := range weak {
		before, rest, _ := strings.Cut(marked, "«")
		secret, after, _ := strings.Cut(rest, "»")
		text := before + secret + after
		clean, found := redact.Text(text)
		if strings.Contains(clean, secret) || len(found) != 1 {
			t.Errorf("Text(%q) = %q, %v", text, clean, found)
			continue
		}
		if !strings.HasPrefix(clean, before) || !strings.HasSuffix(clean, after) {
			t.Errorf("Text(%q) = %q: more than the secret is gone", text, clean)
		}
		if again, more := redact.Text(clean); again != clean || more != nil {
			t.Errorf("Text(%q) = %q, %v: want it left alone", clean, again, more)
		}
	}
}

func TestASecondPasswordOfALineIsTaken(t *testing.T) {
	const gone = "[redacted:credential]"
	for in, want := range map[string]string{
		"The root password changed from hunter2x to hunter3y.":        "The root password changed from " + gone + " to " + gone + ".",
		"the old password was hunter2x, the new one is hunter3y":      "the old password was " + gone + ", the new one is " + gone,
		"舊密碼是 Velvol!03，新的是 swordfish2。":                              "舊密碼是 " + gone + "，新的是 " + gone + "。",
		"舊密碼是 swordfish，新的是 hunter3y。":                                "舊密碼是 " + gone + "，新的是 " + gone + "。",
		"舊密碼是 hunter2x，新的是 hunter3y。":                                 "舊密碼是 " + gone + "，新的是 " + gone + "。",
		"the password is hunter2x, the one for staging is in Vault":   "the password is " + gone + ", the one for staging is in Vault",
		"the password is hunter2x, the length of a new one is twelve": "the password is " + gone + ", the length of a new one is twelve",
	} {
		if got, _ := redact.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAValueThatIsKnownIsTakenWhereverItStands(t *testing.T) {
	for in, want := range map[string]string{
		"try Wolke!Eis52\ncurl -u 'ops:Wolke!Eis52' https://x.dev\nWolke!Eis52 it was": "try [redacted:command-password]\ncurl -u 'ops:[redacted:command-password]' https://x.dev\n[redacted:command-password] it was",
		"password: sommer\nthe sommer release":                                         "password: [redacted:credential]\nthe sommer release",
		"password: Wolke!Eis52\nWolke!Eis521 is another":                               "password: [redacted:credential]\nWolke!Eis521 is another",
	} {
		if got, _ := redact.Text(in); got != want {
			t.Errorf("Text(%q)\n = %q\nwant %q", in, got, want)
		}
	}
}

func TestTextAboutPasswordsStays(t *testing.T) {
	for _, s := range plain {
		if got, found := redact.Text(s); got != s || found != nil {
			t.Errorf("Text(%q) = %q, %v", s, got, found)
		}
	}
}

// A client writes Chinese as it is or escaped; both mean the same.
func TestJSONReadsEscapedNames(t *testing.T) {
	for in, want := range map[string]string{
		`{"command":"echo \u5bc6\u78bc\u662f swordfish"}`:    `{"command":"echo 密碼是 [redacted:credential]"}`,
		`{"command":"echo \u5bc6\u7801\uff1aswordfish"}`:     `{"command":"echo 密码：[redacted:credential]"}`,
		`{"\u5bc6\u78bc":"swordfish"}`:                       `{"\u5bc6\u78bc":"[redacted:credential]"}`,
		`{"command":"echo \u0070assword: swordfish"}`:        `{"command":"echo password: [redacted:credential]"}`,
		`{"command":"\u5bc6\u78bc\u662f\u5fc5\u586b\u7684"}`: `{"command":"\u5bc6\u78bc\u662f\u5fc5\u586b\u7684"}`,
	} {
		if got, _ := redact.New(nil).JSON(json.RawMessage(in)); string(got) != want {
			t.Errorf("JSON(%s)\n = %s\nwant %s", in, got, want)
		}
	}
}
