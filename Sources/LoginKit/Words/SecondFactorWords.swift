extension SecondFactorFault {
    /// Every way to give a code without a terminal.
    static let waysToGive = "--otp-stdin, --otp-command CMD, AUTHCTL_OTP"

    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .required(let words):
            Message(
                "the server asks for the code of a second factor\(SafeText.said(words))",
                details: ["missing: code (\(Self.waysToGive))"], next: "at a terminal: \(topic.loginCommand)")
        case .refused(let refusal):
            Message(
                "the server refused the code of the second factor (status \(refusal.status))\(refusal.quoted)",
                next: "a code works once: wait for the next one, then: \(topic.loginCommand)")
        case .notDescribed(let words):
            Message(
                "the server asks for a second factor, and the profile does not say where its code goes\(SafeText.said(words))",
                next:
                    "put {otp} in its login, with 'follow = true' where a redirect leads to that page; see 'second-factor' in "
                    + "authctl-config(5)")
        }
    }
}
