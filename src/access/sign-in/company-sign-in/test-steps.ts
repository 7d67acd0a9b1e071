/** The steps of a test sign-in where it differs from a real one: it may begin with any connection, and ends with a report. */
import type { Storage } from '../../../store/storage/storage.ts'
import type { SignInTrial } from '../../providers/connections/schema.ts'
import type { Vouched } from '../../providers/connections/service.ts'
import * as connections from '../../providers/connections/service.ts'
import { requestAt, type When } from '../sign-in/service.ts'
import { SignInRefused } from './refused.ts'
import { failedTrial, missingSettings, type Tester, type TestFailure, TestFinished } from './test-sign-in.ts'

/** @throws SignInRefused unless an administrator tests; TestFinished if it lacks settings */
export async function connectionToTest(
  storage: Storage,
  id: string,
  tester: Tester | undefined,
  when: When,
): Promise<connections.ConnectionRow> {
  if (tester === undefined) throw new SignInRefused('interrupted')
  const connection = await connections.getRow(storage.db, tester.scope, id.toLowerCase())
  const missing = missingSettings(connection)
  if (missing.length === 0) return connection
  const detail = `The connection lacks these settings: ${missing.join(', ')}.`
  return endTest(storage, { connection, tester }, { reason: 'incomplete', detail }, when)
}

/** Reports what a sign-in would have done, or why it would have failed. @throws TestFinished */
export async function endTest(
  storage: Pick<Storage, 'change'>,
  { connection, tester }: { connection: connections.ConnectionRow; tester: Tester | undefined },
  result: Vouched | TestFailure,
  when: When,
): Promise<never> {
  if (tester === undefined) throw new SignInRefused('interrupted', connection)
  const { connection_id } = connection
  const tried = 'reason' in result ? failedTrial(connection, result) : await tryOn(storage, connection_id, result, when)
  const once = 'reason' in result ? [] : (result.once ?? [])
  const { result: _, ...by } = tester
  const input = { connection_id, tester: by, once, trial: tried }
  const { result: trial } = await storage.change('company_sign_ins.keep_test', input, requestAt(when))
  throw new TestFinished(connection, trial, {
    isWrongPassword: 'reason' in result && result.isWrongPassword === true,
    tester,
  })
}

async function tryOn(
  storage: Pick<Storage, 'change'>,
  connection_id: string,
  { claims, warning }: Vouched,
  when: When,
): Promise<SignInTrial> {
  const request = { ...requestAt(when), dryRun: true }
  return (await storage.change('company_sign_ins.try', { connection_id, claims, warning }, request)).result
}
