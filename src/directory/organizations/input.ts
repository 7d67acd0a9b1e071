/** Validates a caller's input about an organization and normalizes it for the rules and the store. */
import type { FastifyRequest } from 'fastify'
import { AppError, type InputFault, validationFailed } from '../../core/errors.ts'
import { pathId } from '../../http/request/path-id.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { checkExternalId, checkName } from '../named-resources/service.ts'
import type { CreateOrganization, UpdateOrganization } from './schema.ts'

/** The members that a change sets; one that is absent stays as it is. */
export type OrganizationInput = UpdateOrganization & { name_key?: string }

/** @throws AppError `validation_failed` with every fault found */
export function checkOrganizationInput(body: CreateOrganization | UpdateOrganization): OrganizationInput {
  const faults: InputFault[] = []
  const input: OrganizationInput = { ...body, ...checkName(body.name, faults) }
  checkExternalId(input.external_id, faults)
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
