import { constants } from 'node:os'
import { OperatorError } from '../../core/errors.ts'

/** The operator, or a supervisor, asked the command to stop. */
export class Interrupted extends OperatorError {
  override name = 'Interrupted'
  /** As shells count: 130 after Ctrl-C. */
  readonly exitCode: number

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('Interrupted.')
    this.exitCode = 128 + constants.signals[signal]
  }
}

/** Runs a command that can be asked to stop: it then leaves at a good place. Asked twice, it stops where it is. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM'] as const
  const stop = (name: (typeof signals)[number]) => {
    const reason = new Interrupted(name)
    if (controller.signal.aborted) process.exit(reason.exitCode)
    controller.abort(reason)
  }
  for (const name of signals) process.on(name, stop)
  try {
    return await work(controller.signal)
  } finally {
    for (const name of signals) process.off(name, stop)
  }
}
