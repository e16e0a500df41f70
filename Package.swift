// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// The C library checks lengths where it can; it does so only in optimized code.
let strictC: [CSetting] = [
    .treatAllWarnings(as: .error), .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
]

/// Binds every function at the start. A function that is bound by its first call has the loader save the vector registers on
/// the stack, and what they hold of a secret with them.
let bound: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])]

let package = Package(
    name: "authctl",
    products: [
        .executable(name: "authctl", targets: ["authctl"]),
        .executable(name: "demo-backend", targets: ["DemoBackend"]),
        .library(name: "LoginKit", targets: ["LoginKit", "Secrets"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
    ],
    targets: [
        // C libraries, each opened on first use.
        .target(name: "CLibrary", cSettings: strictC),
        .target(name: "CCrypto", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CCurl", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CGSSAPI", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CKeyutils", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CMicroHTTPD", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CQREncode", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CReadline", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CSecret", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CSodium", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CXML", dependencies: ["CLibrary"], cSettings: strictC),
        .target(name: "CProcess", cSettings: strictC),
        .target(name: "CStart", dependencies: ["CProcess"], cSettings: strictC),

        // The arrows: authctl → AuthctlCLI → LoginKit → Secrets. The modules of LoginKit are its folders (scripts/layers).
        .target(name: "Secrets", dependencies: ["CSodium"], swiftSettings: strict),
        .target(
            name: "LoginKit",
            dependencies: [
                "Secrets", "CCrypto", "CCurl", "CGSSAPI", "CKeyutils", "CMicroHTTPD", "CProcess",
                "CQREncode",
                "CReadline", "CSecret", "CSodium", "CXML", "TOMLKit",
            ],
            swiftSettings: strict),
        .target(
            name: "AuthctlCLI",
            dependencies: [
                "LoginKit", "CLibrary", "CProcess",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "authctl", dependencies: ["AuthctlCLI", "CStart"], swiftSettings: strict, linkerSettings: bound),

        // Imports neither LoginKit nor Secrets, so that a wrong encoding cannot agree with itself.
        .executableTarget(
            name: "DemoBackend",
            dependencies: ["CSodium", "FlyingFox", .product(name: "FlyingSocks", package: "FlyingFox")],
            swiftSettings: strict),

        // Tests, by height. What they share is never linked into a product; the probes are tiny programs that a test
        // runs as another process.
        .target(
            name: "LoginTestSupport", dependencies: ["LoginKit", "CProcess"], path: "Tests/LoginTestSupport",
            swiftSettings: strict),
        .executableTarget(
            name: "PromptProbe", dependencies: ["LoginKit", "CProcess"], path: "Tests/PromptProbe",
            swiftSettings: strict),
        .executableTarget(
            name: "AuthorizationProbe", dependencies: ["LoginKit", "CProcess"],
            path: "Tests/AuthorizationProbe", swiftSettings: strict),
        .executableTarget(
            name: "StoreProbe", dependencies: ["LoginKit"], path: "Tests/StoreProbe", swiftSettings: strict),
        .testTarget(
            name: "LoginCoreTests", dependencies: ["LoginKit", "LoginTestSupport"], swiftSettings: strict
        ),
        .testTarget(
            name: "LoginStoresTests", dependencies: ["LoginKit", "LoginTestSupport", "StoreProbe"],
            swiftSettings: strict),
        .testTarget(
            name: "LoginHTTPTests", dependencies: ["LoginKit", "LoginTestSupport"], swiftSettings: strict
        ),
        .testTarget(
            name: "LoginTerminalTests",
            dependencies: ["LoginKit", "LoginTestSupport", "PromptProbe"],
            swiftSettings: strict),
        .testTarget(
            name: "LoginBrowserTests",
            dependencies: ["LoginKit", "LoginTestSupport", "AuthorizationProbe"],
            swiftSettings: strict),
        .testTarget(
            name: "LoginServeTests", dependencies: ["LoginKit", "LoginTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "AuthctlCLITests",
            dependencies: ["AuthctlCLI", "LoginKit", "LoginTestSupport"],
            exclude: ["Snapshots"],
            swiftSettings: strict),
        .testTarget(
            name: "CorpusTests", dependencies: ["LoginKit", "AuthctlCLI"],
            exclude: ["Corpus", "Driver"],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "LoginTestSupport", "LoginKit", "authctl", "DemoBackend", "StoreProbe",
            ],
            swiftSettings: strict),
    ]
)

// `make fuzz` alone: the readers of what others wrote, under libFuzzer. It instruments everything, so it takes the place of
// the tests instead of standing beside them.
if Context.environment["AUTHCTL_FUZZ"] != nil {
    package.targets.removeAll { $0.type == .test }
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["LoginKit", "AuthctlCLI", "CFuzzer"],
            path: "Tests/CorpusTests",
            exclude: ["Corpus", "CorpusTests.swift"], swiftSettings: strict),
    ]
}
