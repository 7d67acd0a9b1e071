/** Asks questions on a terminal, and only there: a script must never wait for an answer. */
import { Interrupted } from './interruption.ts'
import { visible } from './visible-text.ts'

export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** @throws Interrupted after Ctrl-C or Escape */
export async function askForSecret(message: string): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts')
  const response = await password({ message: visible(message), output: process.stderr })
  if (isCancel(response)) throw new Interrupted('SIGINT')
  return response
}

/** @throws Interrupted after Ctrl-C or Escape */
export async function askWhether(message: string): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const response = await confirm({ message: visible(message), initialValue: false, output: process.stderr })
  if (isCancel(response)) throw new Interrupted('SIGINT')
  return response
}
