"""Chinese words with their pinyin, which mail addresses and domains are spelled in."""


def _pairs(text: str) -> dict[str, str]:
    """Returns the `hanzi=pinyin` pairs of a text."""
    return dict(pair.split("=") for pair in text.split())


PERSON = "{1}{0}"  # given, family
FIRM_ENDING = "{}有限公司"  # what follows the stem, with the kind in it
ADDRESS = "{2}市{1}{0}号"  # number, street, city
TWO_PART_GIVEN = 0.8

GIVEN: dict[str, str] = _pairs("""
    安=an 昂=ang 柏=bai 斌=bin 冰=bing 博=bo 灿=can 超=chao 晨=chen 成=cheng 诚=cheng 畅=chang
    驰=chi 春=chun 聪=cong 翠=cui 达=da 丹=dan 东=dong 栋=dong 帆=fan 凡=fan 芳=fang 菲=fei
    飞=fei 芬=fen 峰=feng 锋=feng 凤=feng 芙=fu 福=fu 刚=gang 歌=ge 光=guang 广=guang 桂=gui
    国=guo 海=hai 涵=han 航=hang 豪=hao 浩=hao 昊=hao 禾=he 荷=he 恒=heng 宏=hong 虹=hong
    鸿=hong 欢=huan 慧=hui 辉=hui 吉=ji 佳=jia 嘉=jia 坚=jian 建=jian 健=jian 娇=jiao 杰=jie
    洁=jie 金=jin 锦=jin 静=jing 晶=jing 婧=jing 军=jun 俊=jun 君=jun 凯=kai 康=kang 可=ke
    坤=kun 兰=lan 岚=lan 磊=lei 蕾=lei 莉=li 丽=li 力=li 莲=lian 亮=liang 林=lin 琳=lin 玲=ling
    凌=ling 龙=long 露=lu 璐=lu 梅=mei 萌=meng 梦=meng 敏=min 明=ming 茗=ming 宁=ning 楠=nan
    鹏=peng 平=ping 萍=ping 琪=qi 奇=qi 倩=qian 强=qiang 巧=qiao 琴=qin 勤=qin 青=qing 清=qing
    秋=qiu 泉=quan 然=ran 荣=rong 蓉=rong 瑞=rui 睿=rui 若=ruo 珊=shan 山=shan 绍=shao 诗=shi
    世=shi 淑=shu 舒=shu 爽=shuang 松=song 思=si 素=su 涛=tao 天=tian 甜=tian 婷=ting 彤=tong
    薇=wei 伟=wei 威=wei 文=wen 雯=wen 曦=xi 希=xi 霞=xia 夏=xia 翔=xiang 祥=xiang 晓=xiao
    欣=xin 心=xin 新=xin 星=xing 秀=xiu 旭=xu 轩=xuan 雪=xue 雅=ya 妍=yan 燕=yan 洋=yang 阳=yang
    怡=yi 毅=yi 艺=yi 英=ying 莹=ying 颖=ying 勇=yong 咏=yong 宇=yu 雨=yu 玉=yu 媛=yuan 远=yuan
    月=yue 悦=yue 云=yun 泽=ze 珍=zhen 振=zhen 正=zheng 芝=zhi 志=zhi 智=zhi 卓=zhuo 子=zi 梓=zi
    """)

FAMILY: dict[str, str] = _pairs("""
    艾=ai 白=bai 包=bao 毕=bi 边=bian 卜=bu 蔡=cai 曹=cao 岑=cen 常=chang 陈=chen 程=cheng
    池=chi 褚=chu 崔=cui 戴=dai 邓=deng 狄=di 丁=ding 董=dong 窦=dou 杜=du 段=duan 范=fan
    方=fang 费=fei 冯=feng 傅=fu 甘=gan 高=gao 葛=ge 龚=gong 顾=gu 关=guan 郭=guo 韩=han 郝=hao
    何=he 贺=he 洪=hong 侯=hou 胡=hu 华=hua 黄=huang 霍=huo 姬=ji 贾=jia 江=jiang 蒋=jiang
    焦=jiao 金=jin 靳=jin 康=kang 柯=ke 孔=kong 赖=lai 蓝=lan 雷=lei 黎=li 李=li 廉=lian
    梁=liang 廖=liao 林=lin 凌=ling 刘=liu 柳=liu 龙=long 卢=lu 陆=lu 罗=luo 骆=luo 马=ma 麦=mai
    毛=mao 梅=mei 孟=meng 苗=miao 莫=mo 穆=mu 倪=ni 聂=nie 宁=ning 欧=ou 潘=pan 庞=pang 裴=pei
    彭=peng 蒲=pu 齐=qi 钱=qian 乔=qiao 秦=qin 丘=qiu 屈=qu 饶=rao 任=ren 荣=rong 阮=ruan
    邵=shao 沈=shen 施=shi 石=shi 史=shi 舒=shu 宋=song 苏=su 孙=sun 谭=tan 汤=tang 唐=tang
    陶=tao 田=tian 童=tong 涂=tu 万=wan 汪=wang 王=wang 韦=wei 魏=wei 温=wen 翁=weng 吴=wu 武=wu
    席=xi 夏=xia 向=xiang 项=xiang 萧=xiao 谢=xie 邢=xing 熊=xiong 徐=xu 许=xu 薛=xue 严=yan
    颜=yan 杨=yang 姚=yao 叶=ye 易=yi 殷=yin 尹=yin 应=ying 于=yu 余=yu 俞=yu 袁=yuan 岳=yue
    詹=zhan 张=zhang 章=zhang 赵=zhao 郑=zheng 钟=zhong 周=zhou 朱=zhu 祝=zhu 庄=zhuang 卓=zhuo
    邹=zou 左=zuo
    """)

STEMS: dict[str, str] = _pairs("""
    安澜=anlan 安翊=anyi 柏川=baichuan 柏岳=baiyue 北岚=beilan 碧霄=bixiao 秉禾=binghe
    秉谦=bingqian 博岚=bolan 博翊=boyi 辰砚=chenyan 辰沐=chenmu 承瑞=chengrui 澄宇=chengyu
    澄禾=chenghe 驰岚=chilan 初禾=chuhe 川岳=chuanyue 春澍=chunshu 聪禾=conghe 翠岭=cuiling
    达澜=dalan 岱岳=daiyue 德翊=deyi 鼎澜=dinglan 鼎禾=dinghe 东砚=dongyan 端禾=duanhe
    敦睿=dunrui 方砚=fangyan 飞澍=feishu 丰翊=fengyi 风禾=fenghe 枫桥=fengqiao 福澜=fulan
    阜川=fuchuan 谷禾=guhe 冠岳=guanyue 光澍=guangshu 广澜=guanglan 桂岭=guiling 国翊=guoyi
    海砚=haiyan 瀚川=hanchuan 瀚宇=hanyu 航岳=hangyue 昊禾=haohe 浩澜=haolan 和砚=heyan
    恒翊=hengyi 衡岳=hengyue 弘澍=hongshu 宏砚=hongyan 鸿岭=hongling 虹桥=hongqiao 湖岚=hulan
    华澍=huashu 怀禾=huaihe 辉岳=huiyue 慧川=huichuan 佳砚=jiayan 嘉岭=jialing 坚禾=jianhe
    简宁=jianning 江翊=jiangyi 杰澜=jielan 金澍=jinshu 锦岚=jinlan 景砚=jingyan 敬宇=jingyu
    静川=jingchuan 九澜=jiulan 炬星=juxing 君岭=junling 峻岳=junyue 凯禾=kaihe 康砚=kangyan
    可澜=kelan 坤岭=kunling 阔川=kuochuan 兰溪=lanxi 岚桥=lanqiao 朗宇=langyu 乐禾=lehe
    磊川=leichuan 理砚=liyan 立岳=liyue 联禾=lianhe 良岭=liangling 亮川=liangchuan 林澍=linshu
    霖宇=linyu 灵澜=linglan 凌砚=lingyan 流川=liuchuan 隆禾=longhe 龙砚=longyan 鹿鸣=luming
    路宁=luning 绿岭=lvling 洛川=luochuan 满禾=manhe 茂岭=maoling 梅溪=meixi 铭砚=mingyan
    明澍=mingshu 墨川=mochuan 沐岚=mulan 牧禾=muhe 南砚=nanyan 宁澜=ninglan 诺川=nuochuan
    沛禾=peihe 鹏岭=pengling 屏山=pingshan 平澜=pinglan 朴川=puchuan 齐岭=qiling 启砚=qiyan
    千禾=qianhe 谦宇=qianyu 乾川=qianchuan 桥岳=qiaoyue 沁岚=qinlan 青砚=qingyan 清澍=qingshu
    晴川=qingchuan 庆岭=qingling 秋禾=qiuhe 全砚=quanyan 泉岭=quanling 群川=qunchuan 仁砚=renyan
    容禾=ronghe 荣岭=rongling 融川=rongchuan 如澜=rulan 锐砚=ruiyan 瑞澍=ruishu 润岭=runling
    若川=ruochuan 三禾=sanhe 森砚=senyan 山岚=shanlan 尚川=shangchuan 深岭=shenling 慎宇=shenyu
    升砚=shengyan 盛澜=shenglan 石溪=shixi 实禾=shihe 书岭=shuling 双砚=shuangyan 朔川=shuochuan
    思澜=silan 松岭=songling 颂禾=songhe 素川=suchuan 穗宁=suining 泰砚=taiyan 棠溪=tangxi
    涛岳=taoyue 腾禾=tenghe 天砚=tianyan 田澍=tianshu 庭岚=tinglan 通岭=tongling 同禾=tonghe
    桐川=tongchuan 图宁=tuning 万砚=wanyan 望岳=wangyue 威岭=weiling 唯禾=weihe 维川=weichuan
    文澍=wenshu 稳禾=wenhe 梧桥=wuqiao 西砚=xiyan 希岭=xiling 溪宁=xining 夏禾=xiahe
    仙桥=xianqiao 湘岭=xiangling 祥砚=xiangyan 翔川=xiangchuan 晓澜=xiaolan 信禾=xinhe
    星澍=xingshu 雄岭=xiongling 秀川=xiuchuan 旭砚=xuyan 宣禾=xuanhe 雪岭=xueling 雅川=yachuan
    岩溪=yanxi 扬砚=yangyan 阳岭=yangling 耀禾=yaohe 宜川=yichuan 亦澜=yilan 逸砚=yiyan
    银岭=yinling 盈禾=yinghe 颖川=yingchuan 永砚=yongyan 悠澜=youlan 友岭=youling 渔溪=yuxi
    元澍=yuanshu 远川=yuanchuan 越砚=yueyan 云岭=yunling 韵禾=yunhe 泽澜=zelan 展砚=zhanyan
    昭川=zhaochuan 哲禾=zhehe 振岭=zhenling 真砚=zhenyan 正澜=zhenglan 知禾=zhihe 至川=zhichuan
    智岭=zhiling 众禾=zhonghe 舟岚=zhoulan 珠岭=zhuling 竹溪=zhuxi 卓川=zhuochuan 紫岚=zilan
    宗砚=zongyan 佐禾=zuohe
    """)

KINDS: dict[str, tuple[str, str]] = {
    "物流": ("wuliu", "交通运输"),
    "货运": ("huoyun", "交通运输"),
    "食品": ("shipin", "食品饮料"),
    "饮料": ("yinliao", "食品饮料"),
    "乳业": ("ruye", "食品饮料"),
    "仪器": ("yiqi", "精密仪器"),
    "光学": ("guangxue", "精密仪器"),
    "软件": ("ruanjian", "信息技术"),
    "网络": ("wangluo", "信息技术"),
    "数据": ("shuju", "信息技术"),
    "机器人": ("jiqiren", "机械制造"),
    "机械": ("jixie", "机械制造"),
    "工具": ("gongju", "机械制造"),
    "汽车配件": ("qipei", "汽车"),
    "轴承": ("zhoucheng", "汽车"),
    "能源": ("nengyuan", "能源"),
    "光伏": ("guangfu", "能源"),
    "纺织": ("fangzhi", "纺织服装"),
    "服饰": ("fushi", "纺织服装"),
    "家具": ("jiaju", "家居"),
    "装饰": ("zhuangshi", "家居"),
    "化工": ("huagong", "化工"),
    "涂料": ("tuliao", "化工"),
    "塑料": ("suliao", "化工"),
    "医药": ("yiyao", "医疗健康"),
    "医疗器械": ("yixie", "医疗健康"),
    "保险代理": ("baoxian", "金融服务"),
    "租赁": ("zulin", "金融服务"),
    "传媒": ("chuanmei", "文化传媒"),
    "印刷": ("yinshua", "文化传媒"),
    "酒店管理": ("jiudian", "酒店旅游"),
    "旅游": ("lvyou", "酒店旅游"),
    "建筑": ("jianzhu", "建筑"),
    "木业": ("muye", "建筑"),
    "包装": ("baozhuang", "包装"),
}

MANAGER = "客户经理"

DEPARTMENTS: dict[str, tuple[str, list[str]]] = {
    "Sales": ("客户部", ["销售总监", "销售代表", "销售专员"]),
    "Finance": ("财务部", ["财务总监", "会计", "财务主管", "应付会计"]),
    "Operations": ("运营部", ["运营经理", "排班专员", "运营分析师"]),
    "Human Resources": ("人力资源部", ["人力资源经理", "招聘专员", "薪酬专员"]),
    "IT": ("信息技术部", ["信息技术经理", "系统管理员", "安全工程师", "数据工程师"]),
    "Legal": ("法务部", ["法务总监", "合同专员", "合规专员"]),
    "Procurement": ("采购部", ["采购总监", "采购员", "供应商经理"]),
    "Marketing": ("市场部", ["市场经理", "内容编辑", "推广经理"]),
    "Support": ("客服部", ["客服主管", "技术支持工程师", "服务协调员"]),
    "Product": ("产品部", ["产品经理", "产品设计师", "软件开发工程师"]),
    "Management": ("总经办", ["总经理", "总经理助理", "行政秘书"]),
}

# name, country, zone, currency, telephone prefix of a fictional range
CITIES: list[tuple[str, str, str, str, str]] = [
    (name, "CN", "Asia/Shanghai", "CNY", "+86 138 0000")
    for name in """
    上海 北京 广州 深圳 杭州 南京 苏州 成都 重庆 武汉 西安 天津 青岛 厦门 长沙 宁波
    """.split()
]

STREETS: list[str] = """
    安宁路 柏杨路 滨湖路 长虹路 朝晖路 春晓路 东风路 芳草街 枫林路 凤凰街 古槐路 光明路 桂花街
    海棠路 和平路 红梅路 湖滨路 槐树街 建设路 江畔路 锦绣路 康宁路 兰亭路 柳荫街 梅园路 民生路
    南湖路 平安路 青云路 清河街 人民路 荣华路 石桥路 松涛路 泰山路 桃源路 团结路 望江路 文昌街
    梧桐路 西湖路 向阳路 新华路 星河路 杏林街 学府路 迎宾路 永安路 玉兰路 云杉路 枣园路 振兴路
    中山路 竹园路 紫荆路
    """.split()
