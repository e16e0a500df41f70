import LoginCore
import Secrets

/// etcd by the JSON gateway of its API, version 3 (<https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/>).
struct EtcdEngine: SharedEngine {
    /// Of its 1.5 MB for a request, in base64.
    var largest: Int { 1_000_000 }

    let store: StoreName
    /// Posts JSON to a path of the gateway, with the login that etcd wants, and returns the body of a good response.
    let post: (_ path: String, _ body: Secret) throws(StoreFault) -> Secret

    /// In base64, as all bytes of the gateway; numbers of 64 bits are text (proto3's JSON).
    private struct Range: Encodable {
        let key: String
    }

    private struct Found: Decodable {
        struct Entry: Decodable {
            let value: String
            let version: String

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: FormKey.self)
                value = try members.decode(String.self, forKey: "value")
                version = try members.decode(String.self, forKey: "mod_revision")
            }
        }

        /// Absent where there is nothing.
        let entries: [Entry]

        init(from decoder: any Decoder) throws {
            entries = try decoder.container(keyedBy: FormKey.self).decodeIfPresent([Entry].self, forKey: "kvs") ?? []
        }
    }

    private struct Transaction: Encodable {
        struct Comparison: Encodable {
            let key: String
            let target = "MOD"
            let mod_revision: String
        }
        struct Put: Encodable {
            let key: String
            let value: String
        }
        struct Request: Encodable {
            let requestPut: Put
        }

        let compare: [Comparison]
        let success: [Request]
    }

    private struct Outcome: Decodable {
        /// Absent where it is false.
        let succeeded: Bool
        let revision: String

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: FormKey.self)
            succeeded = try members.decodeIfPresent(Bool.self, forKey: "succeeded") ?? false
            let header = try members.nestedContainer(keyedBy: FormKey.self, forKey: "header")
            revision = try header.decode(String.self, forKey: "revision")
        }
    }

    func get(_ key: String) throws(StoreFault) -> SharedItem? {
        let found = try send("/v3/kv/range", Range(key: base64(key)), Found.self, "get")
        guard let entry = found.entries.first else { return nil }
        guard let value = Base64.decode(entry.value), SharedItem.isVersion(entry.version) else {
            throw .helper(store, .notUnderstood(method: "get"))
        }
        return SharedItem(value: value.unprotectedText, version: entry.version)
    }

    func put(_ value: String, for key: String, over version: String?) throws(StoreFault) -> String? {
        let key = base64(key)
        // What does not exist was changed at 0.
        let comparison = Transaction.Comparison(key: key, mod_revision: version ?? "0")
        let put = Transaction.Put(key: key, value: base64(value))
        let outcome = try send(
            "/v3/kv/txn", Transaction(compare: [comparison], success: [.init(requestPut: put)]), Outcome.self, "put")
        guard outcome.succeeded else { return nil }
        guard SharedItem.isVersion(outcome.revision) else { throw .helper(store, .notUnderstood(method: "put")) }
        return outcome.revision
    }

    private func base64(_ text: String) -> String { Base64.encode(Secret(text)) }

    private func send<Response: Decodable>(
        _ path: String, _ body: some Encodable, _: Response.Type, _ method: String
    ) throws(StoreFault) -> Response {
        guard let response = SecretJSON.decode(Response.self, from: try post(path, SecretJSON.encodeOwn(body))) else {
            throw .helper(store, .notUnderstood(method: method))
        }
        return response
    }
}
