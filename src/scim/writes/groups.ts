/** Changes groups through SCIM. Members are separate rows; the list is read only when a request replaces it. */

import { updateGroupSchema } from '../../administration/groups/schema.ts'
import * as groups from '../../administration/groups/service.ts'
import { checkGroupInput, type GroupInput } from '../../administration/groups/service.ts'
import { AppError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import type { ChangeContext } from '../../store/context.ts'
import { groupFromScim } from '../mapping/group.ts'
import { applyGroupPatch, type MemberStep, memberIds } from '../patch/members.ts'
import type { Operation } from '../patch/operations.ts'
import { crossing } from '../protocol/crossing.ts'
import { ScimError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { type ProfileName, profiles } from '../protocol/profiles.ts'
import { groupResource, readGroup } from '../resources/groups.ts'
import { isVersionOfGroup, versionOfGroup } from '../resources/version.ts'
import { groupDefinition } from '../schemas/definition.ts'

/** The changed group, without its members. */
interface GroupOutcome {
  readonly id: string
  readonly version: string
  readonly isChanged: boolean
  readonly ignored: readonly string[]
  /** The whole group, if requested. */
  readonly resource?: JsonObject
}

type Sent = { resource: JsonObject; ignored: readonly string[] }
type Target = { group_id: string; ifMatch: string | undefined }

/** @property base the URL of the SCIM endpoint, if the outcome should include the whole group */
export type Creation = Sent & { promisedId?: string; base?: string }

/** @throws AppError, also one that carries a ScimError */
export function createGroup(ctx: ChangeContext, input: Creation): Promise<GroupOutcome> {
  return crossing(async () => {
    const { resource, ignored, promisedId, base } = input
    const organization_id = ctx.actor.organization?.organization_id
    // What is created through a connection of an organization belongs to it, in a limited call anyway.
    const isNamed = organization_id !== undefined && ctx.actor.limitedTo === undefined
    const belonging = isNamed ? { organization_id } : {}
    const { group } = await groups.create(ctx, { ...inputOf(ctx, resource), ...belonging }, promisedId)
    const row = await changeMembers(ctx, { group_id: group.group_id, add: idsIn(resource), remove: [] })
    const created = outcome(row, true, ignored)
    return base === undefined
      ? created
      : { ...created, resource: await readGroup(ctx.db, scopeOf(ctx.actor), row, base, true) }
  })
}

/** Replaces the name, the external id and all members. */
export function replaceGroup(
  ctx: ChangeContext,
  { resource, ignored, ...target }: Sent & Target,
): Promise<GroupOutcome> {
  return crossing(async () => {
    const found = await find(ctx, target)
    const { group } = await groups.update(ctx, {
      group_id: target.group_id,
      input: inputOf(ctx, resource),
      expected: undefined,
    })
    const steps: MemberStep[] = [{ kind: 'removeAll' }, { kind: 'add', ids: idsIn(resource) }]
    const row = await applySteps(ctx, group.group_id, steps)
    return outcome(row, row.version !== found.version, ignored)
  })
}

export type Patch = Target & { operations: readonly Operation[]; profile: ProfileName }

export function patchGroup(ctx: ChangeContext, { operations, profile, ...target }: Patch): Promise<GroupOutcome> {
  return crossing(async () => {
    const found = await find(ctx, target)
    const before = groupResource(found, undefined, '')
    const patched = applyGroupPatch(before, operations, groupDefinition, profiles[profile])
    if (patched.isChanged) {
      const input = inputOf(ctx, patched.resource)
      await groups.update(ctx, { group_id: target.group_id, input, expected: undefined })
    }
    const row = await applySteps(ctx, target.group_id, patched.members)
    return outcome(row, row.version !== found.version, patched.ignored)
  })
}

async function find(ctx: ChangeContext, { group_id, ifMatch }: Target): Promise<groups.GroupRow> {
  const found = await groups.getForChange(ctx, group_id, undefined)
  if (isVersionOfGroup(ifMatch, found.version)) return found
  throw new AppError('precondition_failed', 'The group has changed since you read it. Read it again, then repeat.')
}

function outcome({ group_id, version }: groups.GroupRow, isChanged: boolean, ignored: readonly string[]): GroupOutcome {
  return { id: group_id, version: versionOfGroup(version), isChanged, ignored }
}

/** The most members that one statement should read. A group that is replaced as a whole is far smaller. */
const mostMembers = 1_000_000

/** Applies a request's steps as one change, so removing and re-adding a member is not a change. */
async function applySteps(
  ctx: ChangeContext,
  group_id: string,
  steps: readonly MemberStep[],
): Promise<groups.GroupRow> {
  const [add, remove] = [new Set<string>(), new Set<string>()]
  const shift = (ids: Iterable<string>, from: Set<string>, to: Set<string>) => {
    for (const id of ids) {
      from.delete(id)
      to.add(id)
    }
  }
  const needsMembers = steps.some(({ kind }) => kind === 'removeAll' || kind === 'removeMatching')
  const current = needsMembers
    ? await groups.listMembersOfGroups(ctx.db, scopeOf(ctx.actor), [group_id], mostMembers)
    : []
  for (const step of steps) {
    if (step.kind === 'add') shift(step.ids.map(lower), remove, add)
    else if (step.kind === 'remove') shift(step.ids.map(lower), add, remove)
    else if (step.kind === 'removeAll') shift([...add, ...current.map(({ user_id }) => user_id)], add, remove)
    else {
      const matching = current.filter(({ user_id, username }) =>
        step.matches({ value: user_id, type: 'User', display: username }),
      )
      shift(
        matching.map(({ user_id }) => user_id),
        add,
        remove,
      )
    }
  }
  const known = new Set(current.map(({ user_id }) => user_id))
  // Remaining members do not change, so they may outrank the caller.
  return changeMembers(ctx, { group_id, add: [...add].filter((id) => !known.has(id)), remove: [...remove] })
}

/** @throws ScimError `invalidValue` for a member who is not a user: a 404 would mean that the group does not exist. */
async function changeMembers(
  ctx: ChangeContext,
  changed: Parameters<typeof groups.addAndRemove>[1],
): Promise<groups.GroupRow> {
  try {
    return await groups.addAndRemove(ctx, changed)
  } catch (error) {
    if (error instanceof AppError && error.code === 'user_not_found') throw unknownMember()
    throw error
  }
}

/** Our ids are lower-case UUIDs; clients may send upper case. */
function lower(id: string): string {
  return id.toLowerCase()
}

function idsIn(resource: JsonObject): string[] {
  return [...new Set(memberIds(resource).map(lower))]
}

function unknownMember(): ScimError {
  return new ScimError('invalidValue', 'A member is not the id of a user. Create the user first.')
}

function inputOf(ctx: ChangeContext, resource: JsonObject): GroupInput {
  const { name, external_id } = groupFromScim(resource)
  const { maxLength } = updateGroupSchema.properties.name
  if ([...name].length > maxLength) {
    throw new ScimError('invalidValue', `displayName has more than ${maxLength} characters.`)
  }
  if ([...(external_id ?? '')].length > updateGroupSchema.properties.external_id.maxLength) {
    throw new ScimError('invalidValue', 'externalId is too long.')
  }
  return checkGroupInput({ name, external_id }, ctx.rules.roles)
}
