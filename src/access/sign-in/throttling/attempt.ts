/** The keys under which a password attempt is counted. */

import { createHmac } from 'node:crypto'
import type { SignedIn } from '../../../core/actor.ts'
import type { Caller } from '../../../directory/passwords/service.ts'
import type { UserRow } from '../../../directory/users/service.ts'
import { networksOf } from '../../../lib/address.ts'
import { emailKey } from '../../../lib/email-form.ts'
import { plainMarks } from '../../../lib/typed-name.ts'
import type { Device } from './device.ts'
import type { Attempt, Budget } from './throttle.ts'

/** Thirty failures of a network at once, and ten a minute; eight times as many for a site of many networks. */
const [burst, refillMs, networksPerSite] = [30, 6000, 8]

/**
 * The shared allowance of strangers from all networks for one name. A single network never uses it up, or it could make
 * the others wait: five failures at once, fifteen in a quarter of an hour, then four an hour.
 */
const crowd = { burst: 20, refillMs: 30_000 }

type SignInTry = {
  name: string
  user: Pick<UserRow, 'user_id' | 'email_key'> | undefined
  device: Device | undefined
  address: string
  secret: Uint8Array
}

export function signInAttempt({ name, user, device, address, secret }: SignInTry): Attempt {
  if (user !== undefined && device?.user_id === user.user_id) return familiarAttempt(user, `device:${device.device_id}`)
  if (user === undefined) {
    const unknown = `name:${createHmac('sha256', secret)
      .update(`rollbook name 1\n${emailKey(plainMarks(name))}`)
      .digest('base64url')}`
    return strangeAttempt({ total: `${unknown}:total`, together: `${unknown}:name` }, address)
  }
  // Each name is counted separately. If both were one, a delay met under an email address after failures under a username
  // would reveal that both belong to the same user, and so that the user exists.
  const isAddress = user.email_key !== null && emailKey(plainMarks(name)) === plainMarks(user.email_key)
  const door = isAddress ? 'email' : 'username'
  return strangeAttempt({ total: totalOf(user), together: strangersOf(user, door) }, address)
}

/** Shared by all browsers: a known password must not let the codes of a user be guessed from everywhere. */
const codes = { burst: 20, refillMs: 30_000 }

/** A code is counted like a password, and under the user's factors too. */
export function secondFactorAttempt(attempt: Attempt, user: { user_id: string }): Attempt {
  return { ...attempt, budgets: [...attempt.budgets, { key: secondFactorOf(user), ...codes }] }
}

export function secondFactorOf({ user_id }: { user_id: string }): string {
  return `user:${user_id}:second_factor`
}

/** Under the name, from the network, and under the name from anywhere. */
function strangeAttempt({ total, together }: { total: string; together: string }, address: string): Attempt {
  const { network, site } = networksOf(address)
  return {
    total,
    // For IPv6 the /48: its owner has 65,536 networks, and a few of them would be a crowd.
    lane: `${together}:${site ?? network}`,
    isFamiliar: false,
    budgets: [{ key: together, ...crowd }, ...budgetsOf({ network, site })],
  }
}

/** In whose name a password waits to be hashed: familiar browsers before strangers, who take turns by network. */
export function callerOf({ isFamiliar, lane }: Attempt, address: string): Caller {
  if (isFamiliar) return { isStranger: false, from: lane }
  const { network, site } = networksOf(address)
  return { isStranger: true, from: site ?? network }
}

/** A signed-in user confirms their password. */
export function ownPasswordAttempt(signedIn: Pick<SignedIn, 'user_id' | 'session_id'>): Attempt {
  return familiarAttempt(signedIn, `session:${signedIn.session_id}`)
}

/**
 * Networks do not count here: each such browser is counted separately, knows only one user, and must not be locked out by
 * others behind the same address.
 */
function familiarAttempt(user: { user_id: string }, who: string): Attempt {
  return { total: totalOf(user), lane: `user:${user.user_id}:${who}`, isFamiliar: true, budgets: [] }
}

export function totalOf({ user_id }: { user_id: string }): string {
  return `user:${user_id}:total`
}

/** The holder of a link proves a second factor: as familiar as a browser, and counted for each link. */
export function linkAttempt(user: { user_id: string }, linkId: string): Attempt {
  return secondFactorAttempt(familiarAttempt(user, `link:${linkId}`), user)
}

/** The count of all strangers together who use this name of the user. */
export function strangersOf({ user_id }: { user_id: string }, door: 'username' | 'email'): string {
  return `user:${user_id}:${door}`
}

/** An office that begins to work: sixty codes at once, and two a minute. */
const codeRequests = { burst: 60, refillMs: 30_000 }

export function codeRequestBudgets(address: string): Budget[] {
  const { network, site } = networksOf(address)
  const { burst, refillMs } = codeRequests
  const own = { key: `email_code:${network}`, burst, refillMs }
  if (site === undefined) return [own]
  return [own, { key: `email_code:${site}`, burst: burst * networksPerSite, refillMs: refillMs / networksPerSite }]
}

function budgetsOf({ network, site }: { network: string; site: string | undefined }): Budget[] {
  const own = { key: `network:${network}`, burst, refillMs }
  if (site === undefined) return [own]
  const wide = { key: `network:${site}`, burst: burst * networksPerSite, refillMs: refillMs / networksPerSite }
  return [own, wide]
}
