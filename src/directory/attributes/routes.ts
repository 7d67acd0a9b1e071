import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { bodyProblems, conditionProblems, readConditionProblems } from '../../http/endpoint/problem-lists.ts'
import { etagOf, expectedVersion, isNotModified } from '../../http/request/conditional.ts'
import * as answers from './answers.ts'
import { checkTexts } from './input.ts'
import type { CreateAttribute, UpdateAttribute } from './schema.ts'
import * as attributes from './service.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links'>

export function attributeRoutes(app: FastifyInstance, needs: Needs): void {
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
      description: answers.listDescription,
      answers: answers.listed,
      schema: { response: { 200: { type: 'array', items: { $ref: 'Attribute#' } } } },
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
      description: answers.createDescription,
      answers: answers.created,
      problems: [
        ...bodyProblems,
        'attribute_name_taken',
        'attribute_violated',
        'permission_denied',
        'too_many_attributes',
      ],
      example: answers.createExample,
      schema: {
        querystring: writeQuery,
        body: { $ref: 'CreateAttribute#' },
        response: { '2xx': { $ref: 'Attribute#' } },
      },
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
      return withETag(reply, result)
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
      description: answers.getDescription,
      answers: answers.found,
      problems: [...readConditionProblems, 'attribute_not_found'],
      schema: { response: { 200: { $ref: 'Attribute#' } } },
    }),
    async handler(request, reply) {
      const found = await attributes.get(contextOf(request), nameOf(request))
      const tagged = withETag(reply, found)
      return isNotModified(request, etagOf(found.version)) ? reply.code(304).send() : tagged
    },
  })
}

function updateAttribute(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'update_attribute',
      method: 'PATCH',
      path: '/attributes/{name}',
      access: 'attributes:write',
      description: answers.updateDescription,
      answers: answers.updated,
      problems: [
        ...bodyProblems,
        ...conditionProblems,
        'attribute_not_found',
        'attribute_violated',
        'permission_denied',
      ],
      example: { label: 'Department', searchable: true },
      schema: {
        querystring: writeQuery,
        body: { $ref: 'UpdateAttribute#' },
        response: { 200: { $ref: 'Attribute#' } },
      },
    }),
    async handler(request, reply) {
      const body = request.body as UpdateAttribute
      const { result, dryRun } = await makeChange(request, reply, 'attributes.update', {
        async input() {
          await checkTexts(body)
          const expected = expectedVersion(request, config)
          return { name: nameOf(request), expected, input: body }
        },
      })
      return dryRun ? result.attribute : withETag(reply, result)
    },
  })
}

function deleteAttribute(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'delete_attribute',
      method: 'DELETE',
      path: '/attributes/{name}',
      access: 'attributes:write',
      description: answers.deleteDescription,
      answers: answers.deleted,
      problems: [...conditionProblems, 'attribute_not_found', 'validation_failed'],
      schema: { querystring: writeQuery, response: { 200: { $ref: 'ConfirmationOfAttributeDeletion#' } } },
    }),
    async handler(request, reply) {
      const name = nameOf(request)
      const { result, dryRun } = await makeChange(request, reply, 'attributes.delete', {
        input: () => ({ name, expected: expectedVersion(request, config) }),
      })
      return { name, deleted: !dryRun, values_removed: result.values_removed }
    },
  })
}

/** No name has another form, and PostgreSQL refuses a NUL. */
function nameOf({ params }: FastifyRequest): string {
  const { name } = params as { name: string }
  return /^[a-z][a-z0-9_]*$/.test(name) ? name : ''
}

function withETag(
  reply: FastifyReply,
  { attribute, version }: attributes.Versioned,
): attributes.Versioned['attribute'] {
  reply.header('etag', etagOf(version))
  return attribute
}
