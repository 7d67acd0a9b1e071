/** Faults of a file: collected, so that all are reported at once. */
import { AppError, type InputFault, type ProblemCode } from '../../core/errors.ts'

/** More than anyone reads; a hostile file could have millions. */
const mostFaults = 1000

/** Of refusals, also the problem that it is by itself. */
type Fault = InputFault & { problem?: ProblemCode }

export class Faults {
  readonly #faults: Fault[] = []

  get isEmpty(): boolean {
    return this.#faults.length === 0
  }

  get list(): readonly InputFault[] {
    return this.#faults
  }

  add(...faults: readonly InputFault[]): void {
    this.#faults.push(...faults)
  }

  /** Adds the faults of an object that its room refused. @throws what is no refusal, or one that a repetition may overcome */
  addRefusal(error: unknown, pointer: string): void {
    if (!(error instanceof AppError) || error.status >= 500 || error.code === 'precondition_failed') throw error
    const { code: problem, message: detail, errors } = error
    if (errors === undefined) this.#faults.push({ pointer, code: problem, detail, problem })
    else this.#faults.push(...errors.map((one) => ({ ...one, pointer: below(pointer, one.pointer), problem })))
  }

  /** Runs work for an object. Returns undefined if it was refused. */
  async collect<T>(pointer: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.addRefusal(error, pointer)
      return undefined
    }
  }

  /** @throws AppError the problem that all faults have in common, or `validation_failed` */
  throwAny(): void {
    if (this.isEmpty) return
    const errors = this.#faults.slice(0, mostFaults).map(({ problem: _, ...fault }) => fault)
    const [common = 'validation_failed', ...others] = new Set(
      this.#faults.map(({ problem = 'validation_failed' }) => problem),
    )
    throw new AppError(others.length === 0 ? common : 'validation_failed', detailOf(errors), { errors })
  }
}

/** `#/groups/0` and `#/name` are `#/groups/0/name`. */
export function below(pointer: string, inner: string): string {
  return inner.startsWith('#') ? pointer + inner.slice(1) : pointer
}

function detailOf(errors: readonly InputFault[]): string {
  const listed = errors.slice(0, 10).map(({ pointer, detail }) => `${pointer.slice(2) || 'The file'}: ${detail}`)
  const rest = errors.length - listed.length
  return listed.join(' ') + (rest > 0 ? ` And ${rest} more faults.` : '')
}
