/** The OpenAPI document with `attributes` as they are defined now. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttributeCache, Definition, Definitions } from '../directory/attributes/service.ts'
import type { OpenApiDocument } from '../http/endpoint/openapi.ts'
import { wholeDocument } from '../http/response/whole-document.ts'

type Json = Record<string, unknown>

/** Returns the current document. It is rewritten, with a new entity tag, only when a definition has changed. */
export function attributeDocument(
  attributes: Pick<AttributeCache, 'current'>,
  write: (described: (document: OpenApiDocument) => OpenApiDocument) => string,
) {
  const type = 'application/json; charset=utf-8'
  let known: { tag: string; document: ReturnType<typeof wholeDocument> } | undefined
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { definitions, tag } = await attributes.current()
    if (known?.tag !== tag) {
      known = { tag, document: wholeDocument(type, () => write((document) => withAttributes(document, definitions))) }
    }
    return known.document(request, reply)
  }
}

const listed: readonly [path: string, method: string][] = [
  ['/users', 'get'],
  ['/groups/{group_id}/members', 'get'],
  ['/users/export', 'post'],
]

/** Returns the document with a member for each attribute, and a filter parameter for each list. */
function withAttributes(document: OpenApiDocument, definitions: Definitions): OpenApiDocument {
  if (definitions.size === 0) return document
  const described = structuredClone(document)
  for (const schema of Object.values(described.components.schemas)) {
    const { attributes } = (schema.properties ?? {}) as { attributes?: Json }
    const { type } = (attributes?.additionalProperties ?? {}) as { type?: readonly string[] }
    if (attributes !== undefined && type !== undefined) describe(attributes, definitions, type.includes('null'))
  }
  for (const [path, method] of listed) {
    const operation = described.paths[path]?.[method] as { parameters?: Json[] } | undefined
    operation?.parameters?.push(...[...definitions.values()].map(parameterOf))
  }
  return described
}

/** In an update every member may be null, which removes the value. */
function describe(attributes: Json, definitions: Definitions, isChange: boolean): void {
  const all = [...definitions.values()]
  const required = isChange ? [] : all.filter((one) => one.required).map(({ name }) => name)
  attributes.additionalProperties = false
  attributes.properties = Object.fromEntries(all.map((one) => [one.name, valueSchema(one, isChange)]))
  if (required.length > 0) attributes.required = required
  delete attributes.examples
}

function parameterOf(definition: Definition): Json {
  const schema = definition.type === 'string[]' ? { type: 'string' } : valueSchema(definition, false)
  return { name: `attributes.${definition.name}`, in: 'query', description: `Only users with this value.`, schema }
}

const formats: Partial<Record<Definition['type'], string>> = {
  date: 'date',
  datetime: 'date-time',
  url: 'uri',
  email: 'email',
}

function valueSchema(definition: Definition, isNullable: boolean): Json {
  const { type, label, options, minimum, maximum } = definition
  const of = (name: string) => (isNullable ? [name, 'null'] : name)
  const common = { title: label }
  if (type === 'boolean') return { ...common, type: of('boolean') }
  if (type === 'number') {
    return {
      ...common,
      type: of('number'),
      ...(minimum !== null && { minimum }),
      ...(maximum !== null && { maximum }),
    }
  }
  if (type === 'string[]') return { ...common, type: of('array'), items: { type: 'string', ...textLimits(definition) } }
  if (type === 'enum')
    return { ...common, type: of('string'), enum: [...(options ?? []), ...(isNullable ? [null] : [])] }
  const format = formats[type]
  return { ...common, type: of('string'), ...(format !== undefined && { format }), ...textLimits(definition) }
}

function textLimits({ pattern, max_length }: Definition): Json {
  return { ...(pattern !== null && { pattern }), ...(max_length !== null && { maxLength: max_length }) }
}
