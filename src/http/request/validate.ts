import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
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
 * numbers and booleans are parsed from it; in a body a string stays a string. `schemas` are constants.
 */
export function inputCompiler(schemas: readonly object[]): FastifySchemaCompiler<unknown> {
  const { forBody, forQuery } = known.get(schemas) ?? createCompilers(schemas)
  return ({ schema, httpPart }) => (httpPart === 'body' ? forBody : forQuery)(schema as object)
}

function createCompilers(schemas: readonly object[]): Compilers {
  const options = {
    allErrors: true,
    useDefaults: false,
    removeAdditional: false,
    strict: true,
    // For messages: the schema a value was checked against, and its property names.
    verbose: true,
    allowUnionTypes: true,
    // Tests validate our schemas, as part of the document; doing it at each start would take a tenth of the start.
    meta: false,
    validateSchema: false,
  }
  const create = (more: Options) => {
    const ajv = new Ajv2020({ ...options, ...more })
    ajv.addFormat('date-time', isInstant)
    ajv.addFormat('uuid', true)
    ajv.addVocabulary(['example'])
    ajv.addSchema(schemas as object[])
    return ajv
  }
  const compilers = {
    forBody: compileOnce(() => create({ coerceTypes: false })),
    // With strict numbers it accepts `limit=Infinity` as an integer and ignores the maximum.
    forQuery: compileOnce(() => create({ coerceTypes: 'array', strictNumbers: false })),
  }
  known.set(schemas, compilers)
  return compilers
}

/**
 * Compiles each schema with the first request that needs it: compiling all took an eighth of the start, and most services
 * use few. Fastify gives each application its own schema objects, so they are identified by their text.
 */
function compileOnce(create: () => Ajv2020): Compile {
  let ajv: Ajv2020 | undefined
  const compile: Compile = (schema) => {
    ajv ??= create()
    return ajv.compile(schema)
  }
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known !== undefined) return known
    let made: ValidateFunction | undefined
    const make = () => (made ??= compile(schema))
    const lazy = ((data: unknown) => {
      const validate = make()
      const isValid = validate(data)
      lazy.errors = validate.errors ?? null
      return isValid
    }) as ValidateFunction
    makers.push(make)
    compiled.set(text, lazy)
    return lazy
  }
}

export { isInstant } from '../../lib/instant.ts'
