/** Seals and opens the client secrets of connections, as the secrets of webhooks are sealed. */
import { seal, unseal } from '../../lib/sealing.ts'
import { system } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { type ConnectionRow, listConnections } from './store.ts'

/** The form that is stored. The connection is the label: a sealed secret that is copied to another one does not open. */
export function storedSecret(
  secret: string | null,
  connectionId: string,
  encryptionSecret: string | undefined,
): Pick<ConnectionRow, 'client_secret' | 'sealed'> {
  if (secret === null || encryptionSecret === undefined) return { client_secret: secret, sealed: 0 }
  return { client_secret: seal(encryptionSecret, secret, labelOf(connectionId)), sealed: 1 }
}

/** @throws Error if it was sealed with another encryption secret, or none is configured */
export function openSecret(
  { connection_id, client_secret, sealed }: Pick<ConnectionRow, 'connection_id' | 'client_secret' | 'sealed'>,
  encryptionSecret: string | undefined,
): string | null {
  if (client_secret === null || sealed === 0) return client_secret
  if (encryptionSecret === undefined) {
    throw new Error('The client secret of a connection is encrypted, but no encryption secret is configured.')
  }
  return unseal(encryptionSecret, client_secret, labelOf(connection_id))
}

/** At the start: seals what was stored before an encryption secret was configured. */
export async function sealPlainConnections(
  storage: Storage,
  encryptionSecret: string | undefined,
  now: number,
): Promise<void> {
  if (encryptionSecret === undefined) return
  const rows = (await listConnections(storage.db)).flatMap(({ connection_id, client_secret, sealed }) =>
    client_secret === null || sealed === 1
      ? []
      : [
          {
            connection_id,
            before: client_secret,
            after: storedSecret(client_secret, connection_id, encryptionSecret).client_secret ?? '',
          },
        ],
  )
  if (rows.length === 0) return
  await storage.change('sign_in_connections.seal', rows, { actor: system, now, requestId: 'start' })
}

function labelOf(connectionId: string): string {
  return `connection ${connectionId}`
}
