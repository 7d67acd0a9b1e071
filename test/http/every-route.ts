/** Sends one request to every route there is, for rules about whole kinds of sessions. */
import type { TestContext } from 'node:test'
import type { Answer, Engine, Started } from '../harness.ts'
import { password } from '../people.ts'
import { accessTable, unknownId } from './access-table.ts'
import { startWatched } from './watched.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** These need no credential, and would begin or end what the test is about. */
const untouched = new Set(['POST /login', 'POST /logout', 'POST /exit', 'POST /sessions', 'DELETE /sessions/current'])

export type Route = { at: string; method: string; url: string; isPage: boolean }

/** The application, and every route of it that can be asked without beginning or ending the test's own sessions. */
export async function openEveryRoute(t: TestContext, engine: Engine, env: Record<string, string>) {
  const { app, registered } = await startWatched(t, engine, env)
  const operations = Object.entries(app.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      operationId,
    ]),
  )
  const idOf = new Map(operations as [string, string][])
  // Those at the root are the same as below the prefix.
  const own = registered.filter(({ url }) => url.startsWith('/auth'))
  const routes = own.flatMap(({ method, url }): Route[] => {
    const methods = [method].flat()
    // The proxies' question is asked with any method.
    return (methods.length > 10 ? ['GET', 'POST', 'DELETE'] : methods).map((one) => {
      const at = `${one} ${url.slice(5)}`
      return { at, method: one, url: url.slice(5), isPage: !idOf.has(at.replace(/^HEAD/, 'GET')) }
    })
  })
  const unique = [...new Map(routes.map((route) => [route.at, route])).values()]
  return { app, idOf, routes: unique.filter(({ at }) => !untouched.has(at)) }
}

export function requestRoute(
  app: Started,
  { at, method, url, isPage }: Route,
  cookie: string | undefined,
  id?: string,
) {
  const { body, type } = accessTable[id ?? ''] ?? {}
  const path = url.replaceAll(/:(\w+)|\*/g, unknownId)
  const isForm = isPage && method === 'POST' && !at.includes('/scim/') && !at.includes('/verify/')
  return app.call(method, path, {
    key: null,
    headers: {
      'sec-fetch-site': 'same-origin',
      ...(cookie !== undefined && { cookie }),
      ...(isForm ? form : type !== undefined && { 'content-type': type }),
    },
    ...(isForm
      ? { body: `new_password=another+long+password&current_password=${encodeURIComponent(password)}` }
      : { body }),
  })
}

export function codeOf({ text, headers }: Answer): string | undefined {
  if (headers['rollbook-code'] !== undefined) return String(headers['rollbook-code'])
  return String(headers['content-type']).includes('json') && text !== '' ? JSON.parse(text).code : undefined
}
