/** Asks questions on a terminal, and only there: a script must never wait for an answer. */
import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Interrupted } from './interruption.ts'
import { visible } from './visible-text.ts'

type Terminal = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream }

const ownTerminal = (): Terminal => ({ input: process.stdin, output: process.stderr })

export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** Reads a line without showing it. @throws Interrupted after Ctrl-C, Ctrl-D or Escape */
export async function askForSecret(message: string, { input, output }: Terminal = ownTerminal()): Promise<string> {
  // readline shows what is typed on its own output, so that one discards it.
  const unseen = new Writable({ write: (_chunk, _encoding, written) => written() })
  try {
    return await readLine(input, unseen, (line) => {
      output.write(`${visible(message)}: `) // Only now, when the terminal no longer echoes.
      return line.question('')
    })
  } finally {
    output.write('\n')
  }
}

/** Returns whether the reply is yes; a bare return key is no. @throws Interrupted after Ctrl-C, Ctrl-D or Escape */
export async function askWhether(message: string, { input, output }: Terminal = ownTerminal()): Promise<boolean> {
  return readLine(input, output, async (line) => {
    for (;;) {
      const reply = (await line.question(`${visible(message)} [y/N] `)).trim()
      if (/^(y(es)?|no?|)$/i.test(reply)) return /^y/i.test(reply)
    }
  })
}

async function readLine<T>(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  read: (line: Interface) => Promise<T>,
): Promise<T> {
  // No history, from which the arrow keys would fetch a secret.
  const line = createInterface({ input, output, terminal: true, historySize: 0, escapeCodeTimeout: 50 })
  const onKey = (_text: string | undefined, key: { name?: string }) => {
    if (key.name === 'escape') line.close()
  }
  input.on('keypress', onKey)
  try {
    return await new Promise<T>((resolve, reject) => {
      // Ctrl-C, Ctrl-D and the end of the terminal close it too.
      line.once('close', () => {
        output.write('\n')
        reject(new Interrupted('SIGINT'))
      })
      read(line).then(resolve, reject)
    })
  } finally {
    input.off('keypress', onKey)
    line.removeAllListeners('close').close()
  }
}
