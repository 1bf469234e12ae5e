package redact

// rule is a kind of secret. Where two rules find the same text the smaller one
// names it, so the order is from specific to general.
type rule uint8

const (
	privateKey rule = iota
	awsAccessKey
	awsSecretKey
	anthropicKey
	openaiKey
	githubToken
	gitlabToken
	slackToken
	slackWebhook
	webhook
	stripeKey
	googleKey
	azureKey
	npmToken
	pypiToken
	huggingfaceToken
	sendgridKey
	twilioKey
	digitaloceanToken
	ageKey
	serviceToken
	jsonWebToken
	urlPassword
	authorization
	cookie
	netrc
	commandPassword
	seedPhrase
	credential
	highEntropy
	ruleCount
)

var names = [ruleCount]string{
	privateKey:        "private-key",
	awsAccessKey:      "aws-access-key",
	awsSecretKey:      "aws-secret-key",
	anthropicKey:      "anthropic-key",
	openaiKey:         "openai-key",
	githubToken:       "github-token",
	gitlabToken:       "gitlab-token",
	slackToken:        "slack-token",
	slackWebhook:      "slack-webhook",
	webhook:           "webhook",
	stripeKey:         "stripe-key",
	googleKey:         "google-key",
	azureKey:          "azure-key",
	npmToken:          "npm-token",
	pypiToken:         "pypi-token",
	huggingfaceToken:  "huggingface-token",
	sendgridKey:       "sendgrid-key",
	twilioKey:         "twilio-key",
	digitaloceanToken: "digitalocean-token",
	ageKey:            "age-key",
	serviceToken:      "service-token",
	jsonWebToken:      "json-web-token",
	urlPassword:       "url-password",
	authorization:     "authorization",
	cookie:            "cookie",
	netrc:             "netrc",
	commandPassword:   "command-password",
	seedPhrase:        "seed-phrase",
	credential:        "credential",
	highEntropy:       "high-entropy",
}

// cue is what looks closer where one of its words stands. Words are lower case
// and are found in any case.
type cue struct {
	look  func(sc *scan, from, to int)
	words []string
}

var cues = [...]cue{
	{(*scan).skipMark, []string{markOpen}},
	{(*scan).blockStart, []string{"-----begin "}},
	{(*scan).blockEnd, []string{"-----end "}},
	{(*scan).webToken, []string{"eyj"}},
	{(*scan).awsID, []string{"akia", "asia", "abia", "acca"}},
	{(*scan).twilio, []string{"twilio"}},
	{(*scan).azureSignature, []string{"sig="}},
	{(*scan).address, []string{"://"}},
	{(*scan).userAtHost, []string{"@"}},
	{(*scan).authorization, []string{"authorization"}},
	{(*scan).bearer, []string{"bearer "}},
	{(*scan).cookies, []string{"cookie"}},
	{(*scan).piped, []string{"chpasswd", "password-stdin"}},
	{(*scan).base64Key, []string{"ls0tls1crudjti"}},
	{(*scan).basicAuth, []string{"auth"}},
	{(*scan).kubernetesSecret, []string{"kind: secret"}},
	{(*scan).passwordFile, []string{":5432:"}},
	{(*scan).seedWords, []string{"seed", "mnemonic", "recovery phrase", "助記詞", "助记词"}},
	{(*scan).named, []string{
		"psk", "pw", "_key", "unseal key", "wifi key", "wlan key", "wpa key", "encryption key", "signing key", "master key", "license key", "通關密語", "passw", "passphrase",
		"passcode", "_pass", "pwd", "secret", "token", "apikey", "api_key", "api-key", "api key", "accesskey",
		"access_key", "access-key", "access key", "privatekey", "private_key", "private-key", "private key",
		"auth_key", "authkey", "signing_key", "signingkey", "encryption_key", "encryptionkey", "credential", "密碼",
		"通行碼", "通行码", "密码", "密鑰", "密钥", "金鑰", "口令", "令牌", "權杖", `\u5bc6\u78bc`, `\u5bc6\u7801`, // 密碼, 密码
	}},
	{(*scan).keyed, []string{"key", "iv"}},
	{(*scan).pass, []string{"pass"}},
	{(*scan).pin, []string{"pin", "verification code", "unlock code", "door code", "gate code", "alarm code", "驗證碼", "验证码", "解鎖碼", "解锁码"}},
	{(*scan).account, []string{"login", "log in", "logged in", "sign in", "signed in", "credentials", "creds", "basic auth", "account", "帳密", "帐密", "账密", "帳號", "帐号", "账号", "登入", "登录", "登錄"}},
	{(*scan).pair, []string{" / ", " with "}},
	{(*scan).identifiedBy, []string{"identified by"}},
	{(*scan).hereString, []string{"<<<"}},
	{(*scan).pastedFile, []string{".env", ".npmrc", ".yarnrc", ".pypirc", "htpasswd", "config.json", "kubeconfig", ".kube/config", "secrets.", "credentials.", "-credentials"}},
	{(*scan).telegram, []string{":aa"}},
}
