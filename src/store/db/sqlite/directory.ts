import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { misconfigured, OperatorError } from '../../../core/errors.ts'

export const databaseName = 'rollbook.db'

/** Modified after each successful backup. */
export const backupRecord = 'last-backup'

/** Returns the path of the database in a data directory. */
export const databasePath = (directory: string): string => join(directory, databaseName)

/** Where a first start builds the store. It is renamed to the database when complete, so an empty database is a fault. */
export const draftPath = (directory: string): string => `${databasePath(directory)}.new`

/**
 * Creates the data directory, for its owner only. Returns the path of the database, which it does not create. A directory
 * with other files keeps its mode: our files are protected one by one.
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

/** @throws OperatorError if the system does not let us use the directory; any other error unchanged */
export function unusable(directory: string, cause: unknown): unknown {
  const { code = '', syscall, message } = cause as NodeJS.ErrnoException
  if (syscall === undefined) return cause
  return new OperatorError(`The data directory ${directory} cannot be used. ${reasons[code] ?? `${message}.`}`, {
    cause,
    ...(ofSetting.includes(code) && { exitCode: misconfigured }),
  })
}

/** Only another directory, or another owner of this one, helps. */
const ofSetting = ['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST']

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
    // A volume can belong to another user and grant us access through a group.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

/** Whether this file or directory exists; a dangling link counts. */
export const isIn = (directory: string, name: string): boolean => {
  try {
    return readdirSync(directory).includes(name)
  } catch (error) {
    if (!existsSync(directory)) return false
    throw error
  }
}
