// swift-tools-version: 6.2
import PackageDescription

// What the package contains. An application that depends on it has the library TokenExchangeClient, which needs no other
// package. The variable is "all" for the server and its laboratory as well, or the names of test targets, with commas between,
// for these and what they need: SwiftPM builds every test target to run one of them. The scripts set it.
// A trait could not do this: it removes packages, but no targets, and these would not compile.
let wanted = Context.environment["TOKEN_EXCHANGE_TARGETS"] ?? ""
let isClientOnly = wanted.isEmpty

// The settings of every target: Swift 6 language mode, explicit imports, unsafe code marked, and warnings as errors.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        // SE-0335: `any` is written where a protocol is a type.
        .enableUpcomingFeature("ExistentialAny"),
        // SE-0444: a member is visible only where its module is imported.
        .enableUpcomingFeature("MemberImportVisibility"),
        // SE-0409: an import is internal unless it says otherwise, so that no C type leaves its wrapper.
        .enableUpcomingFeature("InternalImportsByDefault"),
        // SE-0458: code that the compiler cannot prove memory-safe is marked `unsafe`.
        .strictMemorySafety(),
        // A warning of a newer compiler must not break the build of an application.
    ] + (isClientOnly ? [] : [.treatAllWarnings(as: .error)])

// The table of imported functions is filled at the start and then read-only: a wrong write cannot redirect a call
// (ld(1), -z relro, -z now). Debug builds have it as well, so that tests see it.
let hardened: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"])
]

let package = Package(
    name: "token-exchange",
    platforms: isClientOnly
        ? [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)] : [.macOS(.v15)],
    products: isClientOnly ? [library] : wanted == "all" ? [library] + programs : [],
    dependencies: isClientOnly ? [] : directDependencies + transitiveDependencies,
    targets: isClientOnly
        ? client
        : focused(system + standards + stores + providers + pipeline + server + program + client + lab + tests)
)

var library: Product { .library(name: "TokenExchangeClient", targets: ["TokenExchangeClient"]) }
var programs: [Product] { ["token-exchange", "token-exchange-lab"].map { .executable(name: $0, targets: [$0]) } }

// MARK: - Packages

var directDependencies: [Package.Dependency] {
    [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ]
}

/// The dependencies of the dependencies.
///
/// Each has an exact version: a range would let a later build take code that was never tested here.
///
/// No target uses most of them, and SwiftPM says so when it resolves. `scripts/pins` compares all versions with the resolved
/// ones.
var transitiveDependencies: [Package.Dependency] {
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
        .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-transport-services.git", exact: "1.28.0"),
        .package(url: "https://github.com/apple/swift-numerics.git", exact: "1.1.1"),
        .package(url: "https://github.com/apple/swift-service-context.git", exact: "1.5.1"),
        .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
    ]
}

// MARK: - System: C libraries and the types that own their memory. Only these targets and LabSystem import C.

var system: [Target] {
    [
        .systemLibrary(name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CJansson", path: "Sources/System/CJansson", pkgConfig: "jansson"),
        .systemLibrary(name: "CLibpq", path: "Sources/System/CLibpq", pkgConfig: "libpq"),
        .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
        component("OpenSSL", in: "System", ["COpenSSL"]),
        component("Jansson", in: "System", ["CJansson"]),
        component("Postgres", in: "System", ["CLibpq", deque]),
        component("OperatingSystem", in: "System", ["CLinux"]),
        // The interfaces of HTTP clients, and of calls to a process of this machine. It makes no calls itself.
        component("Transport", in: "System"),
        component("Curl", in: "System", ["CCurl", "Transport", deque]),
        // Questions to another process of this machine, over a Unix socket whose peer the kernel names.
        component("LocalSockets", in: "System", ["CLinux", "Transport", nioCore, nioPosix]),
    ]
}

// MARK: - Standards. They open no sockets.

var standards: [Target] {
    [
        // RFC 7515, 7517, 7519.
        component("JOSE", in: "Standards", ["OpenSSL", "Jansson"]),
        // OAuth (RFC 6749, 7636, 5849); metadata and key sets, cached for as long as HTTP allows; and sealed state that a
        // client or a browser carries between two requests.
        component(
            "Standards", at: "Sources/Standards", exclude: ["JOSE"], ["JOSE", "OpenSSL", "Jansson", "Transport"]),
    ]
}

// MARK: - Stores: the interface, and its implementations.

var stores: [Target] {
    [
        component("Stores", in: "Stores", ["Standards", "JOSE", "OpenSSL", coreMetrics]),
        component(
            "SQLiteStores", in: "Stores",
            ["Stores", "Standards", "JOSE", "OperatingSystem", coreMetrics, deque, product("GRDB", of: "GRDB.swift")]),
        component("PostgresStores", in: "Stores", ["Stores", "Standards", "JOSE", "Postgres", coreMetrics]),
        component(
            "FirestoreStores", in: "Stores",
            ["Stores", "Standards", "JOSE", "Jansson", "OpenSSL", "Transport", coreMetrics]),
    ]
}

// MARK: - Providers as data, and everything that knows Google.

var providers: [Target] {
    [
        component("Providers", ["Standards", "JOSE", "Jansson", "Transport"]),
        component("Firebase", ["Standards", "JOSE", "Stores", "Transport", "OpenSSL", "Jansson"]),
    ]
}

// MARK: - Pipeline: only the target of a component can make its product.

var pipeline: [Target] {
    [
        // Authorization grant → ProviderTokens.
        component(
            "Exchange", in: "Pipeline", ["Providers", "Standards", "JOSE", "Stores", "Jansson", "Transport"]),
        // ProviderTokens → VerifiedIdentity.
        component(
            "Verification", in: "Pipeline",
            ["Exchange", "Providers", "Standards", "JOSE", "Stores", "Jansson", "Transport"]),
        // VerifiedIdentity → Account.
        component(
            "Accounts", in: "Pipeline",
            ["Firebase", "Verification", "Providers", "Standards", "JOSE", "Stores", "OpenSSL"]),
        // Account → ClearedAccount.
        component(
            "SecondFactors", in: "Pipeline",
            ["Accounts", "Firebase", "Standards", "JOSE", "Jansson", "Stores", "OpenSSL"]),
        // ClearedAccount → CustomToken.
        component(
            "Minting", in: "Pipeline",
            [
                "Accounts", "SecondFactors", "Verification", "Firebase", "Providers", "Standards", "JOSE", "Jansson",
                "OpenSSL", "Transport", coreMetrics,
            ]),
        // The process that holds the key, and the rules by which it signs for a server. The server does not link it.
        component(
            "SigningProcess", in: "Pipeline", ["Minting", "Firebase", "Standards", "JOSE", "Jansson", "LocalSockets"]),
    ]
}

// MARK: - Server: what a caller can do, in terms of the pipeline, and HTTP, which translates between requests and flows.

var server: [Target] {
    [
        component(
            "Flows",
            [
                "Firebase", "Exchange", "Verification", "Accounts", "SecondFactors", "Minting", "Providers",
                "Standards", "JOSE", "Stores", "OpenSSL", "Jansson",
            ]),
        // With the web pages that people see, the metrics that Prometheus reads, and TLS by NIO's own BoringSSL.
        component(
            "Server", resources: [.embedInCode("openapi.json")],
            [
                "Flows", "Verification", "Accounts", "SecondFactors", "Minting", "Providers", "Standards",
                "JOSE", "Jansson", "Stores", "Firebase", "OpenSSL", "Transport", coreMetrics, deque, hummingbird,
                hummingbirdCore, httpTypes, product("Mustache", of: "swift-mustache"),
                product("NIOHTTP2", of: "swift-nio-http2"), product("NIOHTTPTypes", of: "swift-nio-extras"),
                product("NIOHTTPTypesHTTP1", of: "swift-nio-extras"),
                product("NIOHTTPTypesHTTP2", of: "swift-nio-extras"), nioCore, nioHTTP1, nioPosix, nioSSL, nioTLS,
                logging, serviceLifecycle,
            ]),
    ]
}

// MARK: - The program that operators install.

var program: [Target] {
    [
        // What both command lines share: the configuration file, and exit codes with their messages.
        component(
            "Settings",
            [
                "Providers", "Standards", "JOSE", "OpenSSL", "OperatingSystem", argumentParser,
                product("Yams", of: "Yams"),
            ]),
        .executableTarget(
            name: "token-exchange",
            dependencies: [
                "Settings", "Server", "Flows", "Exchange", "Verification", "Accounts", "SecondFactors", "Minting",
                "SigningProcess", "Providers", "Firebase", "Standards", "JOSE", "Stores", "SQLiteStores",
                "PostgresStores", "FirestoreStores", "Curl", "Jansson", "LocalSockets", "OpenSSL", "OperatingSystem",
                "Transport",
                coreMetrics, deque, argumentParser, logging, nioCore, nioHTTP1, nioPosix, serviceLifecycle,
                unixSignals,
            ],
            path: "Sources/Command",
            swiftSettings: settings,
            linkerSettings: hardened),
    ]
}

// MARK: - Client: the library for Swift applications, which needs Foundation only.

var client: [Target] {
    [
        component("TokenExchangeClient", exclude: ["Examples"]),
        // The example for Linux and macOS: a device grant in a terminal.
        .executableTarget(
            name: "terminal-sign-in",
            dependencies: ["TokenExchangeClient"],
            path: "Sources/TokenExchangeClient/Examples/TerminalSignIn",
            swiftSettings: settings),
    ]
}

// MARK: - Lab: stand-ins, attacks, a weak backend and the benchmark. No target above uses any of it.

var lab: [Target] {
    [
        // C that only the lab needs: connections that carry any bytes, and self-signed certificates.
        component("LabSystem", at: "Sources/Lab/System", ["COpenSSL", "CCurl", "Curl", "OpenSSL"]),
        // Stand-ins for Yahoo, X and Google.
        component(
            "Sandbox", in: "Lab",
            [
                "LabSystem", "OpenSSL", "Jansson", "JOSE", "Transport", hummingbird, httpTypes, nioCore, logging,
                serviceLifecycle,
            ]),
        // The catalogue of attacks, their runner and its reports, which share no code with the pipeline; and a backend that
        // makes the mistakes of published backends if it is told to.
        component(
            "AttackLab", in: "Lab",
            [
                "LabSystem", "OpenSSL", "Jansson", "Curl", "Transport", hummingbird, hummingbirdCore, httpTypes,
                nioCore, nioPosix, logging, serviceLifecycle,
            ]),
        .executableTarget(
            name: "token-exchange-lab",
            dependencies: [
                "Sandbox", "AttackLab", "Minting", "Firebase", "Settings", "JOSE", "Curl", "Jansson", "OpenSSL",
                "Transport", argumentParser, logging, serviceLifecycle, unixSignals, nioCore, nioHTTP1, nioPosix,
            ],
            path: "Sources/Lab/Command",
            swiftSettings: settings,
            linkerSettings: hardened),
    ]
}

// MARK: - Tests: one target for each folder of Tests, with what the suites share under Support.

var tests: [Target] {
    [
        // Keys and certificates, the root of the repository, a PostgreSQL server that the tests start, and the rules of
        // verified addresses, which every account directory keeps.
        component(
            "Fixtures", at: "Tests/Support/Fixtures", exclude: ["keys", "stores"],
            ["Postgres", "Stores", "Standards", "JOSE"]),
        // Fixed time, scripted peers, test keys, tokens with one thing wrong.
        component("Support", at: "Tests/Support", exclude: ["Fixtures"], pipelineNames),
        suite(
            "System",
            [
                "CCurl", "CJansson", "Curl", "Fixtures", "JOSE", "Jansson", "LocalSockets", "OpenSSL",
                "OperatingSystem", "Postgres", "PostgresStores", "Standards", "Stores", "Transport", nioCore,
                nioEmbedded,
            ]),
        suite("Standards", ["Fixtures", "Jansson", "JOSE", "OpenSSL", "Standards", "Transport"]),
        suite(
            "Stores",
            [
                "Curl", "FirestoreStores", "Fixtures", "JOSE", "Jansson", "OperatingSystem", "PostgresStores",
                "SQLiteStores", "Standards", "Stores", "Transport", coreMetrics,
                product("GRDB", of: "GRDB.swift"),
            ]),
        suite("Pipeline", ["Fixtures", "LocalSockets", "SigningProcess", "Support"] + pipelineNames),
        // With the library for applications, which talks to a server here.
        suite(
            "Server",
            ["Curl", "Fixtures", "Sandbox", "Server", "Support", "TokenExchangeClient", coreMetrics] + pipelineNames),
        // The built program: exit codes, standard error, no secret in either stream.
        suite(
            "Command",
            [
                "token-exchange", "token-exchange-lab", "Curl", "Firebase", "FirestoreStores", "Fixtures", "Jansson",
                "JOSE",
                "OpenSSL", "OperatingSystem", "Providers", "SQLiteStores", "Server", "Settings", "Standards", "Stores",
                "Transport", argumentParser,
            ]),
        suite(
            "Lab", exclude: ["AttackLab/OpenID-conformance.md"],
            [
                "token-exchange-lab", "AttackLab", "Fixtures", "Jansson", "LabSystem", "OpenSSL", "Sandbox",
                "Settings", "Transport", nioCore, nioPosix, logging, serviceLifecycle,
            ]),
        // Code that must not compile, and imports that the manifest must not allow.
        suite("Compile", at: "Tests/Checks/Compile", ["Fixtures"]),
    ]
}

/// The targets that the suites of the pipeline use.
var pipelineNames: [Target.Dependency] {
    [
        "Accounts", "Exchange", "Firebase", "Flows", "JOSE", "Jansson", "Minting", "OpenSSL", "Providers",
        "SQLiteStores", "SecondFactors", "Standards", "Stores", "Transport", "Verification",
    ]
}

// MARK: - Helpers of this manifest

var argumentParser: Target.Dependency { product("ArgumentParser", of: "swift-argument-parser") }
/// Queues that remove their first element in constant time.
var deque: Target.Dependency { product("DequeModule", of: "swift-collections") }
var coreMetrics: Target.Dependency { product("CoreMetrics", of: "swift-metrics") }
var httpTypes: Target.Dependency { product("HTTPTypes", of: "swift-http-types") }
var hummingbird: Target.Dependency { product("Hummingbird", of: "hummingbird") }
var hummingbirdCore: Target.Dependency { product("HummingbirdCore", of: "hummingbird") }
var logging: Target.Dependency { product("Logging", of: "swift-log") }
var nioCore: Target.Dependency { product("NIOCore", of: "swift-nio") }
var nioEmbedded: Target.Dependency { product("NIOEmbedded", of: "swift-nio") }
var nioHTTP1: Target.Dependency { product("NIOHTTP1", of: "swift-nio") }
var nioPosix: Target.Dependency { product("NIOPosix", of: "swift-nio") }
var nioSSL: Target.Dependency { product("NIOSSL", of: "swift-nio-ssl") }
var nioTLS: Target.Dependency { product("NIOTLS", of: "swift-nio") }
var serviceLifecycle: Target.Dependency { product("ServiceLifecycle", of: "swift-service-lifecycle") }
var unixSignals: Target.Dependency { product("UnixSignals", of: "swift-service-lifecycle") }

/// A product of another package.
func product(_ name: String, of package: String) -> Target.Dependency {
    .product(name: name, package: package)
}

/// A library target in `path`, by default in `Sources/<folder>/<name>`.
func component(
    _ name: String, in folder: String? = nil, at path: String? = nil, exclude: [String] = [],
    resources: [Resource] = [], _ dependencies: [Target.Dependency] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: path ?? "Sources/" + [folder, name].compactMap(\.self).joined(separator: "/"),
        exclude: exclude,
        resources: resources,
        swiftSettings: settings)
}

/// A test target: `<folder>Tests`, in `path`, by default in `Tests/<folder>`.
func suite(
    _ folder: String, at path: String? = nil, exclude: [String] = [], _ dependencies: [Target.Dependency]
) -> Target {
    .testTarget(
        name: folder + "Tests",
        dependencies: dependencies,
        path: path ?? "Tests/" + folder,
        exclude: exclude,
        swiftSettings: settings)
}

/// The targets that `wanted` names, and what they need.
func focused(_ targets: [Target]) -> [Target] {
    guard wanted != "all" else { return targets }
    var ahead = wanted.split(separator: ",").map(String.init)
    var reached: Set<String> = []
    while let name = ahead.popLast() {
        guard reached.insert(name).inserted, let target = targets.first(where: { $0.name == name }) else { continue }
        for case .byNameItem(let dependency, _) in target.dependencies { ahead.append(dependency) }
    }
    return targets.filter { reached.contains($0.name) }
}
