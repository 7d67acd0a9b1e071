/** Seals and opens the secrets of connections, as the secrets of webhooks are sealed. */
import { seal, unseal } from '../../lib/sealing.ts'
import { system } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { type ConnectionRow, listConnections } from './store.ts'

/** The form that is stored. */
type StoredSecret = { value: string; sealed: boolean }
/** By the name of the member; null removes one. */
export type GivenSecrets = Readonly<Record<string, StoredSecret | null>>

type Owner = { connection_id: string; encryptionSecret: string | undefined }

/** The connection is in the label: a sealed secret that is copied to another one does not open. */
export function storedSecrets(
  secrets: Readonly<Record<string, string | null | undefined>>,
  owner: Owner,
): GivenSecrets {
  const given = Object.entries(secrets).filter((entry): entry is [string, string | null] => entry[1] !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, value === null ? null : stored(name, value, owner)]))
}

function stored(name: string, value: string, { connection_id, encryptionSecret }: Owner): StoredSecret {
  if (encryptionSecret === undefined) return { value, sealed: false }
  return { value: seal(encryptionSecret, value, labelOf(connection_id, name)), sealed: true }
}

/** @throws Error if one was sealed with another encryption secret, or none is configured */
export function openSecrets(
  { connection_id, secrets }: Pick<ConnectionRow, 'connection_id' | 'secrets'>,
  encryptionSecret: string | undefined,
): Record<string, string> {
  const opened = Object.entries(secretsIn(secrets)).map(([name, { value, sealed }]) => {
    if (!sealed) return [name, value]
    if (encryptionSecret === undefined) {
      throw new Error('A secret of a connection is encrypted, but no encryption secret is configured.')
    }
    return [name, unseal(encryptionSecret, value, labelOf(connection_id, name))]
  })
  return Object.fromEntries(opened)
}

export function secretsIn(text: string): Record<string, StoredSecret> {
  return JSON.parse(text) as Record<string, StoredSecret>
}

/** At the start: seals what was stored before an encryption secret was configured. */
export async function sealPlainConnections(
  storage: Storage,
  encryptionSecret: string | undefined,
  now: number,
): Promise<void> {
  if (encryptionSecret === undefined) return
  const rows = (await listConnections(storage.db)).flatMap(({ connection_id, secrets }) => {
    const before = secretsIn(secrets)
    if (Object.values(before).every(({ sealed }) => sealed)) return []
    const owner = { connection_id, encryptionSecret }
    const after = Object.entries(before).map(([name, one]) => [name, one.sealed ? one : stored(name, one.value, owner)])
    return [{ connection_id, before: secrets, after: JSON.stringify(Object.fromEntries(after)) }]
  })
  if (rows.length === 0) return
  await storage.change('sign_in_connections.seal', rows, { actor: system, now, requestId: 'start' })
}

function labelOf(connectionId: string, name: string): string {
  return `connection ${connectionId} ${name}`
}
