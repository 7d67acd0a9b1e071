import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../core/errors.ts'
import { stampOf } from '../../lib/instant.ts'
import { syncNames } from '../../store/db/sqlite/sync.ts'
import { type CopyOptions, copyStore, type StoreFacts } from './store-file.ts'

/**
 * Copies the store in `directory` to `to`, also while it is served; answers the file. A folder gets a file named by
 * `now`. What is there already is not touched, and no name stands for half a backup.
 */
export async function backUp(
  directory: string,
  to: string,
  now: Date,
  options: CopyOptions,
): Promise<StoreFacts & { file: string }> {
  const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() ?? false
  const file = isFolder ? join(to, `rollbook-${stampOf(now)}.db`) : to
  refuseExisting(file)
  const draft = `${file}.${process.pid}.part`
  const facts = await copyStore(join(directory, 'rollbook.db'), draft, options)
  refuseExisting(file)
  renameSync(draft, file)
  syncNames(file)
  return { ...facts, file }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new OperatorError(`${file} already exists and was not changed. Choose another name.`)
}
