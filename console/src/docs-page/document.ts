/** The OpenAPI document as the page uses it. */

/** JSON Schema (2020-12), as far as the document uses it. */
export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  example?: unknown
  examples?: readonly unknown[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}
export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  schema?: Schema
  example?: unknown
}
export type MediaType = { schema?: Schema; example?: unknown }
export type Content = Readonly<Record<string, MediaType>>
export type ApiResponse = {
  description: string
  headers?: Readonly<Record<string, { description?: string; schema?: Schema }>>
  content?: Content
}
type Described = {
  operationId: string
  summary: string
  description?: string
  /** By scheme, alternatives; empty if the operation takes no credential. */
  security: readonly Readonly<Record<string, unknown>>[]
  parameters?: readonly Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Readonly<Record<string, ApiResponse>>
  'x-subject'?: string
}
export type Operation = Described & {
  /** Upper case. */
  method: string
  /** Without the prefix: `/users/{user_id}`. */
  path: string
}
export type ApiDocument = {
  info: { title: string; version: string; description?: string; license?: { name: string } }
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    responses?: Readonly<Record<string, ApiResponse>>
  }
  'x-subjects'?: Readonly<Record<string, string>>
}
export type Subject = { name: string; description: string | undefined; operations: Operation[] }

/** @throws Error with a sentence for people if there is no document */
export async function loadDocument(url: string): Promise<ApiDocument> {
  const response = await fetch(url).catch(() => undefined)
  if (response === undefined) throw new Error(`The server did not respond to a request for ${url}.`)
  if (!response.ok) throw new Error(`The server responded with status ${response.status} to a request for ${url}.`)
  return withFreshName((await response.json()) as ApiDocument)
}

/** Makes the name in the example of "Create a user" unique, so that the example can be sent unchanged. */
function withFreshName(document: ApiDocument): ApiDocument {
  const example = document.paths['/users']?.post?.requestBody?.content['application/json']?.example
  const name = (example as { username?: unknown } | undefined)?.username
  if (typeof name !== 'string') return document
  const suffix = Array.from(crypto.getRandomValues(new Uint8Array(3)), (byte) => byte.toString(16).padStart(2, '0'))
  return JSON.parse(JSON.stringify(document).replaceAll(name, `${name}.${suffix.join('')}`))
}

/** The operations in the document's order, grouped by subject. */
export function subjectsOf(document: ApiDocument): Subject[] {
  const subjects = new Map<string, Subject>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const name = described['x-subject'] ?? 'Other'
      const subject = subjects.get(name) ?? { name, description: document['x-subjects']?.[name], operations: [] }
      const responses = resolved(described.responses, document)
      subject.operations.push({ ...described, responses, method: method.toUpperCase(), path })
      subjects.set(name, subject)
    }
  }
  return [...subjects.values()]
}

/** The responses, with those that several operations share put in. */
function resolved(responses: Described['responses'], { components }: ApiDocument): Described['responses'] {
  const entries = Object.entries(responses).map(([status, response]) => {
    const name = (response as { $ref?: string }).$ref?.replace('#/components/responses/', '')
    return [status, (name !== undefined && components.responses?.[name]) || response] as const
  })
  return Object.fromEntries(entries)
}

/** `operations` are those that match, the best first. `hidden` are the others, which keep what was entered in them. */
export type Found = Subject & { hidden: Operation[] }

/**
 * Filters operations. Those whose summary has the words come alone and first. Only if there are none, those whose method, path
 * and summary have them together, and then those whose description does. Subjects with the best match come first.
 */
export function filtered(subjects: readonly Subject[], filter: string): Found[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return subjects.map((subject) => ({ ...subject, hidden: [] }))
  const ranks = new Map(subjects.flatMap(({ operations }) => operations.map((one) => [one, rankOf(one, words)])))
  const rank = (operation: Operation | undefined) => (operation && ranks.get(operation)) ?? Number.POSITIVE_INFINITY
  const best = Math.min(...ranks.values())
  const limit = [bySummary, byPath, byDescription].find((level) => best <= level) ?? -1
  return subjects
    .map((subject) => ({
      ...subject,
      operations: subject.operations.filter((one) => rank(one) <= limit).sort((a, b) => rank(a) - rank(b)),
      hidden: subject.operations.filter((one) => rank(one) > limit),
    }))
    .sort((a, b) => Math.sign(rank(a.operations[0]) - rank(b.operations[0])) || 0)
}

const [bySummary, byPath, byDescription] = [2, 3, 1000]

/** Smaller is better; infinite if some word occurs nowhere. */
function rankOf({ method, path, summary, description = '' }: Operation, words: readonly string[]): number {
  const title = summary.toLowerCase()
  const phrase = words.join(' ')
  if (title === phrase) return 0
  if (title.startsWith(phrase)) return 1
  const inTitle = words.filter((word) => beginsWord(title, word)).length
  if (inTitle === words.length) return bySummary
  const line = `${method} ${path} ${title}`.toLowerCase()
  if (words.every((word) => beginsWord(line, word))) return byPath
  const text = `${line} ${description.toLowerCase()}`
  return words.every((word) => text.includes(word)) ? byDescription - inTitle : Number.POSITIVE_INFINITY
}

/** Words in a path begin after a slash, a brace or an underscore. A path as a whole also matches: `/users/{user_id}`. */
function beginsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] as string) || !/^[\p{L}\p{N}]/u.test(word)) return true
  }
  return false
}
