import type { ProblemCode } from './types.ts'

/** A fault in the input. `pointer` names the member (`#/username`) or the parameter (`?limit`). */
export type InputFault = { pointer: string; code: string; detail: string }

/** A problem document of the service (RFC 9457). */
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
 * The service refused a request. `code` is the reason; its meaning never changes. A later release of the service may
 * have codes that this type does not list.
 *
 * ```ts
 * import { RollbookError } from '@rollbook/sdk/client'
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
  readonly errors: readonly InputFault[]
  /** Identifies the request in the logs of the service. Quote it when you report a fault. */
  readonly requestId: string
  /**
   * What this kind of problem says beyond the rest (RFC 9457 §3.2): `second_factor_required` has `challenge_id` and
   * `methods`.
   */
  readonly extensions: Readonly<Record<string, unknown>>
  /** Seconds to wait before the next try, if the service named a time. */
  readonly retryAfterSeconds: number | undefined
  /** Whether an earlier try got no response, and so may have made the change. */
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
    this.extensions = extensionsOf(problem)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const members = new Set(['type', 'title', 'status', 'detail', 'instance', 'code', 'errors'])

function extensionsOf(problem: Problem): Record<string, unknown> {
  return Object.fromEntries(Object.entries(problem).filter(([name]) => !members.has(name)))
}

/** Returns the detail, and each fault that the detail leaves out. */
function messageOf({ detail, errors = [] }: Problem): string {
  const name = nameOf(errors[0]?.pointer ?? '')
  const isNamed = errors.length !== 1 || errors[0]?.detail !== detail || name === '' || detail.includes(name)
  // The detail quotes the names of unknown members.
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

/** No complete response arrived: the network failed, the server is not there, or the time ran out. */
export class ConnectionError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ConnectionError'
  }
}

/** A stream was cut off. The rows read so far are valid, but rows are missing. */
export class IncompleteStreamError extends ConnectionError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'IncompleteStreamError'
  }
}

/** The response did not come from Rollbook, but from a proxy or another program at this address. */
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
