extension PageTexts {
    static let arabic = Self(
        error: "خطأ:",
        signInTitle: "تسجيل الدخول إلى {{>applicationInTitle}}",
        signInHeading: "تسجيل الدخول إلى {{>application}}",
        signInChoose: "أي حساب تريد استخدامه؟",
        signInWithOne: "تسجّل الدخول بحسابك في {{>provider}}.",
        linkTitle: "إضافة طريقة أخرى لتسجيل الدخول إلى {{>applicationInTitle}}",
        linkHeading: "إضافة طريقة أخرى لتسجيل الدخول إلى {{>application}}",
        linkChoose: "من الآن فصاعدًا يمكنك تسجيل الدخول أيضًا بالحساب الذي تختاره.",
        linkWithOne: "من الآن فصاعدًا يمكنك تسجيل الدخول أيضًا بحسابك في {{>provider}}.",
        reauthenticateTitle: "أكّد هويتك لتطبيق {{>applicationInTitle}}",
        reauthenticateHeading: "أكّد هويتك لتطبيق {{>application}}",
        linkAccount: "سيتيح ذلك الدخول إلى هذا الحساب في {{>application}}:",
        reauthenticateAccount: "تؤكّد ذلك للحساب التالي في {{>application}}:",
        guestAccount: "حساب ضيف ينتهي بـ {{>uidEnd}}",
        unnamedAccount: "حساب ينتهي بـ {{>uidEnd}}",
        accountCaution: "لا تتابع إلا إذا كنت قد بدأت هذا بنفسك الآن وكان هذا الحساب حسابك.",
        conflictTitle: "لديك حساب من قبل في {{>applicationInTitle}}",
        conflictHeading: "لديك حساب من قبل في {{>application}}",
        conflictBefore: "كنت تسجّل الدخول إلى {{>application}} باستخدام {{>waysIn}}.",
        conflictAddress: "لذلك الحساب عنوان البريد الإلكتروني نفسه الذي لحسابك في {{>newProvider}}:",
        conflictChoose: """
            أثبت أنه حسابك: سجّل الدخول به مرة أخرى. من الآن فصاعدًا يمكنك تسجيل الدخول أيضًا باستخدام \
            {{>newProvider}}.
            """,
        conflictElsewhere: """
            لا يمكن لهذه الصفحة التحقّق من طريقة الدخول تلك. عُد إلى {{>application}} وسجّل الدخول هناك كما كنت \
            تفعل.
            """,
        conflictOtherAccount: """
            لم يكن ذلك هو الحساب الذي له عنوان البريد الإلكتروني هذا. اختر الحساب الذي كنت تستخدمه.
            """,
        listSeparator: "، ",
        wayInByPassword: "عنوان بريد إلكتروني وكلمة مرور",
        wayInByPhone: "رقم هاتف",
        wayInByEmailLink: "رابط عبر البريد الإلكتروني",
        continueWith: "المتابعة باستخدام {{>provider}}",
        cancel: "إلغاء",
        destinationWebsite: "بعد ذلك ستعود إلى {{>host}}.",
        destinationApplication: "بعد ذلك ستعود إلى تطبيق على هذا الجهاز ({{>scheme}}).",
        destinationThisDevice: "بعد ذلك ستعود إلى تطبيق على هذا الجهاز.",
        signInCaution: "لا تتابع إلا إذا كنت قد بدأت هذا بنفسك الآن.",
        enterCodeHeading: "أدخل الرمز الظاهر على جهازك",
        enterCodeLead: "يعرض الجهاز الذي تريد تسجيل الدخول عليه رمزًا. اكتبه هنا.",
        codeLabel: "الرمز",
        codeHint: "ثمانية أحرف لاتينية، صغيرة أو كبيرة، مع الشرطة أو من دونها.",
        continueWithCode: "متابعة",
        codeUnknown: """
            هذا الرمز لا يعمل. ربما كُتب خطأً أو انتهت صلاحيته أو استُخدم من قبل. قارنه بالرمز الظاهر على جهازك، أو \
            اطلب رمزًا جديدًا هناك.
            """,
        codeTooManyTries: "أُدخلت رموز خاطئة كثيرة. انتظر بضع دقائق ثم حاول مرة أخرى.",
        codeMissing: "اكتب الرمز الذي يعرضه جهازك.",
        confirmDeviceTitle: "هل تريد تسجيل الدخول إلى {{>applicationInTitle}} على جهازك؟",
        confirmDeviceHeading: "هل تريد تسجيل الدخول إلى {{>application}} على جهازك؟",
        confirmDeviceCode: "يجب أن يعرض جهازك هذا الرمز بعينه:",
        confirmDeviceCaution: """
            لا تتابع إلا إذا كنت قد بدأت هذا بنفسك وكان الرمز هو نفسه. إذا أرسل إليك شخص ما الرمز أو رابطًا، فقد يكون \
            ذلك احتيالًا: لا تتابع.
            """,
        approveDeviceTitle: "الخطوة الأخيرة: هل تريد تسجيل الدخول إلى {{>applicationInTitle}}؟",
        approveDeviceHeading: "الخطوة الأخيرة: هل تريد تسجيل الدخول إلى {{>application}}؟",
        approveDeviceAccount: "سيُسجَّل الدخول على جهازك بهذا الحساب:",
        approveDeviceCaution: "إذا لم تبدأ هذا بنفسك، فاختر «لا».",
        approve: "نعم، تسجيل الدخول",
        refuse: "لا، عدم تسجيل الدخول",
        deviceApprovedHeading: "تمّ. عُد إلى جهازك.",
        deviceApprovedLead: "سيُسجَّل دخولك إلى {{>application}} خلال ثوانٍ. يمكنك إغلاق هذه الصفحة.",
        deviceRefusedHeading: "لم يُسجَّل الدخول على جهازك",
        deviceRefusedLead: """
            اخترت عدم تسجيل الدخول إلى {{>application}}. لا يملك الجهاز حق الوصول إلى حسابك. يمكنك إغلاق هذه الصفحة.
            """,
        enterCodeLink: "إدخال رمز",
        backToApplication: "العودة إلى {{>application}}",
        requestNote: "إذا طلبت المساعدة، فاذكر: {{>requestID}}",
        languageLabel: "اللغة:",
        privacyLink: "الخصوصية",
        termsLink: "الشروط",
        supportLink: "الدعم",
        problems: .arabic)
}

extension ProblemTexts {
    static let arabic = Self(
        unknownApplication: .init(
            "هذا التطبيق غير معروف هنا",
            """
            لم يُسجَّل دخولك. عُد إلى التطبيق وحاول مرة أخرى. إذا ظهرت هذه الصفحة مجددًا، فأخبر مطوّري التطبيق.
            """),
        redirectNotAllowed: .init(
            "لا يمكن متابعة تسجيل الدخول هذا",
            """
            يريد التطبيق إرسالك إلى عنوان لم يسجّله. لحماية حسابك توقّفنا هنا. يُرجى إخبار مطوّري التطبيق.
            """),
        malformedRequest: .init(
            "هذا الرابط تالف",
            "جزء منه ناقص أو غير صحيح. عُد إلى التطبيق وابدأ تسجيل الدخول من جديد."),
        signInEnded: .init(
            "انتهى تسجيل الدخول هذا",
            """
            إما أنه اكتمل من قبل، أو مضى عليه أكثر من عشر دقائق، أو بدأ في متصفح آخر. عُد إلى التطبيق وابدأ من جديد في \
            هذا المتصفح.
            """),
        stateMismatch: .init(
            "هذا الرد يخص عملية تسجيل دخول أخرى",
            """
            لم يُسجَّل دخولك. أغلق علامات التبويب الأخرى التي تسجّل الدخول فيها، ثم عُد إلى التطبيق وابدأ من جديد.
            """),
        deviceCodeTaken: .init(
            "هذا الرمز مستخدَم في متصفح آخر",
            "إذا كنت قد أكّدته هناك بنفسك، فتابع في ذلك المتصفح. وإلا فاطلب رمزًا جديدًا على جهازك."),
        deviceCodeEnded: .init(
            "لم يعد هذا الرمز صالحًا",
            "انتهت صلاحيته أو استُخدم في هذه الأثناء. اطلب رمزًا جديدًا على جهازك وأدخله."),
        providerFailed: .init(
            "لم تستجب خدمة تسجيل الدخول على نحو صحيح",
            """
            لم يُسجَّل الدخول على جهازك بعد. انتظر دقيقة، ثم أدخل الرمز نفسه مرة أخرى في هذا المتصفح.
            """),
        accessDenied: .init(
            "لم تمنح الإذن",
            "لم يُسجَّل الدخول على جهازك. إذا أردت المحاولة مرة أخرى، فاطلب رمزًا جديدًا على جهازك."),
        accountExists: .init(
            "لم يُسجَّل دخولك",
            """
            يوجد في التطبيق حساب بعنوان بريدك الإلكتروني. ابدأ من جديد على جهازك وسجّل الدخول كما كنت تفعل.
            """),
        tooManyRequests: .init(
            "كانت هناك محاولات كثيرة جدًا",
            "انتظر بضع دقائق ثم حاول مرة أخرى."),
        unavailable: .init(
            "تسجيل الدخول لا يعمل الآن",
            "لم ترتكب أي خطأ. انتظر دقيقة ثم حاول مرة أخرى."),
        notFound: .init(
            "لا توجد صفحة هنا",
            "تحقّق من العنوان، أو عُد إلى التطبيق الذي أرسلك إلى هنا."),
        methodNotAllowed: .init(
            "لا يمكن فتح هذه الصفحة بهذه الطريقة",
            "عُد إلى التطبيق وابدأ تسجيل الدخول من جديد."),
        internalError: .init(
            "حدث خطأ في الخادم",
            "لم ترتكب أي خطأ. انتظر دقيقة ثم حاول مرة أخرى."))
}
