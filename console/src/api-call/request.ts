/** What an operation asks for, as an address. */
import type { ApiCall } from './call.ts'

export function methodOf({ operation }: Pick<ApiCall, 'operation'>): string {
  return operation.slice(0, operation.indexOf(' '))
}

/** What is undefined is left out; a list is repeated. */
export function givenQuery(query: ApiCall['query'] = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
}

export function addressOf({ operation, path = {}, query }: ApiCall, apiUrl: string): string {
  const place = operation
    .slice(operation.indexOf(' ') + 1)
    // One that is not known yet stands as its name.
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? name))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(givenQuery(query)))
    for (const one of [value].flat()) search.append(name, String(one))
  return `${apiUrl}${place}${search.size > 0 ? `?${search}` : ''}`
}
