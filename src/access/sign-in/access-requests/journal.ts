/** Audit records and events about requests for access. They name no address: it is deleted with the request. */
import { findOrganizationOfDomain } from '../../../directory/organizations/service.ts'
import { domainIn } from '../../../directory/users/service.ts'
import { anonymous } from '../../../record/audit/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { RequestRow } from './store.ts'

type Kind = 'created' | 'approved' | 'declined' | 'expired'

export async function announce(
  ctx: ChangeContext,
  kind: Kind,
  { request_id, email, user_id, created_at, expires_at, decided_at }: RequestRow,
  details: Record<string, unknown> = {},
): Promise<void> {
  const organization_id = (await findOrganizationOfDomain(ctx.db, domainIn(email) ?? '')) ?? null
  const about = { ...(user_id !== null && { user_id }), ...details }
  // An approval also has the records of the user and of memberships, and a run of the job ends many.
  ctx.recordFor(ctx, {
    action: `access_request.${kind}`,
    target: { kind: 'access_request', id: request_id, organization_id },
    ...(kind === 'created' && { actor: anonymous }),
    ...(Object.keys(about).length > 0 && { details: about }),
  })
  const data = JSON.stringify({ request_id, created_at, expires_at, decided_at, user_id })
  ctx.emit({ type: `access_request.${kind}`, subject: request_id, owner_id: request_id, data })
}
