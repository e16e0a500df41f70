// swift-tools-version: 6.2

import PackageDescription

/// Small programs that use the library as anybody's would: `swift run --package-path Examples configured-gate blog`.
let package = Package(
    name: "Examples",
    dependencies: [.package(name: "authctl", path: "..")],
    targets: ["configured-gate", "own-profile", "replayed-request", "own-delegate", "cancelled-gate"].map {
        .executableTarget(name: $0, dependencies: [.product(name: "LoginKit", package: "authctl")])
    }
)
