/** Encrypts the secrets in the store: those in plain text at a start, all of them when the encryption secret is rotated. */

import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { seal } from '../../lib/sealing.ts'
import type { ChangeContext } from '../context.ts'
import type { Storage } from '../storage/storage.ts'
import { listCounts, pagesOf, type Readability, refuseUnreadable } from './check.ts'
import { type EncryptionConfig, encryptionSecrets, sealingSecret } from './encryption.ts'
import { lostText, type SealedKind, type SealedRow, sealedKinds, tryUnseal } from './sealed-values.ts'
import { deleteSealed, listSealed, replaceSealed } from './store.ts'

/** A larger transaction would delay others. */
const atOnce = 500

/**
 * At the start: refuses a store with secrets that cannot be decrypted, and encrypts those that were stored before an encryption
 * secret was configured.
 *
 * @throws OperatorError
 */
export async function prepareSecrets(storage: Storage, config: EncryptionConfig, now: number): Promise<void> {
  await refuseUnreadable(storage.db, encryptionSecrets(config))
  const secret = await sealingSecret(storage.db, config)
  if (secret === undefined) return
  for (const { name } of sealedKinds) {
    while (await hasPlain(storage, name)) {
      await storage.change('secrets.seal', { name, secret }, { actor: system, now, requestId: 'start' })
    }
  }
}

async function hasPlain({ db }: Storage, name: SealedKind['name']): Promise<boolean> {
  return (await listSealed(db, kindOf(name), { limit: 1, plainOnly: true })).length > 0
}

/** Encrypts some secrets that are in plain text. */
export async function sealPlain(
  ctx: ChangeContext,
  { name, secret }: { name: SealedKind['name']; secret: string },
): Promise<void> {
  const kind = kindOf(name)
  for (const row of await listSealed(ctx.db, kind, { limit: atOnce, plainOnly: true })) {
    const { after } = resealed(kind, row, [secret], false)
    await replaceSealed(ctx.db, kind, { before: row, after, isLost: false })
  }
}

export type Rotation = {
  secrets: readonly string[]
  /** Gives up what no secret decrypts. */
  discard: boolean
  /** In a second round nothing is recorded if nothing was left. */
  isSecond?: boolean
}

/** What was done, by kind. */
export type Rotated = { name: SealedKind['name']; words: readonly [string, string]; sealed: number; lost: number }[]

/**
 * Encrypts every secret with the first of the secrets, in this one transaction.
 *
 * @throws AppError `secret_unreadable` with the counts, unless those are to be given up
 */
export async function rotate(ctx: ChangeContext, { secrets, discard, isSecond }: Rotation): Promise<Rotated> {
  await ctx.db.lock(['secrets.rotate'])
  const done: Rotated = []
  const refused: Readability[] = []
  for (const kind of sealedKinds) {
    const counts = { sealed: 0, lost: 0 }
    for await (const rows of pagesOf(ctx.db, kind)) {
      await Promise.all(rows.map((row) => reseal(ctx, kind, row, { secrets, counts, discard })))
    }
    if (counts.lost > 0) {
      refused.push({ kind, readable: 0, previous: 0, plain: 0, unreadable: counts.lost, lost: 0 })
    }
    done.push({ name: kind.name, words: kind.words, ...counts })
  }
  if (refused.length > 0 && !discard) {
    const found = listCounts(refused, 'unreadable')
    throw new AppError('secret_unreadable', `These secrets cannot be decrypted: ${found}. Nothing was changed.`)
  }
  const isNothing = done.every(({ sealed, lost }) => sealed + lost === 0)
  if (!(isSecond && isNothing)) ctx.record({ action: 'secrets.rotated', details: detailsOf(done) })
  return done
}

type Doing = { secrets: readonly string[]; counts: { sealed: number; lost: number }; discard: boolean }

async function reseal(
  ctx: ChangeContext,
  kind: SealedKind,
  row: SealedRow,
  { secrets, counts, discard }: Doing,
): Promise<void> {
  const { after, sealed, lost, isFirstLost } = resealed(kind, row, secrets, true)
  counts.sealed += sealed
  counts.lost += lost
  if (sealed + lost === 0 || (lost > 0 && !discard)) return
  if (lost > 0 && kind.lost === 'replace') {
    await deleteSealed(ctx.db, kind, row.id)
    if (kind.name === 'signing_keys') ctx.announce({ kind: 'revoked', subject: { kind: 'signing_key', id: row.id } })
    return
  }
  await replaceSealed(ctx.db, kind, { before: row, after, isLost: isFirstLost })
}

/** Returns the row with its secrets encrypted by the first secret, and how many were. */
function resealed(kind: SealedKind, row: SealedRow, secrets: readonly string[], isRotation: boolean) {
  const [current = ''] = secrets
  const counts = { sealed: 0, lost: 0, isFirstLost: false }
  const after: SealedRow = { ...row }
  for (const [index, column] of kind.columns.entries()) {
    if (row[column] === null) continue
    after[column] = kind.map(row, column, ({ text, isSealed, label }) => {
      if (isSealed && (!isRotation || text === lostText)) return text
      if (isSealed && tryUnseal([current], text, label) !== undefined) return text
      const plain = isSealed ? tryUnseal(secrets.slice(1), text, label) : text
      if (plain === undefined) {
        counts.lost++
        counts.isFirstLost ||= index === 0
        return lostText
      }
      counts.sealed++
      return seal(current, plain, label)
    })
    // To continue, a previous secret is not needed.
    if (index > 0 && after[column] === lostText) after[column] = null
  }
  return { after, ...counts }
}

function detailsOf(done: Rotated): Record<string, unknown> {
  const some = (sort: 'sealed' | 'lost') =>
    Object.fromEntries(done.filter((one) => one[sort] > 0).map((one) => [one.name, one[sort]]))
  const lost = some('lost')
  return { encrypted: some('sealed'), ...(Object.keys(lost).length > 0 && { given_up: lost }) }
}

function kindOf(name: SealedKind['name']): SealedKind {
  return sealedKinds.find((kind) => kind.name === name) as SealedKind
}
