/**
 * Stores the first response to a request with an Idempotency-Key, in the same commit as the change. The HTTP layer reads
 * the header.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { AppError, type Refusal } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import { claimRun } from '../claim-run.ts'
import type { ChangeContext } from '../context.ts'
import type { Db, Transaction } from '../db/db.ts'
import { isServer } from '../db/dialect.ts'
import * as store from './store.ts'

/** Where a response is stored, which request it belongs to, and the secret that opens it. */
export type KeptAnswerRequest = { scope: string; fingerprint: string; secret: Uint8Array }

export type KeptAnswer = { result: unknown } | { refusal: Refusal }

/**
 * Identifies a request for this purpose. Everything is also derived from the caller's credential, which the store does not
 * contain: a stolen database reveals neither a fingerprint for guessing a password, nor the API key inside a stored
 * response.
 */
export function keptAnswerRequest(request: {
  idempotencyKey: string
  credential: string
  method: string
  path: string
  body: Uint8Array
}): KeptAnswerRequest {
  const { idempotencyKey, credential, method, path, body } = request
  const derived = new Uint8Array(hkdfSync('sha256', credential, idempotencyKey, 'rollbook idempotency', 96))
  const fingerprint = createHmac('sha256', derived.subarray(32, 64)).update(`${method} ${path}\n`).update(body)
  return {
    scope: Buffer.from(derived.subarray(0, 32)).toString('base64url'),
    fingerprint: fingerprint.digest('base64url'),
    secret: derived.slice(64),
  }
}

/**
 * Returns the stored response of the same request, if there is one.
 *
 * @param db on PostgreSQL the handle of a transaction
 * @throws AppError `idempotency_mismatch` if the key was used for another request
 */
export async function replayAnswer(db: Db | Transaction, request: KeptAnswerRequest): Promise<KeptAnswer | undefined> {
  const { scope } = request
  const row = await (isServer(db) ? store.confirmAnswer(db as Transaction, scope) : store.findAnswer(db, scope))
  if (row === undefined) return undefined
  if (row.fingerprint !== request.fingerprint) {
    const detail = 'This Idempotency-Key was used for another request. Use a new key.'
    throw new AppError('idempotency_mismatch', detail)
  }
  return open(request.secret, row.answer)
}

export async function keepAnswer(ctx: ChangeContext, request: KeptAnswerRequest, response: KeptAnswer): Promise<void> {
  await store.insertAnswer(ctx.db, {
    scope: request.scope,
    fingerprint: request.fingerprint,
    answer: seal(request.secret, response),
    created_at: timestamp(ctx.now),
  })
}

/** Deletes responses stored before that time, unless a node did so within `everyMs`. Returns how many. */
export async function prune(ctx: ChangeContext, input: { before: string; everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'idempotency.prune', input.everyMs))) return 0
  return store.deleteAnswersBefore(ctx.db, input.before)
}

/** For a request whose Idempotency-Key is in use by another one at the moment. */
export function stillRunning(): AppError {
  const detail = 'The first request with this Idempotency-Key is still running. Repeat this request in a moment.'
  return new AppError('idempotency_in_progress', detail, { retryAfterSeconds: 1 })
}

function seal(secret: Uint8Array, response: KeptAnswer): Uint8Array {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce)
  return Buffer.concat([nonce, cipher.update(JSON.stringify(response), 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function open(secret: Uint8Array, sealed: Uint8Array): KeptAnswer {
  const decipher = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const text = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
  return JSON.parse(text) as KeptAnswer
}
