/** `rollbook serve`: reads the configuration, serves, and stops on a signal. */
import { execFile } from 'node:child_process'
import { isatty } from 'node:tty'
import type { Command } from 'commander'
import type { Running } from '../../app/serve.ts'
import { type Config, loadConfig } from '../../core/config.ts'
import { currentOwner } from '../../lib/fault-owner.ts'
import { giveBackAfterStart } from '../../lib/give-back.ts'
import { home, threadModule } from '../../lib/home.ts'
import type { LineWriter } from '../../lib/line-writer.ts'
import type { Switches } from '../../store/engines/open.ts'
import { startEarly, writerLimits } from '../../store/sqlite/threads.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodeOf } from '../terminal/exit-codes.ts'
import { explanationOf } from '../terminal/explain-error.ts'
import { ownCommand } from './own-command.ts'

export function addServe(program: Command): void {
  const serve = program
    .command('serve')
    .summary('serve the API; the default without a command')
    .description('Serves the API until SIGTERM or SIGINT. Environment variables configure it.')
    .action(() => serveUntilStopped())
  examples(serve, [
    ['rollbook serve', 'serve on http://127.0.0.1:8080/auth, with the data in ./data'],
    ['ROLLBOOK_PORT=9000 ROLLBOOK_DATA_DIR=/var/lib/rollbook rollbook serve', 'use another port and data directory'],
  ])
}

/** `switches` are only for the benchmark. */
export async function serveUntilStopped(switches: Switches = {}): Promise<void> {
  try {
    const config = loadConfig(process.env)
    if (config.databaseUrl === undefined) startEarly(threadModule('app/writer-thread'), writerLimits)
    const [{ createLog }, { serve }] = await Promise.all([import('../../app/log.ts'), import('../../app/serve.ts')])
    const log = createLog(config.logLevel, isatty(1) ? await terminalLines(config) : undefined)
    let isEnding = false
    const end = (err: Error, message: string) => {
      // Errors while the process ends follow from the first one.
      if (isEnding) return
      isEnding = true
      log.fatal({ err }, message)
      // EX_SOFTWARE: a supervisor restarts the service, even if the log cannot be written.
      log.flush(() => process.exit(70))
      setTimeout(() => process.exit(70), 1000)
    }
    const onFault = (err: Error) => end(err, 'the writer thread died')
    process.on('uncaughtException', (error: unknown, origin) => {
      const err =
        error instanceof Error ? error : new Error(`something that is not an Error was thrown: ${String(error)}`)
      const owner = currentOwner()
      if (owner !== undefined) {
        log.error({ err, connection: owner.what }, 'an error of one connection was not caught, and ended it')
        owner.end(err)
        return
      }
      end(err, origin === 'unhandledRejection' ? 'a rejected promise was not handled' : 'an error was not caught')
    })
    let stopping = false
    // Before the server listens, a signal ends the process at once. Later, open requests are finished first.
    const stopOnSignals = () => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
    }
    const started = serve(config, log, onFault, { ...switches, beforeListening: stopOnSignals })
    const stop = (signal: string) => {
      stopping = true
      notifySystemd('--stopping')
      started
        .then((running) => running.stop(signal))
        .then(
          () => process.exit(0),
          (err: unknown) => {
            log.fatal({ err }, 'stopping failed')
            log.flush(() => process.exit(1))
          },
        )
    }
    const running = await started
    notifySystemd('--ready')
    // On a terminal, the lines of the start come before the banner.
    if (isatty(1)) await new Promise((done) => log.flush(done))
    await welcome(running, config).catch((error: unknown) => {
      // A signal may have closed the storage meanwhile.
      if (!stopping) throw error
    })
    giveBackAfterStart()
  } catch (error) {
    process.stderr.write(`${explanationOf(error)}\n`)
    process.exit(exitCodeOf(error))
  }
}

async function terminalLines({ basePath }: Config): Promise<LineWriter> {
  const [{ lineWriter }, { readableLog }] = await Promise.all([
    import('../../lib/line-writer.ts'),
    import('./readable-log.ts'),
  ])
  return lineWriter(1, readableLog(basePath))
}

/** Prints the banner to standard error, because standard output contains only the log. */
async function welcome(running: Running, config: Config): Promise<void> {
  const isTerminal = process.stderr.isTTY === true
  const setupLink = isTerminal ? await running.makeSetupLink() : undefined
  const lacksAdministrator = await running.lacksAdministrator()
  const command = ownCommand({
    home,
    script: process.argv[1] ?? '',
    cwd: process.cwd(),
    env: process.env,
  })
  const { banner } = await import('../../app/serve.ts')
  process.stderr.write(`\n${banner(running, config, { isTerminal, lacksAdministrator, setupLink, command })}\n`)
}

/**
 * Reports the state to systemd, which waits for it (`Type=notify`). Node has no Unix datagram sockets, so this runs
 * systemd-notify.
 */
function notifySystemd(state: '--ready' | '--stopping'): void {
  if (!process.env.NOTIFY_SOCKET) return
  execFile('systemd-notify', [state, `--pid=${process.pid}`], (error) => {
    if (error) process.stderr.write(`systemd-notify ${state} failed: ${error.message}\n`)
  })
}
