import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

type Serialize = (data: unknown) => string

const makers: (() => unknown)[] = []

/** Compiles every schema that was registered so far, like `compileAllInputs`. */
export function compileAllOutputs(): number {
  for (const make of makers) make()
  return makers.length
}

/** Once per process, like the input schemas in validate.ts. */
const known = new WeakMap<readonly object[], Map<string, Serialize>>()

/**
 * Serializes responses by the schemas of the routes: properties that a schema does not list are not sent. Most operations
 * share most of their responses, so each schema is compiled once, with the named schemas it refers to, for the first response
 * that needs it. `schemas` are constants.
 */
export function outputCompiler(schemas: readonly { $id: string }[]): FastifySerializerCompiler<unknown> {
  const named = new Map(schemas.map((schema) => [schema.$id, schema]))
  const compiled = known.get(schemas) ?? new Map<string, Serialize>()
  known.set(schemas, compiled)
  return ({ schema }) => {
    const text = JSON.stringify(schema)
    let serialize = compiled.get(text)
    if (serialize === undefined) {
      let cached: Serialize | undefined
      const make = () =>
        (cached ??= fastJsonStringify(schema as Schema, { schema: mentioned(text, named) }) as Serialize)
      serialize = (data) => make()(data)
      makers.push(make)
      compiled.set(text, serialize)
    }
    return serialize
  }
}

/** The named schemas that this schema refers to, directly or indirectly. */
function mentioned(text: string, named: ReadonlyMap<string, object>): Record<string, Schema> {
  const found: Record<string, Schema> = {}
  const texts = [text]
  for (let next = texts.pop(); next !== undefined; next = texts.pop()) {
    for (const [, id = ''] of next.matchAll(/"\$ref":"([^"#]+)#?/g)) {
      const schema = named.get(id)
      if (schema === undefined || id in found) continue
      found[id] = schema as Schema
      texts.push(JSON.stringify(schema))
    }
  }
  return found
}
