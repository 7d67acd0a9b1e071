/** The requests of the parts of a page, which the one button in its heading shows. */
import { createContext } from 'react'
import type { ApiCall } from './call.ts'

/** Adds the requests of a part of the page, in place of its earlier ones; `undefined` removes them. */
export type AddCalls = (part: string, calls: readonly ApiCall[] | undefined) => void

/** Undefined in the heading and in dialogs, which show their own button. */
export const PageCalls = createContext<AddCalls | undefined>(undefined)

/** Several parts of a page that change one thing are one request, with the members of all. */
export function joinCalls(calls: readonly ApiCall[]): ApiCall[] {
  return calls.reduce<ApiCall[]>((joined, call) => {
    const same = joined.findIndex((one) => changesSame(one, call))
    const found = joined[same]
    if (found === undefined) return joined.concat(call)
    const query = found.query || call.query ? { query: { ...found.query, ...call.query } } : {}
    return joined.with(same, { ...found, ...call, ...query, body: Object.assign({}, found.body, call.body) })
  }, [])
}

function changesSame(one: ApiCall, other: ApiCall): boolean {
  const isSame = one.operation === other.operation && JSON.stringify(one.path) === JSON.stringify(other.path)
  return isSame && isObject(one.body) && isObject(other.body)
}

function isObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
}

/** For a part of the page that is not visible. */
export const hidden: AddCalls = () => {}
