/** The executable: reads the configuration, serves, and stops on a signal. */
import { ConfigError, loadConfig } from './config.ts'
import { createLog } from './log.ts'
import { banner, serve } from './serve.ts'

try {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel)
  const running = await serve(config, log, (err) => {
    log.fatal({ err }, 'the writer thread died')
    log.flush(() => process.exit(70)) // EX_SOFTWARE: a supervisor starts it anew.
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
  const expected = error instanceof ConfigError || error instanceof Error
  process.stderr.write(`${expected ? error.message : String(error)}\n`)
  if (error instanceof Error && !(error instanceof ConfigError) && error.cause !== undefined) {
    process.stderr.write(`  Cause: ${(error.cause as Error).message ?? String(error.cause)}\n`)
  }
  process.exit(1)
}
