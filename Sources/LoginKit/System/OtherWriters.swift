import CProcess
import Glibc

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
