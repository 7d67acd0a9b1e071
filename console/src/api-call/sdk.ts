/** An operation as a TypeScript statement with `@rollbook/sdk/client`. */
import type { ApiCall } from '../api/call.ts'
import { literal } from './literal.ts'
import { operations } from './operations.ts'
import { givenQuery } from './request.ts'
import { type SdkMethod, sdkMethods } from './sdk-methods.ts'

/** The beginning of a program. */
export function sdkOpening(apiUrl: string, { isUser }: { isUser: boolean }): string {
  const variable = isUser ? 'ROLLBOOK_TOKEN' : 'ROLLBOOK_API_KEY'
  return [
    "import { RollbookClient } from '@rollbook/sdk/client'",
    '',
    'const client = new RollbookClient({',
    `  url: ${literal(apiUrl)},`,
    `  apiKey: process.env.${variable},`,
    '})',
  ].join('\n')
}

const pageMembers = ['limit', 'cursor', 'offset', 'count']

export function sdkOf(call: ApiCall): string {
  const { method, takes, options, kind } = methodFor(call)
  const texts = takes.map((value) => (value instanceof Code ? value.text : literal(value)))
  if (Object.keys(options).length > 0) texts.push(literal(options))
  // Empty arguments at the end are left out.
  while (texts.at(-1) === '{}') texts.pop()
  const expression = `client.${method}(${texts.join(', ')})`
  if (kind === 'rows') return `for await (const row of ${expression}) console.log(row)`
  if (kind === 'bytes')
    return `const { body } = await ${expression}\nfor await (const chunk of body) process.stdout.write(chunk)`
  return `console.log(await ${expression})`
}

/** A piece of code, written as it is. */
class Code {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Chosen = {
  method: string
  takes: readonly unknown[]
  options: Record<string, unknown>
  kind: 'one' | 'rows' | 'bytes'
}

function methodFor(call: ApiCall): Chosen {
  const { operation, path = {}, body, accept, file, ifMatch } = call
  const { dry_run, ...query } = givenQuery(call.query)
  const { takes: taken, isStream = false } = operations[operation]
  const { method, takes: names = taken, all }: SdkMethod = sdkMethods[operation]
  const options: Record<string, unknown> = {
    ...(dry_run === true && { dryRun: true }),
    ...(ifMatch !== undefined && { ifMatch }),
  }
  const takes = names.map((name) => {
    if (name === 'query') return query
    if (name === 'body') return body ?? {}
    if (name.startsWith('body.')) return (body as Record<string, unknown> | undefined)?.[name.slice(5)] ?? '…'
    return path[name] ?? name
  })
  switch (operation) {
    case 'POST /users/import': {
      const { name, contentType } = file ?? { name: 'users.csv', contentType: 'text/csv' }
      const blob = new Code(`await (await import('node:fs')).openAsBlob(${literal(name)})`)
      return { method, takes: [blob], options: { contentType, ...query, ...options }, kind: 'one' }
    }
    case 'POST /connections/{connection_id}/test': {
      const { claims, username } = (body ?? {}) as { claims?: unknown; username?: string }
      if (claims !== undefined) break
      const names = [path.connection_id ?? 'connection_id', ...(username === undefined ? [] : [username])]
      return { method: 'connections.lookUp', takes: names, options, kind: 'one' }
    }
    case 'PUT /groups/{group_id}/members/{user_id}':
      return { method, takes, options: { ...(body as object | undefined), ...options }, kind: 'one' }
    case 'POST /users/export':
      if (dry_run === true) return { method: 'users.planExport', takes, options: {}, kind: 'one' }
      return { method, takes, options, kind: 'bytes' }
    case 'DELETE /users/{user_id}':
    case 'POST /users/bulk':
      return { method, takes, options: { ...query, ...options }, kind: isStream ? 'rows' : 'one' }
    case 'GET /users':
      if (accept !== undefined && accept !== 'application/json')
        return { method: 'users.listRaw', takes, options: { accept }, kind: 'bytes' }
  }
  const isPage = pageMembers.some((member) => member in query)
  if (all !== undefined && !isPage) return { method: all, takes, options, kind: 'rows' }
  return { method, takes, options, kind: isStream ? 'rows' : 'one' }
}
