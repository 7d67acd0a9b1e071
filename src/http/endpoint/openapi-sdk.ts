/** `openapi.sdk.json`: the same API for client generators, which make classes from tags and methods from operation ids. */
import type { OpenApiDocument } from './openapi.ts'

/** The first match counts. */
const groups: readonly [tag: string, paths: RegExp, description: string][] = [
  ['Sessions', /\/sessions/, 'Sign in and out, list and end sessions.'],
  ['Audit', /\/audit/, 'Who changed what, when and from where.'],
  ['Imports', /^\/(?:users\/import|imports)/, 'Import users from files, and follow the imports.'],
  ['Users', /^\/(?:users|deleted-users)/, 'Create, list, change, delete and restore users.'],
  ['Me', /^\/me/, 'The signed-in user.'],
  ['Roles', /^\/roles/, 'Roles and their permissions.'],
  ['Keys', /^\/keys/, 'API keys.'],
  [
    'Tokens',
    /^\/(?:token|introspect|revoke|signing-keys|\.well-known)\b/,
    'Access tokens and the keys that sign them.',
  ],
  ['Changes', /^\/(?:events|revocations)/, 'Follow changes of users and the end of credentials.'],
  ['Webhooks', /^\/webhooks/, 'Webhook endpoints and their deliveries.'],
  ['Setup', /^\/setup/, 'Create the first administrator.'],
  ['Operation', /^\/(?:health|metrics|deployment|statistics)/, 'Health, metrics and statistics.'],
]

const description = `For client generators: operations carry tags and short ids. \`openapi.json\` describes the same operations with
the ids to which the docs page links.`

/**
 * Returns the document for client generators.
 *
 * @throws Error if a path belongs to no group
 */
export function sdkDocument(document: OpenApiDocument): OpenApiDocument & { tags: object[] } {
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const [tag] = groupOf(path)
    const renamed = Object.entries(operations).map(([method, operation]) => {
      const operationId = shortId(operation.operationId, path, method)
      return [method, { ...operation, operationId, tags: [tag] }] as const
    })
    return [path, Object.fromEntries(renamed)] as const
  })
  return {
    ...document,
    info: { ...document.info, description },
    tags: groups.map(([name, , description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
  }
}

function groupOf(path: string) {
  const group = groups.find(([, paths]) => paths.test(path))
  if (group === undefined) throw new Error(`${path} belongs to no group of operations. Add it in openapi-sdk.ts.`)
  return group
}

/** `create_user_users_post` is `createUser`: the long id ends in path and method. */
function shortId(operationId: string, path: string, method: string): string {
  const name = operationId.slice(0, -`${path}_${method}`.length)
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
