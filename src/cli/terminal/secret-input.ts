/** Reads secrets. They are never arguments, which every user of the machine can see in the process list. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { UsageError } from './failure.ts'
import { askForSecret, isInteractive } from './prompt.ts'

type Source = {
  file?: string | undefined
  stdin?: boolean | undefined
  /** The question on a terminal, if neither file nor stdin is given. */
  prompt: string
  /** Whether to ask twice, for a new secret that cannot be looked up later. */
  twice?: boolean
  /** The options that the error names where there is no terminal. */
  instead?: string
}

export type PasswordOptions = { askPassword?: true; passwordStdin?: true; passwordFile?: string }

export function addPasswordOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from standard input')
    .option('--password-file <file>', 'read the password from a file')
    .option('--ask-password', 'ask for the password on the terminal')
}

/** Returns the password that the options select. Undefined if they select none. */
export async function readPassword({
  askPassword,
  passwordStdin,
  passwordFile,
}: PasswordOptions): Promise<string | undefined> {
  const chosen = [askPassword, passwordStdin, passwordFile].filter((option) => option !== undefined)
  if (chosen.length === 0) return undefined
  if (chosen.length > 1) throw new UsageError('Give one of --password-stdin, --password-file and --ask-password.')
  const instead = '--password-stdin or --password-file'
  return readSecret({ file: passwordFile, stdin: passwordStdin, prompt: 'New password', twice: true, instead })
}

/** Returns a secret from a file, standard input or the terminal. Removes one trailing newline. */
export async function readSecret({ file, stdin, prompt, twice = false, instead }: Source): Promise<string> {
  if (file !== undefined) return checked(readFileSync(file, 'utf8'), file)
  if (stdin) return checked(await text(process.stdin), 'Standard input')
  if (!isInteractive()) {
    const how = instead === undefined ? '' : ` Give ${instead}.`
    throw new UsageError(`There is no terminal to ask on.${how}`)
  }
  const secret = await askForSecret(prompt)
  if (twice && secret !== (await askForSecret(`${prompt}, again`))) {
    throw new UsageError('The two entries differ. Nothing was changed.')
  }
  return secret
}

function checked(content: string, source: string): string {
  const secret = content.replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`${source} is empty, but it must contain the secret.`)
  return secret
}
