/** Adds many users to a group, or removes them from it, by the rules of groups/members.ts. */

import type { UserRow } from '../../directory/users/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import type { MemberJudge } from '../groups/service.ts'
import * as members from '../groups/service.ts'
import type { Judged, ManyVerdict } from './verdicts.ts'

export type MembershipAction =
  | { action: 'add_to_group'; group_id: string; expires_at?: string | null }
  | { action: 'remove_from_group'; group_id: string }

type Asked = readonly { user_id: string; found: UserRow | undefined }[]

export function isMembership(action: { action: string }): action is MembershipAction {
  return action.action === 'add_to_group' || action.action === 'remove_from_group'
}

/** Returns what would become of each user, without changing any. */
export async function judgeMemberships(
  ctx: MemberJudge & { db: Db },
  users: Asked,
  action: MembershipAction,
  administratorsGone: number,
): Promise<Judged> {
  const judged = await members.judgeMembers(ctx, inputOf(users, action), administratorsGone)
  return { verdicts: verdictsOf(users, judged.results), administratorsGone: judged.administratorsGone }
}

export async function changeMemberships(
  ctx: ChangeContext,
  question: Asked,
  action: MembershipAction,
): Promise<Judged> {
  const { results } = await members.changeMembers(ctx, inputOf(question, action))
  return { verdicts: verdictsOf(question, results), administratorsGone: 0 }
}

function inputOf(question: Asked, { action, ...rest }: MembershipAction) {
  const ids = question.map(({ user_id }) => user_id)
  return action === 'add_to_group' ? { ...rest, add: ids, remove: [] } : { ...rest, add: [], remove: ids }
}

function verdictsOf(
  question: Asked,
  results: Awaited<ReturnType<typeof members.changeMembers>>['results'],
): ManyVerdict[] {
  const names = new Map(question.map(({ user_id, found }) => [user_id, found?.username ?? null]))
  return results.map(({ user_id, result, before, code, detail }) => {
    const who = { user_id, username: names.get(user_id) ?? null }
    if (result === 'unchanged') return { ...who, verdict: 'unchanged' }
    if (result !== 'refused')
      return { ...who, verdict: 'changed', ...(before && { before: { expires_at: before.expires_at ?? null } }) }
    return {
      ...who,
      verdict: 'refused',
      code: code as Extract<ManyVerdict, { code: unknown }>['code'],
      detail: detail ?? '',
    }
  })
}
