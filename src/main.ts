/** The executable: reads the configuration, serves, and stops on a signal. */
import { loadConfig } from './config.ts'
import { OperatorError } from './errors.ts'
import { createLog } from './log.ts'
import { banner, serve } from './serve.ts'

try {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel)
  const running = await serve(config, log, (err) => {
    log.fatal({ err }, 'the writer thread died')
    // EX_SOFTWARE: a supervisor starts it anew, also when nobody reads the log.
    log.flush(() => process.exit(70))
    setTimeout(() => process.exit(70), 1000)
  })
  // People read standard error; standard output holds the log alone.
  process.stderr.write(`\n${banner(running, config, process.stderr.isTTY === true)}\n`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      running.stop(signal).then(
        () => process.exit(0),
        (err: unknown) => {
          log.fatal({ err }, 'stopping failed')
          log.flush(() => process.exit(1))
        },
      )
    })
  }
} catch (error) {
  // What the system refuses (a port in use, a directory of somebody else) explains itself; a fault of ours needs its stack.
  // From another thread an error arrives with its name alone.
  const { name, syscall } = error as NodeJS.ErrnoException
  const explained = error instanceof OperatorError || name === 'OperatorError' || syscall !== undefined
  process.stderr.write(`${explained ? (error as Error).message : ((error as Error).stack ?? error)}\n`)
  process.exit(1)
}
