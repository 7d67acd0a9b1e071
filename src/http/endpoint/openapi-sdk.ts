/** `openapi.sdk.json`: the same API for client generators, which make classes from tags and methods from operation ids. */
import { type OpenApiDocument, pathsOfClients } from './openapi.ts'
import { subjects } from './subjects.ts'

const description = `For client generators: operations carry tags and short ids. \`openapi.json\` describes the same operations with
the ids to which the docs page links.`

export function sdkDocument(full: OpenApiDocument): object {
  const { 'x-subjects': _, ...document } = full
  const paths = Object.entries(pathsOfClients(full)).map(([path, operations]) => {
    const renamed = Object.entries(operations).map(([method, { 'x-subject': subject, ...operation }]) => {
      const operationId = shortId(operation.operationId, path, method)
      return [method, { ...operation, operationId, tags: [subject] }] as const
    })
    return [path, Object.fromEntries(renamed)] as const
  })
  const { ProviderToken: _unused, ...securitySchemes } = document.components.securitySchemes
  return withTypedConstants({
    ...document,
    components: { ...document.components, securitySchemes },
    info: { ...document.info, description },
    tags: subjects.map(([name, , description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
  })
}

/** Generators for Java refuse a constant without a type, which JSON Schema allows. */
function withTypedConstants<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withTypedConstants) as T
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withTypedConstants(member)] as const)
  const isUntyped = 'const' in value && !('type' in value)
  return Object.fromEntries(isUntyped ? [['type', typeof value.const], ...members] : members) as T
}

/** `create_user_users_post` is `createUser`: the long id ends in path and method. */
function shortId(operationId: string, path: string, method: string): string {
  const name = operationId.slice(0, -`${path}_${method}`.length)
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
