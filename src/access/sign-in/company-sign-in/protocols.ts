/** The protocol of each kind of connection, loaded with the first sign-in that needs it. */
import type { Config } from '../../../core/config.ts'
import { type EncryptionConfig, encryptionSecrets } from '../../../store/secrets/encryption.ts'
import { inTrial } from '../../../store/trial.ts'
import {
  type ConnectionRow,
  type KindName,
  openConnection,
  type Protocol,
  type ProtocolOptions,
} from '../../providers/connections/service.ts'

const loaders: Readonly<Record<KindName, (options: ProtocolOptions) => Promise<Protocol>>> = {
  saml: async (options) => (await import('../../providers/saml/service.ts')).samlProtocol(options),
  github: async (options) => (await import('../../providers/github/service.ts')).githubProtocol(options),
  oidc: async (options) => (await import('../../providers/oidc/service.ts')).oidcProtocol(options),
  ldap: async (options) => (await import('../../providers/ldap/service.ts')).ldapProtocol(options),
}

export type Protocols = {
  of(kind: string): Promise<Protocol>
  /** With its secrets, for the protocol alone. */
  open(row: ConnectionRow): ReturnType<typeof openConnection>
  close(): Promise<void>
}

type Parts = Pick<ProtocolOptions, 'calls' | 'clock'> & {
  config: Pick<Config, 'idpAllowedNetworks'> & EncryptionConfig
  isInTrial?: boolean
}

export function createProtocols({ config, clock, calls, isInTrial = false }: Parts): Protocols {
  const options: ProtocolOptions = { idpAllowedNetworks: config.idpAllowedNetworks, clock, calls }
  const loaded = new Map<string, Promise<Protocol>>()
  return {
    async of(kind) {
      // Every protocol calls its provider, or leads a browser there.
      if (isInTrial) throw inTrial()
      const known = loaded.get(kind)
      if (known !== undefined) return known
      const loading = loaders[kind as KindName](options)
      loaded.set(kind, loading)
      return loading
    },
    open: (row) => openConnection(row, encryptionSecrets(config)),
    async close() {
      for (const protocol of await Promise.all(loaded.values())) protocol.close()
    },
  }
}
