import { constants } from 'node:os'
import { OperatorError } from '../../core/errors.ts'

/** The operator or a supervisor stopped the command. */
export class Interrupted extends OperatorError {
  override name = 'Interrupted'

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    // 128 plus the signal, as in shells: 130 after Ctrl-C.
    super('Interrupted.', { exitCode: 128 + constants.signals[signal] })
  }
}

/** Runs work that a signal can stop at a safe point. A second signal ends the process at once. */
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
