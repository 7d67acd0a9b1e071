/** Handlers of the SCIM endpoints: turn a request into a change or a read, and its result into a response. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { personBehind } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import * as users from '../../directory/users/service.ts'
import { readRequest } from '../../http/response/send-stream.ts'
import { isUuid, uuidv7Maker } from '../../lib/uuidv7.ts'
import type { BulkOperation } from '../bulk/operation.ts'
import { planBulk } from '../bulk/plan.ts'
import { type Executed, runBulk } from '../bulk/run.ts'
import { qualifyFilter } from '../filter/qualify.ts'
import { scimLimits } from '../lists/limits.ts'
import { isServedByIndex } from '../lists/served-by-index.ts'
import { type ListRequest, readListQuery, readSearchRequest } from '../paging/list-request.ts'
import { crossing, toScimError } from '../protocol/crossing.ts'
import { ScimError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { readUser, type Versioned } from '../resources/users.ts'
import { versionIn } from '../resources/version.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { compileProjection } from '../schemas/project.ts'
import { type Asked, type Changed, createChanges, type Needs } from './change-requests.ts'
import { createDiscovery, type Discovery } from './discovery.ts'
import { scimPath } from './errors.ts'
import { isAboutKey, repeatsOf } from './repeats.ts'
import {
  groupIdOf,
  habitsOf,
  isDryRun,
  isUnchanged,
  projectionOf,
  unknownGroup,
  unknownUser,
  userIdOf,
} from './request.ts'
import { searchTurns } from './search-turns.ts'
import { type Handler, send } from './send.ts'

type Endpoint = '' | '/Users' | '/Groups'
type ListHandler = (endpoint: Endpoint, ...http: Parameters<Handler>) => Promise<FastifyReply>
type ResourceHandlers = Readonly<Record<'create' | 'get' | 'replace' | 'patch' | 'remove', Handler>>

export type Handlers = Discovery & {
  list: ListHandler
  search: ListHandler
  bulk: Handler
  '/Users': ResourceHandlers
  '/Groups': ResourceHandlers
  me: Omit<ResourceHandlers, 'create'>
}

export function createHandlers(needs: Needs): Handlers {
  const { storage, links } = needs
  const base = () => `${links.issuer()}${scimPath}`
  const inSearchTurn = searchTurns()
  const newId = uuidv7Maker()
  const repeats = repeatsOf(needs)
  const changes = createChanges(needs, { repeats, base })
  /** The cached number of users at this version: counting them takes longer than reading a page. */
  let known: { version: string; total: number } | undefined

  function askedOf(request: FastifyRequest): Asked {
    // Parse this before the change, so that an invalid parameter changes nothing.
    projectionOf(request)
    return { body: request.body, ifMatch: request.headers['if-match'], habits: habitsOf(request) }
  }

  function sendUser(reply: FastifyReply, status: number, { resource, version }: Versioned): FastifyReply {
    const project = compileProjection(userDefinition, projectionOf(reply.request))
    if (isDryRun(reply.request)) return send(reply.header('dry-run', 'true'), 200, JSON.stringify(project(resource)))
    reply.header('etag', version).header(status === 201 ? 'location' : 'content-location', locationOf(resource))
    return send(reply, status, JSON.stringify(project(resource)))
  }

  async function sendGroup(reply: FastifyReply, status: number, group_id: string): Promise<FastifyReply> {
    const { request } = reply
    const query = { group_id, base: base(), projection: projectionOf(request), scope: scopeOf(request.actor) }
    const { body, version } = await storage.query('scim.group', query, readRequest(reply))
    if (isUnchanged(request, version)) return reply.code(304).header('etag', version).send()
    const location = `${base()}/Groups/${group_id}`
    reply.header('etag', version).header(status === 201 ? 'location' : 'content-location', location)
    return send(reply, status, body)
  }

  /** After a dry run there is no changed group to read. */
  function sendChangedGroup(
    reply: FastifyReply,
    status: number,
    { id, resource }: Changed,
  ): Promise<FastifyReply> | FastifyReply {
    if (isDryRun(reply.request)) return sendNothing(reply)
    if (resource === undefined) return sendGroup(reply, status, id)
    const project = compileProjection(groupDefinition, projectionOf(reply.request))
    reply.header('etag', versionIn(resource))
    reply.header(status === 201 ? 'location' : 'content-location', locationOf(resource))
    return send(reply, status, JSON.stringify(project(resource)))
  }

  function sendNothing(reply: FastifyReply): FastifyReply {
    if (isDryRun(reply.request)) reply.header('dry-run', 'true')
    return reply.code(204).send()
  }

  async function sendList(endpoint: Endpoint, reply: FastifyReply, sent: ListRequest): Promise<FastifyReply> {
    const { request } = reply
    const list = habitsOf(request).flattenedKeys && endpoint === '/Users' ? withUrns(sent) : sent
    const scope = scopeOf(request.actor)
    const isAll = endpoint === '/Users' && list.filter === undefined && scope.kind === 'everyone'
    const version = isAll ? await storage.usersVersion() : ''
    const query = {
      endpoint,
      request: list,
      base: base(),
      booleansAsText: habitsOf(request).booleansAsText,
      now: request.now,
      scope,
      ...(isAll && known?.version === version && { known: known.total }),
    }
    const reader = readRequest(reply)
    const { body, total } = isServedByIndex(query)
      ? await storage.query('scim.find', query, reader)
      : await inSearchTurn({ ...reader, caller: request.actor.connection?.id ?? request.actor.id }, () =>
          storage.query('scim.search', query, reader),
        )
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
      const found = await readUser(
        storage.db,
        scopeOf(request.actor),
        await users.get(needs.contextOf(request), userIdOf(request)),
        base(),
      )
      if (isUnchanged(request, found.version)) return reply.code(304).header('etag', found.version).send()
      return sendUser(reply, 200, found)
    },
    replace: async (request, reply) =>
      sendUser(reply, 200, versioned(await changes.replaceUser(request, userIdOf(request), askedOf(request)))),
    patch: async (request, reply) =>
      sendUser(reply, 200, versioned(await changes.patchUser(request, userIdOf(request), askedOf(request)))),
    async remove(request, reply) {
      await changes.deleteUser(request, userIdOf(request), request.headers['if-match'])
      return sendNothing(reply)
    },
  }

  const group: ResourceHandlers = {
    create: repeatable(async (request, reply) => {
      // On a repeated request, the group may have changed since it was created.
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
      // A group may have 100,000 members, and the request may add only one.
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
    const change: Asked = { body: data, ifMatch, habits: habitsOf(request) }
    const isUser = endpoint === 'Users'
    try {
      if (!isUuid(id) && method !== 'POST') throw isUser ? unknownUser() : unknownGroup()
      if (method === 'DELETE') {
        await (isUser ? changes.deleteUser : changes.deleteGroup)(request, id.toLowerCase(), ifMatch)
        return { status: 204, id, location: `${base()}/${endpoint}/${id}` }
      }
      const changed =
        method === 'POST'
          ? await (isUser
              ? changes.createUser(request, change, newId)
              : changes.createGroup(request, change, newId === undefined ? {} : { promisedId: newId }))
          : method === 'PUT'
            ? await (isUser ? changes.replaceUser : changes.replaceGroup)(request, id.toLowerCase(), change)
            : await (isUser ? changes.patchUser : changes.patchGroup)(request, id.toLowerCase(), change)
      const status = method === 'POST' ? 201 : 200
      return { status, id: changed.id, location: `${base()}/${endpoint}/${changed.id}`, version: changed.version }
    } catch (error) {
      // An error that affects all operations, such as unavailable storage, ends the request.
      if (error instanceof AppError && error.status < 500 && !isAboutKey(error)) throw toScimError(error)
      throw error
    }
  }

  const handlers: Handlers = {
    ...createDiscovery(links),
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

/** Returns the calling user (RFC 7644 §3.11), also by a key of theirs. The API key of a program is not a user. */
function asOneself(handler: Handler): Handler {
  return (request, reply) => {
    const user = personBehind(request.actor)
    if (user === undefined) {
      throw new AppError('not_found', 'The credential is an API key, which is no user, so there is no /Me.')
    }
    request.params = { id: user.user_id }
    return handler(request, reply)
  }
}

/** Converts every refusal to an AppError. */
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

function locationOf({ meta }: JsonObject): string {
  return String((meta as JsonObject).location)
}
