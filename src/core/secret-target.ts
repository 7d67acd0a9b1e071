/**
 * The file that gets a secret which is shown once. It is opened before the secret exists: an empty one that is found later says
 * that the process died in between, and that nobody has the secret.
 */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

export type OpenTarget = {
  /** Writes the secret, with the mode 0600, in one step. */
  save(secret: string): void
  /** Removes what opening left, because no secret was created. */
  discard(): void
}

/** Whether there is such a file without content. */
export function isEmptyTarget(path: string): boolean {
  const found = statSync(resolve(path), { throwIfNoEntry: false })
  return found?.isFile() === true && found.size === 0
}

/** @throws Error if the file cannot be written */
export function openTarget(file: string): OpenTarget {
  const path = resolve(file)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined
  closeSync(openSync(path, 'a', 0o600))
  return {
    save(secret) {
      const draft = `${path}.${process.pid}.part`
      const handle = openSync(draft, 'w', 0o600)
      // A draft of the same name may have been left with another mode.
      chmodSync(draft, 0o600)
      writeSync(handle, `${secret}\n`)
      fsyncSync(handle)
      closeSync(handle)
      renameSync(draft, path)
    },
    discard() {
      // Another process may have written its secret meanwhile.
      if (isNew && isEmptyTarget(path)) rmSync(path, { force: true })
    },
  }
}
