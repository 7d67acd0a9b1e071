import { AppError, type ProblemCode } from '../errors.ts'

/** What a broken unique constraint means to the caller; SQLite names the columns, PostgreSQL the constraint. */
const meaning: Record<string, [code: ProblemCode, detail: string]> = {
  'users.username_key': ['username_taken', 'Another user already has this username.'],
  'users.email_key': ['email_taken', 'Another user already has this e-mail address.'],
  'users.external_id': ['external_id_taken', 'Another user already has this external id.'],
}

/** Turns the database's word on uniqueness into a refusal; anything else is thrown on as it is. */
export function refuseBrokenConstraint(error: unknown): never {
  const column = /^UNIQUE constraint failed: (\S+)$/.exec((error as Error)?.message ?? '')?.[1]
  const refusal = column === undefined ? undefined : meaning[column]
  if (refusal === undefined) throw error
  throw new AppError(refusal[0], refusal[1], { cause: error })
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
