import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../http/endpoint/override.ts'
import { text } from '../../http/endpoint/response-parts.ts'
import { expectedVersion, unlessKnown, withETag } from '../../http/request/conditional.ts'
import * as answers from './answers.ts'
import * as attributes from './attributes.ts'
import { checkTexts } from './input.ts'
import type { CreateAttribute, UpdateAttribute } from './schema.ts'
import { refreshSoon } from './search-texts.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links' | 'storage' | 'log'>

export function routes(app: FastifyInstance, needs: Needs): void {
  listAttributes(app, needs)
  createAttribute(app, needs)
  getAttribute(app, needs)
  updateAttribute(app, needs)
  deleteAttribute(app, needs)
}

function listAttributes(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_attributes',
      method: 'GET',
      path: '/attributes',
      access: 'attributes:read',
      scope: 'global',
      description: answers.listDescription,
      returns: 'Attribute[]',
      responses: { 200: 'All definitions.' },
    }),
    handler: (request) => attributes.list(contextOf(request)),
  })
}

function createAttribute(app: FastifyInstance, { makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'create_attribute',
      method: 'POST',
      path: '/attributes',
      access: 'attributes:write',
      scope: 'global',
      description: answers.createDescription,
      body: 'CreateAttribute',
      returns: 'Attribute',
      etag: 'definition',
      responses: {
        200: 'Dry run: the definition as it would be.',
        201: {
          description: 'The attribute was defined.',
          addedHeaders: { Location: text('The URL of the definition.') },
        },
      },
      problems: ['attribute_name_taken', 'attribute_violated', 'permission_denied', 'too_many_attributes'],
      example: answers.createExample,
    }),
    async handler(request, reply) {
      const body = request.body as CreateAttribute
      const { result, dryRun } = await makeChange(request, reply, 'attributes.create', {
        async input() {
          await checkTexts(body)
          return body
        },
      })
      if (dryRun) return result.attribute
      reply.code(201).header('location', links.to(`/attributes/${result.attribute.name}`))
      return withETag(reply, result.version, result.attribute)
    },
  })
}

function getAttribute(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_attribute',
      method: 'GET',
      path: '/attributes/{name}',
      access: 'attributes:read',
      scope: 'global',
      description: answers.getDescription,
      returns: 'Attribute',
      etag: 'definition',
      responses: { 200: 'The definition.', 304: 'The definition has not changed since this `If-None-Match`.' },
      problems: ['attribute_not_found'],
    }),
    async handler(request, reply) {
      const found = await attributes.get(contextOf(request), nameOf(request))
      return unlessKnown(reply, found.version, found.attribute)
    },
  })
}

function updateAttribute(app: FastifyInstance, { config, makeChange, storage, log }: Needs): void {
  app.route({
    ...operation({
      name: 'update_attribute',
      method: 'PATCH',
      path: '/attributes/{name}',
      access: 'attributes:write',
      scope: 'global',
      description: answers.updateDescription,
      query: overrideQuery,
      body: 'UpdateAttribute',
      returns: 'Attribute',
      etag: 'definition',
      responses: { 200: 'The definition after the change, or as it would be after it.' },
      problems: ['attribute_not_found', 'attribute_violated', 'permission_denied', 'managed_elsewhere'],
      example: { label: 'Department', searchable: true },
    }),
    async handler(request, reply) {
      const body = request.body as UpdateAttribute
      const { result, dryRun } = await makeChange(request, reply, 'attributes.update', {
        async input() {
          await checkTexts(body)
          const expected = expectedVersion(request, config)
          return { name: nameOf(request), expected, input: body, override: overrides(request) }
        },
      })
      if (dryRun) return result.attribute
      await refreshSoon({ storage, log }, request.now)
      return withETag(reply, result.version, result.attribute)
    },
  })
}

function deleteAttribute(app: FastifyInstance, { config, makeChange, storage, log }: Needs): void {
  app.route({
    ...operation({
      name: 'delete_attribute',
      method: 'DELETE',
      path: '/attributes/{name}',
      access: 'attributes:write',
      scope: 'global',
      description: answers.deleteDescription,
      query: overrideQuery,
      returns: 'ConfirmationOfAttributeDeletion',
      etag: 'definition',
      responses: { 200: 'The definition and its values were deleted, or would be.' },
      problems: ['attribute_not_found', 'managed_elsewhere'],
    }),
    async handler(request, reply) {
      const name = nameOf(request)
      const { result, dryRun } = await makeChange(request, reply, 'attributes.delete', {
        input: () => ({ name, expected: expectedVersion(request, config), override: overrides(request) }),
      })
      if (!dryRun) await refreshSoon({ storage, log }, request.now)
      return { name, deleted: !dryRun, values_removed: result.values_removed }
    },
  })
}

/** No name has another form, and PostgreSQL refuses a NUL. */
function nameOf({ params }: FastifyRequest): string {
  const { name } = params as { name: string }
  return /^[a-z][a-z0-9_]*$/.test(name) ? name : ''
}
