// swift-tools-version: 6.2
import PackageDescription

// The parsers of outside bytes under libFuzzer and the address sanitizer; scripts/fuzz builds and runs it.
//
// A package of its own, for an executable without a main function needs unsafe flags. The product's rooms are reached
// through the link Sources/Product, since what they declare as `package` is seen within one package alone.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A room of the product.
func room(_ name: String, in floor: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies,
        path: "Sources/Product/" + [floor, name].compactMap(\.self).joined(separator: "/"), swiftSettings: house)
}

/// A few files of a room that would bring along much more.
func excerpt(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Excerpts/" + name, swiftSettings: house)
}

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", path: "Sources/Product/System/COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CLinux", path: "Sources/Product/System/CLinux"),
        .systemLibrary(name: "CJansson", path: "Sources/Product/System/CJansson", pkgConfig: "jansson"),
        room("OpenSSL", in: "System", ["COpenSSL", .product(name: "DequeModule", package: "swift-collections")]),
        room("Jansson", in: "System", ["CJansson"]),
        room("OperatingSystem", in: "System", ["CLinux"]),
        room("Transport", in: "System"),
        room("JOSE", ["OpenSSL", "Jansson"]),
        room("OAuth", ["JOSE", "OpenSSL", "Transport"]),
        room("Documents", ["JOSE", "Transport"]),
        room("Stores", in: "Stores", ["JOSE", "OpenSSL"]),
        room("Providers", ["OAuth", "JOSE", "Documents", "Jansson", "Transport"]),
        room("Firebase", ["JOSE", "OAuth", "Stores", "Documents", "Transport", "OpenSSL", "Jansson"]),
        room("Sealing", in: "Pipeline", ["JOSE", "OpenSSL", "Jansson"]),
        room("Exchange", in: "Pipeline", ["Providers", "OAuth", "JOSE", "Stores", "Jansson", "Transport"]),
        room("Settings", ["OperatingSystem", .product(name: "Yams", package: "Yams")]),
        excerpt("SignIn", ["OAuth"]),
        excerpt("Server"),
        excerpt("Pages"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "OpenSSL", "Jansson", "Transport", "JOSE", "OAuth", "Documents", "Stores", "Providers", "Firebase",
                "Sealing", "Exchange", "Settings", "SignIn", "Server", "Pages",
            ],
            path: "Sources/Fuzz",
            // libFuzzer brings the main function.
            swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
    ]
)
