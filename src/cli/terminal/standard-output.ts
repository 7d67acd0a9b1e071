/** Data goes to standard output and talk to standard error; both may be read by somebody who leaves early. */
import { visible } from './visible-text.ts'

let quiet = false
let onPut: (() => void) | undefined
let fault: NodeJS.ErrnoException | undefined

/** Whoever reads may close the pipe, as `head` does. Without a listener that would end the process with a stack. */
export function watchStandardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    fault ??= error
  })
  // Talk that nobody hears is no reason to stop the work.
  process.stderr.on('error', () => undefined)
}

export function faultOfStandardOutput(): NodeJS.ErrnoException | undefined {
  return fault
}

/** Whether the error comes of a reader who has left: they have what they wanted, and nothing is to be said. */
export function isBrokenPipe(error: unknown): boolean {
  return fault?.code === 'EPIPE' && ((error as NodeJS.ErrnoException).code === 'EPIPE' || error === undefined)
}

/** Does this before each piece of data: what is drawn on the same terminal makes room. */
export function beforePut(act: (() => void) | undefined): void {
  onPut = act
}

/** Resolves when the system has taken the text, so that a slow reader slows the work down; rejects when it cannot. */
export function put(text: string | Uint8Array): Promise<void> {
  onPut?.()
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Puts a file on standard output: byte for byte, but on a terminal without what would control it. */
export function fileWriter(shown: (text: string) => string): (bytes: Uint8Array) => Promise<void> {
  if (!process.stdout.isTTY) return put
  const decoder = new TextDecoder()
  return (bytes) => put(shown(decoder.decode(bytes, { stream: true })))
}

/** `--quiet`: from now on only what went wrong is said. */
export function beQuiet(): void {
  quiet = true
}

export function isQuiet(): boolean {
  return quiet
}

/** Says something to people, a line or several. What others have written in it cannot control the terminal. */
export function tell(text: string): void {
  if (quiet) return
  process.stderr.write(`${text.split('\n').map(visible).join('\n')}\n`)
}
