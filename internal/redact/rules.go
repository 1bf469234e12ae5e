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

// cue is a word that makes another rule look closer. Words are lower case
// and are found in any case.
type cue struct {
	word string
	look func(sc *scan, from, to int)
}

var cues = [...]cue{
	{markOpen, (*scan).skipMark},
	{"-----begin ", (*scan).blockStart},
	{"-----end ", (*scan).blockEnd},
	{"eyj", (*scan).webToken},
	{"akia", (*scan).awsID},
	{"asia", (*scan).awsID},
	{"abia", (*scan).awsID},
	{"acca", (*scan).awsID},
	{"twilio", (*scan).twilio},
	{"sig=", (*scan).azureSignature},
	{"://", (*scan).address},
	{"authorization", (*scan).authorization},
	{"bearer ", (*scan).bearer},
	{"cookie", (*scan).cookies},
	{"chpasswd", (*scan).piped},
	{"ls0tls1crudjti", (*scan).base64Key},
	{"auth", (*scan).basicAuth},
	{"kind: secret", (*scan).kubernetesSecret},
	{":5432:", (*scan).passwordFile},
	{"seed", (*scan).seedWords},
	{"mnemonic", (*scan).seedWords},
	{"recovery phrase", (*scan).seedWords},
	{"助記詞", (*scan).seedWords},
	{"助记词", (*scan).seedWords},
	{"psk", (*scan).named},
	{"pw", (*scan).named},
	{"pass", (*scan).pass},
	{"encryption key", (*scan).named},
	{"signing key", (*scan).named},
	{"master key", (*scan).named},
	{"license key", (*scan).named},
	{"pin", (*scan).pin},
	{"verification code", (*scan).pin},
	{"unlock code", (*scan).pin},
	{"驗證碼", (*scan).pin},
	{"验证码", (*scan).pin},
	{"通關密語", (*scan).named},
	{"login", (*scan).account},
	{"credentials", (*scan).account},
	{"password-stdin", (*scan).piped},
	{"passw", (*scan).named},
	{"passphrase", (*scan).named},
	{"passcode", (*scan).named},
	{"_pass", (*scan).named},
	{"pwd", (*scan).named},
	{"secret", (*scan).named},
	{"token", (*scan).named},
	{"apikey", (*scan).named},
	{"api_key", (*scan).named},
	{"api-key", (*scan).named},
	{"api key", (*scan).named},
	{"accesskey", (*scan).named},
	{"access_key", (*scan).named},
	{"access-key", (*scan).named},
	{"access key", (*scan).named},
	{"privatekey", (*scan).named},
	{"private_key", (*scan).named},
	{"private-key", (*scan).named},
	{"private key", (*scan).named},
	{"auth_key", (*scan).named},
	{"authkey", (*scan).named},
	{"signing_key", (*scan).named},
	{"signingkey", (*scan).named},
	{"encryption_key", (*scan).named},
	{"encryptionkey", (*scan).named},
	{"credential", (*scan).named},
	{"密碼", (*scan).named},
	{"密码", (*scan).named},
	{"密鑰", (*scan).named},
	{"密钥", (*scan).named},
	{"金鑰", (*scan).named},
	{"口令", (*scan).named},
	{"令牌", (*scan).named},
	{"權杖", (*scan).named},
	{`\u5bc6\u78bc`, (*scan).named}, // 密碼
	{`\u5bc6\u7801`, (*scan).named}, // 密码
	{":aa", (*scan).telegram},
}
