import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'

// RFC 3339 §5.6: a date, a time and an offset. Leap seconds are not supported.
const instantForm =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Whether a text is an instant in the form of RFC 3339 §5.6. */
export function isInstant(text: string): boolean {
  if (!instantForm.test(text)) return false
  // Date turns 30 February into March, but that day does not exist.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(Date.parse(text)) && day.toISOString().startsWith(text.slice(0, 10))
}

type Compile = (schema: object) => ValidateFunction
type Compilers = { forBody: Compile; forQuery: Compile }

/** Each schema is compiled once per process: the tests start hundreds of applications. */
const known = new WeakMap<readonly object[], Compilers>()

/**
 * Validates input against the schemas of the routes, which the docs also show. Query strings contain only text, so
 * numbers and booleans are parsed from it; in a body a string stays a string. `schemas` are constants.
 */
export function useValidation(app: FastifyInstance, schemas: readonly object[]): void {
  const { forBody, forQuery } = known.get(schemas) ?? createCompilers(schemas)
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? forBody : forQuery)(schema as object))
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
  const forBody = new Ajv2020({ ...options, coerceTypes: false })
  // With strict numbers it accepts `limit=Infinity` as an integer and ignores the maximum.
  const forQuery = new Ajv2020({ ...options, coerceTypes: 'array', strictNumbers: false })
  for (const ajv of [forBody, forQuery]) {
    ajv.addFormat('date-time', isInstant)
    ajv.addFormat('uuid', true)
    ajv.addVocabulary(['example'])
    ajv.addSchema(schemas as object[])
  }
  const compilers = { forBody: compileOnce(forBody), forQuery: compileOnce(forQuery) }
  known.set(schemas, compilers)
  return compilers
}

/** Fastify gives each application its own schema objects, so they are identified by their text. */
function compileOnce(ajv: Ajv2020): Compile {
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.compile(schema)
    compiled.set(text, validate)
    return validate
  }
}
