/** Describes a schema for readers: the type in words, and an example value. */
import type { MediaType, Schema } from './document.ts'

export type Schemas = Readonly<Record<string, Schema>>

/** Deeper than any schema of the document; ends recursion. */
const maximalDepth = 8

export function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return (name !== undefined && schemas[name]) || schema
}

/** For example `string or null`, `array of uuid`. */
export function typeOf(declared: Schema, schemas: Schemas): string {
  const schema = resolve(declared, schemas)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return [...new Set(alternatives.map((one) => typeOf(one, schemas)))].join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const types = [schema.type ?? (schema.properties ? 'object' : 'any')].flat()
  return types
    .map((type) =>
      type === 'array' && schema.items
        ? `array of ${typeOf(schema.items, schemas)}`
        : type === 'string' && schema.format
          ? schema.format
          : type,
    )
    .join(' or ')
}

/** The limits of a value, in words: `1 to 128 characters`, `at most 20 entries`. */
export function limitsOf(schema: Schema): string[] {
  const range = (low: number | undefined, high: number | undefined, unit: string) =>
    low !== undefined && low > 0 && high !== undefined
      ? [`${low} to ${high}${unit}`]
      : high !== undefined
        ? [`at most ${high}${unit}`]
        : low !== undefined && low > 0
          ? [`at least ${low}${unit}`]
          : []
  const values = schema.enum ?? schema.items?.enum
  return [
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minimum, schema.maximum, ''),
    ...range(undefined, schema.maxItems, ' entries'),
    ...(values === undefined ? [] : [`one of ${values.map((value) => JSON.stringify(value)).join(', ')}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ]
}

/** The example of the document, or one made from the schema. */
export function exampleOf({ example, schema }: MediaType, schemas: Schemas): unknown {
  return example ?? (schema && sampleOf(schema, schemas, 0))
}

function sampleOf(declared: Schema, schemas: Schemas, depth: number): unknown {
  const schema = resolve(declared, schemas)
  const first = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0]
  if (first !== undefined || depth > maximalDepth) return first
  const [alternative] = schema.anyOf ?? schema.oneOf ?? []
  if (alternative !== undefined) return sampleOf(alternative, schemas, depth + 1)
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((part) => sampleOf(part, schemas, depth + 1)))
  }
  switch ([schema.type ?? (schema.properties ? 'object' : undefined)].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, member]) => [name, sampleOf(member, schemas, depth + 1)]),
      )
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(schema.items, schemas, depth + 1)]
    case 'string':
      return samples[schema.format ?? ''] ?? 'text'
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return true
    default:
      return null
  }
}

const samples: Record<string, string> = {
  uuid: '01981c5e-7a3b-7c41-9d52-6e1f0a2b3c4d',
  'date-time': '2026-11-20T08:15:00.000Z',
  date: '2026-11-20',
  email: 'ada@example.com',
  uri: 'https://example.com/',
}
