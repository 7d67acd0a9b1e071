/** Validates a caller's input about an organization and normalizes it for the rules and the store. */
import type { FastifyRequest } from 'fastify'
import { AppError, type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import { pathId } from '../../http/request/path-id.ts'
import { groupNameKey } from '../../lib/group-name.ts'
import { mixtureFault } from '../../lib/mixture-fault.ts'
import { PrecisError } from '../../lib/precis.ts'
import { trimEnds } from '../../lib/typed-name.ts'
import { hasLineBreak, unseenRefused } from '../../lib/unseen.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { CreateOrganization, UpdateOrganization } from './schema.ts'

/** The members that a change sets; one that is absent stays as it is. */
export type OrganizationInput = UpdateOrganization & { name_key?: string }

/** @throws AppError `validation_failed` with every fault found */
export function checkOrganizationInput(body: CreateOrganization | UpdateOrganization): OrganizationInput {
  const faults: InputFault[] = []
  const input: OrganizationInput = { ...body }
  if (input.name !== undefined) {
    input.name = trimEnds(input.name)
    try {
      input.name_key = groupNameKey(input.name)
      const fault = mixtureFault(input.name_key)?.replace('username', 'name')
      if (fault !== undefined) faults.push(memberFault('name', 'name_invalid', fault))
    } catch (error) {
      if (!(error instanceof PrecisError)) throw error
      faults.push(memberFault('name', 'name_invalid', error.message))
    }
  }
  const external = input.external_id ?? ''
  if (hasLineBreak(external) || !external.isWellFormed()) {
    faults.push(memberFault('external_id', 'control_character', unseenRefused))
  }
  if (faults.length > 0) throw validationFailed(faults)
  return input
}

/** The id in the path of a request, in lower case. @throws AppError `organization_not_found` */
export function organizationIdOf(request: Pick<FastifyRequest, 'params'>): string {
  const id = pathId(request, 'organization_id')
  if (!isUuid(id)) throw unknownOrganization()
  return id
}

export function unknownOrganization(): AppError {
  return new AppError('organization_not_found', 'There is no organization with this id.')
}
