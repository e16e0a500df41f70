/// The version of authctl. The Makefile and the packages read it from this line.
enum Version {
    static let number = "1.0.0"
}
