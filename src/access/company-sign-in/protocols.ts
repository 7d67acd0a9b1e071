/** The protocol of each kind of connection, loaded with the first sign-in that needs it. */
import type { KindName } from '../connections/kinds/kinds.ts'
import type { Protocol, ProtocolOptions } from '../connections/protocol.ts'

const loaders: Readonly<Record<KindName, (options: ProtocolOptions) => Promise<Protocol>>> = {
  saml: async (options) => (await import('../saml/protocol.ts')).samlProtocol(options),
  github: async (options) => (await import('../github/protocol.ts')).githubProtocol(options),
  oidc: async (options) => (await import('../oidc/protocol.ts')).oidcProtocol(options),
  ldap: async (options) => (await import('../ldap/protocol.ts')).ldapProtocol(options),
}

export type Protocols = {
  of(kind: string): Promise<Protocol>
  close(): Promise<void>
}

export function createProtocols(options: ProtocolOptions): Protocols {
  const loaded = new Map<string, Promise<Protocol>>()
  return {
    of(kind) {
      const known = loaded.get(kind)
      if (known !== undefined) return known
      const loading = loaders[kind as KindName](options)
      loaded.set(kind, loading)
      return loading
    },
    async close() {
      for (const protocol of await Promise.all(loaded.values())) protocol.close()
    },
  }
}
