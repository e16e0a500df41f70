import CProcess
import Glibc

/// The right to change one file: an flock(2) on a lock file beside it, held until the value is released.
///
/// The lock file is never removed, since a process that waits for it would then hold a lock that nobody else sees. A
/// killed process leaves no lock behind: the kernel takes it back.
struct FileLock: ~Copyable {
    private let descriptor: Descriptor

    /// Whoever gets the lock sets the time of its file, so that those who wait see that others take their turns: fifty at
    /// once on a slow machine are no reason to give up.
    ///
    /// - Parameters:
    ///   - seconds: how long another process may hold it; with many, the wait is six times as long at most.
    ///   - isShared: whether others may share it.
    ///   - isCancelled: whether nobody waits any more.
    /// - Throws: `locked` if one holds it for longer, or the wait was cancelled.
    init(
        _ name: String, in directory: SafeDirectory, seconds: Int, isShared: Bool = false,
        _ isCancelled: () -> Bool = { false }
    ) throws(StoreFault) {
        let path = "\(directory.path)/\(name)"
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let number = retrying { openat(directory.descriptor.number, name, flags, 0o600) }
        guard number >= 0 else { throw openingFault(path: path, errno: errno) }
        let file = Descriptor(number)
        try checkFile(file, path: path, fixingMode: true)
        let begun = SuspendingClock.now, patience = Duration.seconds(seconds)
        var deadline = begun + patience
        var last = try Self.lastTaken(file, path: path)
        try takeLock(number, path: path, seconds: seconds, kind: isShared ? LOCK_SH : LOCK_EX) {
            () throws(StoreFault) in
            let now = SuspendingClock.now, present = try Self.lastTaken(file, path: path)
            if present != last { (last, deadline) = (present, min(now + patience, begun + patience * 6)) }
            return now < deadline && !isCancelled()
        }
        futimens(number, nil)
        descriptor = file
    }

    /// The time at which somebody took the lock last; only whether it changes counts.
    private static func lastTaken(_ file: borrowing Descriptor, path: String) throws(StoreFault) -> [Int] {
        let time = try file.status(path: path).st_mtim
        return [time.tv_sec, time.tv_nsec]
    }
}

/// Waits for a lock on an open file (flock(2)).
/// - Parameters:
///   - seconds: how long that may take, for the fault.
///   - mayWait: asked before each wait.
/// - Throws: `locked` once it may not wait.
func takeLock(
    _ number: Int32, path: String, seconds: Int, kind: Int32 = LOCK_EX, while mayWait: () throws(StoreFault) -> Bool
) throws(StoreFault) {
    while flock(number, kind | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK || errno == EINTR else { throw .system(call: "flock", path: path, errno: errno) }
        guard try mayWait() else { throw .locked(path: path, seconds: seconds) }
        usleep(useconds_t.random(in: 2_000...10_000))
    }
}

/// Checks an open file: a regular one, this user's own, without rights for others, under one name only.
/// - Parameter fixingMode: gives the mode 0600 to an empty file that an odd umask made unusable.
/// - Returns: its size in bytes.
@discardableResult
func checkFile(
    _ descriptor: borrowing Descriptor, path: String, fixingMode: Bool = false, privacy: Privacy = .secret
) throws(StoreFault) -> Int {
    let status = try descriptor.status(path: path)
    try checkFile(status, path: path, privacy: privacy)
    if fixingMode, status.st_mode & 0o777 == 0, status.st_size == 0 {
        try checkCall("fchmod", path: path, fchmod(descriptor.number, 0o600))
    }
    return Int(status.st_size)
}

/// The same of a file that has been open for a while.
func checkFile(_ status: stat, path: String, privacy: Privacy = .secret) throws(StoreFault) {
    guard status.st_mode & S_IFMT == S_IFREG else {
        throw .unsafeFile(path: path, problem: "it is not a regular file")
    }
    try checkOwner(status.st_uid, path: path, accepted: [geteuid()])
    // None at all is a file that was replaced after it was opened: whole, just not the newest.
    guard status.st_nlink <= 1 else { throw .unsafeFile(path: path, problem: "it has more than one name (hard link)") }
    guard status.st_mode & privacy.forbidden == 0 else {
        throw .unsafeFile(path: path, problem: privacy.problem)
    }
}

/// The fault of a failed open(2) of a file in the folder.
func openingFault(path: String, errno code: Int32) -> StoreFault {
    switch code {
    case ELOOP: .unsafeFile(path: path, problem: "it is a symbolic link")
    case ENXIO, EISDIR: .unsafeFile(path: path, problem: "it is not a regular file")
    case EACCES: .unsafeFile(path: path, problem: "its owner has no permission to open it")
    default: .system(call: "open", path: path, errno: code)
    }
}

/// Whether others may write into a file or a folder.
enum OtherWriters {
    /// The user's private group is nobody else, so that a umask of 002 lets no others write. What looks like the group's
    /// rights is for all whom an access control list names.
    static func areAllowed(mode: UInt32, group: UInt32, descriptor: Int32) -> Bool {
        if mode & S_IWOTH != 0 { return true }
        guard mode & S_IWGRP != 0 else { return false }
        return cprocess_has_access_list(descriptor) != 0 || !isPrivate(group)
    }

    /// Whether a group has the name of the user, and no other member.
    private static func isPrivate(_ group: gid_t) -> Bool {
        guard let user = getpwuid(geteuid()), user.pointee.pw_gid == group, let name = user.pointee.pw_name,
            let entry = getgrgid(group), strcmp(entry.pointee.gr_name, name) == 0
        else { return false }
        var member = entry.pointee.gr_mem
        while let other = member?.pointee {
            if strcmp(other, name) != 0 { return false }
            member = member?.advanced(by: 1)
        }
        return true
    }
}
