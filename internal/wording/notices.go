package wording

// Notices are the lines by which a user is told at a prompt what became of their words, in
// one language. Each stands behind "orihon: ".
type Notices struct {
	Remembered, Known, Noted, Forgotten string // what
	Everywhere                          string // behind the first two: in all projects
	Replaces                            string // what, in brackets
	Beside                              string // what holds as well, in brackets
	TakeBack                            string // the command, in brackets
	OnlyHere                            string // the command, in brackets behind the one before
	BringBack                           string // the command, in brackets
	OwnAlone                            string // the command that shares it, in brackets
	Open, Between, Close                string // brackets, and what parts two notes in them
	Shared                              string // what the team shares otherwise
	ForAll                              string // the command, in brackets behind it
	Holds                               string // what, until the user decides
	OnlySaid                            string // what was forgotten and never kept
	IfForgotten                         string // what, and the commands
	NothingLike                         string // nothing was forgotten
	Secret                              string // what
	Withheld                            string
}

// NoticesIn returns the notices in a language; English for any unknown one.
func NoticesIn(language string) *Notices {
	switch language {
	case "zh-Hant":
		return &Notices{
			Remembered: "已記住%s：%s", Known: "早已記住%s：%s", Noted: "記下了：%s", Forgotten: "已忘記：%s",
			Everywhere: "（用於您所有的專案）", Replaces: "取代：%s", Beside: "與此並存：%s，見 orihon review", TakeBack: "要收回：orihon undo %s",
			OnlyHere: "只用於此專案：orihon edit %s --scope personal", BringBack: "要找回：orihon undo %s",
			Open: "（", Between: "；", Close: "）",
			Shared: "團隊共用的說法不同，兩者並存：%s", ForAll: "要為所有人更改：orihon edit %s",
			OwnAlone:    "目前只有您自己有；要與團隊共享：orihon edit %s --scope shared",
			Holds:       "在您決定（orihon review）或再說一次「記住：」之前，仍以此為準：%s",
			OnlySaid:    "已忘記，這只是說過：%s",
			IfForgotten: "若要忘記的是這個：%s",
			NothingLike: "沒有忘記任何東西：記憶中沒有相近的（orihon list）",
			Secret:      "沒有記住，因為其中有機密：%s",
			Withheld:    "照您的要求，這則訊息不會保存",
		}
	case "zh-Hans":
		return &Notices{
			Remembered: "已记住%s：%s", Known: "早已记住%s：%s", Noted: "记下了：%s", Forgotten: "已忘记：%s",
			Everywhere: "（用于您所有的项目）", Replaces: "取代：%s", Beside: "与此并存：%s，见 orihon review", TakeBack: "要收回：orihon undo %s",
			OnlyHere: "只用于此项目：orihon edit %s --scope personal", BringBack: "要找回：orihon undo %s",
			Open: "（", Between: "；", Close: "）",
			Shared: "团队共用的说法不同，两者并存：%s", ForAll: "要为所有人更改：orihon edit %s",
			OwnAlone:    "目前只有您自己有；要与团队共享：orihon edit %s --scope shared",
			Holds:       "在您决定（orihon review）或再说一次“记住：”之前，仍以此为准：%s",
			OnlySaid:    "已忘记，这只是说过：%s",
			IfForgotten: "若要忘记的是这个：%s",
			NothingLike: "没有忘记任何东西：记忆中没有相近的（orihon list）",
			Secret:      "没有记住，因为其中有机密：%s",
			Withheld:    "照您的要求，这条消息不会保存",
		}
	}
	return &Notices{
		Remembered: "remembered%s: %s", Known: "known already%s: %s", Noted: "noted: %s", Forgotten: "forgotten: %s",
		Everywhere: " for all your projects", Replaces: "replaces: %s", Beside: "beside it stands: %s, see orihon review", TakeBack: "to take it back: orihon undo %s",
		OnlyHere: "for this project alone: orihon edit %s --scope personal", BringBack: "to bring it back: orihon undo %s",
		Open: " (", Between: "; ", Close: ")",
		Shared: "the team shares another word, and both hold: %s", ForAll: "to change it for all: orihon edit %s",
		OwnAlone:    "yours alone so far; to share it with the team: orihon edit %s --scope shared",
		Holds:       "until you decide (orihon review), or say it again with “remember:”, this holds: %s",
		OnlySaid:    "forgotten, it was only said: %s",
		IfForgotten: "if this is to be forgotten: %s",
		NothingLike: "nothing was forgotten: memory holds nothing like it (orihon list)",
		Secret:      "not remembered, since it holds a secret: %s",
		Withheld:    "this prompt is not kept, as you asked",
	}
}
