import { type CreateEndpoint, createEndpointSchema, type UpdateEndpoint } from '../../../record/webhooks/schema.ts'
import * as webhooks from '../../../record/webhooks/service.ts'
import { sealingSecret } from '../../../store/secrets/encryption.ts'
import type { Kind, Wanted } from '../kind.ts'
import { expectedOf, sortedMembers } from './members.ts'

const initial = { description: '', event_types: null, active: true } as const

export const webhookKind: Kind = {
  section: 'webhooks',
  needs: 'webhooks:write',
  schema: {
    ...createEndpointSchema,
    properties: {
      ...createEndpointSchema.properties,
      active: { type: 'boolean', description: 'False: nothing is sent. Default: true.' },
    },
  },
  renames: true,
  nameKey: (url) => (URL.canParse(url) ? new URL(url).href : url),

  async list(db) {
    const rows = await webhooks.listRows(db)
    return rows.map(({ endpoint_id, url, description, event_types, active, disabled_reason, managed_by, version }) => {
      const types: unknown = event_types === null ? null : JSON.parse(event_types)
      // One that Rollbook disabled is not one that was switched off.
      const isActive = active === 1 || disabled_reason !== null
      const members = sortedMembers({ url, description, event_types: types, active: isActive }, ['event_types'])
      return { id: endpoint_id, name: url, members, managed_by, version }
    })
  },

  initial: () => initial,

  normalize: ({ members }) => sortedMembers({ ...initial, ...members }, ['event_types']),

  async prepare(members, { db, config, stored, newId }) {
    const id = stored?.id ?? newId()
    const secrets = webhooks.makeSecret(id, await sealingSecret(db, config))
    return { members: webhooks.checkEndpointInput(members as UpdateEndpoint, config), prepared: { id, secrets } }
  },

  async create(ctx, { members, wanted }) {
    const { active, ...input } = members
    const endpoint_id = String(wanted.prepared.id)
    const secret = secretOf(wanted)
    await webhooks.create(ctx, { endpoint_id, input: input as CreateEndpoint, secret })
    if (!active) await webhooks.update(ctx, { endpoint_id, input: { active: false }, expected: undefined })
    return { id: endpoint_id, secret: secret.secret }
  },

  async update(ctx, { id, version }, { changed }) {
    const input = changed as UpdateEndpoint
    await webhooks.update(ctx, { endpoint_id: id, input, expected: expectedOf(version) })
  },

  async remove(ctx, { id, version }) {
    await webhooks.remove(ctx, { endpoint_id: id, expected: expectedOf(version) })
  },

  async rotate(ctx, { id }, wanted) {
    const secret = secretOf(wanted)
    await webhooks.rotateSecret(ctx, { endpoint_id: id, secret, revoke_previous: false })
    return { secret: secret.secret }
  },
}

function secretOf({ prepared }: Wanted): webhooks.MadeSecret {
  return prepared.secrets as webhooks.MadeSecret
}
