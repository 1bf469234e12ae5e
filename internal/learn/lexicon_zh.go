package learn

// zhLongest is the most characters a Chinese word of the lexicon has.
const zhLongest = 4

// zhSense looks a Chinese word up in its folded, simplified form.
func zhSense(w string) (sense, bool) {
	switch w {
	case "的", "了", "我", "你", "他", "她", "它", "们", "我们", "你们", "他们", "咱们", "大家", "这", "那", "这个", "那个", "个", "些", "也就", "就", "都", "很", "太", "把", "被", "给", "让", "跟", "和", "与", "及",
		"着", "过", "得", "地", "之", "其", "此", "所", "而且", "并", "请", "一律", "务必", "一定", "一定要", "总是", "永远", "永远都", "每次", "每次都", "每", "所有", "全部", "目前", "当前", "用户", "使用者", "项目", "专案", "整个", "还是", "可以", "可", "能", "会", "允许", "启用", "开启", "打开", "开", "时", "时候", "时间", "来", "去", "再", "一下", "一些", "然后", "只", "仅", "里", "里面", "上", "中", "内", "下", "底下", "以后", "今后", "往后", "从现在起", "都要", "记住", "记得", "起", "版", "版本", "号", "以", "为了", "由", "归", "管", "做", "行", "就行", "完全", "才", "才能", "正常", "生效", "吧", "呢", "啊", "必须", "应该", "应当", "需要", "需", "得要":
		switch w {
		case "必须", "应该", "应当", "需要", "需", "可以", "能", "会", "由", "归", "请":
			return sense{class: predicate}, true
		}
		return sense{class: noise}, true
	case "是", "为", "用", "使用", "在", "要", "有", "叫", "叫做", "写", "写在", "放", "放在", "存", "存在", "存放在", "跑", "采用", "位于", "部署在", "设为", "设成", "设置为", "设定为", "预设为", "默认为", "监听", "监听在", "负责", "支持", "支援", "停在", "升到", "定在", "走", "靠", "到", "至", "属于", "改到", "运行", "运行在", "执行", "喜欢", "偏好", "习惯", "习惯用", "回答", "输出", "写成", "返回", "剩", "只剩", "等于", "存到", "提交到", "寄", "发", "统一用", "统一":
		return sense{class: predicate, key: canon(w)}, true
	case "不", "不要", "别", "勿", "没", "没有", "无", "未", "不能", "不得", "不准", "不许", "不可", "不可以", "不会", "不是", "不用", "不必", "不再", "不需要", "不允许", "禁止", "严禁", "停止", "避免", "停用", "禁用", "关闭", "切勿", "千万别", "千万不要", "绝不", "从不", "永远不要", "永远别", "永不", "拒绝", "取消", "弃用", "废弃", "不应该", "不应", "不该", "不到", "不了", "连不到", "连不上", "尚未", "还没", "还没有", "无法", "关掉", "不想", "不喜欢", "讨厌", "戒", "戒了", "戒掉", "戒掉了", "不支持", "不支援", "不在", "不对":
		return sense{class: negator}, true
	case "而不是", "而非", "代替", "取代", "替换", "替换了", "取代了", "优于", "胜过", "不是用":
		return sense{class: rejector}, true
	case "已删除", "已删掉", "已移除", "已下线", "已停用", "已取消", "已废弃", "已关闭", "已禁用", "关了", "停掉了", "删掉了", "取消了", "关闭了", "停用了", "废弃了", "不用了", "没了":
		return sense{class: verdict}, true
	case "除非", "未经", "没有经过":
		return sense{class: relative, key: "unless"}, true
	case "如果", "若", "当", "对", "对于", "关于", "针对", "除了":
		return sense{class: qualifier, key: w}, true
	case "因为", "由于", "以便", "以免", "因此", "所以", "免得", "否则":
		return sense{class: reason}, true
	case "有些", "部分", "有的", "并非所有", "不是所有", "并非全部", "有时", "不一定":
		return sense{class: partial}, true
	case "以上", "以下", "超过", "低于", "高于", "不超过", "大于", "小于", "不少于", "不低于", "以内":
		return sense{class: comparing}, true
	case "也", "还", "另外", "另外也", "此外", "同时", "不只", "不仅", "不但", "多了", "还有", "还会", "也会", "不光":
		return sense{class: also}, true
	case "改用", "改为", "改成", "换成", "换到", "改在", "改由", "现在", "移到", "搬到", "搬去", "迁移到", "迁到", "迁至", "换用", "升级到", "升级为", "调高到", "调到", "调整为", "调整到", "降到", "提高到", "推迟到", "延后到", "提前到", "转到", "转由", "变成", "已改", "如今", "从今", "已经", "已":
		return sense{class: change}, true
	case "直到", "以前", "曾", "曾经", "过去", "当年", "原本", "之前曾":
		return sense{class: history}, true
	case "但", "但是", "可是", "不过", "然而", "而":
		return sense{class: pause}, true
	}
	if key, sign := zhAxis(w); sign != 0 {
		return sense{axis, key, sign}, true
	}
	if key := zhMember(w); key != "" {
		return sense{class: member, key: key}, true
	}
	if key := zhContext(w); key != "" {
		return sense{class: placed, key: key}, true
	}
	if key := zhCanon(w); key != "" {
		return sense{class: content, key: key}, true
	}
	return sense{}, false
}

func zhAxis(w string) (string, int8) {
	switch w {
	case "之前", "前", "先":
		return "order", 1
	case "之后", "后", "最后":
		return "order", -1
	case "增加", "提高", "调高", "加大", "上升", "上调":
		return "grow", 1
	case "减少", "降低", "调低", "缩小", "下降", "下调":
		return "grow", -1
	case "公开", "外部", "对外", "公有", "公开发布":
		return "public", 1
	case "私有", "内部", "不公开", "不对外", "私人":
		return "public", -1
	case "同步":
		return "sync", 1
	case "异步", "非同步":
		return "sync", -1
	case "必填", "必选", "必要", "强制":
		return "required", 1
	case "选填", "可选", "选用", "非必填", "自愿":
		return "required", -1
	case "包含", "包括":
		return "include", 1
	case "排除", "不含", "不包含", "不包括":
		return "include", -1
	case "静态":
		return "static", 1
	case "动态":
		return "static", -1
	case "严格":
		return "strict", 1
	case "宽松":
		return "strict", -1
	case "显示", "可见":
		return "show", 1
	case "隐藏", "不可见":
		return "show", -1
	case "添加", "新增", "加上":
		return "add", 1
	case "删除", "移除", "删掉":
		return "add", -1
	case "左", "左边", "左侧":
		return "left", 1
	case "右", "右边", "右侧":
		return "left", -1
	case "上面", "上方", "顶部", "大写":
		return "top", 1
	case "下面", "下方", "底部", "小写":
		return "top", -1
	case "手动", "人工", "手写", "自己写":
		return "manual", 1
	case "自动", "自动化":
		return "manual", -1
	case "串行", "顺序", "依序", "逐个":
		return "serial", 1
	case "并行", "并发", "平行", "同时跑":
		return "serial", -1
	case "可写", "读写", "写入":
		return "mutable", 1
	case "只读", "唯读":
		return "mutable", -1
	case "在线", "线上":
		return "online", 1
	case "离线", "下线", "脱机":
		return "online", -1
	case "升序", "正序", "递增":
		return "ascending", 1
	case "降序", "倒序", "递减":
		return "ascending", -1
	case "简短", "精简", "简洁", "短":
		return "length", 1
	case "详细", "冗长", "长", "太长":
		return "length", -1
	case "最少", "至少", "最小", "下限":
		return "bound", 1
	case "最多", "至多", "最大", "上限":
		return "bound", -1
	case "快", "高", "很快":
		return "high", 1
	case "慢", "低", "很慢":
		return "high", -1
	case "单", "单引号":
		return "single", 1
	case "双", "双引号":
		return "single", -1
	case "深色", "暗色", "夜间":
		return "dark", 1
	case "浅色", "亮色", "日间":
		return "dark", -1
	case "成功", "稳定", "恢复", "恢复正常", "修好", "好了", "可用", "通过":
		return "works", 1
	case "失败", "坏", "坏了", "故障", "不稳定", "不可用", "宕机", "失效", "挂了":
		return "works", -1
	case "免费":
		return "free", 1
	case "付费", "收费":
		return "free", -1
	case "加密":
		return "encrypted", 1
	case "明文", "未加密", "不加密":
		return "encrypted", -1
	case "完成", "已完成", "合并了", "已合并", "解决", "已解决", "修复", "已修复", "上线", "已上线", "签了", "已签", "发布了", "已发布", "搞定", "结束", "做完", "办好", "谈妥", "确定", "敲定", "通过了", "已通过":
		return "status", 1
	case "待", "待办", "等待", "还在等", "未完成", "未解决", "未修复", "进行中", "正在进行", "还在进行", "还没做", "未签", "待定", "未定", "没做完", "未上线", "卡住", "审核中", "处理中":
		return "status", -1
	case "任何人", "所有人", "谁都", "人人", "每个人":
		return "who", 1
	case "只有", "仅限", "只限", "只能":
		return "who", -1
	case "本地", "本机":
		return "local", 1
	case "远程", "远端", "云端":
		return "local", -1
	case "多写", "多":
		return "many", 1
	case "少写", "少":
		return "many", -1
	}
	return "", 0
}

func zhMember(w string) string {
	switch w {
	case "制表符", "定位字元", "空格", "空白":
		return "indentation"
	case "驼峰", "驼峰式", "下划线", "底线", "蛇形", "小驼峰", "大驼峰":
		return "naming"
	case "周一", "周二", "周三", "周四", "周五", "周六", "周日", "周末", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日", "星期天", "礼拜一", "礼拜二", "礼拜三", "礼拜四", "礼拜五",
		"每周一", "每周二", "每周三", "每周四", "每周五", "每周六", "每周日":
		return "weekday"
	case "英文", "英语", "中文", "繁体", "简体", "繁体中文", "简体中文", "日文", "日语", "韩文", "德文", "法文", "英式", "美式", "台湾用语", "大陆用语":
		return "language"
	case "美金", "美元", "台币", "人民币", "欧元", "日圆", "港币", "新台币":
		return "currency"
	case "每天", "每日", "每周", "每月", "每小时", "每年", "每季", "每晚", "隔周":
		return "frequency"
	case "阿里云", "腾讯云", "华为云", "火山云":
		return "cloud"
	case "内部网络", "内网", "外网", "公网":
		return "network"
	case "早上", "上午", "中午", "下午", "晚上", "凌晨", "傍晚":
		return "daytime"
	case "钉钉", "飞书", "企业微信", "微信":
		return "chat"
	case "红色", "蓝色", "绿色", "黄色", "黑色", "白色", "紫色", "橙色", "灰色":
		return "colour"
	case "吃素", "素食", "吃肉":
		return "diet"
	case "北京", "上海", "杭州", "深圳", "广州", "台北", "高雄", "台中", "成都", "东京", "新加坡", "张家口", "法兰克福", "香港", "南京", "武汉", "西安":
		return "place"
	}
	return ""
}

func zhContext(w string) string {
	switch w {
	case "测试环境", "开发环境", "生产环境", "预发环境", "正式环境", "压测环境", "生产", "测试服", "正式服", "生产集群", "预发":
		return "environment"
	case "前端", "后端", "后台", "官网", "商家端", "用户端", "手机端", "服务端", "客户端", "管理端":
		return "part"
	case "管理员", "普通用户", "访客", "会员", "付费用户", "免费用户":
		return "people"
	case "平日", "假日", "工作日", "节假日":
		return "days"
	case "单元测试", "集成测试", "整合测试", "端到端测试":
		return "test level"
	case "一次", "一天", "一周", "每人", "单次", "单日":
		return "per"
	case "本周", "下周", "上周", "上个月", "这周", "这个月", "下个月":
		return "when"
	}
	return ""
}

// zhCanon gives words that one text may have in English and another in Chinese
// one form.
func zhCanon(w string) string {
	switch w {
	case "数据库", "资料库":
		return "databas"
	case "测试", "用例":
		return "test"
	case "缓存", "快取":
		return "cach"
	case "部署", "布署":
		return "deploy"
	case "提交":
		return "commit"
	case "合并":
		return "merg"
	case "分支":
		return "branch"
	case "发布":
		return "releas"
	case "密码":
		return "password"
	case "超时", "逾时":
		return "timeout"
	case "日志", "记录档":
		return "log"
	case "配置", "设定", "设置":
		return "config"
	case "缩进", "缩排":
		return "indent"
	case "引号":
		return "quot"
	case "车", "开车", "汽车":
		return "car"
	case "主管", "老板", "上司", "报告":
		return "manag"
	case "端口", "埠", "连接埠":
		return "port"
	case "函数", "函式":
		return "function"
	case "备份":
		return "backup"
	case "接口", "api":
		return "api"
	case "文档", "文件":
		return "doc"
	case "默认", "预设", "缺省":
		return "default"
	case "数据", "资料":
		return "data"
	case "代码", "程式码", "程式":
		return "code"
	case "审", "审核", "审查":
		return "review"
	case "负责人":
		return "owner"
	case "登入", "登录", "登陆":
		return "login"
	case "网路", "网络":
		return "network"
	case "伺服器", "服务器":
		return "server"
	case "变数", "变量":
		return "variabl"
	case "物件", "对象":
		return "object"
	case "阵列", "数组":
		return "array"
	case "字串", "字符串":
		return "string"
	case "记忆体", "内存":
		return "memori"
	case "硬碟", "磁碟", "硬盘", "磁盘":
		return "disk"
	case "软体", "软件":
		return "softwar"
	case "执行绪", "线程":
		return "thread"
	case "进程":
		return "process"
	case "伫列", "队列":
		return "queue"
	case "连线", "连接":
		return "connect"
	case "萤幕", "屏幕":
		return "screen"
	case "讯息", "消息":
		return "messag"
	case "简讯", "短信":
		return "sms"
	case "凭证", "证书":
		return "certif"
	case "金钥", "密钥":
		return "key"
	case "权杖", "令牌":
		return "token"
	case "相依", "依赖", "套件":
		return "depend"
	case "回传":
		return "return"
	case "建置", "构建":
		return "build"
	case "迁移":
		return "migrat"
	case "栏位", "字段":
		return "field"
	case "注解", "注释":
		return "comment"
	case "界面", "介面":
		return "interfac"
	case "元件", "组件":
		return "compon"
	case "模组", "模块":
		return "modul"
	case "信箱", "邮箱":
		return "mailbox"
	case "执行个体", "实例":
		return "instanc"
	case "类别", "级别", "别名", "币别", "性别", "识别", "区别", "特别", "分别", "辨别", "个别", "鉴别", "未来", "无线", "不同", "不变", "不足", "无关", "非常", "并非", "不错", "没问题", "无状态", "无服务器", "非空", "上传", "下载", "下一步", "上下文", "前缀名", "后缀", "前置", "后置", "开发", "开头", "开源", "开始", "开关", "先生", "中间件", "地址栏", "过敏", "可靠", "可能", "目的", "行动", "行为", "会议室", "会话", "要求", "有限", "有效", "用法", "用户名", "在职", "为何", "写法", "存储", "存档", "跑步", "高级", "低级", "长度", "快照", "多语言", "少数", "待遇", "坏账", "改动", "换行", "已知":
		return w
	case "服务", "主机", "目录", "路径", "网站", "前缀", "团队", "名称", "地址", "域名", "账号", "帐号", "权限", "流水线", "脚本", "报表", "订单", "支付", "图片", "附件", "心跳", "间隔", "编码", "索引", "单号", "周会", "站会", "例会", "会议", "框架", "语言", "任务", "工作", "用途", "方法", "公共", "共用", "主题", "通知", "邮件", "电话", "会员服务", "注册中心", "发票", "客户", "导师", "老师", "同事", "组长", "经理":
		return w
	}
	return ""
}
