/** What the endpoints of SCIM do: from a request to a change or a read, and from its result to a response. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { eraseSoon } from '../../directory/deleted-users/eraser.ts'
import type { Hasher } from '../../directory/passwords/hash.ts'
import { type Names, passwordHashFor } from '../../directory/users/password.ts'
import * as users from '../../directory/users/service.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { isMatch, isNotModified } from '../../http/request/conditional.ts'
import { readRequest } from '../../http/response/send-stream.ts'
import { isUuid, uuidv7Maker } from '../../lib/uuidv7.ts'
import type { CommandInput, CommandName, CommandResult } from '../../store/storage/registry.ts'
import type { BulkOperation } from '../bulk/operation.ts'
import { planBulk } from '../bulk/plan.ts'
import { type Executed, runBulk } from '../bulk/run.ts'
import type { Filter } from '../filter/ast.ts'
import { qualifyFilter } from '../filter/qualify.ts'
import { scimLimits } from '../lists/limits.ts'
import { userFromScim } from '../mapping/user.ts'
import { type ListRequest, readListQuery, readProjection, readSearchRequest } from '../paging/list-request.ts'
import { listResponse } from '../paging/list-response.ts'
import { acceptResource } from '../patch/apply.ts'
import { readOperations } from '../patch/operations.ts'
import { crossing, toScimError } from '../protocol/crossing.ts'
import { ScimError } from '../protocol/errors.ts'
import { type JsonObject, membersByLowerCase } from '../protocol/json.ts'
import { type Habits, type ProfileName, profiles } from '../protocol/profiles.ts'
import { readUser, type Versioned } from '../resources/users.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { resourceTypeDocuments, schemaDocuments, serviceProviderConfigDocument } from '../schemas/documents.ts'
import { compileProjection, type ProjectionRequest } from '../schemas/project.ts'
import { scimPath } from './errors.ts'
import { mediaType } from './media-type.ts'
import { passwordIn } from './password.ts'
import { isAboutKey, repeatsOf } from './repeats.ts'

export type Needs = Pick<
  HttpLayer,
  'config' | 'storage' | 'log' | 'contextOf' | 'originOf' | 'recheck' | 'links' | 'idempotency'
> & { hasher: Hasher }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
type Endpoint = '' | '/Users' | '/Groups'
type ListHandler = (endpoint: Endpoint, ...http: Parameters<Handler>) => Promise<FastifyReply>
type ResourceHandlers = Readonly<Record<'create' | 'get' | 'replace' | 'patch' | 'remove', Handler>>

export type Handlers = {
  serviceProviderConfig: Handler
  resourceTypes: Handler
  resourceType: Handler
  schemas: Handler
  schema: Handler
  list: ListHandler
  search: ListHandler
  bulk: Handler
  '/Users': ResourceHandlers
  '/Groups': ResourceHandlers
  me: Omit<ResourceHandlers, 'create'>
}

/** One change that a request or an operation of a bulk request asks for. */
type Asked = { readonly body: unknown; readonly ifMatch: string | undefined; readonly habits: Habits }

type CreatedGroup = {
  promisedId?: string
  /** The address of the endpoint, if the whole group is to come along. */
  base?: string
}

/** What a change of one resource led to. A group is read again for its response, unless it comes along as users do. */
type Changed = { readonly id: string; readonly version: string; readonly resource?: JsonObject }

export function createHandlers(needs: Needs): Handlers {
  const { config, storage, links } = needs
  const base = () => `${links.issuer()}${scimPath}`
  const definitions = [userDefinition, groupDefinition]
  const newId = uuidv7Maker()
  const repeats = repeatsOf(needs)
  const profileOf = ({ actor }: FastifyRequest): ProfileName => (actor.connection?.profile ?? 'strict') as ProfileName
  const habitsOf = (request: FastifyRequest): Habits => profiles[profileOf(request)]
  /** How many users there were at this version of all users: counting them takes longer than reading a page. */
  let known: { version: string; total: number } | undefined

  async function change<Name extends CommandName>(
    request: FastifyRequest,
    name: Name,
    makeInput: () => CommandInput<Name> | Promise<CommandInput<Name>>,
  ): Promise<CommandResult<Name>> {
    return repeats.change(request, async (keep) => {
      const input = await makeInput()
      // A password can wait long for its hash: the caller may have lost the permission meanwhile.
      await needs.recheck(request)
      const { actor, now, id: requestId } = request
      const dryRun = isDryRun(request)
      const origin = needs.originOf(request)
      return storage.change(name, input, { actor, now, requestId, origin, dryRun, ...(keep && { keep }) })
    })
  }

  async function hashed(
    request: FastifyRequest,
    password: string | undefined,
    words: Names,
  ): Promise<{ password_hash?: string }> {
    if (password === undefined) return {}
    const body = { ...words, password }
    const { productName } = config
    return passwordHashFor(needs.hasher, { body, known: {}, productName, dryRun: isDryRun(request) })
  }

  const changes = {
    async createUser(request: FastifyRequest, { body, habits }: Asked, promisedId?: string): Promise<Changed> {
      const { resource, ignored } = acceptResource(body, userDefinition, habits)
      const { members } = userFromScim(resource)
      return change(request, 'scim.create_user', async () => ({
        ...(await hashed(request, members.password, members)),
        resource,
        ignored,
        base: base(),
        ...(promisedId !== undefined && { promisedId }),
      }))
    },
    async replaceUser(request: FastifyRequest, user_id: string, { body, habits, ifMatch }: Asked): Promise<Changed> {
      const { resource, ignored } = acceptResource(body, userDefinition, habits)
      const { members } = userFromScim(resource)
      return change(request, 'scim.replace_user', async () => {
        const password = await hashed(request, members.password, members)
        return { ...password, user_id, resource, ignored, ifMatch, base: base() }
      })
    },
    async patchUser(request: FastifyRequest, user_id: string, { body, habits, ifMatch }: Asked): Promise<Changed> {
      const operations = readOperations(body, habits)
      const password = passwordIn(operations)
      return change(request, 'scim.patch_user', async () => {
        const words = password === undefined ? {} : await namesOf(request, user_id)
        const hash = await hashed(request, password, words)
        return { ...hash, user_id, operations, profile: profileOf(request), ifMatch, base: base() }
      })
    },
    async deleteUser(request: FastifyRequest, user_id: string, ifMatch: string | undefined): Promise<void> {
      const graceDays = config.deletionGraceDays
      const { restorable_until } = await change(request, 'scim.delete_user', () => ({ user_id, ifMatch, graceDays }))
      if (restorable_until === null && !isDryRun(request)) await eraseSoon(needs, user_id, request.now)
    },
    async createGroup(request: FastifyRequest, { body, habits }: Asked, how: CreatedGroup = {}): Promise<Changed> {
      const accepted = acceptResource(body, groupDefinition, habits)
      return change(request, 'scim.create_group', () => ({ ...accepted, ...how }))
    },
    async replaceGroup(request: FastifyRequest, group_id: string, { body, habits, ifMatch }: Asked): Promise<Changed> {
      const accepted = acceptResource(body, groupDefinition, habits)
      return change(request, 'scim.replace_group', () => ({ ...accepted, group_id, ifMatch }))
    },
    async patchGroup(request: FastifyRequest, group_id: string, { body, habits, ifMatch }: Asked): Promise<Changed> {
      const operations = readOperations(body, habits)
      const profile = profileOf(request)
      return change(request, 'scim.patch_group', () => ({ group_id, operations, profile, ifMatch }))
    },
    async deleteGroup(request: FastifyRequest, group_id: string, ifMatch: string | undefined): Promise<void> {
      await change(request, 'scim.delete_group', () => ({ group_id, ifMatch }))
    },
  }

  /** What a new password must not be made of. */
  async function namesOf(request: FastifyRequest, user_id: string): Promise<Names> {
    const { username, email, first_name, last_name } = JSON.parse(
      (await users.get(needs.contextOf(request), user_id)).document,
    )
    return { username, email, first_name, last_name }
  }

  function askedOf(request: FastifyRequest): Asked {
    // Its faults must be found before the change, not after it.
    projectionOf(request)
    return { body: request.body, ifMatch: request.headers['if-match'], habits: habitsOf(request) }
  }

  function send(reply: FastifyReply, status: number, body: string | Uint8Array): FastifyReply {
    return reply.code(status).type(mediaType(reply.request)).send(body)
  }

  function sendUser(reply: FastifyReply, status: number, { resource, version }: Versioned): FastifyReply {
    const project = compileProjection(userDefinition, projectionOf(reply.request))
    if (isDryRun(reply.request)) return send(reply.header('dry-run', 'true'), 200, JSON.stringify(project(resource)))
    reply.header('etag', version).header(status === 201 ? 'location' : 'content-location', locationOf(resource))
    return send(reply, status, JSON.stringify(project(resource)))
  }

  async function sendGroup(reply: FastifyReply, status: number, group_id: string): Promise<FastifyReply> {
    const { request } = reply
    const asked = { group_id, base: base(), projection: projectionOf(request) }
    const { body, version } = await storage.query('scim.group', asked, readRequest(reply))
    if (isUnchanged(request, version)) return reply.code(304).header('etag', version).send()
    const location = `${base()}/Groups/${group_id}`
    reply.header('etag', version).header(status === 201 ? 'location' : 'content-location', location)
    return send(reply, status, body)
  }

  /** After a dry run there is no changed group to read. */
  function sendChangedGroup(
    reply: FastifyReply,
    status: number,
    { id, version, resource }: Changed,
  ): Promise<FastifyReply> | FastifyReply {
    if (isDryRun(reply.request)) return sendNothing(reply)
    if (resource === undefined) return sendGroup(reply, status, id)
    const project = compileProjection(groupDefinition, projectionOf(reply.request))
    reply.header('etag', version).header(status === 201 ? 'location' : 'content-location', locationOf(resource))
    return send(reply, status, JSON.stringify(project(resource)))
  }

  function sendNothing(reply: FastifyReply): FastifyReply {
    if (isDryRun(reply.request)) reply.header('dry-run', 'true')
    return reply.code(204).send()
  }

  async function sendList(endpoint: Endpoint, reply: FastifyReply, sent: ListRequest): Promise<FastifyReply> {
    const { request } = reply
    const list = habitsOf(request).flattenedKeys && endpoint === '/Users' ? withUrns(sent) : sent
    const isAll = endpoint === '/Users' && list.filter === undefined
    const version = isAll ? await storage.usersVersion() : ''
    const asked = {
      endpoint,
      request: list,
      base: base(),
      booleansAsText: habitsOf(request).booleansAsText,
      now: request.now,
      ...(isAll && known?.version === version && { known: known.total }),
    }
    const query = isServedByIndex(list) ? 'scim.find' : 'scim.search'
    const { body, total } = await storage.query(query, asked, readRequest(reply))
    if (isAll) known = { version, total }
    return send(reply, 200, body)
  }

  function repeatable(handler: Handler): Handler {
    return (request, reply) =>
      isDryRun(request) ? handler(request, reply) : repeats.handle(request, reply, () => handler(request, reply))
  }

  const user: ResourceHandlers = {
    create: repeatable(async (request, reply) =>
      sendUser(reply, 201, versioned(await changes.createUser(request, askedOf(request)))),
    ),
    async get(request, reply) {
      const found = await readUser(storage.db, await users.get(needs.contextOf(request), idOf(request)), base())
      if (isUnchanged(request, found.version)) return reply.code(304).header('etag', found.version).send()
      return sendUser(reply, 200, found)
    },
    replace: async (request, reply) =>
      sendUser(reply, 200, versioned(await changes.replaceUser(request, idOf(request), askedOf(request)))),
    patch: async (request, reply) =>
      sendUser(reply, 200, versioned(await changes.patchUser(request, idOf(request), askedOf(request)))),
    async remove(request, reply) {
      await changes.deleteUser(request, idOf(request), request.headers['if-match'])
      return sendNothing(reply)
    },
  }

  const group: ResourceHandlers = {
    create: repeatable(async (request, reply) => {
      // The group may have changed when its creation is repeated.
      const how = repeats.isKept(request) ? { base: base() } : {}
      return sendChangedGroup(reply, 201, await changes.createGroup(request, askedOf(request), how))
    }),
    get: (request, reply) => sendGroup(reply, 200, groupIdOf(request)),
    replace: async (request, reply) =>
      sendChangedGroup(reply, 200, await changes.replaceGroup(request, groupIdOf(request), askedOf(request))),
    async patch(request, reply) {
      const changed = await changes.patchGroup(request, groupIdOf(request), askedOf(request))
      const { attributes = [], excludedAttributes = [] } = projectionOf(request)
      if (attributes.length + excludedAttributes.length > 0) return sendChangedGroup(reply, 200, changed)
      // A group may have 100,000 members, and one of them came.
      return sendNothing(isDryRun(request) ? reply : reply.header('etag', changed.version))
    },
    async remove(request, reply) {
      await changes.deleteGroup(request, groupIdOf(request), request.headers['if-match'])
      return sendNothing(reply)
    },
  }

  /** Executes one operation of a bulk request. @throws ScimError */
  async function execute(request: FastifyRequest, operation: BulkOperation, newId?: string): Promise<Executed> {
    const { method, endpoint, id = '', data, version: ifMatch } = operation
    const asked: Asked = { body: data, ifMatch, habits: habitsOf(request) }
    const isUser = endpoint === 'Users'
    try {
      if (!isUuid(id) && method !== 'POST') throw isUser ? unknownUser() : unknownGroup()
      if (method === 'DELETE') {
        await (isUser ? changes.deleteUser : changes.deleteGroup)(request, id.toLowerCase(), ifMatch)
        return { status: 204, id, location: `${base()}/${endpoint}/${id}` }
      }
      const made =
        method === 'POST'
          ? await (isUser
              ? changes.createUser(request, asked, newId)
              : changes.createGroup(request, asked, newId === undefined ? {} : { promisedId: newId }))
          : method === 'PUT'
            ? await (isUser ? changes.replaceUser : changes.replaceGroup)(request, id.toLowerCase(), asked)
            : await (isUser ? changes.patchUser : changes.patchGroup)(request, id.toLowerCase(), asked)
      const status = method === 'POST' ? 201 : 200
      return { status, id: made.id, location: `${base()}/${endpoint}/${made.id}`, version: made.version }
    } catch (error) {
      // What concerns all operations, such as a storage that is gone, ends the request.
      if (error instanceof AppError && error.status < 500 && !isAboutKey(error)) throw toScimError(error)
      throw error
    }
  }

  async function sendDocuments(reply: FastifyReply, documents: readonly JsonObject[]): Promise<FastifyReply> {
    refuseFilter(reply.request)
    const place = { totalResults: documents.length, startIndex: 1 }
    return send(reply, 200, JSON.stringify(listResponse(documents, place)))
  }

  function sendDocument(reply: FastifyReply, documents: readonly JsonObject[]): FastifyReply {
    refuseFilter(reply.request)
    const wanted = idOfPath(reply.request).toLowerCase()
    const found = documents.find(({ id, name }) => String(id ?? name).toLowerCase() === wanted)
    if (found === undefined) throw new AppError('not_found', 'There is no such document.')
    return send(reply, 200, JSON.stringify(found))
  }

  const documentationUri = () => `${links.issuer()}/docs#scim`

  const handlers: Handlers = {
    async serviceProviderConfig(request, reply) {
      refuseFilter(request)
      const limits = { ...scimLimits, documentationUri: documentationUri() }
      return send(reply, 200, JSON.stringify(serviceProviderConfigDocument(limits, base())))
    },
    resourceTypes: (_request, reply) => sendDocuments(reply, resourceTypeDocuments(definitions, base())),
    resourceType: async (_request, reply) => sendDocument(reply, resourceTypeDocuments(definitions, base())),
    schemas: (_request, reply) => sendDocuments(reply, schemaDocuments(definitions, base())),
    schema: async (_request, reply) => sendDocument(reply, schemaDocuments(definitions, base())),
    list: (endpoint, request, reply) =>
      sendList(endpoint, reply, readListQuery(request.query as JsonObject, scimLimits, habitsOf(request))),
    search: (endpoint, request, reply) =>
      sendList(endpoint, reply, readSearchRequest(request.body, scimLimits, habitsOf(request))),
    bulk: repeatable(async (request, reply) => {
      if (isDryRun(request)) {
        throw new ScimError(
          'invalidValue',
          'A bulk request has no dry run. Send its operations one by one with dry_run.',
        )
      }
      const plan = planBulk(request.body, scimLimits.maxOperations, habitsOf(request))
      const response = await runBulk(plan, {
        execute: (operation, newId) => execute(request, operation, newId),
        newId: () => newId(request.now),
        locationOf: (endpoint, id) => `${base()}/${endpoint}/${id}`,
      })
      return send(reply, 200, JSON.stringify(response))
    }),
    '/Users': user,
    '/Groups': group,
    me: {
      get: asOneself(user.get),
      replace: asOneself(user.replace),
      patch: asOneself(user.patch),
      remove: asOneself(user.remove),
    },
  }
  return crossingAll(handlers)
}

/** The user who asks (RFC 7644 §3.11). An API key is no user. */
function asOneself(handler: Handler): Handler {
  return (request, reply) => {
    const user = request.actor.signedIn
    if (user === undefined) {
      throw new AppError('not_found', 'The credential is an API key, which is no user, so there is no /Me.')
    }
    request.params = { id: user.user_id }
    return handler(request, reply)
  }
}

/** From here on every refusal is an AppError. */
function crossingAll(handlers: Handlers): Handlers {
  const wrap = (value: unknown): unknown => {
    if (typeof value === 'function') return (...args: unknown[]) => crossing(async () => value(...args))
    return Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, wrap(one)]))
  }
  return wrap(handlers) as Handlers
}

function withUrns(list: ListRequest): ListRequest {
  return { ...list, filter: list.filter && qualifyFilter(list.filter, userDefinition) }
}

function versioned({ resource, version }: Changed): Versioned {
  return { resource: resource as JsonObject, version }
}

/** `?dry_run=true`, as for every change of the API. */
function isDryRun({ method, query }: FastifyRequest): boolean {
  const value = method === 'GET' ? undefined : membersByLowerCase(query as JsonObject).get('dry_run')
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  throw new ScimError('invalidValue', 'dry_run must be true or false.')
}

/** RFC 7644 §4: a filter of discovery documents is refused, because a client would believe the result. */
function refuseFilter({ query }: FastifyRequest): void {
  if (membersByLowerCase(query as JsonObject).has('filter'))
    throw new ScimError(403, 'These documents cannot be filtered.')
}

function projectionOf({ query }: FastifyRequest): ProjectionRequest {
  return readProjection(membersByLowerCase(query as JsonObject))
}

function locationOf({ meta }: JsonObject): string {
  return String((meta as JsonObject).location)
}

/** @throws AppError `precondition_failed` if the client wants another version */
function isUnchanged(request: FastifyRequest, version: string): boolean {
  if (request.method === 'GET' && !isMatch(request.headers['if-match'], version)) {
    throw new AppError('precondition_failed', 'If-Match names another version than the current one.')
  }
  return request.method === 'GET' && isNotModified(request.headers['if-none-match'], version)
}

function idOfPath({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}

function idOf(request: FastifyRequest): string {
  const id = idOfPath(request).toLowerCase()
  if (!isUuid(id)) throw unknownUser()
  return id
}

function groupIdOf(request: FastifyRequest): string {
  const id = idOfPath(request).toLowerCase()
  if (!isUuid(id)) throw unknownGroup()
  return id
}

function unknownUser(): AppError {
  return new AppError('user_not_found', 'There is no user with this id.')
}

function unknownGroup(): AppError {
  return new AppError('group_not_found', 'There is no group with this id.')
}

const served = new Set(['id', 'username', 'externalid', 'emails.value', 'active', 'displayname', 'meta.created'])

/** Whether an index finds what the list has, so that it never waits behind one that looks at each user. */
function isServedByIndex({ filter, sortBy }: ListRequest): boolean {
  const isOrdered = sortBy === undefined || ['username', 'created'].includes((sortBy.sub ?? sortBy.name).toLowerCase())
  return isOrdered && (filter === undefined || isOneOfServed(filter))
}

function isOneOfServed(filter: Filter): boolean {
  if (filter.kind === 'and') return filter.filters.some(isOneOfServed)
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.path.urn !== undefined) return false
  const { name, sub } = filter.path
  return served.has(`${name}${sub === undefined ? '' : `.${sub}`}`.toLowerCase())
}
