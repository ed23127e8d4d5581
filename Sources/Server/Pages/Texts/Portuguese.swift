extension PageTexts {
    /// The Portuguese of Brazil.
    static let portuguese = Self(
        error: "Erro:",
        signInTitle: "Entrar em {{>applicationInTitle}}",
        signInHeading: "Entrar em {{>application}}",
        signInChoose: "Qual conta você quer usar?",
        signInWithOne: "Você entra com a sua conta {{>provider}}.",
        linkTitle: "Adicionar outra forma de entrar em {{>applicationInTitle}}",
        linkHeading: "Adicionar outra forma de entrar em {{>application}}",
        linkChoose: "A partir de agora, você também poderá entrar com a conta que escolher.",
        linkWithOne: "A partir de agora, você também poderá entrar com a sua conta {{>provider}}.",
        reauthenticateTitle: "Confirme para {{>applicationInTitle}} que é você",
        reauthenticateHeading: "Confirme para {{>application}} que é você",
        linkAccount: "Ela dará acesso a esta conta de {{>application}}:",
        reauthenticateAccount: "Você confirma isso para a seguinte conta de {{>application}}:",
        guestAccount: "Conta de convidado com final {{>uidEnd}}",
        unnamedAccount: "Conta com final {{>uidEnd}}",
        accountCaution: "Continue somente se foi você quem acabou de iniciar isto e se esta conta for sua.",
        conflictTitle: "Você já tem uma conta de {{>applicationInTitle}}",
        conflictHeading: "Você já tem uma conta de {{>application}}",
        conflictBefore: "Até agora, você entrava em {{>application}} com {{>signInMethods}}.",
        conflictAddress: "Essa conta tem o mesmo endereço de e-mail que a sua conta {{>newProvider}}:",
        conflictChoose: """
            Mostre que ela é sua: entre com ela mais uma vez. A partir de agora, você também poderá entrar com \
            {{>newProvider}}.
            """,
        conflictElsewhere: """
            Esta página não pode verificar essa forma de entrar. Continue em {{>application}} e entre lá como antes. \
            Depois, {{>application}} poderá adicionar {{>newProvider}} à sua conta.
            """,
        conflictSameProvider: """
            Essa conta já está vinculada a outra conta {{>newProvider}}, e só pode estar vinculada a uma. Continue \
            em {{>application}} e entre lá como antes.
            """,
        conflictTold: "Se você continuar, {{>application}} saberá este endereço e como você entrava antes.",
        continueInApplication: "Continuar em {{>application}}",
        conflictOtherAccount: """
            Essa não era a conta com este endereço de e-mail. Escolha a que você usava antes.
            """,
        listSeparator: ", ",
        signInByPassword: "um endereço de e-mail e uma senha",
        signInByPhone: "um número de telefone",
        signInByEmailLink: "um link por e-mail",
        continueWith: "Continuar com {{>provider}}",
        cancel: "Cancelar",
        destinationWebsite: "Depois, você volta para {{>host}}.",
        destinationApplication: "Depois, você volta para um aplicativo neste dispositivo ({{>scheme}}).",
        destinationThisDevice: "Depois, você volta para um aplicativo neste dispositivo.",
        signInCaution: "Continue somente se foi você quem acabou de iniciar isto.",
        factorHeading: "Digite seu código",
        factorLead: """
            {{>application}} protege sua conta com uma segunda etapa. Abra seu aplicativo autenticador e digite \
            o código que ele mostra.
            """,
        factorHint: "Seis dígitos, ou um dos seus códigos de recuperação.",
        factorInvalid: """
            Este código está errado ou já foi usado. Espere o próximo ou use um código de recuperação. \
            Se nenhum código funcionar, confira a hora do aparelho que o mostra.
            """,
        enterCodeHeading: "Digite o código do seu dispositivo",
        enterCodeLead: "O dispositivo em que você quer entrar mostra um código. Digite-o aqui.",
        codeLabel: "Código",
        codeHint: "Oito letras, minúsculas ou maiúsculas, com ou sem o hífen.",
        continueWithCode: "Continuar",
        codeUnknown: """
            Este código não funciona. Ele pode ter sido digitado errado, ter expirado ou já ter sido usado. \
            Compare-o com o do seu dispositivo ou solicite um novo código nele.
            """,
        codeTooManyTries: "Houve códigos incorretos demais. Aguarde alguns minutos e tente novamente.",
        codeMissing: "Digite o código que o seu dispositivo mostra.",
        confirmDeviceTitle: "Entrar em {{>applicationInTitle}} no seu dispositivo?",
        confirmDeviceHeading: "Entrar em {{>application}} no seu dispositivo?",
        confirmDeviceCode: "O seu dispositivo deve mostrar exatamente este código:",
        confirmDeviceCaution: """
            Continue somente se foi você quem iniciou isto e se o código for igual. Se alguém enviou o código ou um \
            link para você, pode ser um golpe: não continue.
            """,
        approveDeviceTitle: "Última etapa: entrar em {{>applicationInTitle}}?",
        approveDeviceHeading: "Última etapa: entrar em {{>application}}?",
        approveDeviceAccount: "O seu dispositivo entrará com esta conta:",
        approveDeviceCaution: "Se não foi você quem iniciou isto, escolha “Não”.",
        approve: "Sim, entrar",
        refuse: "Não, não entrar",
        deviceApprovedHeading: "Pronto. Volte para o seu dispositivo.",
        deviceApprovedLead: "Você entrará em {{>application}} em alguns segundos. Você pode fechar esta página.",
        deviceRefusedHeading: "O seu dispositivo não entrou na conta",
        deviceRefusedLead: """
            Você escolheu não entrar em {{>application}}. O dispositivo não tem acesso à sua conta. Você pode fechar \
            esta página.
            """,
        returnHeading: "Volte para o aplicativo",
        formPostLead: """
            O seu navegador envia o resultado da entrada para {{>host}}. Se nada acontecer, pressione o botão.
            """,
        webMessageDelivered: "O aplicativo recebeu o resultado da entrada. Você pode fechar esta janela.",
        webMessageUndelivered: """
            Esta janela não consegue falar com o aplicativo que a abriu ({{>host}}). Feche a janela, volte \
            para o aplicativo, permita ali scripts e janelas pop-up e comece a entrada de novo.
            """,
        homeHeading: "Aqui os aplicativos fazem o seu login",
        homeLead: "Não há nada para fazer nesta página. Abra o seu aplicativo e comece a entrar por lá.",
        enterCodeLink: "Digitar um código",
        backToApplication: "Voltar para {{>application}}",
        requestNote: "Se pedir ajuda, informe: {{>requestID}}",
        languageLabel: "Idioma:",
        privacyLink: "Privacidade",
        termsLink: "Termos",
        supportLink: "Suporte",
        problems: .portuguese)
}

extension ProblemTexts {
    static let portuguese = Self(
        unknownApplication: .init(
            "Este aplicativo não é conhecido aqui",
            """
            Você não entrou. Volte para o aplicativo e tente novamente. Se esta página aparecer de novo, avise os \
            desenvolvedores do aplicativo.
            """),
        redirectNotAllowed: .init(
            "Não é possível continuar",
            """
            O aplicativo quer enviar você para um endereço que ele não registrou. Para proteger a sua conta, paramos \
            aqui. Se você guardou este link, por exemplo nos favoritos, volte para o aplicativo e comece a entrar de \
            novo. Caso contrário, avise os desenvolvedores do aplicativo.
            """),
        malformedRequest: .init(
            "Este link está danificado",
            """
            Uma parte dele está faltando ou está errada. Volte para o aplicativo e comece a entrar de novo. \
            Se esta página aparecer de novo, avise os desenvolvedores do aplicativo.
            """),
        signInEnded: .init(
            "Esta entrada foi encerrada",
            """
            Ela é antiga demais, já foi usada, foi substituída por outras mais recentes ou foi iniciada em outro \
            navegador, ou o link dela está danificado. Volte para o aplicativo e comece de novo neste navegador. \
            Se esta página aparecer de novo, permita cookies neste navegador ou use outro.
            """),
        stateMismatch: .init(
            "Esta resposta pertence a outra entrada",
            """
            Você não entrou. Feche as outras abas em que está entrando, volte para o aplicativo e comece de novo.
            """),
        deviceCodeTaken: .init(
            "Este código está em uso em outro navegador",
            """
            Se foi você quem o confirmou lá, continue naquele navegador. Se não, solicite um novo código no seu \
            dispositivo.
            """),
        deviceCodeEnded: .init(
            "Este código não é mais válido",
            "Ele expirou ou foi usado nesse meio-tempo. Solicite um novo código no seu dispositivo e digite-o."),
        deviceFormEnded: .init(
            "Esta página não é mais válida",
            """
            O código do seu dispositivo talvez ainda seja válido: digite-o novamente. \
            Se esta página aparecer de novo, permita cookies neste navegador ou use outro.
            """),
        providerFailed: .init(
            "O serviço de login não respondeu corretamente",
            """
            O seu dispositivo ainda não entrou na conta. Aguarde um minuto e digite o mesmo código novamente neste \
            navegador.
            """),
        accessDenied: .init(
            "A permissão não foi concedida",
            """
            O seu dispositivo não entrou na conta. Se quiser tentar de novo, solicite um novo código no seu \
            dispositivo.
            """),
        accountExists: .init(
            "Você não entrou",
            """
            O aplicativo já tem uma conta com o seu endereço de e-mail. Comece de novo no seu dispositivo e entre \
            como antes.
            """),
        secondFactorLocked: .init(
            "Houve códigos errados demais",
            "Volte mais tarde ao aplicativo e entre novamente. Use um código de recuperação, se tiver."),
        blockedByHook: .init(
            "O aplicativo não permitiu esta entrada",
            """
            O seu dispositivo não entrou na conta. Se você acha que isso é um engano, fale com o suporte do \
            aplicativo.
            """),
        emailDomainNotAllowed: .init(
            "Não é possível entrar aqui com este endereço",
            """
            O aplicativo só aceita endereços de e-mail de certas organizações. O seu dispositivo não entrou na \
            conta. Se você tem um endereço desses, comece de novo no seu dispositivo e use-o.
            """),
        tooManyRequests: .init(
            "Houve tentativas demais",
            "Aguarde alguns minutos e tente novamente."),
        unavailable: .init(
            "No momento, não é possível entrar",
            "Você não fez nada de errado. Aguarde um minuto e tente novamente."),
        notFound: .init(
            "Não há nenhuma página aqui",
            "Verifique o endereço ou volte para o aplicativo que enviou você para cá."),
        methodNotAllowed: .init(
            "Esta página não pode ser aberta assim",
            """
            Volte para o aplicativo e comece a entrar de novo. Se esta página aparecer de novo, apague os cookies \
            deste site neste navegador. Se isso não ajudar, avise o suporte do aplicativo.
            """),
        unusableResponse: .init(
            "Não é possível receber a resposta do serviço de login",
            """
            Você não fez nada de errado. Comece de novo e, se esta página aparecer outra vez, avise o suporte do aplicativo.
            """),
        internalError: .init(
            "Ocorreu um erro no servidor",
            "Você não fez nada de errado. Aguarde um minuto e tente novamente."))
}
