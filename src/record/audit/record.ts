import type { ChangeContext } from '../../store/context.ts'
import { findOrganizationsOf } from '../journal/service.ts'
import type { Witnessed } from './recorder.ts'

/** Records what several requests failed to do, each with its own actor and time. */
export async function record(ctx: ChangeContext, witnessed: readonly Witnessed[]): Promise<void> {
  const places = await findOrganizationsOf(
    ctx.db,
    witnessed.flatMap(({ userId }) => userId ?? []),
  )
  for (const { entry, userId, now, requestId, origin } of witnessed) {
    const request = { actor: ctx.actor, now, requestId, origin }
    if (userId === undefined) ctx.recordFor(request, entry)
    else {
      const organization_id = places.get(userId) ?? null
      ctx.recordFor(request, { ...entry, target: { kind: 'user', id: userId, organization_id } })
    }
  }
}
