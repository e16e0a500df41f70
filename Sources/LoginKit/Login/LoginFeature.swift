import Secrets

/// Brings in the login method of one `LoginKind`. `Assembly` has the table of them.
struct LoginFeature {
    /// Makes the method of one service.
    let makeMethod: LoginMethodMaker
    /// Has a person log in elsewhere; `nil` where a credential is typed here, or nobody is needed.
    var consent: ((LoginRun) -> any ConsentSource)?
    /// Opens the key that the method needs, before anybody is asked anything else; `nil` where it needs none.
    var opening: ((LoginContext, Profile, LoginRequest, StoreKeeper) throws(LoginFault) -> Opened)?

    /// Makes the method with a key that is open.
    struct Opened {
        /// The passphrase of that key, which is kept beside the session.
        let passphrase: Secret?
        let makeMethod: LoginMethodMaker
    }
}
