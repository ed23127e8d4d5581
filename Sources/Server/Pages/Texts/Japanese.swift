extension PageTexts {
    static let japanese = Self(
        error: "エラー:",
        signInTitle: "{{>applicationInTitle}} にログイン",
        signInHeading: "{{>application}} にログイン",
        signInChoose: "どのアカウントを使用しますか？",
        signInWithOne: "お使いの {{>provider}} アカウントでログインします。",
        linkTitle: "{{>applicationInTitle}} に別のログイン方法を追加",
        linkHeading: "{{>application}} に別のログイン方法を追加",
        linkChoose: "今後は、選択したアカウントでもログインできるようになります。",
        linkWithOne: "今後は、お使いの {{>provider}} アカウントでもログインできるようになります。",
        reauthenticateTitle: "{{>applicationInTitle}} のご本人確認",
        reauthenticateHeading: "{{>application}} のご本人確認",
        linkAccount: "ログイン先となる {{>application}} のアカウント:",
        reauthenticateAccount: "ご本人確認の対象となる {{>application}} のアカウント:",
        guestAccount: "末尾が {{>uidEnd}} のゲストアカウント",
        unnamedAccount: "末尾が {{>uidEnd}} のアカウント",
        accountCaution: """
            たった今ご自身でこの操作を始め、このアカウントがご自身のものである場合にのみ続けてください。
            """,
        conflictTitle: "{{>applicationInTitle}} のアカウントをすでにお持ちです",
        conflictHeading: "{{>application}} のアカウントをすでにお持ちです",
        conflictBefore: "これまでは {{>signInMethods}} で {{>application}} にログインしていました。",
        conflictAddress: "そのアカウントのメールアドレスは、お使いの {{>newProvider}} アカウントと同じです:",
        conflictChoose: "ご自身のアカウントであることを確認するため、そのアカウントでもう一度ログインしてください。今後は {{>newProvider}} でもログインできるようになります。",
        conflictElsewhere: """
            そのログイン方法はこのページでは確認できません。{{>application}} に進み、これまでと同じ方法でログインしてください。その後、{{>application}} は \
            {{>newProvider}} をアカウントに追加できます。
            """,
        conflictSameProvider: """
            そのアカウントには別の {{>newProvider}} アカウントがすでに登録されていて、登録できるのは一つだけです。{{>application}} に進み、これまでと同じ方法でログインしてください。
            """,
        conflictTold: "続けると、このメールアドレスとこれまでのログイン方法が {{>application}} に伝わります。",
        continueInApplication: "{{>application}} で続ける",
        conflictOtherAccount: "このメールアドレスのアカウントではありませんでした。これまで使用していたアカウントを選択してください。",
        listSeparator: "、",
        signInByPassword: "メールアドレスとパスワード",
        signInByPhone: "電話番号",
        signInByEmailLink: "メールのリンク",
        continueWith: "{{>provider}} で続ける",
        cancel: "キャンセル",
        destinationWebsite: "完了後は {{>host}} に戻ります。",
        destinationApplication: "完了後はこのデバイスのアプリケーション（{{>scheme}}）に戻ります。",
        destinationThisDevice: "完了後はこのデバイスのアプリケーションに戻ります。",
        signInCaution: "たった今ご自身でこの操作を始めた場合にのみ続けてください。",
        factorHeading: "コードを入力してください",
        factorLead: "{{>application}} は2段階目の確認でアカウントを保護しています。認証アプリを開き、表示されているコードを入力してください。",
        factorHint: "6桁の数字、または復旧コードのいずれか。",
        factorInvalid: """
            このコードは間違っているか、すでに使用されています。次のコードを待つか、復旧コードを使用してください。\
            どのコードも使えない場合は、コードを表示している端末の時刻を確認してください。
            """,
        enterCodeHeading: "デバイスに表示されたコードを入力",
        enterCodeLead: "ログインするデバイスにコードが表示されています。そのコードをここに入力してください。",
        codeLabel: "コード",
        codeHint: "英字八文字。大文字と小文字は区別されず、ハイフンは省略できます。",
        continueWithCode: "続ける",
        codeUnknown: """
            このコードは使用できません。入力の誤り、有効期限切れ、または使用済みの可能性があります。デバイスに表示されたコードと\
            見比べるか、デバイスで新しいコードを取得してください。
            """,
        codeTooManyTries: "誤ったコードが何度も入力されました。数分待ってから、もう一度お試しください。",
        codeMissing: "デバイスに表示されているコードを入力してください。",
        confirmDeviceTitle: "お使いのデバイスで {{>applicationInTitle}} にログインしますか？",
        confirmDeviceHeading: "お使いのデバイスで {{>application}} にログインしますか？",
        confirmDeviceCode: "デバイスに次のコードとまったく同じものが表示されていることを確認してください:",
        confirmDeviceCaution: """
            ご自身でこの操作を始め、コードが一致している場合にのみ続けてください。コードやリンクが誰かから送られてきた場合は、詐欺の\
            おそれがあります。続けないでください。
            """,
        approveDeviceTitle: "最後の確認: {{>applicationInTitle}} にログインしますか？",
        approveDeviceHeading: "最後の確認: {{>application}} にログインしますか？",
        approveDeviceAccount: "デバイスは次のアカウントでログインします:",
        approveDeviceCaution: "ご自身で始めた操作でない場合は、「いいえ」を選択してください。",
        approve: "はい、ログインします",
        refuse: "いいえ、ログインしません",
        deviceApprovedHeading: "完了しました。デバイスに戻ってください。",
        deviceApprovedLead: "数秒後に {{>application}} へのログインが完了します。このページは閉じてかまいません。",
        deviceRefusedHeading: "デバイスはログインしていません",
        deviceRefusedLead: """
            {{>application}} にログインしないことを選択しました。デバイスはお客様のアカウントにアクセスできません。このページは\
            閉じてかまいません。
            """,
        returnHeading: "アプリに戻る",
        formPostLead: "ブラウザーがログインの結果を {{>host}} に送信します。何も起きない場合は、ボタンを押してください。",
        webMessageDelivered: "アプリがログインの結果を受け取りました。このウィンドウは閉じてかまいません。",
        webMessageUndelivered: """
            このウィンドウは、ウィンドウを開いたアプリ（{{>host}}）に接続できません。ウィンドウを閉\
            じてアプリに戻り、スクリプトとポップアップウィンドウを許可してから、もう一度ログインしてください\
            。
            """,
        homeHeading: "アプリケーションへのログインを行うサーバーです",
        homeLead: "このページで行う操作はありません。お使いのアプリケーションを開き、そこからログインを始めてください。",
        enterCodeLink: "コードを入力",
        backToApplication: "{{>application}} に戻る",
        requestNote: "お問い合わせの際は、次の番号をお知らせください: {{>requestID}}",
        languageLabel: "言語:",
        privacyLink: "プライバシー",
        termsLink: "利用規約",
        supportLink: "サポート",
        problems: .japanese)
}

extension ProblemTexts {
    static let japanese = Self(
        unknownApplication: .init(
            "このアプリケーションは登録されていません",
            """
            ログインは完了していません。アプリケーションに戻って、もう一度お試しください。このページが再び表示される場合は、\
            アプリケーションの開発元にお知らせください。
            """),
        redirectNotAllowed: .init(
            "このログインは続行できません",
            """
            アプリケーションが、登録されていないアドレスにお客様を移動させようとしています。アカウントを保護するため、\
            ここで中止しました。このリンクをブックマークなどに保存していた場合は、アプリケーションに戻って、\
            ログインをやり直してください。それ以外の場合は、アプリケーションの開発元にお知らせください。
            """),
        malformedRequest: .init(
            "このリンクは壊れています",
            """
            一部が欠けているか、誤っています。アプリケーションに戻って、ログインをやり直してください。\
            このページが再び表示される場合は、アプリケーションの開発元にお知らせください。
            """),
        signInEnded: .init(
            "このログインは終了しています",
            """
            古すぎるか、すでに使用されているか、より新しいログインに置き換えられたか、別のブラウザで開始されたか、\
            リンクが壊れています。アプリケーションに戻って、このブラウザでやり直してください。\
            このページがまた表示される場合は、このブラウザでクッキーを許可するか、別のブラウザを使ってください。
            """),
        stateMismatch: .init(
            "この応答は別のログインのものです",
            """
            ログインは完了していません。ログイン中のほかのタブを閉じ、アプリケーションに戻ってやり直してください。
            """),
        deviceCodeTaken: .init(
            "このコードは別のブラウザで使用されています",
            """
            そのブラウザでご自身が確認した場合は、そちらで続けてください。そうでない場合は、デバイスで新しいコードを取得して\
            ください。
            """),
        deviceCodeEnded: .init(
            "このコードは無効になりました",
            "有効期限が切れたか、すでに使用されました。デバイスで新しいコードを取得して、入力してください。"),
        deviceFormEnded: .init(
            "このページは無効になりました",
            """
            デバイスのコードはまだ有効な場合があります。もう一度入力してください。\
            このページがまた表示される場合は、このブラウザでクッキーを許可するか、別のブラウザを使ってください。
            """),
        providerFailed: .init(
            "ログインサービスから正しい応答がありませんでした",
            "デバイスはまだログインしていません。一分ほど待ってから、このブラウザで同じコードをもう一度入力してください。"),
        accessDenied: .init(
            "許可されませんでした",
            "デバイスはログインしていません。もう一度試すには、デバイスで新しいコードを取得してください。"),
        accountExists: .init(
            "ログインは完了していません",
            """
            このアプリケーションには、お客様のメールアドレスのアカウントがすでにあります。デバイスでやり直し、これまでと同じ方法でログインしてください。
            """),
        secondFactorLocked: .init(
            "間違ったコードが多すぎます",
            "しばらくしてから、アプリケーションに戻ってもう一度ログインしてください。復旧コードがあれば使用してください。"),
        blockedByHook: .init(
            "アプリケーションがこのログインを許可しませんでした",
            "デバイスはログインしていません。誤りだと思われる場合は、アプリケーションのサポートにお問い合わせください。"),
        emailDomainNotAllowed: .init(
            "このメールアドレスではログインできません",
            """
            このアプリケーションは、特定の組織のメールアドレスだけを受け付けます。デバイスはログインしていません。該当するメールアドレスをお持ちの場合は、デバイスでやり直し、そのメールアドレスを使ってください。
            """),
        tooManyRequests: .init(
            "試行回数が多すぎます",
            "数分待ってから、もう一度お試しください。"),
        unavailable: .init(
            "現在ログインできません",
            "お客様の操作に問題はありません。一分ほど待ってから、もう一度お試しください。"),
        notFound: .init(
            "ここにページはありません",
            "アドレスを確認するか、元のアプリケーションに戻ってください。"),
        methodNotAllowed: .init(
            "このページはこの方法では開けません",
            """
            アプリケーションに戻って、ログインをやり直してください。\
            このページがまた表示される場合は、このブラウザでこのサイトのクッキーを削除してください。\
            それでも解決しない場合は、アプリケーションのサポートにお知らせください。
            """),
        unusableResponse: .init(
            "ログインサービスからの応答を受け取れません",
            """
            お客様の操作に問題はありません。もう一度やり直し、このページがまた表示される場合は、アプリケーションのサポートにお知らせください。
            """),
        internalError: .init(
            "サーバーで問題が発生しました",
            "お客様の操作に問題はありません。一分ほど待ってから、もう一度お試しください。"))
}
