import LoginCore

// What a person is told of a login that was good.
extension LoginRun {
    /// A page of the service has changed; the login is still good.
    func sayIfUnnamed() {
        guard let place = service.unnamedPlace else { return }
        context.say(
            """
            \(profile.name): the response to verify has no user name at \(SafeText.quoted("\(place)")); using the name \
            that was typed
            """)
    }

    /// What verify has set is not used; the login is still good.
    func sayIfOtherWasSet() {
        guard let other = service.setOther else { return }
        context.warn("warning: \(profile.name): \(other.hiding(service.repeatsSecret).responseWords)")
        service.setOther = nil
    }

    /// The next command refuses the certificate again, and the login that is stored now with it.
    func sayIfTrustedOnce() throws(LoginFault) {
        guard !keepsNothing, let accepted = service.accepted ?? context.acceptance?.exception,
            try fromStore(try context.registry.read()).exception(for: accepted.origin) == nil
        else { return }
        context.say(
            """
            the certificate of \(accepted.origin) is trusted for this command only, so the next one cannot use this login; \
            log in again and type always to accept it for good: \(ShellCommand("authctl", "login", profile.name))
            """)
    }

    /// A place of the profile is wrong, or the service has changed; the login is still good.
    func sayWhatIsMissing() {
        let held = service.takenForLater
        for name in profile.takenForLater.sorted() where held[.taken(name)] == nil {
            let place = SafeText.quoted(profile.place(ofTaken: name) ?? "{\(name)}")
            context.warn(
                "warning: \(profile.name): the response to login has no \(name) at \(place), which another request "
                    + "of the profile needs; check that place in the profile")
        }
    }
}
