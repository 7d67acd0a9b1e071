/** Writes secrets to a file that only its owner can read. The file gets its name once it is complete on the disk. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { OperatorError } from '../../core/errors.ts'

export type SecretOptions = { secretFile?: string }

export function addSecretOption(command: Command, what: string): Command {
  return command.option('--secret-file <file>', `write ${what} to a new file instead of showing it`)
}

type SecretFile = {
  path: string
  /** Writes the secret and gives the file its name. */
  save(secret: string): void
  /** Removes the file unless a secret was kept. */
  close(): void
}

/** Opens the file before the secret is created, so that no secret is lost when the file cannot be written. */
export function openSecretFile(file: string, { replace = false } = {}): SecretFile {
  const path = resolve(file)
  const refuse = () => {
    if (replace || !existsSync(path)) return
    throw new OperatorError(`${path} already exists and was not changed. Choose another name.`)
  }
  refuse()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.part`
  const handle = openSync(draft, 'wx', 0o600)
  return {
    path,
    save(secret) {
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
 * Creates something that has a secret. If the secret goes to a file, the result does not contain it. A dry run creates no
 * secret.
 */
export async function makeSecret<Made extends object>(
  { secretFile }: SecretOptions,
  member: keyof Made & string,
  make: () => Promise<Made>,
): Promise<{ created: Made; file: string | undefined }> {
  if (secretFile === undefined) return { created: await make(), file: undefined }
  const file = openSecretFile(secretFile)
  try {
    const { [member]: secret, ...rest } = await make()
    if (typeof secret === 'string') file.save(secret)
    return { created: rest as Made, file: typeof secret === 'string' ? file.path : undefined }
  } finally {
    file.close()
  }
}

function syncNames(directory: string): void {
  const handle = openSync(directory, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
