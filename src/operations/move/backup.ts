import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../core/errors.ts'
import { stampOf } from '../../lib/instant.ts'
import { syncNames } from '../../store/db/sqlite/sync.ts'
import { type CopyOptions, copyStore, type StoreFacts } from './store-file.ts'

/**
 * Copies the store in `directory` to `to`, even while it is served. Returns the file. In a folder, the file is named after
 * `now`. Existing files are not touched, and the final name never refers to an incomplete backup.
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
