/** Seals and opens the secrets of connections. The connection is in the label: a sealed secret copied to another one does not open. */
import { openSealed } from '../../../store/secrets/encryption.ts'
import { labels, lostText, type StoredSecrets, sealedForm } from '../../../store/secrets/sealed-values.ts'
import { kindSecrets, type SecretName } from './kinds/kinds.ts'
import type { UpdateSignInConnection } from './schema.ts'
import type { ConnectionRow } from './store.ts'

/** The forms that are stored, by the name of the member; null removes one. */
export type GivenSecrets = Readonly<Record<string, StoredSecrets[string] | null>>

export function storedSecrets(
  secrets: Readonly<Record<string, string | null | undefined>>,
  { connection_id, encryptionSecret }: { connection_id: string; encryptionSecret: string | undefined },
): GivenSecrets {
  const changedSecrets = Object.entries(secrets).filter(
    (entry): entry is [string, string | null] => entry[1] !== undefined,
  )
  const stored = changedSecrets.map(([name, plain]) => {
    if (plain === null) return [name, null]
    const { text, sealed } = sealedForm(encryptionSecret, plain, labels.connection(connection_id, name))
    return [name, { value: text, sealed: sealed === 1 }]
  })
  return Object.fromEntries(stored)
}

/** @throws AppError `secret_unreadable` */
export function openSecrets(
  { connection_id, secrets }: Pick<ConnectionRow, 'connection_id' | 'secrets'>,
  encryptionSecrets: readonly string[],
): Record<string, string> {
  const opened = Object.entries(secretsIn(secrets)).map(([name, { value, sealed }]) => {
    return [name, sealed ? openSealed(encryptionSecrets, value, labels.connection(connection_id, name)) : value]
  })
  return Object.fromEntries(opened)
}

/** The names of the secrets, without those that were given up. */
export function usableSecrets(secrets: string): string[] {
  return Object.entries(secretsIn(secrets)).flatMap(([name, { value }]) => (value === lostText ? [] : [name]))
}

export function secretsIn(text: string): StoredSecrets {
  return JSON.parse(text) as StoredSecrets
}

/** Members that are stored as they are, and secrets in the form in which they are stored. */
export function apart<Given extends UpdateSignInConnection>(
  input: Given,
  connection_id: string,
  encryptionSecret: string | undefined,
): { input: Omit<Given, SecretName>; secrets: GivenSecrets } {
  const isSecret = ([name]: [string, unknown]) => Object.hasOwn(kindSecrets, name)
  const members = Object.entries(input)
  const secrets = Object.fromEntries(members.filter(isSecret)) as Record<string, string | null>
  return {
    input: Object.fromEntries(members.filter((one) => !isSecret(one))) as Omit<Given, SecretName>,
    secrets: storedSecrets(secrets, { connection_id, encryptionSecret }),
  }
}
