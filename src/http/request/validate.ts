import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifySchemaCompiler } from 'fastify'
import { isInstant } from '../../lib/instant.ts'

type Compile = (schema: object) => ValidateFunction
type Compilers = { forBody: Compile; forQuery: Compile }

const makers: (() => unknown)[] = []

/** Compiles every schema that was registered so far. For a test: no mistake may wait for its first request. */
export function compileAllInputs(): number {
  for (const make of makers) make()
  return makers.length
}

/** Each schema is compiled once per process: the tests start hundreds of applications. */
const known = new WeakMap<readonly object[], Compilers>()

/**
 * Validates input against the schemas of the routes, which the docs also show. Query strings contain only text, so
 * numbers and booleans are read from it; in a body a string stays a string. `schemas` are constants.
 */
export function inputCompiler(schemas: readonly object[]): FastifySchemaCompiler<unknown> {
  const { forBody, forQuery } = known.get(schemas) ?? createCompilers(schemas)
  return ({ schema, httpPart }) => (httpPart === 'body' ? forBody : forQuery)(schema as object)
}

function createCompilers(schemas: readonly object[]): Compilers {
  let cached: Ajv2020 | undefined
  const ajv = () => (cached ??= createAjv(schemas))
  const compilers = { forBody: compileOnce(ajv), forQuery: compileOnce(ajv, readTexts) }
  known.set(schemas, compilers)
  return compilers
}

function createAjv(schemas: readonly object[]): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: false,
    removeAdditional: false,
    coerceTypes: false,
    strict: true,
    // For messages: the schema a value was checked against, and its property names.
    verbose: true,
    allowUnionTypes: true,
    // Tests validate our schemas, as part of the document; doing it at each start would take a tenth of the start.
    meta: false,
    validateSchema: false,
  })
  ajv.addFormat('date-time', isInstant)
  ajv.addFormat('uuid', true)
  ajv.addVocabulary(['example'])
  ajv.addSchema(schemas as object[])
  return ajv
}

/**
 * Compiles each schema with the first request that needs it: compiling all took an eighth of the start, and most services
 * use few. Fastify gives each application its own schema objects, so they are identified by their text. `prepare` may
 * change the data before they are validated.
 */
function compileOnce(ajv: () => Ajv2020, prepare?: (schema: object, data: unknown) => void): Compile {
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known !== undefined) return known
    let cached: ValidateFunction | undefined
    const make = () => (cached ??= ajv().compile(schema))
    const lazy = ((data: unknown) => {
      const validate = make()
      prepare?.(schema, data)
      const isValid = validate(data)
      lazy.errors = validate.errors ?? null
      return isValid
    }) as ValidateFunction
    makers.push(make)
    compiled.set(text, lazy)
    return lazy
  }
}

type Parameter = { type?: string; anyOf?: readonly { type?: string }[] }

/** Reads each parameter as its schema says. A text of another form remains, to be refused. */
function readTexts(schema: object, query: unknown): void {
  const { properties = {} } = schema as { properties?: Record<string, Parameter> }
  const values = query as Record<string, unknown>
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string' || !Object.hasOwn(properties, name)) continue
    const { type, anyOf = [] } = properties[name] as Parameter
    const types = [type, ...anyOf.map((one) => one.type)]
    if (types.includes('array')) values[name] = [value]
    // Not `1e2`, `0x10` or ` 5`, which Number accepts.
    if (types.includes('integer') && /^(?:\d+|-[1-9]\d*)$/.test(value)) values[name] = Number(value)
    if (types.includes('boolean') && (value === 'true' || value === 'false')) values[name] = value === 'true'
  }
}

export { isInstant } from '../../lib/instant.ts'
