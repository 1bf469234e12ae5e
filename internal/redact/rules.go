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
	credential:        "credential",
	highEntropy:       "high-entropy",
}

// shape is a token that is known by how it begins.
type shape struct {
	rule   rule
	prefix string // case counts
	set    charset
	min    int // characters behind the prefix
	need   need
}

// need is what the characters behind a prefix must have, for prefixes that
// ordinary words share.
type need uint8

const (
	anything need = iota
	digit         // at least one digit
	mixed         // a digit, and an upper-case letter or no separators or many digits
)

// shapes are looked for wherever their prefix stands at the start of a word.
var shapes = [...]shape{
	{anthropicKey, "sk-ant-", wordDash, 16, anything},
	{openaiKey, "sk-", wordDash, 20, mixed},
	{githubToken, "ghp_", alnum, 20, anything},
	{githubToken, "gho_", alnum, 20, anything},
	{githubToken, "ghu_", alnum, 20, anything},
	{githubToken, "ghs_", alnum, 20, anything},
	{githubToken, "ghr_", alnum, 20, anything},
	{githubToken, "github_pat_", wordDash, 22, anything},
	{gitlabToken, "glpat-", wordDash, 20, anything},
	{gitlabToken, "gldt-", wordDash, 20, digit},
	{gitlabToken, "glrt-", wordDash, 20, digit},
	{gitlabToken, "glptt-", wordDash, 20, digit},
	{slackToken, "xoxb-", wordDash, 10, digit},
	{slackToken, "xoxp-", wordDash, 10, digit},
	{slackToken, "xoxa-", wordDash, 10, digit},
	{slackToken, "xoxr-", wordDash, 10, digit},
	{slackToken, "xoxs-", wordDash, 10, digit},
	{slackToken, "xoxe-", wordDash, 10, digit},
	{slackToken, "xoxe.xox", wordDashDot, 10, digit},
	{slackToken, "xoxo-", wordDash, 10, digit},
	{slackToken, "xapp-", wordDash, 10, digit},
	{slackWebhook, "hooks.slack.com/services/", wordSlash, 20, anything},
	{stripeKey, "sk_live_", alnum, 16, anything},
	{stripeKey, "rk_live_", alnum, 16, anything},
	{stripeKey, "sk_test_", alnum, 16, anything},
	{stripeKey, "rk_test_", alnum, 16, anything},
	{stripeKey, "whsec_", base64, 24, anything},
	{googleKey, "AIza", wordDash, 30, anything},
	{googleKey, "GOCSPX-", wordDash, 20, anything},
	{googleKey, "ya29.", wordDash, 20, anything},
	{npmToken, "npm_", alnum, 30, anything},
	{pypiToken, "pypi-", wordDash, 50, digit},
	{huggingfaceToken, "hf_", alnum, 30, anything},
	{sendgridKey, "SG.", wordDashDot, 40, digit},
	{digitaloceanToken, "dop_v1_", alnum, 40, anything},
	{digitaloceanToken, "doo_v1_", alnum, 40, anything},
	{digitaloceanToken, "dor_v1_", alnum, 40, anything},
	{azureKey, "AccountKey=", base64, 40, anything},
	{azureKey, "SharedAccessKey=", base64, 40, anything},
	{azureKey, "SharedAccessSignature=", base64, 20, anything},
	{ageKey, "AGE-SECRET-KEY-", wordDash, 50, anything},
	{ageKey, "AGE-SECRET-KEY-PQ-", wordDash, 50, anything},
	{serviceToken, "hvs.", wordDash, 24, digit},
	{serviceToken, "hvb.", wordDash, 24, digit},
	{serviceToken, "gsk_", alnum, 32, digit},
	{serviceToken, "glsa_", wordDash, 32, digit},
	{serviceToken, "shpat_", alnum, 32, anything},
	{serviceToken, "shpss_", alnum, 32, anything},
	{serviceToken, "lin_api_", alnum, 32, anything},
	{serviceToken, "ATATT3", base64url, 60, digit},
	{serviceToken, "dapi", alnum, 32, digit},
	{serviceToken, "tskey-", wordDash, 20, digit},
	{serviceToken, "sbp_", alnum, 40, anything},
	{serviceToken, "r8_", alnum, 37, digit},
	{serviceToken, "pplx-", alnum, 40, anything},
	{serviceToken, "xai-", alnum, 60, digit},
	{serviceToken, "PMAK-", wordDash, 50, digit},
	{serviceToken, "sntrys_", wordDash, 50, digit},
	{serviceToken, "pul-", alnum, 40, digit},
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
	{"mysql", (*scan).mysql},
	{"sshpass", (*scan).sshpass},
	{"curl ", (*scan).curl},
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
