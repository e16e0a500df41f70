import LoginCore

// What shows whether a login led anywhere: its pages, and whether the response is its form again.
extension ServiceClient {
    /// A page that nothing depends on: one that cannot be read shows no form.
    func readable(_ response: HTTPResponse, at url: String) -> ResponsePage? {
        do throws(LoginFault) { return try ResponsePage(response, at: url) } catch { return nil }
    }

    /// Whether a page has the form of the profile's login.
    func offersLogin(_ page: LoginPage) throws(LoginFault) -> Bool {
        let paths = try loginPaths()
        return profile.loginSteps.contains { page.offersLogin($0, at: paths) }
    }

    /// Where people log in: a page of the profile's, and its login request.
    func loginPaths() throws(LoginFault) -> [String] {
        var urls = profile.loginSteps.compactMap(\.page).map { endpoint.base + $0 }
        do throws(FillFault) {
            for step in profile.loginSteps { urls.append(try step.anonymous.url(base: endpoint.base, SlotValues())) }
        } catch {
            throw error.asLoginFault
        }
        var paths: [String] = []
        for url in urls { paths.append(try URLParser.parsed(url).path) }
        return paths
    }
}
