/** Builds a request from the input for an operation. */
import { xlsxMediaType } from '../../../src/lib/xlsx-reader.ts'
import type { ApiCall, OperationName } from '../api/call.ts'
import { operations } from '../api-call/operations.ts'
import type { Operation, Parameter } from './document.ts'
import { exampleOf, resolve, type Schemas } from './schema.ts'

export type Form = {
  /** By parameter, see `keyOf`. Lists have a line per value. */
  values: Readonly<Record<string, string>>
  contentType: string
  body: string
  /** Sent as the body instead of the text. */
  file: File | undefined
  /** The wanted media type of the response. */
  accept: string
}

export function keyOf(parameter: Pick<Parameter, 'in' | 'name'>): string {
  return `${parameter.in}.${parameter.name}`
}

export function emptyForm(operation: Operation, schemas: Schemas): Form {
  const values = Object.fromEntries(
    (operation.parameters ?? []).map((parameter) => [keyOf(parameter), textOf(parameter.example)]),
  )
  const contentType = Object.keys(operation.requestBody?.content ?? {})[0] ?? ''
  const accept = acceptable(operation)[0] ?? 'application/json'
  return { values, contentType, body: bodyExample(operation, contentType, schemas), file: undefined, accept }
}

const textOf = (value: unknown) => (value === undefined ? '' : String(value))

/** The media types of the successful responses. */
export function acceptable({ responses }: Operation): string[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [...new Set(successes.flatMap(([, { content = {} }]) => Object.keys(content)))]
}

export function bodyExample({ requestBody }: Operation, contentType: string, schemas: Schemas): string {
  const media = requestBody?.content[contentType]
  if (media === undefined) return ''
  const example = exampleOf(media, schemas)
  if (typeof example === 'string') return example
  if (contentType === 'application/x-www-form-urlencoded')
    return String(new URLSearchParams(example as Record<string, string>))
  return JSON.stringify(example, null, 2)
}

export type Credential = { header: 'X-API-Key' | 'Authorization'; value: string }

/** A key in the header of keys, anything that looks like a JWT as a bearer token. */
export function credentialFrom(text: string): Credential | undefined {
  const secret = text.trim().replace(/^bearer\s+/i, '')
  if (secret === '') return undefined
  const isToken = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(secret)
  return isToken ? { header: 'Authorization', value: `Bearer ${secret}` } : { header: 'X-API-Key', value: secret }
}

/** The names of the required parameters that have no value. */
export function missingIn({ parameters = [] }: Operation, { values }: Form): string[] {
  return parameters.filter((one) => one.required === true && !values[keyOf(one)]).map(({ name }) => name)
}

export function requestOf(
  operation: Operation,
  form: Form,
  credential: Credential | undefined,
  api: string,
): { url: string; init: RequestInit } {
  const headers = new Headers()
  const query = new URLSearchParams()
  let path = operation.path
  for (const parameter of operation.parameters ?? []) {
    const value = form.values[keyOf(parameter)] ?? ''
    if (value === '') continue
    if (parameter.in === 'path') path = path.replaceAll(`{${parameter.name}}`, encodeURIComponent(value))
    else if (parameter.in === 'header') headers.set(parameter.name, value)
    else for (const line of isList(parameter) ? linesOf(value) : [value]) query.append(parameter.name, line)
  }
  const sent = credential !== undefined && accepts(operation, credential) ? credential : undefined
  if (sent !== undefined) headers.set(sent.header, sent.value)
  if (form.accept !== 'application/json') headers.set('Accept', form.accept)
  const body = form.file ?? form.body
  const hasBody = operation.requestBody !== undefined && body !== ''
  if (hasBody) headers.set('Content-Type', form.contentType)
  return {
    // A plus would stand for itself.
    url: `${api}${path}${query.size > 0 ? `?${String(query).replaceAll('+', '%20')}` : ''}`,
    init: {
      method: operation.method,
      headers,
      ...(hasBody && { body }),
      // The cookie of a signed-in browser beside a key would be a second credential, and two are refused.
      credentials: sent === undefined ? 'same-origin' : 'omit',
    },
  }
}

/** Operations for signed-in users take no key: the cookie may belong to one. */
function accepts({ security }: Operation, { header }: Credential): boolean {
  const schemes = header === 'X-API-Key' ? ['ApiKey'] : ['Bearer', 'ProviderToken']
  return security.some((one) => schemes.some((scheme) => Object.hasOwn(one, scheme)))
}

export function isList({ schema = {} }: Parameter): boolean {
  return [schema.type].flat().includes('array')
}

const linesOf = (value: string) => value.split('\n').filter((line) => line !== '')

/** The same as the generators of examples take it; undefined for an operation they do not know. */
export function callOf(operation: Operation, form: Form, schemas: Schemas): ApiCall | undefined {
  const name = `${operation.method} ${operation.path}`
  if (!isKnown(name)) return undefined
  const valuesIn = (place: Parameter['in']) =>
    (operation.parameters ?? []).filter((one) => one.in === place && form.values[keyOf(one)])
  const textFor = (parameter: Parameter) => form.values[keyOf(parameter)] ?? ''
  const isFile =
    operation.requestBody !== undefined && !/json|urlencoded/.test(form.contentType.replace('x-ndjson', ''))
  const ifMatch = form.values['header.If-Match']
  return {
    operation: name,
    path: Object.fromEntries(valuesIn('path').map((one) => [one.name, textFor(one)])),
    query: Object.fromEntries(valuesIn('query').map((one) => [one.name, typedValue(one, textFor(one), schemas)])),
    ...(form.accept !== 'application/json' && form.accept !== acceptable(operation)[0] && { accept: form.accept }),
    ...(ifMatch && { ifMatch }),
    ...(isFile
      ? { file: { name: form.file?.name ?? fileName(form.contentType), contentType: form.contentType } }
      : operation.requestBody !== undefined && form.body !== '' && { body: bodyOf(operation, form, schemas) }),
  }
}

const isKnown = (name: string): name is OperationName => Object.hasOwn(operations, name)

const fileEndings: Record<string, string> = { 'text/csv': 'csv', [xlsxMediaType]: 'xlsx' }
const fileName = (contentType: string) => `users.${fileEndings[contentType] ?? 'ndjson'}`

/** The input if it is JSON, otherwise the example. */
function bodyOf(operation: Operation, { body, contentType }: Form, schemas: Schemas): unknown {
  if (contentType === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(body))
  try {
    return JSON.parse(body)
  } catch {
    return JSON.parse(bodyExample(operation, contentType, schemas))
  }
}

function typedValue(parameter: Parameter, text: string, schemas: Schemas): unknown {
  const { type } = resolve(parameter.schema ?? {}, schemas)
  if (isList(parameter)) return linesOf(text)
  if (type === 'boolean') return text === 'true'
  return (type === 'integer' || type === 'number') && /^\d+$/.test(text) ? Number(text) : text
}
