/// The animation behind a notice while somebody waits.
struct Spinner: Equatable, Sendable {
    private let frames: [String]
    /// Seconds of waiting before the time is shown.
    private static let patience = 3.0

    /// - Parameter isUnicode: whether there is more than ASCII.
    init(isUnicode: Bool) {
        frames = isUnicode ? ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"] : ["|", "/", "-", "\\"]
    }

    /// After so many turns, with the time once it is long.
    func text(turns: Int, seconds: Double) -> String {
        let frame = frames[turns % frames.count]
        return seconds < Self.patience ? frame : "\(frame) \(Int(seconds)) s"
    }
}
