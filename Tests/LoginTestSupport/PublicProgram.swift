import Foundation

/// A copy of a built program in a place where every user may run it, for as long as this object lives: the clone may lie
/// below a home that is closed to others.
final class PublicProgram {
    let path: String
    private let home: TemporaryHome

    init(_ name: String) throws {
        home = try TemporaryHome()
        path = home.path + "/" + name
        // Written here it could not be run for as long as a child that another test starts has the file open for writing.
        let copy = try Command.run(ChildSpec("/bin/cp", [try BuiltProducts.path(of: name), path]))
        guard copy.ending == .exited(0) else { throw ServerProcess.NotStarted(description: copy.error) }
        for opened in [home.path, path] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opened)
        }
    }
}
