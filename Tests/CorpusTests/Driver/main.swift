// `make fuzz`: Fuzz NAME, and then what libFuzzer takes.
import CFuzzer
import Glibc

guard let reader = CommandLine.arguments.dropFirst().first.flatMap(HostileReader.init) else {
    print(
        "usage: Fuzz \(HostileReader.allCases.map(\.rawValue).joined(separator: "|")) [LIBFUZZER-OPTION …] [FOLDER …]")
    exit(2)
}
/// The one that this run is about; a C function pointer cannot hold it.
let chosen = reader

// libFuzzer is not told of the name.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
arguments?.pointee = CommandLine.unsafeArgv[0]
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        chosen.read(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
    })
