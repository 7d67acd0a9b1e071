import type { ProblemCode } from './types.ts'

/** One fault of the input. `pointer` names the member (`#/username`) or the parameter (`?limit`). */
export type InputFault = { pointer: string; code: string; detail: string }

/** A problem document as the service answers it (RFC 9457). */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: ProblemCode
  errors?: InputFault[]
}

/**
 * The service refused a request. `code` says why, and never changes its meaning; a later release of the service may have
 * codes that are not in the type.
 *
 * ```ts
 * import { RollbookError } from 'rollbook/client'
 *
 * await client.users.create({ username: 'grace' })
 * try {
 *   await client.users.create({ username: 'GRACE' })
 * } catch (error) {
 *   if (!(error instanceof RollbookError && error.code === 'username_taken')) throw error
 *   console.log(error.status) // 409
 * }
 * ```
 */
export class RollbookError extends Error {
  readonly status: number
  readonly code: ProblemCode
  readonly title: string
  readonly detail: string
  /** The faults of the input, one by one. */
  readonly errors: readonly InputFault[]
  /** Quote it when you report a fault. */
  readonly requestId: string
  /** After how many seconds the service would like to be asked again. */
  readonly retryAfterSeconds: number | undefined
  /** An earlier try of this request got no answer: that one may have done what was asked. */
  mayHaveHappened = false

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(messageOf(problem))
    this.name = 'RollbookError'
    this.status = problem.status
    this.code = problem.code
    this.title = problem.title
    this.detail = problem.detail
    this.errors = problem.errors ?? []
    this.requestId = problem.instance
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** What `String(error)` says: the detail, and each fault that the detail leaves out. */
function messageOf({ detail, errors = [] }: Problem): string {
  const name = nameOf(errors[0]?.pointer ?? '')
  const isNamed = errors.length !== 1 || errors[0]?.detail !== detail || name === '' || detail.includes(name)
  // What is unknown stands in quotes in the detail already.
  const isUntold = (fault: InputFault) =>
    !detail.includes(fault.detail) && !(nameOf(fault.pointer) !== '' && detail.includes(`"${nameOf(fault.pointer)}"`))
  const untold = errors.filter(isUntold)
  const others = untold.slice(0, 10).map(({ pointer, detail: fault }) => `${pointer}: ${fault}`)
  const rest = untold.length > 10 ? [`And ${untold.length - 10} more.`] : []
  return [detail, ...(isNamed ? [] : [`(${errors[0]?.pointer})`]), ...others, ...rest].join(' ')
}

function nameOf(pointer: string): string {
  return pointer.replace(/^[#?]\/?/, '')
}

/** There was no answer, or only a part of it: the network, a server that is not there, or no more time. */
export class ConnectionError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ConnectionError'
  }
}

/** A stream was cut before its end. What was read of it is true, but it is not everything. */
export class IncompleteStreamError extends ConnectionError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'IncompleteStreamError'
  }
}

/** Something else than the service answered: a proxy with a page of its own, or another program at this address. */
export class UnexpectedAnswerError extends Error {
  readonly status: number
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, status: number, retryAfterSeconds?: number) {
    super(message)
    this.name = 'UnexpectedAnswerError'
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}
