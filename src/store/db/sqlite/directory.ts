import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../../core/errors.ts'

export const databaseName = 'rollbook.db'

/** Changed when a backup has ended well. */
export const backupRecord = 'last-backup'

/** The path of the database in a data directory. */
export const databasePath = (directory: string): string => join(directory, databaseName)

/** Where a first start builds the store. The database gets its name when it is complete, so an empty one is a fault. */
export const draftPath = (directory: string): string => `${databasePath(directory)}.new`

/**
 * Makes the data directory, for its owner only, and returns the path of the database, which it does not make. A
 * directory that holds other files as well keeps its mode: ours are closed to others one by one.
 */
export function prepareDirectory(directory: string): string {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const entries = readdirSync(directory)
    if (entries.length === 0 || entries.includes(databaseName)) closeToOthers(directory)
  } catch (error) {
    throw unusable(directory, error)
  }
  return databasePath(directory)
}

/** @throws OperatorError for a directory that the system does not let us use; anything else as it is */
export function unusable(directory: string, cause: unknown): unknown {
  const { code = '', syscall, message } = cause as NodeJS.ErrnoException
  if (syscall === undefined) return cause
  return new OperatorError(`The data directory ${directory} cannot be used. ${reasons[code] ?? `${message}.`}`, {
    cause,
  })
}

const elsewhere = 'or name another directory with ROLLBOOK_DATA_DIR.'

const reasons: Record<string, string | undefined> = {
  EROFS: `Its file system is mounted read-only. Mount it writable (after a disk fault, check the disk first), ${elsewhere}`,
  EACCES: `This user may not write there. Make the user of the service its owner, ${elsewhere}`,
  EPERM: `The system does not allow this user to write there. Check its owner and attributes, ${elsewhere}`,
  ENOTDIR: `A part of the path is a file. Remove it, ${elsewhere}`,
  EEXIST: `There is a file of this name. Remove it, ${elsewhere}`,
  ENOSPC: `The disk is full. Make room, ${elsewhere}`,
  EDQUOT: `The disk quota is used up. Make room, ${elsewhere}`,
  EIO: `The disk reports a fault. Check the disk and the system log, ${elsewhere}`,
}

function closeToOthers(directory: string): void {
  try {
    chmodSync(directory, 0o700)
  } catch (error) {
    // A volume can belong to another user and let us in as a group.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

/** Whether this file or directory exists; a link counts even if it leads nowhere. */
export const isIn = (directory: string, name: string): boolean => {
  try {
    return readdirSync(directory).includes(name)
  } catch (error) {
    if (!existsSync(directory)) return false
    throw error
  }
}
