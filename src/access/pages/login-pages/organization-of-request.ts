/** To whose organization a page belongs on which nobody is signed in. Never asks for a user, so that no page tells who has an account. */
import type { FastifyRequest } from 'fastify'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { findOrganizationOfDomain } from '../../../directory/organizations/service.ts'
import { domainIn } from '../../../directory/users/service.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import type { Db } from '../../../store/db/db.ts'
import { findConnection } from '../../providers/connections/service.ts'

/** By the connection, by the verified domain of the address that was typed, or as the address of the page says. */
export async function organizationOfRequest(db: Db, request: FastifyRequest): Promise<string | undefined> {
  const connectionId = idIn(request, 'connection_id') ?? idIn(request, 'connection')
  if (connectionId !== undefined) {
    const connection = await findConnection(db, scopeOf(system), connectionId)
    return connection?.organization_id ?? undefined
  }
  const address = ['username', 'email', 'login_hint'].map((name) => textIn(request, name)).find(Boolean) ?? ''
  const domain = domainIn(address.trim())
  const owner = domain === undefined ? undefined : await findOrganizationOfDomain(db, domain)
  return owner ?? idIn(request, 'organization')
}

function idIn(request: FastifyRequest, name: string): string | undefined {
  const text = textIn(request, name)?.toLowerCase()
  return text !== undefined && isUuid(text) ? text : undefined
}

/** Of the form, the path or the query. None is validated, and a repeated parameter is an array. */
function textIn({ body, params, query }: FastifyRequest, name: string): string | undefined {
  for (const part of [body, params, query]) {
    const value = (part as Record<string, unknown> | null | undefined)?.[name]
    if (typeof value === 'string' && value.length <= 320) return value
  }
  return undefined
}
