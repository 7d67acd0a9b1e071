import { AppError } from '../../../core/errors.ts'

/** Whether a statement was refused because a value that must be unique is already there. */
export function isBrokenUniqueness(error: unknown): boolean {
  return (error as Error)?.message?.startsWith('UNIQUE constraint failed:') ?? false
}

/** Thrown by a change that first needs room. The writer thread makes room, then repeats the change. */
export class NoRoom extends Error {
  /** All users of the change that come between others, in the order of their ids. */
  readonly userIds: readonly string[]

  constructor(userIds: readonly string[]) {
    super('There is no free row number for a user.')
    this.userIds = userIds
  }
}

/** For every request that meets damage. There is no Retry-After: waiting does not help. */
export const damageDetail = 'The store is damaged; nothing was changed. The operator must restore a backup.'

// SQLite's primary result codes (https://sqlite.org/rescode.html).
const [busy, locked, readOnly, ioError, corrupt, full, cannotOpen, notADatabase] = [5, 6, 8, 10, 11, 13, 14, 26]
/** SQLITE_IOERR_DATA (a checksum) and SQLITE_IOERR_CORRUPTFS. */
const damages = [8202, 8458]

/** Returns the refusal that callers see for a fault of the storage itself; undefined for any other error. */
export function storageRefusal(error: unknown): AppError | undefined {
  const { code, errcode } = error as { code?: string; errcode?: number }
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) return undefined
  if (damages.includes(errcode)) return new AppError('storage_damaged', damageDetail, { cause: error })
  switch (errcode & 0xff) {
    case corrupt:
    case notADatabase:
      return new AppError('storage_damaged', damageDetail, { cause: error })
    case full:
      return new AppError('storage_full', 'The disk is full; nothing was changed. The operator must make room.', {
        retryAfterSeconds: 30,
        cause: error,
      })
    case busy:
    case locked:
    case readOnly:
    case ioError:
    case cannotOpen:
      return new AppError('storage_unavailable', 'The storage failed; nothing was changed. Try again.', {
        retryAfterSeconds: 5,
        cause: error,
      })
    default:
      return undefined
  }
}
