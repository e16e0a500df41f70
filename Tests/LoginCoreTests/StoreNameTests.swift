@testable import LoginKit
import Testing

struct StoreNameTests {
    @Test func `every store is found by the name that it is shown with`() {
        for store in StoreName.builtIn + [.helper("pass"), .helper("gnome_keyring.2")] {
            #expect(StoreName(store.description) == store)
        }
        #expect(Set(StoreName.builtIn).count == StoreName.builtIn.count)
    }

    @Test(arguments: ["", "auto", "helper", "helper:", "helper:authctl", "helper:../x", "File", "files", "plaintext "])
    func `what is no store has no name`(text: String) {
        #expect(StoreName(text) == nil)
    }
}
