/** The calling user as `GET /me` shows them, and the account page. */
import type { FastifyRequest } from 'fastify'
import type { AttributeCache } from '../../../directory/attributes/service.ts'
import { pendingEmail } from '../../../directory/links/service.ts'
import type { User } from '../../../directory/users/schema.ts'
import type * as users from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { timestamp } from '../../../lib/instant.ts'
import { requiredFrom } from '../../credentials/factors/service.ts'
import { callerOf } from '../../credentials/sessions/service.ts'
import { organizationClaims } from '../../credentials/tokens/service.ts'
import { groupsOf, sourcesOf } from './permissions.ts'
import type { Me, OwnAttribute } from './schema.ts'

export type MeNeeds = Pick<HttpLayer, 'config' | 'contextOf' | 'storage'> & { attributes: AttributeCache }

export async function meOf(
  { config, storage, contextOf, attributes }: MeNeeds,
  request: FastifyRequest,
  { document }: users.UserDocument,
): Promise<Me> {
  const { actor, now } = request
  const { must_change_password, user_id } = callerOf({ actor })
  const impersonation = actor.signedIn?.impersonation
  const user = JSON.parse(document) as User
  const pending = config.smtpUrl === undefined ? undefined : await pendingEmail(storage.db, user_id, now)
  return {
    ...user,
    permissions: [...actor.permissions],
    permission_sources: sourcesOf(actor, storage.rules.roles),
    groups: groupsOf(actor),
    attribute_definitions: await definitionsOf(attributes, user),
    ...(typeof pending === 'string' && pending !== user.email && { pending_email: pending }),
    must_change_password,
    must_add_factor: actor.signedIn?.must_add_factor ?? false,
    second_factor_from: await requiredFrom(contextOf(request), user_id),
    ...(actor.signedIn && { session_id: actor.signedIn.session_id }),
    ...(actor.personalKey && { key_id: actor.personalKey.key_id }),
    ...organizationClaims(actor),
    ...(impersonation && { act: impersonation.act, act_until: timestamp(impersonation.endsAtMs) }),
  }
}

/** The definitions of what the user may change, and of what the user has. */
async function definitionsOf(cache: AttributeCache, { attributes = {} }: Partial<User>): Promise<OwnAttribute[]> {
  const { definitions } = await cache.current()
  return [...definitions.values()]
    .filter(({ name, editable_by }) => editable_by === 'user' || Object.hasOwn(attributes, name))
    .map(({ name, label, type, options, required, pattern, minimum, maximum, max_length, editable_by }) => {
      return { name, label, type, options, required, pattern, minimum, maximum, max_length, editable_by }
    })
}
