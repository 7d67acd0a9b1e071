/**
 * Everything in the store that is encrypted with ROLLBOOK_KEY_ENCRYPTION_SECRET, and how each value is labelled. The check at the
 * start, the doctor and the rotation go through this list, so a new kind of secret belongs here.
 */
import { seal, unseal } from '../../lib/sealing.ts'

/** A value of a column: the text, or what is in a JSON text. */
type Value = { text: string; isSealed: boolean; label: string }

export type SealedKind = {
  name: 'signing_keys' | 'own_secrets' | 'one_time_codes' | 'webhooks' | 'connections'
  /** For messages: one of them, and several. */
  words: readonly [one: string, several: string]
  table: string
  key: string
  columns: readonly string[]
  /** Which rows have a secret, in SQL. */
  rows: string
  /** Which of those may have one in plain text, in SQL. */
  plain: string
  /** The columns of a row whose every secret is encrypted, in SQL; '' if there is no such column. */
  sealed: string
  /**
   * When secrets that cannot be decrypted are given up: `replace` deletes the row, because a start creates another one.
   * Otherwise further columns to set, in SQL: the row stays, and its secret has to be set again.
   */
  lost: 'replace' | { set: string }
  /** Returns the text of a column with each value replaced. */
  map(row: SealedRow, column: string, change: (value: Value) => string): string
}

/** A row: its key, its columns, and `sealed` if the table has that. */
export type SealedRow = { id: string; sealed: number | string } & Record<string, string | number | null>

/** In place of a value that was given up: it cannot be decrypted with any secret. */
export const lostText = 'lost'

const plainWebhookSecret = /^whsec_[A-Za-z0-9+/]{43}=$/

export const labels = {
  signingKey: (kid: string) => `signing key ${kid}`,
  ownSecret: (name: string) => `secret ${name}`,
  factor: (factorId: string) => `factor ${factorId}`,
  webhook: (endpointId: string) => `webhook ${endpointId}`,
  connection: (connectionId: string, member: string) => `connection ${connectionId} ${member}`,
}

/** A column that is one value. */
function whole(label: (id: string) => string, isSealed = (row: SealedRow, _text: string) => Number(row.sealed) === 1) {
  return (row: SealedRow, column: string, change: (value: Value) => string): string => {
    const text = String(row[column])
    return change({ text, isSealed: isSealed(row, text), label: label(row.id) })
  }
}

/** The secrets of a connection, by the name of the member. */
export type StoredSecrets = Readonly<Record<string, { value: string; sealed: boolean }>>

function membersOf(row: SealedRow, column: string, change: (value: Value) => string): string {
  const members = Object.entries(JSON.parse(String(row[column])) as StoredSecrets)
  const changed = members.map(([member, { value, sealed }]) => {
    const text = change({ text: value, isSealed: sealed, label: labels.connection(row.id, member) })
    return [member, { value: text, sealed: sealed || text !== value }]
  })
  return JSON.stringify(Object.fromEntries(changed))
}

export const sealedKinds: readonly SealedKind[] = [
  {
    name: 'signing_keys',
    words: ['signing key', 'signing keys'],
    table: 'signing_keys',
    key: 'kid',
    columns: ['private_key'],
    rows: '1 = 1',
    plain: 'sealed = 0',
    sealed: 'sealed',
    lost: 'replace',
    map: whole(labels.signingKey),
  },
  {
    name: 'own_secrets',
    words: ['secret of the service', 'secrets of the service'],
    table: 'secrets',
    key: 'name',
    columns: ['value'],
    rows: '1 = 1',
    plain: 'sealed = 0',
    sealed: 'sealed',
    lost: 'replace',
    map: whole(labels.ownSecret),
  },
  {
    name: 'one_time_codes',
    words: ['secret of one-time codes', 'secrets of one-time codes'],
    table: 'factors',
    key: 'factor_id',
    columns: ['secret'],
    rows: "kind = 'totp'",
    plain: 'sealed = 0',
    sealed: 'sealed',
    // Without the factor a password alone would be enough.
    lost: { set: '' },
    map: whole(labels.factor),
  },
  {
    name: 'webhooks',
    words: ['webhook secret', 'webhook secrets'],
    table: 'webhook_endpoints',
    key: 'endpoint_id',
    columns: ['secret', 'previous_secret'],
    rows: 'deleted = 0',
    plain: 'sealed = 0',
    sealed: 'sealed',
    lost: { set: "active = 0, disabled_reason = 'secret_lost', version = version + 1" },
    // After a rotation only one of the two may be encrypted.
    map: whole(labels.webhook, (_row, text) => !plainWebhookSecret.test(text)),
  },
  {
    name: 'connections',
    words: ['secret of a connection', 'secrets of connections'],
    table: 'sign_in_connections',
    key: 'connection_id',
    columns: ['secrets'],
    rows: "secrets <> '{}'",
    plain: `secrets LIKE '%"sealed":false%'`,
    sealed: '',
    lost: { set: '' },
    map: membersOf,
  },
]

/** Encrypts a text if there is a secret. */
export function sealedForm(
  encryptionSecret: string | undefined,
  plain: string,
  label: string,
): { text: string; sealed: number } {
  if (encryptionSecret === undefined) return { text: plain, sealed: 0 }
  return { text: seal(encryptionSecret, plain, label), sealed: 1 }
}

/** Decrypts with the first of the secrets that fits; undefined if none does. */
export function tryUnseal(encryptionSecrets: readonly string[], text: string, label: string): string | undefined {
  for (const secret of encryptionSecrets) {
    try {
      return unseal(secret, text, label)
    } catch {
      // Encrypted with another one.
    }
  }
  return undefined
}

export { plainWebhookSecret }
