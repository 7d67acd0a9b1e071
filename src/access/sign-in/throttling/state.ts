/**
 * Says whether a user can sign in now, from the same rules as the sign-in: the user's row, and the waits that waits.ts
 * finds. Leaves the English sentence to sentence.ts.
 */
import { AppError } from '../../../core/errors.ts'
import { type Scope, scopeOf } from '../../../core/scope.ts'
import {
  type At,
  accessState,
  findById,
  isPasswordRefused,
  isServiceAccount,
  totalLimit,
  type UserRow,
} from '../../../directory/users/service.ts'
import type { AuditRecord } from '../../../record/audit/schema.ts'
import { findLatestAbout } from '../../../record/audit/service.ts'
import { canReach } from '../../../record/mails/service.ts'
import type { Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import { deviceName } from '../../credentials/sessions/service.ts'
import { findUsersWithWays, hasCompany } from '../../providers/connections/service.ts'
import { totalOf } from './attempt.ts'
import type { Wait } from './lock-schema.ts'
import { sentenceOf } from './sentence.ts'
import type { SignInState } from './state-schema.ts'
import { findThrottles } from './throttle-store.ts'
import { findWaits } from './waits.ts'

/** How many of the user's latest changes are searched for the one that disabled the account. */
const searchedChanges = 100

/** @throws AppError `user_not_found` */
export async function get({ db, now, rules, actor }: Context, user_id: string): Promise<SignInState> {
  const user = await findById(db, scopeOf(actor), user_id)
  if (user === undefined) throw new AppError('user_not_found', `There is no user ${user_id}.`)
  const total = totalOf({ user_id })
  const failures = (await findThrottles(db, [total])).get(total)?.failures ?? 0
  const waits = await findWaits({ db, now }, user_id)
  const facts = {
    user_id,
    ...judge(
      user,
      { now, rules },
      {
        failures,
        wait: waits[0],
        isRefused: await isPasswordRefused(db, user),
        way: user.password_hash === null ? await findWay({ db, rules }, user) : undefined,
      },
    ),
    // A network that must wait because of other users locks none of them.
    locked: waits.some(({ reason }) => reason !== 'wrong_passwords_for_many_users'),
    failures,
    last_failure: failures > 0 ? await findLastFailure(db, scopeOf(actor), user_id) : null,
    disabled: user.active === 1 ? null : await findDisabling(db, scopeOf(actor), user_id),
  }
  return { ...facts, sentence: sentenceOf(facts) }
}

type Judgement = Pick<SignInState, 'can_sign_in' | 'cause' | 'remedy' | 'until' | 'network' | 'attempts'>

type Facts = {
  failures: number
  wait: Wait | undefined
  isRefused: boolean
  /** How a user without a password signs in. */
  way: 'company' | 'passkey' | 'email_code' | undefined
}

function judge(user: UserRow, at: At, { failures, wait, isRefused, way }: Facts): Judgement {
  const none = { until: null, network: null, attempts: 0 }
  const state = accessState(user, at)
  if (state === 'disabled') return { can_sign_in: 'no', cause: 'disabled', remedy: 'enable', ...none }
  if (state === 'organization_disabled') {
    return { can_sign_in: 'no', cause: 'organization_disabled', remedy: 'enable_organization', ...none }
  }
  if (state === 'expired') {
    return { can_sign_in: 'no', cause: 'expired', remedy: 'extend', ...none, until: user.access_ends_at }
  }
  if (isServiceAccount(user)) return { can_sign_in: 'no', cause: 'service_account', remedy: 'none', ...none }
  if (isRefused) return { can_sign_in: 'no', cause: 'password_refused', remedy: 'none', ...none }
  if (way === 'company') return { can_sign_in: 'yes', cause: 'company_sign_in', remedy: 'none', ...none }
  if (way === 'passkey') return { can_sign_in: 'yes', cause: 'none', remedy: 'none', ...none }
  if (way === 'email_code' && wait === undefined) {
    return { can_sign_in: 'yes', cause: 'email_code_only', remedy: 'none', ...none }
  }
  if (user.password_hash === null && way === undefined)
    return { can_sign_in: 'no', cause: 'no_password', remedy: 'set_password', ...none }
  if (wait !== undefined) {
    const { reason: cause, until, network, attempts } = wait
    return {
      can_sign_in: failures >= totalLimit ? 'no' : 'not_everywhere',
      cause,
      remedy: 'unlock',
      until,
      network,
      attempts,
    }
  }
  const yes = { can_sign_in: 'yes' as const, ...none }
  if (failures > 0) return { ...yes, cause: 'wrong_passwords', remedy: 'reset_password', attempts: failures }
  return { ...yes, cause: user.must_change_password === 1 ? 'must_change_password' : 'none', remedy: 'none' }
}

async function findWay({ db, rules }: Pick<Context, 'db' | 'rules'>, user: UserRow): Promise<Facts['way']> {
  if (await hasCompany(db, user)) return 'company'
  if ((await findUsersWithWays(db, [user.user_id])).has(user.user_id)) return 'passkey'
  return rules.sendsCodes && canReach({ rules }, user.email) ? 'email_code' : undefined
}

async function findLastFailure(db: Db, scope: Scope, target: string): Promise<SignInState['last_failure']> {
  // 100 of them, because attempts that had to wait were not counted.
  const filters = { action: ['session.created'], outcome: 'failure' }
  const tried = await findLatestAbout(db, scope, { target, limit: 100 }, filters)
  const last = tried.find(({ code }) => code === 'sign_in_failed')
  if (last === undefined) return null
  const { occurred_at, address, user_agent } = last
  return { occurred_at, address, user_agent, device: user_agent ? deviceName(user_agent) : null }
}

async function findDisabling(db: Db, scope: Scope, target: string): Promise<SignInState['disabled']> {
  const filters = { action: ['user.*'], outcome: 'success' }
  const changes = await findLatestAbout(db, scope, { target, limit: searchedChanges }, filters)
  const disabling = changes.find(wasDisabled)
  if (disabling === undefined) return null
  const { kind, id, name } = disabling.actor
  return { at: disabling.occurred_at, by: { kind, id, name } }
}

function wasDisabled({ changes }: AuditRecord): boolean {
  const active = changes?.active as { after?: unknown } | undefined
  return active?.after === false
}
