/** Secrets on their way in: never as an argument, which every user of the machine can read in the list of processes. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { UsageError } from './failure.ts'
import { askForSecret, isInteractive } from './prompt.ts'

type Source = {
  file?: string | undefined
  stdin?: boolean | undefined
  /** What to ask for on a terminal, when neither is given. */
  prompt: string
  /** Asks twice, for a secret that nobody can look up afterwards. */
  twice?: boolean
  /** The options to give instead, for the refusal where there is no terminal. */
  instead?: string
}

export type PasswordOptions = { askPassword?: true; passwordStdin?: true; passwordFile?: string }

export function addPasswordOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from standard input')
    .option('--password-file <file>', 'read the password from a file')
    .option('--ask-password', 'ask for the password, on a terminal')
}

/** The password that the options speak of, if they speak of one. */
export async function readPassword({
  askPassword,
  passwordStdin,
  passwordFile,
}: PasswordOptions): Promise<string | undefined> {
  const given = [askPassword, passwordStdin, passwordFile].filter((option) => option !== undefined)
  if (given.length === 0) return undefined
  if (given.length > 1) throw new UsageError('Give one of --password-stdin, --password-file and --ask-password.')
  const instead = '--password-stdin or --password-file'
  return readSecret({ file: passwordFile, stdin: passwordStdin, prompt: 'New password', twice: true, instead })
}

/** A secret from a file or standard input, without one newline at its end, or asked for. */
export async function readSecret({ file, stdin, prompt, twice = false, instead }: Source): Promise<string> {
  if (file !== undefined) return checked(readFileSync(file, 'utf8'), file)
  if (stdin) return checked(await text(process.stdin), 'standard input')
  if (!isInteractive()) {
    const how = instead === undefined ? '' : ` Give ${instead}.`
    throw new UsageError(`There is no terminal to ask on.${how}`)
  }
  const secret = await askForSecret(prompt)
  if (twice && secret !== (await askForSecret(`${prompt}, again`))) {
    throw new UsageError('The two are not the same; nothing was changed.')
  }
  return secret
}

function checked(content: string, source: string): string {
  const secret = content.replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`There is nothing in ${source}, where a secret should be.`)
  return secret
}
