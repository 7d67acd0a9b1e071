/** To whose organization a page belongs on which nobody is signed in. Never asks for a user who has proven nothing, so that no page tells who has an account. */
import type { FastifyRequest } from 'fastify'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { findOrganizationOfDomain } from '../../../directory/organizations/service.ts'
import { domainIn, findById } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import type { Db } from '../../../store/db/db.ts'
import { browserHash, findProvenUser } from '../../credentials/challenges/service.ts'
import { findConnection } from '../../providers/connections/service.ts'

type Needs = Pick<HttpLayer, 'storage' | 'cookies'>

/** Of the user who has taken the first step of a sign-in in this browser; null: they have none. Undefined: there is no such user. */
export async function organizationOfSignIn(
  { storage: { db }, cookies }: Needs,
  request: FastifyRequest,
  userId?: string,
): Promise<string | null | undefined> {
  const [challenge_id, browser] = [idIn(request, 'challenge_id'), cookies.challenge.read(request)]
  const isSecondStep = challenge_id !== undefined && browser !== undefined
  const proven = isSecondStep
    ? await findProvenUser(db, { challenge_id, browser_hash: browserHash(browser) })
    : undefined
  const who = userId ?? proven
  const user = who === undefined ? undefined : await findById(db, scopeOf(system), who)
  return user?.organization_id
}

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
