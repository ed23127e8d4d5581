/// Attacks that the catalogue must contain: those that succeeded against published services, and replays.
enum StarredAttacks {
    static let ids = [
        "ST-01", "ST-02", "ST-05", "ST-06", "ST-08", "ST-13", "ST-14", "CB-01", "CB-02", "CB-03", "CB-04", "CB-05",
        "CB-07", "CB-09", "CB-11", "CB-12", "CB-14", "CB-15", "CB-17", "CB-19", "CB-20", "CB-21", "CB-23", "CB-24",
        "EX-01", "EX-02", "EX-03", "EX-04", "EX-07", "EX-08", "EX-10", "EX-11", "EX-15", "EX-18", "EX-22", "IDT-03",
        "IDT-04", "IDT-05", "IDT-06", "IDT-08", "IDT-09", "IDT-10", "IDT-13", "IDT-15", "IDT-18", "IDT-19", "IDT-20",
        "IDT-21", "IDT-24", "IDT-25", "IDT-26", "IDT-28", "IDT-29", "IDT-30", "IDT-32", "IDT-34", "IDT-37", "IDT-38",
        "IDT-39", "IDT-40", "IDT-41", "IDT-42", "IDT-43", "IDT-45", "IDT-47", "IDT-49", "IDT-50", "IDT-54", "O1-01",
        "O1-02", "O1-03", "O1-05", "O1-06", "O1-08", "O1-10", "O1-11", "O1-13", "O1-15", "X2-01", "X2-03", "HO-01",
        "HO-02", "HO-03", "HO-04", "HO-05", "HO-06", "HO-07", "HO-09", "HO-11", "HO-16", "TX-01", "TX-03", "TX-04",
        "TX-05", "TX-08", "DG-03", "DG-05", "DG-06", "DG-07", "DG-10", "DG-11", "DG-12", "DG-13", "DG-15", "LK-01",
        "LK-02", "LK-03", "LK-04", "LK-05", "LK-06", "LK-07", "LK-08", "LK-09", "LK-11", "LK-14", "LK-46", "LK-47",
        "LK-48", "LK-50", "LK-51", "LK-52", "LK-53", "AN-03", "AN-05",
        "MT-01", "MT-02", "MT-03", "MT-04", "MT-05", "MT-08", "MT-09", "KY-01", "KY-02", "KY-03", "KY-05", "KY-06",
        "KY-15", "KY-16",
        "JW-01", "JW-02", "JW-03", "JW-04", "JW-05", "JW-06", "JW-08", "JW-09", "HT-03", "HT-04", "HT-06", "HT-09",
        "HT-10", "HT-13", "HT-17", "UP-01", "UP-03", "UP-04", "UP-05", "UP-06", "UP-07", "UP-08", "UP-09", "UP-10",
        "SR-01", "SR-02", "SR-03", "SR-05", "SR-06", "SR-08", "SR-09", "SR-10", "CR-01", "CR-02", "CR-03", "CR-05",
        "CR-06", "CR-08", "CR-15", "CR-16", "CR-17", "RX-01", "RX-02", "RX-03", "RX-06", "RX-07", "RX-10", "LG-01",
        "LG-04",
    ]

    /// The test targets of the other attacks, which cannot be made over the network.
    static let elsewhere = [
        // libcrypto prevents the effect of a fault in the arithmetic of RSA: RSAPrivateKey.
        "KY-03": "SystemTests",
        // The settings that make a commit wait for the disk.
        "CR-03": "StoresTests",
        // Errors of PostgreSQL, and a connection that is cut between a commit and its response.
        "SR-06": "SystemTests", "SR-08": "SystemTests",
    ]
}
