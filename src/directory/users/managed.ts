/** The members that only the managing identity provider may change. */
import { AppError, memberFault } from '../../core/errors.ts'
import { outside } from '../../core/scope.ts'
import type { Context } from '../../store/context.ts'
import { enterpriseAttributes, pointerTo, readValues } from '../attributes/service.ts'
import type { ConnectionRow } from '../provisioning/service.ts'
import { isMoved } from './rows.ts'
import type { UserRow } from './store.ts'

/** The members that identity providers manage. Role and password stay with Rollbook. */
const managedMembers = ['username', 'email', 'external_id', 'first_name', 'last_name', 'active'] as const

/** What only administrators and the user change besides. */
const otherMembers = ['role', 'locale', 'email_verified', 'must_change_password', 'managed_by'] as const

type Manager = Pick<ConnectionRow, 'name' | 'organization_id'>
export type FindConnection = (connectionId: string) => Promise<Manager | undefined>

type Change = { found: UserRow; next: UserRow; find: FindConnection } & {
  /** Undefined where the caller has no such choice. */
  override?: boolean | undefined
  /** The names of what is changed beside the row. */
  beside?: readonly string[]
}

/** @throws AppError `managed_elsewhere` */
export async function refuseManaged(
  { actor }: Pick<Context, 'actor'>,
  { found, next, find, override, beside = [] }: Change,
): Promise<void> {
  const { managed_by } = found
  if (managed_by !== null && isMoved(found, next)) await refuseMoving(found, next, find)
  if (managed_by === null || override === true || actor.connection?.id === managed_by) return
  // Two connections may belong to two companies, so nothing that one manages is the other's, not even the password.
  const isOtherConnection = actor.connection !== undefined
  const attributes = changedAttributes(found, next, isOtherConnection)
  const members = [
    ...managedMembers.filter((member) => next[member] !== found[member]),
    ...(isOtherConnection && next.password_hash !== found.password_hash ? ['password'] : []),
    ...(isOtherConnection ? otherMembers.filter((member) => next[member] !== found[member]) : []),
    ...(isOtherConnection && next.access_ends_at !== found.access_ends_at ? ['expires_at'] : []),
    ...attributes.map((attribute) => `attributes.${attribute}`),
    ...beside,
  ]
  if (members.length === 0) return
  const connection = await find(managed_by)
  // It was deleted, and its users are being released.
  if (connection === undefined) return
  const name = nameFor(actor, connection)
  const detail = `${name} manages this user. ${remedyFor(members, { found, next })}`
  const fault = {
    code: 'managed_elsewhere',
    detail: `${name} manages this member${override === false ? '; override=true changes it anyway' : ''}.`,
  }
  throw new AppError('managed_elsewhere', detail, {
    errors: members.map((member) => {
      const attribute = attributes.find((one) => member === `attributes.${one}`)
      if (attribute !== undefined) return { pointer: pointerTo(attribute), ...fault }
      return memberFault(member, fault.code, fault.detail)
    }),
  })
}

/** The name of a connection at the beginning of a sentence. A limited caller reads none from outside. */
function nameFor({ limitedTo }: Context['actor'], { name, organization_id }: Manager): string {
  const isHidden = limitedTo !== undefined && organization_id !== limitedTo
  return isHidden ? outside.connection.replace(/^a/, 'A') : name
}

/**
 * Whom a connection of an organization manages belongs to that organization, also with `override`: the provider would manage a stranger.
 *
 * @throws AppError `managed_elsewhere`
 */
async function refuseMoving({ managed_by }: UserRow, next: UserRow, find: FindConnection): Promise<void> {
  const connection = managed_by === null ? undefined : await find(managed_by)
  if (connection === undefined || connection.organization_id === null) return
  if (connection.organization_id === next.organization_id) return
  const detail = `${connection.name} belongs to an organization and manages this user. Remove the user there first.`
  throw new AppError('managed_elsewhere', detail, {
    errors: [memberFault('organization_id', 'managed_elsewhere', detail)],
  })
}

/** What to do at the provider. `active` without a change of it means that the user would be deleted here. */
function remedyFor(members: readonly string[], { found, next }: Pick<Change, 'found' | 'next'>): string {
  const verb =
    found.active === next.active
      ? { active: 'Remove', invitation: 'Invite' }
      : { active: next.active ? 'Enable' : 'Disable' }
  const only = members.length === 1 && verb[members[0] as keyof typeof verb]
  return only ? `${only} the user there.` : `Change ${members.join(', ')} there.`
}

/** An attribute without a value may be changed by administrators: the identity provider does not send it. */
function changedAttributes(found: UserRow, next: UserRow, isOtherConnection: boolean): string[] {
  if (found.attributes === next.attributes) return []
  const [before, after] = [readValues(found.attributes), readValues(next.attributes)]
  const names = isOtherConnection
    ? Object.keys({ ...before, ...after })
    : Object.values(enterpriseAttributes).filter((name) => Object.hasOwn(before, name))
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}
