/** Secrets on their way out: to a file for its owner only, complete on the disk before it has its name. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { OperatorError } from '../../core/errors.ts'

export type SecretOptions = { secretFile?: string }

export function addSecretOption(command: Command, what: string): Command {
  return command.option('--secret-file <file>', `write ${what} to a new file, and do not show it`)
}

export type SecretFile = {
  path: string
  /** Gives the file its name, with this in it. */
  keep(secret: string): void
  /** Afterwards nothing is left of what was not kept. */
  close(): void
}

/** Opened before the secret is made: where nothing can be written, no secret is made that nobody has. */
export function openSecretFile(file: string, { replace = false } = {}): SecretFile {
  const path = resolve(file)
  const refuse = () => {
    if (replace || !existsSync(path)) return
    throw new OperatorError(`${path} exists already and is left as it is; choose another name.`)
  }
  refuse()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.part`
  const handle = openSync(draft, 'wx', 0o600)
  return {
    path,
    keep(secret) {
      writeSync(handle, `${secret}\n`)
      fsyncSync(handle)
      refuse()
      renameSync(draft, path)
      syncNames(dirname(path))
    },
    close() {
      closeSync(handle)
      rmSync(draft, { force: true })
    },
  }
}

/**
 * Makes something that has a secret, and answers it: without the secret, when that went to a file. In a dry run there is
 * none.
 */
export async function makeSecret<Made extends object>(
  { secretFile }: SecretOptions,
  member: keyof Made & string,
  make: () => Promise<Made>,
): Promise<{ made: Made; file: string | undefined }> {
  if (secretFile === undefined) return { made: await make(), file: undefined }
  const file = openSecretFile(secretFile)
  try {
    const { [member]: secret, ...rest } = await make()
    if (typeof secret === 'string') file.keep(secret)
    return { made: rest as Made, file: typeof secret === 'string' ? file.path : undefined }
  } finally {
    file.close()
  }
}

function syncNames(directory: string): void {
  const handle = openSync(directory, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
