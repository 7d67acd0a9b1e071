/** Writes data to standard output and messages to standard error. The reader of either may leave early. */
import { visible } from './visible-text.ts'

let quiet = false
let onPut: (() => void) | undefined
let fault: NodeJS.ErrnoException | undefined
let sink: ((text: string) => Promise<void>) | undefined

/** Listens for write errors: a reader such as `head` may close the pipe, which would otherwise crash the process. */
export function watchStandardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    fault ??= error
  })
  // A message that cannot be written must not stop the work.
  process.stderr.on('error', () => undefined)
}

export function faultOfStandardOutput(): NodeJS.ErrnoException | undefined {
  return fault
}

/** Whether the error means that the reader left early, which is not a failure. */
export function isBrokenPipe(error: unknown): boolean {
  return fault?.code === 'EPIPE' && ((error as NodeJS.ErrnoException).code === 'EPIPE' || error === undefined)
}

/** Calls `act` before each write of data, for example to clear a progress bar on the same terminal. */
export function beforePut(act: (() => void) | undefined): void {
  onPut = act
}

/** Sends data somewhere else than to standard output, such as to a pager. */
export function redirectPut(to: typeof sink): void {
  sink = to
}

/** Writes data. Resolves when the system has accepted it, so that a slow reader slows the work down. */
export function put(text: string | Uint8Array): Promise<void> {
  onPut?.()
  if (sink !== undefined) return sink(typeof text === 'string' ? text : Buffer.from(text).toString())
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Returns a function that writes a file to standard output: unchanged, except for control characters on a terminal. */
export function fileWriter(sanitize: (text: string) => string): (bytes: Uint8Array) => Promise<void> {
  if (!process.stdout.isTTY) return put
  const decoder = new TextDecoder()
  return (bytes) => put(sanitize(decoder.decode(bytes, { stream: true })))
}

/** Turns on `--quiet`: only errors are printed from now on. */
export function beQuiet(): void {
  quiet = true
}

export function isQuiet(): boolean {
  return quiet
}

/** Prints a message of one or more lines to standard error. Its text cannot control the terminal. */
export function writeLine(text: string): void {
  if (quiet) return
  process.stderr.write(`${text.split('\n').map(visible).join('\n')}\n`)
}
