/** Checks which secrets in the store the configured ones can decrypt: a sample at each start, all of them for the doctor. */
import { misconfigured, OperatorError } from '../../core/errors.ts'
import { counted } from '../../lib/amounts.ts'
import type { Db } from '../db/db.ts'
import { lostText, type SealedKind, type SealedRow, sealedKinds, tryUnseal } from './sealed-values.ts'
import { listSealed } from './store.ts'

/** How many values of a kind there are of each sort. */
export type Readability = {
  kind: SealedKind
  readable: number
  /** Only the previous secret decrypts them. */
  previous: number
  plain: number
  unreadable: number
  /** Given up by an operator. */
  lost: number
}

const atOnce = 500

/** Reads every secret. */
export async function readAllSecrets(db: Db, secrets: readonly string[]): Promise<Readability[]> {
  const all: Readability[] = []
  for (const kind of sealedKinds) {
    const counts = nothing(kind)
    for await (const rows of pagesOf(db, kind)) for (const row of rows) count(counts, row, secrets)
    all.push(counts)
  }
  return all
}

/** Every row with secrets, some hundred at a time. */
export async function* pagesOf(db: Db, kind: SealedKind): AsyncGenerator<SealedRow[]> {
  for (let after = ''; ; ) {
    const rows = await listSealed(db, kind, { after, limit: atOnce })
    yield rows
    if (rows.length < atOnce) return
    after = rows.at(-1)?.id ?? ''
  }
}

/**
 * Opens the oldest and the newest secret of each kind, and counts all only if one of these cannot be opened.
 *
 * @throws OperatorError with the counts, if a secret cannot be decrypted
 */
export async function refuseUnreadable(db: Db, secrets: readonly string[]): Promise<void> {
  for (const kind of sealedKinds) {
    const counts = nothing(kind)
    for (const descending of [false, true]) {
      const [row] = await listSealed(db, kind, { limit: 1, descending })
      if (row !== undefined) count(counts, row, secrets)
    }
    if (counts.unreadable > 0) throw unreadable(await readAllSecrets(db, secrets), secrets.length > 0)
  }
}

/** "2 signing keys, 1 webhook secret": those of one sort. */
export function listCounts(all: readonly Readability[], sort: Exclude<keyof Readability, 'kind'>): string {
  return all
    .filter((one) => one[sort] > 0)
    .map((one) => counted(one[sort], ...one.kind.words))
    .join(', ')
}

function unreadable(all: readonly Readability[], isConfigured: boolean): OperatorError {
  const found = listCounts(all, 'unreadable')
  const remedy = isConfigured
    ? 'ROLLBOOK_KEY_ENCRYPTION_SECRET is not the secret that they were encrypted with. Set that secret, or add it as ' +
      'ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS.'
    : 'Set ROLLBOOK_KEY_ENCRYPTION_SECRET to the secret that they were encrypted with.'
  const message = `These secrets in the store cannot be decrypted: ${found}. ${remedy} If it is lost, see docs/signing-keys.md.`
  return new OperatorError(message, { exitCode: misconfigured })
}

function nothing(kind: SealedKind): Readability {
  return { kind, readable: 0, previous: 0, plain: 0, unreadable: 0, lost: 0 }
}

function count(counts: Readability, row: SealedRow, secrets: readonly string[]): void {
  for (const column of counts.kind.columns) {
    if (row[column] === null) continue
    counts.kind.map(row, column, ({ text, isSealed, label }) => {
      if (!isSealed) counts.plain++
      else if (text === lostText) counts.lost++
      else if (tryUnseal(secrets.slice(0, 1), text, label) !== undefined) counts.readable++
      else if (tryUnseal(secrets.slice(1), text, label) !== undefined) counts.previous++
      else counts.unreadable++
      return text
    })
  }
}
