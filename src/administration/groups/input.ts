/** Validates a caller's input about a group and normalizes it for the rules and the store. */
import type { FastifyRequest } from 'fastify'
import { AppError, type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import { checkExternalId, checkName } from '../../directory/named-resources/service.ts'
import { organizationFault } from '../../directory/organizations/service.ts'
import { pathId } from '../../http/request/path-id.ts'
import { latestInstant, timestamp } from '../../lib/instant.ts'
import { hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { type ChangeMembers, type CreateGroup, changedAtOnce, type SetMember, type UpdateGroup } from './schema.ts'

/** The members that a change sets; one that is absent stays as it is. */
export type GroupInput = UpdateGroup & { name_key?: string }

/** @throws AppError `validation_failed` with every fault found */
export function checkGroupInput(body: CreateGroup | UpdateGroup, roles: Readonly<Record<string, unknown>>): GroupInput {
  const faults: InputFault[] = []
  const input: GroupInput = { ...body, ...checkName(body.name, faults) }
  const description = input.description ?? ''
  if (hasUnseen(description) || !description.isWellFormed()) {
    faults.push(memberFault('description', 'control_character', unseenRefused))
  }
  checkExternalId(input.external_id, faults)
  if (typeof input.organization_id === 'string') {
    input.organization_id = input.organization_id.toLowerCase()
    if (!isUuid(input.organization_id)) faults.push(organizationFault)
  }
  if (typeof input.role === 'string' && !Object.hasOwn(roles, input.role)) {
    faults.push(
      memberFault('role', 'role_unknown', 'This role does not exist. GET /roles lists those that you can give.'),
    )
  }
  if (faults.length > 0) throw validationFailed(faults)
  return input
}

export type MemberInput = { add: string[]; remove: string[] }

/** The end date in the form of the store. @throws AppError `validation_failed` for one that no calendar has */
export function checkEndInput({ expires_at }: SetMember): { expires_at?: string | null } {
  if (typeof expires_at !== 'string') return expires_at === undefined ? {} : { expires_at }
  const ms = Date.parse(expires_at)
  if (ms >= 0 && ms <= latestInstant) return { expires_at: timestamp(ms) }
  const detail = 'expires_at must be between the years 1970 and 9999 in UTC.'
  throw validationFailed([memberFault('expires_at', 'out_of_range', detail)])
}

/** @throws AppError `validation_failed` for too many ids, one that is named twice, and an end date of nothing */
export function checkMembersInput({
  add = [],
  remove = [],
  ...end
}: ChangeMembers): MemberInput & ReturnType<typeof checkEndInput> {
  const input = { add: add.map((id) => id.toLowerCase()), remove: remove.map((id) => id.toLowerCase()) }
  if (end.expires_at !== undefined && add.length === 0) {
    const detail = 'expires_at is the end date of the memberships of add. Name users there.'
    throw validationFailed([memberFault('expires_at', 'invalid', detail)])
  }
  const seen = new Set<string>()
  const faults: InputFault[] = []
  for (const member of ['add', 'remove'] as const) {
    for (const [i, id] of input[member].entries()) {
      if (seen.has(id)) faults.push(memberFault(member, 'named_twice', 'This user is named twice.', i))
      seen.add(id)
    }
  }
  if (seen.size > changedAtOnce) {
    const detail = `add and remove may name ${changedAtOnce} users together. Send the others in another request.`
    faults.push(memberFault(input.add.length > 0 ? 'add' : 'remove', 'too_many', detail))
  }
  if (faults.length > 0) throw validationFailed(faults)
  return { ...input, ...checkEndInput(end) }
}

/** The id in the path of a request, in lower case. @throws AppError `group_not_found` */
export function groupIdOf(request: Pick<FastifyRequest, 'params'>): string {
  const id = pathId(request, 'group_id')
  if (!isUuid(id)) throw unknownGroup()
  return id
}

export function unknownGroup(): AppError {
  return new AppError('group_not_found', 'There is no group with this id.')
}
