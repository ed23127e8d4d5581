extension PageTexts {
    static let spanish = Self(
        error: "Error:",
        signInTitle: "Iniciar sesión en {{>applicationInTitle}}",
        signInHeading: "Iniciar sesión en {{>application}}",
        signInChoose: "¿Qué cuenta quieres usar?",
        signInWithOne: "Inicias sesión con tu cuenta de {{>provider}}.",
        linkTitle: "Añadir otra forma de iniciar sesión en {{>applicationInTitle}}",
        linkHeading: "Añadir otra forma de iniciar sesión en {{>application}}",
        linkChoose: "A partir de ahora también podrás iniciar sesión con la cuenta que elijas.",
        linkWithOne: "A partir de ahora también podrás iniciar sesión con tu cuenta de {{>provider}}.",
        reauthenticateTitle: "Confirma a {{>applicationInTitle}} que eres tú",
        reauthenticateHeading: "Confirma a {{>application}} que eres tú",
        linkAccount: "Con ella se iniciará sesión en esta cuenta de {{>application}}:",
        reauthenticateAccount: "Lo confirmas para la siguiente cuenta de {{>application}}:",
        guestAccount: "Cuenta de invitado que termina en {{>uidEnd}}",
        unnamedAccount: "Cuenta que termina en {{>uidEnd}}",
        accountCaution: "Continúa solo si acabas de iniciar esta operación y si esta cuenta es tuya.",
        conflictTitle: "Ya tienes una cuenta de {{>applicationInTitle}}",
        conflictHeading: "Ya tienes una cuenta de {{>application}}",
        conflictBefore: "Hasta ahora iniciabas sesión en {{>application}} con {{>signInMethods}}.",
        conflictAddress: "Esa cuenta tiene la misma dirección de correo que tu cuenta de {{>newProvider}}:",
        conflictChoose: """
            Demuestra que es tuya: inicia sesión con ella una vez más. A partir de ahora también podrás iniciar \
            sesión con {{>newProvider}}.
            """,
        conflictElsewhere: """
            Esta página no puede comprobar esa forma de iniciar sesión. Continúa en {{>application}} e inicia sesión \
            allí como antes. Después, {{>application}} podrá añadir {{>newProvider}} a tu cuenta.
            """,
        conflictSameProvider: """
            Esa cuenta ya está vinculada a otra cuenta de {{>newProvider}}, y solo puede estarlo a una. Continúa en \
            {{>application}} e inicia sesión allí como antes.
            """,
        conflictTold: "Si continúas, {{>application}} conocerá esta dirección y cómo iniciabas sesión antes.",
        continueInApplication: "Continuar en {{>application}}",
        conflictOtherAccount: "Esa no era la cuenta con esta dirección de correo. Elige la que usabas antes.",
        listSeparator: ", ",
        signInByPassword: "una dirección de correo y una contraseña",
        signInByPhone: "un número de teléfono",
        signInByEmailLink: "un enlace por correo",
        continueWith: "Continuar con {{>provider}}",
        cancel: "Cancelar",
        destinationWebsite: "Después volverás a {{>host}}.",
        destinationApplication: "Después volverás a una aplicación de este dispositivo ({{>scheme}}).",
        destinationThisDevice: "Después volverás a una aplicación de este dispositivo.",
        signInCaution: "Continúa solo si acabas de iniciar esta operación.",
        factorHeading: "Escribe tu código",
        factorLead: """
            {{>application}} protege tu cuenta con un segundo paso. Abre tu aplicación de autenticación y \
            escribe el código que muestra.
            """,
        factorHint: "Seis cifras, o uno de tus códigos de recuperación.",
        factorInvalid: """
            Este código es incorrecto o ya se usó. Espera al siguiente o usa un código de recuperación. \
            Si ningún código funciona, comprueba la hora del dispositivo que lo muestra.
            """,
        enterCodeHeading: "Introduce el código de tu dispositivo",
        enterCodeLead: "El dispositivo en el que quieres iniciar sesión muestra un código. Escríbelo aquí.",
        codeLabel: "Código",
        codeHint: "Ocho letras, minúsculas o mayúsculas, con o sin el guion.",
        continueWithCode: "Continuar",
        codeUnknown: """
            Este código no funciona. Puede que esté mal escrito, que haya caducado o que ya se haya usado. \
            Compáralo con el de tu dispositivo o pide allí un código nuevo.
            """,
        codeTooManyTries: "Se han escrito demasiados códigos incorrectos. Espera unos minutos y vuelve a intentarlo.",
        codeMissing: "Escribe el código que muestra tu dispositivo.",
        confirmDeviceTitle: "¿Iniciar sesión en {{>applicationInTitle}} en tu dispositivo?",
        confirmDeviceHeading: "¿Iniciar sesión en {{>application}} en tu dispositivo?",
        confirmDeviceCode: "Tu dispositivo debe mostrar exactamente este código:",
        confirmDeviceCaution: """
            Continúa solo si tú iniciaste esta operación y si el código coincide. Si alguien te ha enviado el código \
            o un enlace, puede ser un engaño: no continúes.
            """,
        approveDeviceTitle: "Último paso: ¿iniciar sesión en {{>applicationInTitle}}?",
        approveDeviceHeading: "Último paso: ¿iniciar sesión en {{>application}}?",
        approveDeviceAccount: "En tu dispositivo se iniciará sesión con esta cuenta:",
        approveDeviceCaution: "Si no iniciaste tú esta operación, elige «No».",
        approve: "Sí, iniciar sesión",
        refuse: "No, no iniciar sesión",
        deviceApprovedHeading: "Listo. Vuelve a tu dispositivo.",
        deviceApprovedLead: """
            En unos segundos se iniciará tu sesión en {{>application}}. Puedes cerrar esta página.
            """,
        deviceRefusedHeading: "No se ha iniciado sesión en tu dispositivo",
        deviceRefusedLead: """
            Has elegido no iniciar sesión en {{>application}}. El dispositivo no tiene acceso a tu cuenta. Puedes \
            cerrar esta página.
            """,
        returnHeading: "Vuelve a la aplicación",
        formPostLead: """
            Tu navegador envía el resultado del inicio de sesión a {{>host}}. Si no ocurre nada, pulsa el \
            botón.
            """,
        webMessageDelivered: "La aplicación ha recibido el resultado del inicio de sesión. Puedes cerrar esta ventana.",
        webMessageUndelivered: """
            Esta ventana no puede comunicarse con la aplicación que la abrió ({{>host}}). Cierra la ventana, \
            vuelve a la aplicación, permite allí los scripts y las ventanas emergentes, e inicia sesión de \
            nuevo.
            """,
        homeHeading: "Aquí las aplicaciones inician tu sesión",
        homeLead: "No hay nada que hacer en esta página. Abre tu aplicación e inicia sesión desde allí.",
        enterCodeLink: "Introducir un código",
        backToApplication: "Volver a {{>application}}",
        requestNote: "Si pides ayuda, menciona: {{>requestID}}",
        languageLabel: "Idioma:",
        privacyLink: "Privacidad",
        termsLink: "Condiciones",
        supportLink: "Ayuda",
        problems: .spanish)
}

extension ProblemTexts {
    static let spanish = Self(
        unknownApplication: .init(
            "Aquí no se conoce esta aplicación",
            """
            No se ha iniciado sesión. Vuelve a la aplicación e inténtalo de nuevo. Si vuelves a ver esta página, \
            avisa a los desarrolladores de la aplicación.
            """),
        redirectNotAllowed: .init(
            "Este inicio de sesión no puede continuar",
            """
            La aplicación quiere enviarte a una dirección que no ha registrado. Para proteger tu cuenta, nos hemos \
            detenido aquí. Si habías guardado este enlace, por ejemplo como marcador, vuelve a la aplicación e \
            inicia sesión de nuevo. De lo contrario, avisa a los desarrolladores de la aplicación.
            """),
        malformedRequest: .init(
            "Este enlace está dañado",
            """
            Falta una parte o es incorrecta. Vuelve a la aplicación e inicia sesión de nuevo. \
            Si vuelves a ver esta página, avisa a los desarrolladores de la aplicación.
            """),
        signInEnded: .init(
            "Este inicio de sesión ha terminado",
            """
            Es demasiado antiguo, ya se usó, fue sustituido por otros más recientes o se inició en otro navegador, o \
            su enlace está dañado. Vuelve a la aplicación y empieza de nuevo en este navegador. \
            Si esta página vuelve a aparecer, permite las cookies en este navegador o usa otro.
            """),
        stateMismatch: .init(
            "Esta respuesta pertenece a otro inicio de sesión",
            """
            No se ha iniciado sesión. Cierra las demás pestañas en las que estés iniciando sesión, vuelve a la \
            aplicación y empieza de nuevo.
            """),
        deviceCodeTaken: .init(
            "Este código se está usando en otro navegador",
            """
            Si lo confirmaste tú allí, continúa en ese navegador. Si no, pide un código nuevo en tu dispositivo.
            """),
        deviceCodeEnded: .init(
            "Este código ya no es válido",
            "Ha caducado o se ha usado entretanto. Pide un código nuevo en tu dispositivo e introdúcelo."),
        deviceFormEnded: .init(
            "Esta página ya no es válida",
            """
            Es posible que el código de tu dispositivo siga siendo válido: introdúcelo de nuevo. \
            Si esta página vuelve a aparecer, permite las cookies en este navegador o usa otro.
            """),
        providerFailed: .init(
            "El servicio de inicio de sesión no respondió correctamente",
            """
            Todavía no se ha iniciado sesión en tu dispositivo. Espera un minuto y vuelve a introducir el mismo \
            código en este navegador.
            """),
        accessDenied: .init(
            "No se ha concedido el permiso",
            """
            No se ha iniciado sesión en tu dispositivo. Si quieres volver a intentarlo, pide un código nuevo en tu \
            dispositivo.
            """),
        accountExists: .init(
            "No se ha iniciado sesión",
            """
            La aplicación ya tiene una cuenta con tu dirección de correo. Empieza de nuevo en tu dispositivo e \
            inicia sesión como antes.
            """),
        secondFactorLocked: .init(
            "Hubo demasiados códigos incorrectos",
            "Vuelve más tarde a la aplicación e inicia sesión de nuevo. Usa un código de recuperación si lo tienes."),
        blockedByHook: .init(
            "La aplicación no ha permitido este inicio de sesión",
            """
            No se ha iniciado sesión en tu dispositivo. Si crees que es un error, pide ayuda al soporte de la \
            aplicación.
            """),
        emailDomainNotAllowed: .init(
            "Con esta dirección no se puede iniciar sesión aquí",
            """
            La aplicación solo admite direcciones de correo de determinadas organizaciones. No se ha iniciado \
            sesión en tu dispositivo. Si tienes una dirección así, empieza de nuevo en tu dispositivo y úsala.
            """),
        tooManyRequests: .init(
            "Ha habido demasiados intentos",
            "Espera unos minutos y vuelve a intentarlo."),
        unavailable: .init(
            "Ahora no es posible iniciar sesión",
            "No has hecho nada mal. Espera un minuto y vuelve a intentarlo."),
        notFound: .init(
            "Aquí no hay ninguna página",
            "Comprueba la dirección o vuelve a la aplicación que te envió aquí."),
        methodNotAllowed: .init(
            "Esta página no se puede abrir así",
            """
            Vuelve a la aplicación e inicia sesión de nuevo. Si esta página vuelve a aparecer, borra las cookies \
            de este sitio en este navegador. Si eso no ayuda, comunícalo al soporte de la aplicación.
            """),
        unusableResponse: .init(
            "No se puede recibir la respuesta del servicio de inicio de sesión",
            """
            No has hecho nada mal. Empieza de nuevo y, si esta página vuelve a aparecer, comunícalo al soporte de la aplicación.
            """),
        internalError: .init(
            "Se ha producido un error en el servidor",
            "No has hecho nada mal. Espera un minuto y vuelve a intentarlo."))
}
