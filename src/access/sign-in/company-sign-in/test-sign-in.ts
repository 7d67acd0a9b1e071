/**
 * A test sign-in: the browser of an administrator goes to the provider and comes back, also through a connection that is not
 * active yet. It ends here, before anything is decided for a user: no session, user or identity comes of it.
 */

import { AppError } from '../../../core/errors.ts'
import { type Scope, scopeOf } from '../../../core/scope.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { AuditEntry } from '../../../store/journal-entry.ts'
import type { SignInTrial } from '../../providers/connections/schema.ts'
import * as connections from '../../providers/connections/service.ts'
import {
  explainClaims,
  kindOf,
  personOf,
  reasonTexts,
  tryClaims,
  type Vouched,
} from '../../providers/connections/service.ts'
import { NoSignIn } from '../sign-in/service.ts'
import { detailOf } from './failures.ts'
import { insertUsedMessage } from './pending-store.ts'
import { applyTo, sentences } from './steps.ts'
import { usedHash } from './used-hash.ts'

/**
 * `scope`: of which connections this user may test. `kind`: by default a user. `result`: where the browser goes afterwards, below the
 * base; without it a page shows the result.
 */
export type Tester = { user_id: string; username: string; scope: Scope; kind?: 'setup_link'; result?: string }

/** Ends a test where a real sign-in would continue, so that no later step runs. */
export class TestFinished extends NoSignIn {
  readonly connection: Pick<connections.ConnectionRow, 'connection_id' | 'name'>
  readonly trial: SignInTrial
  /** A wrong password counts as one, also in a test. */
  readonly isWrongPassword: boolean
  readonly tester: Tester | undefined

  constructor(
    connection: TestFinished['connection'],
    trial: SignInTrial,
    { isWrongPassword = false, tester }: { isWrongPassword?: boolean; tester?: Tester } = {},
  ) {
    super('The test sign-in is finished.')
    this.connection = connection
    this.trial = trial
    this.isWrongPassword = isWrongPassword
    this.tester = tester
  }
}

/** A connection that is not active may lack what the provider gives. */
export function missingSettings(connection: connections.ConnectionRow): string[] {
  const settings: Readonly<Record<string, unknown>> = connections.settingsOf(connection)
  return kindOf(connection.kind).members.filter((name) => settings[name] === undefined)
}

export type TestFailure = { reason: string; detail: string; claims?: Vouched['claims']; isWrongPassword?: boolean }

export function failedTrial(
  connection: connections.ConnectionRow,
  { reason, detail, claims = {} }: TestFailure,
): SignInTrial {
  const explained = Object.keys(claims).length === 0 ? [] : explainClaims(connection, claims)
  return { outcome: 'refused', reason, detail, claims: explained }
}

type Trying = { connection_id: string; claims: Vouched['claims']; warning?: string | undefined }

/**
 * Says what a sign-in with these claims would do, and does it: the rules of users may refuse what the claims ask for. Runs as a dry
 * run, which undoes it.
 */
export async function tryOut(change: ChangeContext, { connection_id, claims, warning }: Trying): Promise<SignInTrial> {
  // As in a sign-in: each of the operations has its record.
  const ctx = { ...change, record: (entry: AuditEntry) => change.recordFor(change, entry) }
  const connection = await connections.getRow(ctx.db, scopeOf(ctx.actor), connection_id)
  const trial = await tryClaims(ctx, connection, claims)
  const result = { ...trial, detail: sentences(trial.detail, warning) }
  if (trial.outcome === 'refused') return result
  try {
    await applyTo(ctx, connection, personOf(connection, claims))
    return result
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { outcome: 'refused', reason: error.code, detail: detailOf(error), claims: trial.claims }
  }
}

type Keeping = {
  connection_id: string
  tester: Omit<Tester, 'result'>
  /** Messages of the provider that may be used once, also by a test. */
  once: readonly { id: string; until: number }[]
  trial: SignInTrial
}

/** Keeps the result for the page of the connection, next to the failures. */
export async function keepTest(
  ctx: ChangeContext,
  { connection_id, tester, once, trial: tried }: Keeping,
): Promise<SignInTrial> {
  const connection = await connections.getRow(ctx.db, scopeOf(ctx.actor), connection_id)
  let trial = tried
  for (const { id, until } of once) {
    if (await insertUsedMessage(ctx.db, usedHash(`${connection_id} ${id}`), timestamp(until))) continue
    trial = { outcome: 'refused', reason: 'used_before', detail: reasonTexts.used_before, claims: trial.claims }
  }
  const { outcome, reason, detail, claims } = trial
  const summary = reason === undefined ? `It would work. ${detail}` : `Refused (${reason}): ${detail}`
  const test = { reason: 'test', test_outcome: outcome, test_reason: reason ?? null }
  await connections.keepFailure(ctx, connection_id, { ...test, detail: summary, claims })
  ctx.recordFor(
    { ...ctx, actor: { kind: tester.kind ?? 'user', id: tester.user_id, name: tester.username, permissions: [] } },
    {
      action: 'sign_in_connection.tested',
      target: connections.targetOf(connection),
      details: { outcome, ...(reason !== undefined && { reason }) },
    },
  )
  return trial
}
