import LoginCore
import Secrets

extension ServiceClient {
    /// Has a person go to a page, by the URL that a response of the login has given.
    func open(_ page: RequestRule.OpenedPage) throws(LoginFault) {
        guard let opener else { throw lacking }
        var values = SlotValues()
        values.extraSecrets = extraSecrets
        let url: String
        do throws(FillFault) {
            url = try page.url.filled(values, .header).unprotectedText
        } catch .missing(.taken(let name)) {
            let place = profile.place(ofTaken: name) ?? "{\(name)}"
            throw .failure(.missingInResponse(place: place, step: Step.login.rawValue))
        } catch {
            throw error.asLoginFault
        }
        try opener(url, page.origins)
    }
}
