extension PageTexts {
    static let persian = Self(
        error: "خطا",
        signInTitle: "ورود به {{>applicationInTitle}}",
        signInHeading: "ورود به {{>application}}",
        signInChoose: "می‌خواهید با کدام حساب وارد شوید؟",
        signInWithOne: "با حساب {{>provider}} خود وارد می‌شوید.",
        linkTitle: "افزودن راهی دیگر برای ورود به {{>applicationInTitle}}",
        linkHeading: "افزودن راهی دیگر برای ورود به {{>application}}",
        linkChoose: "از این پس با حسابی که انتخاب می‌کنید نیز می‌توانید وارد شوید.",
        linkWithOne: "از این پس با حساب {{>provider}} خود نیز می‌توانید وارد شوید.",
        reauthenticateTitle: "برای {{>applicationInTitle}} تأیید کنید که خودتان هستید",
        reauthenticateHeading: "برای {{>application}} تأیید کنید که خودتان هستید",
        linkAccount: "با آن این حساب {{>application}} باز می‌شود:",
        reauthenticateAccount: "این تأیید برای این حساب {{>application}} است:",
        guestAccount: "حساب مهمان، با پایان {{>uidEnd}}",
        unnamedAccount: "حسابی با پایان {{>uidEnd}}",
        accountCaution: """
            تنها در صورتی ادامه دهید که همین حالا خودتان این کار را آغاز کرده باشید و این حساب از آن شما باشد.
            """,
        continueWith: "ادامه با {{>provider}}",
        cancel: "انصراف",
        destinationWebsite: "پس از آن به {{>host}} بازمی‌گردید.",
        destinationApplication: "پس از آن به برنامه‌ای در همین دستگاه ({{>scheme}}) بازمی‌گردید.",
        destinationThisDevice: "پس از آن به برنامه‌ای در همین دستگاه بازمی‌گردید.",
        signInCaution: "تنها در صورتی ادامه دهید که همین حالا خودتان این کار را آغاز کرده باشید.",
        enterCodeHeading: "کد دستگاه خود را بنویسید",
        enterCodeLead: "دستگاهی که می‌خواهید در آن وارد شوید کدی نشان می‌دهد. آن کد را اینجا بنویسید.",
        codeLabel: "کد",
        codeHint: "هشت حرف لاتین، کوچک یا بزرگ، با خط تیره یا بدون آن.",
        continueWithCode: "ادامه",
        codeUnknown: """
            این کد پذیرفته نشد. شاید اشتباه نوشته شده، منقضی شده یا پیش‌تر استفاده شده باشد. آن را با کد دستگاه \
            خود مقایسه کنید یا در دستگاه کد تازه‌ای بگیرید.
            """,
        codeTooManyTries: "شمار کدهای نادرست از حد مجاز گذشت. چند دقیقه صبر کنید و سپس دوباره تلاش کنید.",
        codeMissing: "کدی را که دستگاه شما نشان می‌دهد بنویسید.",
        confirmDeviceTitle: "در دستگاه خود وارد {{>applicationInTitle}} می‌شوید؟",
        confirmDeviceHeading: "در دستگاه خود وارد {{>application}} می‌شوید؟",
        confirmDeviceCode: "دستگاه شما باید دقیقاً همین کد را نشان دهد:",
        confirmDeviceCaution: """
            تنها در صورتی ادامه دهید که خودتان این کار را آغاز کرده باشید و کدها یکسان باشند. اگر کسی این کد یا \
            پیوندی برای شما فرستاده است، شاید فریبی در کار باشد: ادامه ندهید.
            """,
        approveDeviceTitle: "آخرین گام: وارد {{>applicationInTitle}} می‌شوید؟",
        approveDeviceHeading: "آخرین گام: وارد {{>application}} می‌شوید؟",
        approveDeviceAccount: "ورود در دستگاه شما با این حساب انجام می‌شود:",
        approveDeviceCaution: "اگر خودتان این کار را آغاز نکرده‌اید، «خیر» را انتخاب کنید.",
        approve: "بله، وارد می‌شوم",
        refuse: "خیر، وارد نمی‌شوم",
        deviceApprovedHeading: "انجام شد. به دستگاه خود بازگردید.",
        deviceApprovedLead: "تا چند ثانیه‌ی دیگر وارد {{>application}} می‌شوید. می‌توانید این صفحه را ببندید.",
        deviceRefusedHeading: "ورود در دستگاه شما انجام نشد",
        deviceRefusedLead: """
            شما نخواستید وارد {{>application}} شوید. آن دستگاه به حساب شما دسترسی ندارد. می‌توانید این صفحه را \
            ببندید.
            """,
        enterCodeLink: "نوشتن کد",
        requestNote: "اگر کمک خواستید، این شناسه را بگویید: {{>requestID}}",
        problems: .persian)
}
