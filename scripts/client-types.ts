/**
 * Writes `src/sdk/client/types.ts` from the OpenAPI document, so that the client and the service cannot mean different things.
 * A writer of our own: it knows the JSON Schema that our documents have, and throws where it meets something else.
 */
import type { OpenApiDocument } from '../src/http/endpoint/openapi.ts'
import { openApiDocument } from './openapi-document.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}
type Content = Record<string, { schema?: Schema }>
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Content; required?: boolean }
  responses: Record<string, { content?: Content }>
}

export async function clientTypes(): Promise<string> {
  const { document } = await openApiDocument()
  return writeClientTypes(document)
}

export function writeClientTypes({ paths, components }: OpenApiDocument): string {
  const { Problem, ...schemas } = components.schemas as Record<string, Schema>
  const codes = Problem?.properties?.code?.enum
  if (codes === undefined) throw new Error('The document has no list of problem codes.')
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      writeOperation(`${method.toUpperCase()} ${path}`, operation as unknown as Operation),
    ),
  )
  return `// Made from the OpenAPI document by \`npm run generate\`; change the schemas of the service instead.

${comment('The codes of all problems that the service answers; docs/problems.md explains each.')}export type ProblemCode = ${codes.map((code) => JSON.stringify(code)).join(' | ')}

${Object.entries(schemas)
  .map(([name, schema]) => `${comment(schema.description)}export type ${name} = ${writeType(schema)}\n`)
  .join('\n')}
${comment('Every operation of the service: what goes into its path, its query and its body, and what it answers.')}export type Operations = {
${operations.join('\n')}
}
`
}

function writeOperation(name: string, { operationId, parameters = [], requestBody, responses }: Operation): string {
  const inPlace = (place: string) => {
    const found = parameters.filter((parameter) => parameter.in === place)
    if (found.length === 0) return 'Nothing'
    const required = found.filter((parameter) => parameter.required).map((parameter) => parameter.name)
    return writeType({
      type: 'object',
      required,
      properties: Object.fromEntries(
        found.map(({ name, schema, description }) => [
          name,
          { ...eachOrAll(schema), ...(description && { description }) },
        ]),
      ),
    })
  }
  const answers = Object.entries(responses)
    .filter(([status, { content }]) => Number(status) < 300 && content !== undefined)
    .map(([, { content }]) => writeType(mainContent(content as Content)))
  const bodyType = requestBody && writeType(mainContent(requestBody.content))
  const body = bodyType === undefined ? 'undefined' : requestBody?.required ? bodyType : `${bodyType} | undefined`
  return `/** \`${operationId}\` */
${JSON.stringify(name)}: {
  path: ${inPlace('path').replace('Nothing', 'Record<never, never>')}
  query: ${inPlace('query').replace('Nothing', 'Record<never, never>')}
  body: ${body}
  answer: ${[...new Set(answers)].join(' | ')}
}`
}

/** A parameter that can be repeated can also be there once. */
function eachOrAll(schema: Schema): Schema {
  return schema.type === 'array' && schema.items ? { anyOf: [schema.items, schema] } : schema
}

/** What comes in JSON, or else as text: NDJSON, CSV and streams of events are read line by line. */
function mainContent(content: Content): Schema {
  const json = Object.keys(content).find((type) => /^application\/(?:[\w.-]+\+)?json$/.test(type))
  return (json === undefined ? undefined : content[json]?.schema) ?? { type: 'string' }
}

function writeType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^(?:#\/components\/schemas\/)?(\w+)#?$/, '$1')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return union(choices.map(writeType))
  if (schema.allOf) return schema.allOf.map((part) => `(${writeType(part)})`).join(' & ')
  return union([schema.type ?? 'any'].flat().map((type) => writePlain(type, schema)))
}

function writePlain(type: string, schema: Schema): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `(${writeType(schema.items ?? {})})[]`
    case 'object':
      return writeObject(schema)
    case 'any':
      return 'unknown'
  }
  throw new Error(`A schema has the type ${type}, which this writer does not know.`)
}

function writeObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    const type = writeType(schema)
    return `${comment(schema.description)}${key}${required.includes(name) ? `: ${type}` : `?: ${union([type, 'undefined'])}`}`
  })
  if (members.length > 0) return `{\n${members.join('\n')}\n}`
  if (typeof additionalProperties === 'object') return `Record<string, ${writeType(additionalProperties)}>`
  return additionalProperties === false ? 'Record<never, never>' : 'Record<string, unknown>'
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function comment(text: string | undefined): string {
  if (text === undefined) return ''
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n')
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}
