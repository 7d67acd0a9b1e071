/** The requests of the parts of a page, which the one button in its heading shows. */
import { createContext } from 'react'
import type { ApiCall } from './call.ts'

/** Adds the requests of a part of the page, in place of its earlier ones; `undefined` removes them. */
export type AddCalls = (part: string, calls: readonly ApiCall[] | undefined) => void

/** Undefined in the heading and in dialogs, which show their own button. */
export const PageCalls = createContext<AddCalls | undefined>(undefined)

/** For a part of the page that is not visible. */
export const hidden: AddCalls = () => {}
