import { AppError } from '../../errors.ts'

/** Whether a statement was refused because a value that must be unique is already there. */
export function isBrokenUniqueness(error: unknown): boolean {
  return (error as Error)?.message?.startsWith('UNIQUE constraint failed:') ?? false
}

// SQLite's primary result codes (https://sqlite.org/rescode.html).
const [busy, locked, readOnly, ioError, corrupt, full, cannotOpen, notADatabase] = [5, 6, 8, 10, 11, 13, 14, 26]

/** A fault of the storage itself as the refusal that callers see: try again later, nothing was changed. */
export function storageRefusal(error: unknown): AppError | undefined {
  const { code, errcode } = error as { code?: string; errcode?: number }
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) return undefined
  switch (errcode & 0xff) {
    case full:
      return new AppError('storage_full', 'The disk is full; nothing was changed.', {
        retryAfterSeconds: 30,
        cause: error,
      })
    case busy:
    case locked:
    case readOnly:
    case ioError:
    case corrupt:
    case cannotOpen:
    case notADatabase:
      return new AppError('storage_unavailable', 'The storage failed; nothing was changed.', {
        retryAfterSeconds: 5,
        cause: error,
      })
    default:
      return undefined
  }
}
