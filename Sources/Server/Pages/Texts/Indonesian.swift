extension PageTexts {
    static let indonesian = Self(
        error: "Kesalahan:",
        signInTitle: "Masuk ke {{>applicationInTitle}}",
        signInHeading: "Masuk ke {{>application}}",
        signInChoose: "Akun mana yang ingin Anda gunakan?",
        signInWithOne: "Anda masuk dengan akun {{>provider}} Anda.",
        linkTitle: "Tambahkan cara lain untuk masuk ke {{>applicationInTitle}}",
        linkHeading: "Tambahkan cara lain untuk masuk ke {{>application}}",
        linkChoose: "Mulai sekarang, Anda juga dapat masuk dengan akun yang Anda pilih.",
        linkWithOne: "Mulai sekarang, Anda juga dapat masuk dengan akun {{>provider}} Anda.",
        reauthenticateTitle: "Konfirmasikan kepada {{>applicationInTitle}} bahwa ini memang Anda",
        reauthenticateHeading: "Konfirmasikan kepada {{>application}} bahwa ini memang Anda",
        linkAccount: "Dengan itu, Anda akan masuk ke akun {{>application}} ini:",
        reauthenticateAccount: "Anda mengonfirmasi ini untuk akun {{>application}} berikut:",
        guestAccount: "Akun tamu dengan akhiran {{>uidEnd}}",
        unnamedAccount: "Akun dengan akhiran {{>uidEnd}}",
        accountCaution: "Lanjutkan hanya jika Anda sendiri yang baru saja memulai ini dan akun ini milik Anda.",
        conflictTitle: "Anda sudah memiliki akun {{>applicationInTitle}}",
        conflictHeading: "Anda sudah memiliki akun {{>application}}",
        conflictBefore: "Sebelumnya, Anda masuk ke {{>application}} dengan {{>signInMethods}}.",
        conflictAddress: "Akun itu memiliki alamat surel yang sama dengan akun {{>newProvider}} Anda:",
        conflictChoose: """
            Buktikan bahwa akun itu milik Anda: masuklah sekali lagi dengan akun itu. Mulai sekarang, Anda juga \
            dapat masuk dengan {{>newProvider}}.
            """,
        conflictElsewhere: """
            Halaman ini tidak dapat memeriksa cara masuk itu. Lanjutkan di {{>application}} dan masuklah di sana \
            seperti sebelumnya. Setelah itu, {{>application}} dapat menambahkan {{>newProvider}} ke akun Anda.
            """,
        conflictSameProvider: """
            Akun itu sudah terhubung dengan akun {{>newProvider}} lain, dan hanya dapat terhubung dengan satu. \
            Lanjutkan di {{>application}} dan masuklah di sana seperti sebelumnya.
            """,
        conflictTold: """
            Jika Anda melanjutkan, {{>application}} akan mengetahui alamat ini dan cara masuk Anda sebelumnya.
            """,
        continueInApplication: "Lanjutkan di {{>application}}",
        conflictOtherAccount: """
            Itu bukan akun dengan alamat surel ini. Pilih akun yang Anda gunakan sebelumnya.
            """,
        listSeparator: ", ",
        signInByPassword: "alamat surel dan kata sandi",
        signInByPhone: "nomor telepon",
        signInByEmailLink: "tautan melalui surel",
        continueWith: "Lanjutkan dengan {{>provider}}",
        cancel: "Batal",
        destinationWebsite: "Setelah itu, Anda akan kembali ke {{>host}}.",
        destinationApplication: "Setelah itu, Anda akan kembali ke aplikasi di perangkat ini ({{>scheme}}).",
        destinationThisDevice: "Setelah itu, Anda akan kembali ke aplikasi di perangkat ini.",
        signInCaution: "Lanjutkan hanya jika Anda sendiri yang baru saja memulai ini.",
        factorHeading: "Masukkan kode Anda",
        factorLead: """
            {{>application}} melindungi akun Anda dengan langkah kedua. Buka aplikasi autentikator Anda dan \
            ketik kode yang ditampilkannya.
            """,
        factorHint: "Enam angka, atau salah satu kode pemulihan Anda.",
        factorInvalid: """
            Kode ini salah atau sudah digunakan. Tunggu kode berikutnya, atau gunakan kode pemulihan. \
            Jika tidak ada kode yang berhasil, periksa jam pada perangkat yang menampilkannya.
            """,
        enterCodeHeading: "Masukkan kode dari perangkat Anda",
        enterCodeLead: "Perangkat tempat Anda ingin masuk menampilkan sebuah kode. Ketikkan kode itu di sini.",
        codeLabel: "Kode",
        codeHint: "Delapan huruf, kecil atau besar, dengan atau tanpa tanda hubung.",
        continueWithCode: "Lanjutkan",
        codeUnknown: """
            Kode ini tidak berfungsi. Mungkin salah ketik, sudah kedaluwarsa, atau sudah digunakan. Bandingkan \
            dengan kode di perangkat Anda, atau minta kode baru di sana.
            """,
        codeTooManyTries: "Terlalu banyak kode yang salah. Tunggu beberapa menit, lalu coba lagi.",
        codeMissing: "Ketikkan kode yang ditampilkan perangkat Anda.",
        confirmDeviceTitle: "Masuk ke {{>applicationInTitle}} di perangkat Anda?",
        confirmDeviceHeading: "Masuk ke {{>application}} di perangkat Anda?",
        confirmDeviceCode: "Perangkat Anda harus menampilkan kode yang persis sama dengan ini:",
        confirmDeviceCaution: """
            Lanjutkan hanya jika Anda sendiri yang memulai ini dan kodenya sama. Jika seseorang mengirimkan kode atau \
            tautan kepada Anda, itu mungkin penipuan: jangan lanjutkan.
            """,
        approveDeviceTitle: "Langkah terakhir: masuk ke {{>applicationInTitle}}?",
        approveDeviceHeading: "Langkah terakhir: masuk ke {{>application}}?",
        approveDeviceAccount: "Perangkat Anda akan masuk dengan akun ini:",
        approveDeviceCaution: "Jika bukan Anda yang memulai ini, pilih “Tidak”.",
        approve: "Ya, masuk",
        refuse: "Tidak, jangan masuk",
        deviceApprovedHeading: "Selesai. Kembalilah ke perangkat Anda.",
        deviceApprovedLead: """
            Anda akan masuk ke {{>application}} dalam beberapa detik. Anda boleh menutup halaman ini.
            """,
        deviceRefusedHeading: "Perangkat Anda tidak jadi masuk",
        deviceRefusedLead: """
            Anda memilih untuk tidak masuk ke {{>application}}. Perangkat itu tidak memiliki akses ke akun Anda. \
            Anda boleh menutup halaman ini.
            """,
        returnHeading: "Kembali ke aplikasi",
        formPostLead: "Peramban Anda mengirim hasil masuk ke {{>host}}. Jika tidak terjadi apa-apa, tekan tombolnya.",
        webMessageDelivered: "Aplikasi telah menerima hasil masuk. Anda dapat menutup jendela ini.",
        webMessageUndelivered: """
            Jendela ini tidak dapat menjangkau aplikasi yang membukanya ({{>host}}). Tutup jendela, kembalilah \
            ke aplikasi, izinkan skrip dan jendela pop-up di sana, lalu mulailah masuk lagi.
            """,
        homeHeading: "Di sini aplikasi memasukkan Anda",
        homeLead: "Tidak ada yang perlu dilakukan di halaman ini. Buka aplikasi Anda, lalu mulailah masuk dari sana.",
        enterCodeLink: "Masukkan kode",
        backToApplication: "Kembali ke {{>application}}",
        requestNote: "Jika Anda meminta bantuan, sebutkan: {{>requestID}}",
        languageLabel: "Bahasa:",
        privacyLink: "Privasi",
        termsLink: "Ketentuan",
        supportLink: "Bantuan",
        problems: .indonesian)
}

extension ProblemTexts {
    static let indonesian = Self(
        unknownApplication: .init(
            "Aplikasi ini tidak dikenal di sini",
            """
            Anda belum masuk. Kembalilah ke aplikasi dan coba lagi. Jika halaman ini muncul lagi, beri tahu \
            pengembang aplikasi.
            """),
        redirectNotAllowed: .init(
            "Proses masuk ini tidak dapat dilanjutkan",
            """
            Aplikasi ingin mengarahkan Anda ke alamat yang tidak didaftarkannya. Untuk melindungi akun Anda, kami \
            berhenti di sini. Jika Anda menyimpan tautan ini, misalnya sebagai bookmark, kembalilah ke aplikasi dan \
            mulai lagi proses masuk. Jika tidak, harap beri tahu pengembang aplikasi.
            """),
        malformedRequest: .init(
            "Tautan ini rusak",
            """
            Ada bagian yang hilang atau salah. Kembalilah ke aplikasi dan mulai lagi proses masuk. \
            Jika halaman ini muncul lagi, beri tahu pengembang aplikasi.
            """),
        signInEnded: .init(
            "Proses masuk ini telah berakhir",
            """
            Proses ini sudah terlalu lama, sudah digunakan, digantikan oleh proses yang lebih baru, atau dimulai di \
            peramban lain, atau tautannya rusak. Kembalilah ke aplikasi dan mulai lagi di peramban ini. \
            Jika halaman ini muncul lagi, izinkan kuki di peramban ini atau gunakan peramban lain.
            """),
        stateMismatch: .init(
            "Jawaban ini milik proses masuk yang lain",
            """
            Anda belum masuk. Tutup tab lain tempat Anda sedang masuk, kembalilah ke aplikasi, dan mulai lagi.
            """),
        deviceCodeTaken: .init(
            "Kode ini sedang digunakan di peramban lain",
            """
            Jika Anda sendiri yang mengonfirmasinya di sana, lanjutkan di peramban itu. Jika bukan, minta kode baru \
            di perangkat Anda.
            """),
        deviceCodeEnded: .init(
            "Kode ini tidak berlaku lagi",
            "Kode ini telah kedaluwarsa atau digunakan. Minta kode baru di perangkat Anda, lalu masukkan kode itu."),
        deviceFormEnded: .init(
            "Halaman ini tidak berlaku lagi",
            """
            Kode di perangkat Anda mungkin masih berlaku: masukkan lagi. \
            Jika halaman ini muncul lagi, izinkan kuki di peramban ini atau gunakan peramban lain.
            """),
        providerFailed: .init(
            "Layanan masuk tidak memberikan jawaban yang benar",
            """
            Perangkat Anda belum masuk. Tunggu satu menit, lalu masukkan lagi kode yang sama di peramban ini.
            """),
        accessDenied: .init(
            "Izin tidak diberikan",
            "Perangkat Anda belum masuk. Jika Anda ingin mencoba lagi, minta kode baru di perangkat Anda."),
        accountExists: .init(
            "Anda belum masuk",
            """
            Aplikasi sudah memiliki akun dengan alamat surel Anda. Mulai lagi di perangkat Anda, lalu masuklah \
            seperti sebelumnya.
            """),
        secondFactorLocked: .init(
            "Terlalu banyak kode yang salah",
            "Kembali ke aplikasi nanti dan masuk lagi. Gunakan kode pemulihan jika ada."),
        blockedByHook: .init(
            "Aplikasi tidak mengizinkan proses masuk ini",
            "Perangkat Anda belum masuk. Jika menurut Anda ini keliru, hubungi layanan dukungan aplikasi."),
        emailDomainNotAllowed: .init(
            "Alamat ini tidak dapat dipakai untuk masuk di sini",
            """
            Aplikasi hanya menerima alamat surel dari organisasi tertentu. Perangkat Anda belum masuk. Jika \
            Anda memiliki alamat seperti itu, mulai lagi di perangkat Anda dan gunakan alamat tersebut.
            """),
        tooManyRequests: .init(
            "Terlalu banyak percobaan",
            "Tunggu beberapa menit, lalu coba lagi."),
        unavailable: .init(
            "Saat ini Anda tidak dapat masuk",
            "Ini bukan kesalahan Anda. Tunggu satu menit, lalu coba lagi."),
        notFound: .init(
            "Tidak ada halaman di sini",
            "Periksa alamatnya, atau kembalilah ke aplikasi yang mengarahkan Anda ke sini."),
        methodNotAllowed: .init(
            "Halaman ini tidak dapat dibuka dengan cara ini",
            """
            Kembalilah ke aplikasi dan mulai lagi proses masuk. Jika halaman ini muncul lagi, hapus kuki situs ini \
            di peramban ini. Jika tidak membantu, beri tahu layanan dukungan aplikasi.
            """),
        unusableResponse: .init(
            "Jawaban dari layanan masuk tidak dapat diterima",
            """
            Ini bukan kesalahan Anda. Mulailah lagi, dan jika halaman ini muncul lagi, beri tahu layanan dukungan aplikasi.
            """),
        internalError: .init(
            "Terjadi kesalahan pada server",
            "Ini bukan kesalahan Anda. Tunggu satu menit, lalu coba lagi."))
}
