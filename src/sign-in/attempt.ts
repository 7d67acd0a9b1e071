/** What a try at a password is counted under. */
import { createHmac } from 'node:crypto'
import type { SignedIn } from '../context.ts'
import { networksOf } from '../lib/address.ts'
import { emailKey } from '../users/input.ts'
import type { UserRow } from '../users/store.ts'
import type { Device } from './device.ts'
import type { Attempt, Budget } from './throttle.ts'

/** Thirty failures of a network at once, and ten a minute; eight times as many for a site of many networks. */
const [burst, refillMs, networksPerSite] = [30, 6000, 8]

type SignInTry = {
  name: string
  user: Pick<UserRow, 'user_id' | 'email_key'> | undefined
  device: Device | undefined
  address: string
  secret: Uint8Array
}

export function signInAttempt({ name, user, device, address, secret }: SignInTry): Attempt {
  if (user !== undefined && device?.user_id === user.user_id) return familiarAttempt(user, `device:${device.device_id}`)
  const strange = { isFamiliar: false, budgets: budgetsOf(address) }
  if (user === undefined) {
    const unknown = `name:${createHmac('sha256', secret)
      .update(`rollbook name 1\n${emailKey(name)}`)
      .digest('base64url')}`
    return { total: `${unknown}:total`, lane: `${unknown}:name`, ...strange }
  }
  // Each name has a lane of its own. If both shared one, a delay met under an address after failures under a username
  // would show that they belong to the same user, and so that there is one.
  const door = emailKey(name) === user.email_key ? 'email' : 'username'
  return { total: totalOf(user), lane: strangerLane(user, door), ...strange }
}

/** Somebody who is signed in proves again who they are. */
export function ownPasswordAttempt(signedIn: Pick<SignedIn, 'user_id' | 'session_id'>): Attempt {
  return familiarAttempt(signedIn, `session:${signedIn.session_id}`)
}

/**
 * Networks do not count here: each such browser is counted by itself, knows one user only, and must not be kept out by
 * somebody else behind the same address.
 */
function familiarAttempt(user: { user_id: string }, who: string): Attempt {
  return { total: totalOf(user), lane: `user:${user.user_id}:${who}`, isFamiliar: true, budgets: [] }
}

export function totalOf({ user_id }: { user_id: string }): string {
  return `user:${user_id}:total`
}

export function strangerLane({ user_id }: { user_id: string }, door: 'username' | 'email'): string {
  return `user:${user_id}:${door}`
}

function budgetsOf(address: string): Budget[] {
  const { network, site } = networksOf(address)
  const own = { key: `network:${network}`, burst, refillMs }
  if (site === undefined) return [own]
  const wide = { key: `network:${site}`, burst: burst * networksPerSite, refillMs: refillMs / networksPerSite }
  return [own, wide]
}
