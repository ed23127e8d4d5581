// swift-tools-version: 6.2
import PackageDescription

// The parsers of outside bytes under libFuzzer and the address sanitizer; scripts/fuzz builds and runs it.
//
// A package of its own, for an executable without a main function needs unsafe flags. The link Sources/Product leads to
// the targets of the product, because declarations with `package` access are visible in one package only.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A target of the product.
func component(
    _ name: String, in folder: String? = nil, exclude: [String] = [], _ dependencies: [Target.Dependency] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies,
        path: "Sources/Product/" + [folder, name].compactMap(\.self).joined(separator: "/"), exclude: exclude,
        swiftSettings: settings)
}

/// Some files of a target that has many more dependencies.
func excerpt(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Excerpts/" + name, swiftSettings: settings)
}

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", path: "Sources/Product/System/COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CLinux", path: "Sources/Product/System/CLinux"),
        .systemLibrary(name: "CJansson", path: "Sources/Product/System/CJansson", pkgConfig: "jansson"),
        component(
            "OpenSSL", in: "System",
            ["CLinux", "COpenSSL", .product(name: "DequeModule", package: "swift-collections")]),
        component("Jansson", in: "System", ["CJansson"]),
        component("OperatingSystem", in: "System", ["CLinux"]),
        component("Transport", in: "System"),
        component("JOSE", in: "Standards", ["OpenSSL", "Jansson"]),
        component("Standards", exclude: ["JOSE"], ["JOSE", "OpenSSL", "Jansson", "Transport"]),
        component(
            "Stores", in: "Stores",
            ["Standards", "JOSE", "OpenSSL", .product(name: "CoreMetrics", package: "swift-metrics")]),
        component("Providers", ["Standards", "JOSE", "Jansson", "Transport"]),
        component("Firebase", ["Standards", "JOSE", "Stores", "Transport", "OpenSSL", "Jansson"]),
        component("Exchange", in: "Pipeline", ["Providers", "Standards", "JOSE", "Stores", "Jansson", "Transport"]),
        component(
            "Settings", exclude: ["Exit.swift"],
            [
                "Providers", "Standards", "JOSE", "OpenSSL", "OperatingSystem", .product(name: "Yams", package: "Yams"),
            ]),
        excerpt("Flows", ["Standards"]),
        excerpt("Server"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "OpenSSL", "Jansson", "Transport", "JOSE", "Standards", "Stores", "Providers", "Firebase", "Exchange",
                "Settings", "Flows", "Server",
            ],
            path: "Sources/Fuzz",
            // libFuzzer brings the main function.
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]),
    ]
)
