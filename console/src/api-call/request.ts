/** The address of an operation. */
import type { ApiCall } from '../api/call.ts'

export function methodOf({ operation }: Pick<ApiCall, 'operation'>): string {
  return operation.slice(0, operation.indexOf(' '))
}

/** Undefined members are left out; lists are repeated. */
export function givenQuery(query: ApiCall['query'] = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
}

export function addressOf({ operation, path = {}, query }: ApiCall, apiUrl: string): string {
  const place = operation
    .slice(operation.indexOf(' ') + 1)
    // An unknown value is shown as its name.
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? name))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(givenQuery(query)))
    for (const one of [value].flat()) search.append(name, String(one))
  // A plus would stand for itself.
  return `${apiUrl}${place}${search.size > 0 ? `?${String(search).replaceAll('+', '%20')}` : ''}`
}
