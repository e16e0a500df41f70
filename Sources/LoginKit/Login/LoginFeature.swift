import Secrets

/// A kind of login, as its feature brings it. `Assembly` has the table.
struct LoginFeature {
    /// Makes the method of one service.
    let method: LoginMethodMaker
    /// Has a person log in elsewhere; `nil` where a credential is typed here, or nobody is needed.
    var consent: ((LoginRun) -> any ConsentSource)?
    /// Opens what the method needs, before anybody is asked; `nil` where it needs nothing.
    var opening: ((LoginContext, Profile, LoginRequest, StoreKeeper) throws(LoginFault) -> Opened)?

    /// A method that has what it needs.
    struct Opened {
        /// The passphrase by which it was opened, which is kept beside the session.
        let passphrase: Secret?
        let method: LoginMethodMaker
    }
}
