import { createSignInConnectionSchema } from '../../../access/providers/connections/schema.ts'
import * as connections from '../../../access/providers/connections/service.ts'
import { system } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { encryptionSecrets, sealingSecret } from '../../../store/secrets/encryption.ts'
import type { Kind, Members, Preparation, References } from '../kind.ts'
import { expectedOf, nameKeyOf, pathOf, sortedMembers, unknownName } from './members.ts'
import { inOrganization, organizationMember, withOrganizationId } from './organization-member.ts'

/** Lists whose order means nothing. */
const sets = ['domains', 'trusted_domains', 'provisioning_domains', 'password_exceptions']
const initial = { active: true, position: 0, organization: null } as const

type Input = Parameters<typeof connections.create>[1]['input']
type Settings = Parameters<typeof connections.changedSettings>[2]

const { password_exceptions, groups, organization_id: _, ...properties } = createSignInConnectionSchema.properties
const secretProperties = Object.keys(connections.kindSecrets)
const userNames = { type: 'string', minLength: 1, maxLength: 320 } as const
const groupNames = { type: 'string', minLength: 1, maxLength: 128 } as const

export const connectionKind: Kind = {
  section: 'connections',
  needs: 'connections:write',
  schema: {
    ...createSignInConnectionSchema,
    properties: {
      ...Object.fromEntries(Object.entries(properties).filter(([name]) => !secretProperties.includes(name))),
      ...organizationMember,
      password_exceptions: {
        ...password_exceptions,
        items: userNames,
        description: 'The usernames of users who may use a password although this connection refuses it.',
      },
      groups: {
        ...groups,
        additionalProperties: groupNames,
        description: 'Names of groups by values of `group_claim`.',
      },
    },
  },
  renames: true,
  nameKey: nameKeyOf,

  async list(db) {
    const rows = await connections.listRows(db, scopeOf(system))
    return rows.map((row) => {
      const { connection_id, kind, name, active, position, version, managed_by, secrets, organization_id } = row
      const members = sortedMembers(
        { kind, name, active: active === 1, position, organization: organization_id, ...connections.settingsOf(row) },
        sets,
      )
      return { id: connection_id, name, members: inOrder(members), managed_by, version, secrets }
    })
  },

  initial({ kind, sp_certificate }) {
    const { presets, initial: ofKind } = connections.kindOf(String(kind))
    return {
      ...initial,
      preset: presets[0],
      ...connections.initialSettings,
      ...ofKind,
      // It belongs to the private key, which no export has.
      ...(sp_certificate !== undefined && { sp_certificate }),
    }
  },

  withNames: (members, names) => ({
    ...inOrganization.withNames(members, names),
    groups: mapValues(members.groups, (id) => names.groups.get(id) ?? id),
    password_exceptions: (members.password_exceptions as string[]).map((id) => names.users.get(id) ?? id).toSorted(),
  }),

  withIds: (members, idOf) => ({
    ...inOrganization.withIds(members, idOf),
    ...('groups' in members && { groups: mapValues(members.groups, idOf) }),
  }),

  normalize({ members }, stored, references) {
    const { kind: kindName, name, active = true, position = 0, organization: named, ...own } = members
    const kind = connections.kindOf(String(kindName))
    if (stored !== undefined && stored.members.kind !== kindName) {
      const detail = 'The kind of a connection cannot change. Give the connection another name.'
      throw validationFailed([memberFault('kind', 'kind_fixed', detail)])
    }
    const input = { ...own, ...resolved(own, references) }
    if (input.sp_certificate === undefined && stored?.members.sp_certificate !== undefined) {
      input.sp_certificate = stored.members.sp_certificate
    }
    const isDraft = kind.way === 'redirect' && !active
    const settings = connections.changedSettings(
      { rules: references.rules, kind, isDraft },
      undefined,
      input as Settings,
    )
    const organization = references.organizationId(named)
    const common = { kind: kindName, name: String(name).trim(), active, position, organization }
    return inOrder(sortedMembers({ ...common, ...settings }, sets))
  },

  async prepare(members, { db, config, now: _, stored, secrets, newId, fingerprint, prepare, ...caller }) {
    // It is called from here, so whoever may only read plans must not choose it.
    if (members.metadata_url !== undefined) connections.refuseUnlessMayEdit(caller)
    const id = stored?.id ?? newId()
    const usable = stored === undefined ? [] : connections.usableSecrets(stored.secrets ?? '{}')
    const before = stored && { secrets: usable }
    const completed = await prepare(String(members.kind), { ...members, ...secrets }, before)
    const isSecret = ([name]: [string, unknown]) => secretProperties.includes(name)
    const entries = Object.entries(completed)
    const allSecrets = Object.fromEntries(entries.filter(isSecret)) as Record<string, string | null>
    const printOf = (member: string, secret: string) => fingerprint(`connection ${id} ${member} ${secret}`)
    const fingerprints = Object.entries(secrets).map(([member, secret]) => {
      return [member, secret === null ? null : printOf(member, secret)]
    })
    const opened = stored === undefined ? {} : openedSecrets(stored.id, stored.secrets ?? '{}', config)
    return {
      members: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
      prepared: {
        id,
        fingerprints: Object.fromEntries(fingerprints),
        storedFingerprints: Object.fromEntries(
          Object.entries(opened).map(([member, secret]) => [member, printOf(member, secret)]),
        ),
        secrets: connections.storedSecrets(allSecrets, {
          connection_id: id,
          encryptionSecret: await sealingSecret(db, config),
        }),
      },
    }
  },

  async create(ctx, { members, wanted: { prepared } }) {
    const secrets = prepared.secrets as connections.GivenSecrets
    const connection_id = String(prepared.id)
    await connections.create(ctx, { connection_id, input: withOrganizationId(members) as unknown as Input, secrets })
    return { id: connection_id }
  },

  async update(ctx, { id, version, members: before }, { changed, secretsChanged, wanted: { prepared } }) {
    if (prepared.id !== id) throw changedMeanwhile()
    // The rules of connections ask for the secrets again when they would be sent elsewhere.
    const isMoved = connections.kindOf(String(before.kind)).destinations.some((member) => member in changed)
    const secrets = secretsChanged || isMoved ? (prepared.secrets as connections.GivenSecrets) : {}
    const input = withOrganizationId(changed) as Parameters<typeof connections.update>[1]['input']
    await connections.update(ctx, { connection_id: id, input, secrets, expected: expectedOf(version) })
  },

  async remove(ctx, { id, version }) {
    await connections.remove(ctx, { connection_id: id, expected: expectedOf(version) })
  },
}

/** Reads the names of groups and users. @throws AppError `validation_failed` */
function resolved(members: Members, { rules, groupId, groupNames, userId }: References): Members {
  const roles = Object.keys(rules.roles)
  const {
    default_role,
    roles: byValue = {},
    groups: groupsByValue = {},
    password_exceptions: exceptions = [],
  } = members
  const named = [
    ...(default_role === undefined ? [] : [['default_role', default_role] as const]),
    ...Object.entries(byValue as object).map(([value, role]) => [pathOf('roles', value), role] as const),
  ]
  const faults = named
    .filter(([, role]) => !roles.includes(String(role)))
    .map(([path, role]) => ({
      ...unknownName('role', String(role), { member: '', known: roles }),
      pointer: `#/${path}`,
    }))
  const groupIds = Object.entries(groupsByValue as Record<string, string>).map(([value, name]) => {
    const id = groupId(name)
    if (id !== undefined) return [value, id] as const
    const fault = unknownName('group', name, { member: '', known: groupNames() })
    faults.push({ ...fault, pointer: `#/${pathOf('groups', value)}` })
    return [value, name] as const
  })
  const ids = (exceptions as string[]).map((name, index) => {
    const id = userId(name)
    if (id === undefined) faults.push(unknownName('user', name, { member: 'password_exceptions', known: [], index }))
    return id ?? name
  })
  if (faults.length > 0) throw validationFailed(faults)
  return { groups: Object.fromEntries(groupIds), password_exceptions: ids }
}

/** Members that are objects, with their names in order, except `roles`: there the first that matches counts. */
function inOrder(members: Members): Members {
  const sort = (value: unknown) =>
    Object.fromEntries(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...members, groups: sort(members.groups), attribute_claims: sort(members.attribute_claims) }
}

function mapValues(value: unknown, map: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(value as Record<string, string>).map(([key, text]) => [key, map(text)]))
}

/** None if they cannot be decrypted: then those of the file are written. */
function openedSecrets(connection_id: string, secrets: string, config: Preparation['config']): Record<string, string> {
  try {
    return connections.openSecrets({ connection_id, secrets }, encryptionSecrets(config))
  } catch (error) {
    if (error instanceof AppError && error.code === 'secret_unreadable') return {}
    throw error
  }
}

function changedMeanwhile(): AppError {
  return new AppError('precondition_failed', 'The configuration has changed meanwhile. Make the plan again.')
}
