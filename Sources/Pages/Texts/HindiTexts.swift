extension PageTexts {
    static let hindi = Self(
        error: "त्रुटि",
        signInTitle: "{{>applicationInTitle}} में साइन इन करें",
        signInHeading: "{{>application}} में साइन इन करें",
        signInChoose: "साइन इन करने के लिए खाता चुनें।",
        signInWithOne: "साइन इन आपके {{>provider}} खाते से होगा।",
        linkTitle: "{{>applicationInTitle}} में साइन इन करने का एक और तरीका जोड़ें",
        linkHeading: "{{>application}} में साइन इन करने का एक और तरीका जोड़ें",
        linkChoose: "अब से चुने गए खाते से भी साइन इन किया जा सकेगा।",
        linkWithOne: "अब से आपके {{>provider}} खाते से भी साइन इन किया जा सकेगा।",
        reauthenticateTitle: "{{>applicationInTitle}} के लिए पुष्टि करें कि यह आप ही हैं",
        reauthenticateHeading: "{{>application}} के लिए पुष्टि करें कि यह आप ही हैं",
        linkAccount: "उससे {{>application}} का यह खाता खुलेगा:",
        reauthenticateAccount: "यह पुष्टि {{>application}} के इस खाते के लिए है:",
        guestAccount: "अतिथि खाता, जिसके आख़िरी अक्षर {{>uidEnd}} हैं",
        unnamedAccount: "खाता, जिसके आख़िरी अक्षर {{>uidEnd}} हैं",
        accountCaution: "तभी आगे बढ़ें, जब आपने अभी-अभी खुद यह शुरू किया हो और यह खाता आपका हो।",
        continueWith: "{{>provider}} से जारी रखें",
        cancel: "रद्द करें",
        destinationWebsite: "इसके बाद आपको {{>host}} पर वापस भेज दिया जाएगा।",
        destinationApplication: "इसके बाद आपको इसी डिवाइस के एक ऐप्लिकेशन ({{>scheme}}) पर वापस भेज दिया जाएगा।",
        destinationThisDevice: "इसके बाद आपको इसी डिवाइस के एक ऐप्लिकेशन पर वापस भेज दिया जाएगा।",
        signInCaution: "तभी आगे बढ़ें, जब आपने अभी-अभी खुद यह शुरू किया हो।",
        enterCodeHeading: "अपने डिवाइस पर दिख रहा कोड डालें",
        enterCodeLead: "जिस डिवाइस पर साइन इन करना है, उस पर एक कोड दिख रहा है। उसे यहाँ लिखें।",
        codeLabel: "कोड",
        codeHint: "अंग्रेज़ी के आठ अक्षर, छोटे हों या बड़े, हाइफ़न के साथ या उसके बिना।",
        continueWithCode: "जारी रखें",
        codeUnknown: """
            यह कोड काम नहीं कर रहा। हो सकता है कि यह ग़लत लिखा गया हो, इसका समय बीत चुका हो या यह पहले ही इस्तेमाल \
            हो चुका हो। इसे डिवाइस पर दिख रहे कोड से मिलाएँ या डिवाइस पर नया कोड लें।
            """,
        codeTooManyTries: "बहुत बार ग़लत कोड डाला गया है। कुछ मिनट रुकें, फिर दोबारा कोशिश करें।",
        codeMissing: "वह कोड लिखें जो आपके डिवाइस पर दिख रहा है।",
        confirmDeviceTitle: "क्या अपने डिवाइस पर {{>applicationInTitle}} में साइन इन करना है?",
        confirmDeviceHeading: "क्या अपने डिवाइस पर {{>application}} में साइन इन करना है?",
        confirmDeviceCode: "आपके डिवाइस पर ठीक यही कोड दिखना चाहिए:",
        confirmDeviceCaution: """
            तभी आगे बढ़ें, जब यह आपने खुद शुरू किया हो और दोनों कोड एक जैसे हों। अगर किसी ने आपको यह कोड या कोई \
            लिंक भेजा है, तो यह धोखा हो सकता है: आगे न बढ़ें।
            """,
        approveDeviceTitle: "आख़िरी चरण: {{>applicationInTitle}} में साइन इन करें?",
        approveDeviceHeading: "आख़िरी चरण: {{>application}} में साइन इन करें?",
        approveDeviceAccount: "आपके डिवाइस पर इस खाते से साइन इन होगा:",
        approveDeviceCaution: "अगर यह आपने खुद शुरू नहीं किया है, तो “नहीं” चुनें।",
        approve: "हाँ, साइन इन करें",
        refuse: "नहीं, साइन इन न करें",
        deviceApprovedHeading: "हो गया। अपने डिवाइस पर लौटें।",
        deviceApprovedLead: "कुछ ही सेकंड में {{>application}} में साइन इन हो जाएगा। अब यह पेज बंद किया जा सकता है।",
        deviceRefusedHeading: "आपके डिवाइस पर साइन इन नहीं हुआ",
        deviceRefusedLead: """
            आपने {{>application}} में साइन इन न करने का विकल्प चुना। उस डिवाइस को आपके खाते का ऐक्सेस नहीं मिला। \
            अब यह पेज बंद किया जा सकता है।
            """,
        enterCodeLink: "कोड डालें",
        requestNote: "मदद माँगते समय यह बताएँ: {{>requestID}}",
        problems: .hindi)
}
