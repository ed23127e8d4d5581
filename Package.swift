// swift-tools-version: 6.2
import PackageDescription

// Every target of ours is built alike: Swift 6 language mode, nothing imported by accident, unsafe code marked, and a
// warning is an error.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // SE-0335: `any` is written where a protocol is a type.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0444: a member is visible only where its module is imported.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0409: an import is internal unless it says otherwise, so that no C type leaves its cellar.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // SE-0458: code that the compiler cannot prove memory-safe is marked `unsafe`.
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// The table of imported functions is filled at the start and then read-only: a wrong write cannot redirect a call
// (ld(1), -z relro, -z now). Debug builds have it as well, so that tests see it.
let hardened: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"])
]

// SwiftPM builds every test for the sake of one. Under the address sanitizer, where that takes twice as long, scripts/test
// asks for the owners of C memory alone.
let isOwnersAlone = Context.environment["TOKEN_EXCHANGE_OWNERS_ALONE"] != nil

let package = Package(
    name: "token-exchange",
    platforms: [.macOS(.v15)],
    products: isOwnersAlone ? [] : [.executable(name: "token-exchange", targets: ["token-exchange"])],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ] + broughtAlong,
    targets: floor0 + floor1 + testsOfOwners
        + (isOwnersAlone ? [] : floor2 + floor3 + floor4 + floor5 + floor6 + tests)
)

// MARK: - What the dependencies bring along.

/// Each at an exact version, since a range would let a build tomorrow take code that was never tested here.
///
/// No target uses them, which SwiftPM remarks on when it resolves. `scripts/pins` holds all versions against what it resolved.
var broughtAlong: [Package.Dependency] {
    [
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-algorithms.git", exact: "1.2.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-atomics.git", exact: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", exact: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-transport-services.git", exact: "1.28.0"),
        .package(url: "https://github.com/apple/swift-numerics.git", exact: "1.1.1"),
        .package(url: "https://github.com/apple/swift-service-context.git", exact: "1.5.1"),
        .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
    ]
}

// MARK: - Floor 0: C and its owners. `import C…` stands nowhere else.

var floor0: [Target] {
    [
        .systemLibrary(name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CJansson", path: "Sources/System/CJansson", pkgConfig: "jansson"),
        .systemLibrary(name: "CLibpq", path: "Sources/System/CLibpq", pkgConfig: "libpq"),
        .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
        room("OpenSSL", in: "System", ["COpenSSL", deque]),
        room("Jansson", in: "System", ["CJansson"]),
        room("Postgres", in: "System", ["CLibpq", deque]),
        // Files and this process, as the kernel shows them.
        room("OperatingSystem", in: "System", ["CLinux"]),
        // What a call to a peer is, without saying who makes it.
        room("Transport", in: "System"),
        room("Curl", in: "System", ["CCurl", "Transport", deque]),
        // Swift tasks on NIO's event loops.
        room(
            "Loops", in: "System",
            [.product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio")]),
    ]
}

// MARK: - Floor 1: the standards' vocabulary, and the questions that are asked of storage.

var floor1: [Target] {
    [
        // RFC 7515, 7517, 7519. No I/O.
        room("JOSE", ["OpenSSL", "Jansson"]),
        // RFC 6749, 7636, 5849. No I/O.
        room("OAuth", ["JOSE", "OpenSSL", "Transport"]),
        // A peer's documents (metadata, key sets), fetched once and kept while they are good.
        room("Documents", ["JOSE", "Transport"]),
        room("Stores", in: "Stores", ["JOSE", "OpenSSL"]),
        room(
            "SQLiteStores", in: "Stores",
            ["Stores", "JOSE", "OperatingSystem", deque, .product(name: "GRDB", package: "GRDB.swift")]),
        room("PostgresStores", in: "Stores", ["Stores", "JOSE", "Postgres"]),
    ]
}

// MARK: - Floor 2: providers as data, and all that knows Google.

var floor2: [Target] {
    [
        room("Providers", ["OAuth", "JOSE", "Documents", "Jansson", "Transport"]),
        room("Firebase", ["JOSE", "OAuth", "Stores", "Documents", "Transport", "OpenSSL", "Jansson"]),
        // State that travels with whoever asks.
        room("Sealing", in: "Pipeline", ["JOSE", "OpenSSL", "Jansson"]),
    ]
}

// MARK: - Floor 3: the rooms. Each alone can make its product.

var floor3: [Target] {
    [
        // Authorization grant → ProviderTokens.
        room("Exchange", in: "Pipeline", ["Providers", "OAuth", "JOSE", "Stores", "Jansson", "Transport"]),
        // ProviderTokens → VerifiedIdentity.
        room(
            "Verification", in: "Pipeline",
            [
                "Exchange", "Sealing", "Providers", "OAuth", "JOSE", "Documents", "Stores", "Jansson", "OpenSSL",
                "Transport",
            ]),
        // VerifiedIdentity → Account.
        room(
            "Accounts", in: "Pipeline",
            ["Firebase", "Verification", "Providers", "OAuth", "JOSE", "Stores", "OpenSSL"]),
        // Account → CustomToken.
        room(
            "Minting", in: "Pipeline",
            ["Accounts", "Verification", "Firebase", "Providers", "OAuth", "JOSE", "Jansson"]),
        // The operator's door: a token for any uid. The server does not link it, and a test proves it.
        room("OperatorMinting", in: "Pipeline", ["Firebase", "JOSE", "Jansson"]),
    ]
}

// MARK: - Floor 4: the corridor. The only place where the order of the rooms stands.

var floor4: [Target] {
    [
        room(
            "SignIn", in: "Pipeline",
            [
                "Firebase", "Exchange", "Verification", "Accounts", "Minting", "Sealing", "Providers", "OAuth", "JOSE",
                "Stores", "OpenSSL", "Jansson",
            ])
    ]
}

// MARK: - Floor 5: doors to the street. They translate and decide nothing.

var floor5: [Target] {
    [
        room(
            "Server",
            [
                "SignIn", "Exchange", "Verification", "Accounts", "Minting", "Providers", "OAuth", "JOSE", "Jansson",
                "Stores", "Documents", "Firebase", "Transport", "Pages", "Loops", hummingbird,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // Stand-ins for the providers. Nothing of it is reachable from `serve`.
        room(
            "Sandbox",
            [
                "OpenSSL", "Jansson", "JOSE", "Transport", hummingbird,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // The catalogue of attacks, what tries them and what tells of it: a plain HTTP client, which shares nothing with the
        // pipeline, its mistakes included.
        room("AttackLab", ["OpenSSL", "Jansson", "Curl"]),
        // A backend that makes the mistakes of published ones when it is told to, for the catalogue to be tried on.
        room(
            "Naive",
            [
                "AttackLab", "OpenSSL", "Jansson", "Curl", "Transport", hummingbird,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // The configuration file as one value, or all that is wrong with it.
        room("Settings", ["OperatingSystem", .product(name: "Yams", package: "Yams")]),
        // What people see, in their language.
        room("Pages", ["OAuth", "OpenSSL", .product(name: "Mustache", package: "swift-mustache")]),
    ]
}

// MARK: - Floor 6: the command line. It knows everything and decides nothing.

var floor6: [Target] {
    [
        .executableTarget(
            name: "token-exchange",
            dependencies: [
                "Settings", "Server", "Pages", "Sandbox", "AttackLab", "Naive", "SignIn", "Exchange", "Verification",
                "Accounts", "Minting", "OperatorMinting", "Sealing", "Providers", "Firebase", "OAuth", "JOSE",
                "Documents", "Stores",
                "SQLiteStores", "PostgresStores", "Curl", "Jansson", "Loops", "OpenSSL", "OperatingSystem", "Transport",
                deque,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Command",
            swiftSettings: house,
            linkerSettings: hardened),
        // What scripts/bench runs; part of no product.
        .executableTarget(
            name: "bench",
            dependencies: [
                "Firebase", "JOSE", "Jansson", "LoadGenerator", "OpenSSL", "OperatorMinting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/Bench/Command",
            swiftSettings: house),
        // The load of the bench: connections, their pace, and what was measured.
        room(
            "LoadGenerator", in: "Bench",
            [.product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio")]),
    ]
}

// MARK: - Tests mirror the sources.

/// Of the rooms that own C memory, and of those right above them.
var testsOfOwners: [Target] {
    [
        suite("OpenSSLTests"), suite("JanssonTests"), suite("OperatingSystemTests"), suite("CurlTests", ["Transport"]),
        suite("JOSETests", ["Jansson", "OpenSSL"]),
        .testTarget(
            name: "StoresTests",
            dependencies: [
                "Stores", "SQLiteStores", "PostgresStores", "PostgresServer", "JOSE", "OperatingSystem",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/StoresTests",
            swiftSettings: house),
        // A PostgreSQL of the tests' own.
        .target(
            name: "PostgresServer", dependencies: ["Postgres"], path: "Tests/PostgresServer", swiftSettings: house),
        suite("PostgresTests", ["PostgresStores", "PostgresServer", "Stores", "JOSE"]),
    ]
}

var tests: [Target] {
    [
        suite("DocumentsTests", ["JOSE", "Transport"]),
        suite("FirebaseTests", ["Support"] + pipeline), suite("SettingsTests", ["OperatingSystem"]),
        suite("PagesTests", ["OAuth", "OpenSSL"]),
        .testTarget(
            name: "SandboxTests",
            dependencies: [
                "Sandbox", "Jansson", "OpenSSL", "Transport", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/SandboxTests",
            swiftSettings: house),
        // Fixed time, scripted peers, test keys, tokens with one thing wrong.
        .target(
            name: "Support", dependencies: pipeline.map { .init(stringLiteral: $0) }, path: "Tests/Support",
            swiftSettings: house),
        suite("OAuthTests", ["Support"] + pipeline), suite("ProvidersTests", ["Support"] + pipeline),
        suite("ExchangeTests", ["Support"] + pipeline), suite("VerificationTests", ["Support"] + pipeline),
        suite("AccountsTests", ["Support"] + pipeline), suite("MintingTests", ["Support"] + pipeline),
        suite("SignInTests", ["Support"] + pipeline),
        suite("ServerTests", ["Support", "Sandbox", "Curl"] + pipeline),
        suite("AttackLabTests", ["Jansson", "OpenSSL"]),
        .testTarget(
            name: "LoadGeneratorTests",
            dependencies: ["LoadGenerator", .product(name: "NIOCore", package: "swift-nio")],
            path: "Tests/LoadGeneratorTests",
            swiftSettings: house),
        // What must not compile, and what the manifest must not allow.
        .testTarget(name: "CompileTests", path: "Tests/CompileTests", swiftSettings: house),
        // The built binary: exit codes, standard error, nothing secret in either.
        .testTarget(
            name: "CommandTests", dependencies: ["token-exchange", "Firebase", "Jansson", "JOSE", "OpenSSL"],
            path: "Tests/CommandTests", swiftSettings: house),
    ]
}

/// What most suites need of the rooms.
var pipeline: [String] {
    [
        "Accounts", "Documents", "Exchange", "Firebase", "JOSE", "Jansson", "Minting", "OAuth", "OpenSSL",
        "OperatorMinting", "Providers", "SQLiteStores", "Sealing", "SignIn", "Stores", "Transport", "Verification",
    ]
}

// MARK: - Words used above.

/// Queues whose first element goes without moving all others.
var deque: Target.Dependency { .product(name: "DequeModule", package: "swift-collections") }

var hummingbird: Target.Dependency { .product(name: "Hummingbird", package: "hummingbird") }

/// A target whose folder is `Sources/<floor>/<name>`.
func room(_ name: String, in floor: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/" + [floor, name].compactMap(\.self).joined(separator: "/"),
        swiftSettings: house)
}

/// The tests of the target that the name begins with.
func suite(_ name: String, _ further: [String] = []) -> Target {
    let subject = String(name.dropLast("Tests".count))
    return .testTarget(
        name: name,
        dependencies: ([subject] + further.filter { $0 != subject }).map { .init(stringLiteral: $0) },
        path: "Tests/" + name,
        swiftSettings: house)
}
