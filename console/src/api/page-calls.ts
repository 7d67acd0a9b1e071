/** The requests of the parts of a page, which the one button in its heading shows. */
import { createContext } from 'react'
import type { ApiCall } from './call.ts'

/** Adds the requests of a part of the page, in place of its earlier ones; `undefined` removes them. */
export type AddCalls = (part: string, calls: readonly ApiCall[] | undefined) => void

/** Undefined in the heading and in dialogs, which show their own button. */
export const PageCalls = createContext<AddCalls | undefined>(undefined)

/** Several parts of a page that change one thing are one request, with the members of all. */
export function joinCalls(calls: readonly ApiCall[]): ApiCall[] {
  const joined = new Map<string, ApiCall>()
  for (const call of calls) {
    const id = JSON.stringify([call.operation, call.path])
    const found = joined.get(id)
    const isChange = found !== undefined && isObject(found.body) && isObject(call.body)
    if (found === undefined || !isChange) joined.set(found === undefined ? id : `${id} ${joined.size}`, call)
    else {
      const query = found.query || call.query ? { query: { ...found.query, ...call.query } } : {}
      joined.set(id, { ...found, ...call, ...query, body: { ...found.body, ...call.body } })
    }
  }
  return [...joined.values()]
}

function isObject(body: unknown): body is object {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
}

/** For a part of the page that is not visible. */
export const hidden: AddCalls = () => {}
