import Foundation

/// A copy of a built program in a place where every user may run it, for as long as this object lives: the clone may lie
/// below a home that is closed to others.
public final class PublicProgram {
    public let path: String
    private let home: TemporaryHome

    public init(_ name: String) throws {
        home = try TemporaryHome()
        path = home.path + "/" + name
        try FileManager.default.copyItem(atPath: BuiltProducts.path(of: name), toPath: path)
        for opened in [home.path, path] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opened)
        }
    }
}
