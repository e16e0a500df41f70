// swift-tools-version: 6.2

import PackageDescription

/// Small programs that use the library as anybody's would: `swift run --package-path Examples configured-login blog`.
let package = Package(
    name: "Examples",
    dependencies: [.package(name: "authctl", path: "..")],
    targets: [
        "configured-login", "own-profile", "replayed-request", "own-delegate", "browser-login", "cancelled-login",
        "faked-answers",
    ].map {
        .executableTarget(name: $0, dependencies: [.product(name: "LoginKit", package: "authctl")])
    }
)
