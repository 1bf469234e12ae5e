package terms

import "slices"

// Common reports whether a term (a stem, or a folded Chinese pair) is one of
// the everyday words of talk about programming, which say little by
// themselves; single ASCII letters and digits are among them.
func Common(term string) bool {
	if len(term) == 1 {
		return true
	}
	_, ok := slices.BinarySearch(common[:], term)
	return ok
}

// common is sorted. Every word is as Index gives it.
var common = [...]string{
	"abl", "access", "action", "actual", "add", "allow", "alway", "answer", "app", "appli",
	"approach", "argument", "array", "ask", "avail", "back", "bad", "base", "basic", "begin",
	"best", "better", "big", "bit", "block", "bodi", "bool", "break", "bug", "build", "button",
	"call", "case", "caus", "chang", "check", "class", "clean", "clear", "click", "client", "close",
	"code", "command", "comment", "commit", "common", "complet", "config", "configur", "consid",
	"contain", "content", "continu", "copi", "correct", "count", "creat", "current", "data", "date",
	"day", "debug", "default", "defin", "delet", "describ", "detail", "differ", "direct",
	"directori", "discuss", "display", "doc", "document", "done", "easi", "edit", "element",
	"empti", "enabl", "end", "ensur", "entri", "error", "exampl", "exist", "expect", "explain",
	"export", "extra", "fail", "fall", "fals", "fast", "featur", "feel", "few", "field", "file",
	"find", "fine", "first", "fix", "folder", "follow", "format", "found", "full", "function",
	"general", "generat", "get", "give", "go", "good", "got", "great", "group", "guess", "hand",
	"handl", "happen", "hard", "help", "hey", "high", "hold", "home", "hope", "idea", "implement",
	"import", "improv", "includ", "info", "inform", "input", "insert", "insid", "instal", "instead",
	"int", "issu", "item", "job", "keep", "key", "kind", "know", "larg", "last", "later", "latest",
	"learn", "leav", "left", "length", "less", "let", "level", "librari", "line", "link", "list",
	"littl", "load", "local", "log", "long", "look", "lot", "low", "made", "main", "make", "mayb",
	"mean", "mention", "method", "mind", "miss", "mode", "modul", "move", "multipl", "name", "need",
	"never", "new", "next", "nice", "note", "now", "null", "number", "object", "ok", "okay", "old",
	"one", "open", "option", "order", "output", "packag", "page", "paramet", "part", "pass", "path",
	"peopl", "piec", "place", "plan", "pleas", "point", "possibl", "print", "problem", "process",
	"program", "project", "proper", "provid", "pull", "push", "put", "question", "quick", "read",
	"readi", "real", "reason", "refactor", "refer", "relat", "rememb", "remov", "renam", "repo",
	"repositori", "request", "requir", "rest", "result", "return", "review", "right", "root", "row",
	"rule", "run", "said", "save", "say", "screen", "script", "second", "section", "see", "seem",
	"select", "send", "sens", "separ", "set", "setup", "show", "side", "simpl", "simpli", "singl",
	"size", "small", "sort", "sourc", "speak", "specif", "spoke", "stage", "start", "state",
	"statement", "step", "stop", "store", "string", "structur", "stuff", "suggest", "support",
	"sure", "switch", "system", "tabl", "take", "talk", "tell", "test", "text", "thank", "thing",
	"think", "three", "time", "today", "told", "tool", "top", "total", "true", "try", "turn", "two",
	"type", "understand", "updat", "use", "user", "valu", "variabl", "version", "view", "wait",
	"want", "way", "whole", "word", "work", "world", "write", "written", "wrong", "year", "yes",
	"yesterday", "zero", "一致", "上传", "上午", "下午", "下载", "不同", "专案", "东西", "主要", "事情", "产生", "今天",
	"介面", "代码", "任务", "优化", "传回", "使用", "例子", "保存", "保证", "信息", "修复", "修改", "修正", "做法", "停止", "储存",
	"关闭", "其中", "具体", "内容", "写一", "写入", "写成", "写法", "出现", "出错", "函式", "函数", "分析", "分钟", "列表", "创建",
	"删除", "功能", "加上", "加入", "加载", "包含", "包括", "区别", "原因", "去掉", "参数", "发现", "变数", "变更", "变量", "可用",
	"名字", "名称", "启动", "呼叫", "命令", "回传", "地方", "型别", "基本", "增加", "处理", "多个", "多少", "失败", "字串", "字符",
	"存在", "安装", "完成", "实现", "实际", "对象", "小时", "属于", "工作", "工具", "希望", "帮忙", "建立", "建议", "开启", "开始",
	"情况", "意思", "成功", "所有", "打开", "执行", "找到", "报错", "指令", "按钮", "接口", "描述", "提交", "提供", "提到", "提示",
	"支持", "改为", "改动", "改成", "改进", "数据", "数组", "整个", "文件", "文档", "新增", "新的", "方式", "方法", "旧的", "早上",
	"时间", "明天", "昨天", "显示", "晚上", "更新", "查看", "档案", "检查", "模块", "正常", "正确", "步骤", "每次", "注释", "测试",
	"消息", "添加", "清单", "版本", "物件", "现在", "生成", "用户", "画面", "目录", "直接", "相关", "相同", "看法", "确保", "确认",
	"示例", "移除", "程序", "程式", "第一", "第二", "简单", "类别", "类型", "系统", "组件", "结束", "结果", "编写", "编辑", "聊过",
	"能力", "脚本", "要求", "解决", "解释", "讨论", "讯息", "设定", "设置", "说明", "说的", "说过", "请求", "读取", "调整", "调用",
	"谈到", "谈过", "资料", "路径", "输入", "输出", "运行", "返回", "进行", "送出", "选单", "选择", "选项", "通过", "逻辑", "部分",
	"配置", "重新", "重构", "错误", "问题", "阵列", "需要", "页面", "项目", "预设", "默认",
}
