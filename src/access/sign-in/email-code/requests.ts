/**
 * Requests for a code by email. The response is sent before the user is looked up, so neither its content nor its timing
 * reveals whether the user exists: a request is stored as a challenge, and turned into a message later.
 */

import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { isServiceAccount, userTarget } from '../../../directory/users/service.ts'
import { networkOf } from '../../../lib/address.ts'
import { anonymous } from '../../../record/audit/service.ts'
import { canReach, hasNodeWithoutNotices, isWithinPace, isWithinShare, queue } from '../../../record/mails/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import { type CodeRequest, isEmailCodeRefused } from '../sign-in/service.ts'
import { countCodeRequest } from '../throttling/service.ts'

const atOnce = 100
const kind = 'sign_in_code' as const

type Requested = { browser_hash: string; codeRequest: CodeRequest }

/** @throws AppError `too_many_attempts`, the same for all names */
export async function request(
  ctx: ChangeContext,
  { codeRequest, browser_hash }: Requested,
): Promise<{ challenge_id: string; expires_at: string }> {
  const { address } = codeRequest
  await countCodeRequest(ctx, address)
  const begun = await challenges.startChallenge(ctx, {
    browser_hash,
    purpose: 'email_code',
    code_request: JSON.stringify(codeRequest),
    network: networkOf(address),
  })
  // Without the name, which may be a mistyped password.
  ctx.record({ action: 'email_code.requested', actor: anonymous })
  return begun
}

/** Turns requests into messages. Returns whether there may be more. */
export async function fulfil(ctx: ChangeContext): Promise<boolean> {
  // Such a node would fail to send the message: the codes wait until it is upgraded.
  if (await hasNodeWithoutNotices(ctx.db)) return false
  // One node at a time: two would send each message twice.
  await ctx.db.lock(['email codes'])
  const open = await challenges.listUndecided(ctx.db, atOnce)
  for (const one of open) await fulfilOne(ctx, one)
  return open.length === atOnce
}

type Open = Awaited<ReturnType<typeof challenges.listUndecided>>[number]

async function fulfilOne(ctx: ChangeContext, { challenge_id, expires_at, code_request }: Open): Promise<void> {
  const { name, device, address, knownUsers } = JSON.parse(code_request) as CodeRequest
  const found = await findReachable(ctx, name)
  const sent = found && (await mayBeSent(ctx, found, knownUsers)) ? found : undefined
  if (sent === undefined) {
    return challenges.decideOn(ctx.db, { challenge_id, user_id: null, credentials_version: 0, email_key: '' })
  }
  const { user_id, credentials_version, email_key } = sent
  await challenges.decideOn(ctx.db, { challenge_id, user_id, credentials_version, email_key })
  await queue(ctx, { kind, to: sent, link: { link_id: challenge_id, expires_at }, data: { device, address } })
  const details = { by: 'request', expires_at }
  ctx.recordFor(ctx, { action: 'email_code.created', target: userTarget(sent), details })
}

type Reachable = users.UserRow & { email_key: string }

/** The user with this name, if messages reach them and they may sign in with a code. */
async function findReachable(ctx: ChangeContext, name: string): Promise<Reachable | undefined> {
  const named = await users.findByTypedName(ctx.db, name)
  const found = named && (await users.findRowForChange(ctx.db, scopeOf(ctx.actor), named.user_id))
  if (found === undefined || !users.hasAccess(found, ctx) || isServiceAccount(found)) return undefined
  if (found.email_key === null || !canReach(ctx, found.email)) return undefined
  if (!(await isEmailCodeRefused(ctx, found))) return { ...found, email_key: found.email_key }
  const refused = { outcome: 'failure' as const, code: 'password_refused', details: { by: 'request' } }
  ctx.recordFor(ctx, { action: 'email_code.created', target: userTarget(found), ...refused })
  return undefined
}

/**
 * Beyond the limits of an address no code is sent. Strangers have a share of them, so that they cannot use up what a browser needs in
 * which the user has signed in before. The limits bound guessing too: five attempts for each code (decisions/0214).
 */
function mayBeSent(ctx: ChangeContext, found: Reachable, knownUsers: readonly string[]): Promise<boolean> {
  const isFamiliar = knownUsers.includes(found.user_id)
  return (isFamiliar ? isWithinPace : isWithinShare)(ctx, found.email_key, kind)
}

/** Runs before the mail sender looks for messages. */
export async function fulfilCodes(storage: Storage, now: number): Promise<void> {
  while (await challenges.hasUndecided(storage.db)) {
    const request = { actor: system, now, requestId: 'email codes' }
    if (!(await storage.change('email_codes.fulfil', undefined, request)).result) return
  }
}
