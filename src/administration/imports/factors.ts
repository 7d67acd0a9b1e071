/** Validates the second factors of a row. */
import { AppError } from '../../core/errors.ts'
import type { BroughtFactors, BroughtTotp } from '../../directory/users/service.ts'
import { canonicalBase32, totpFault } from '../../lib/totp-form.ts'
import { hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import type { ImportRow } from './schema.ts'

/** Gives the secret its stored form. */
export type KeepTotp = (secret: string) => Omit<BroughtTotp, 'name'>

/** The name of a factor without one: what the user reads in the list of their factors. */
const usualName = 'Authenticator app'

type Members = 'user_id' | 'totp_secret' | 'factors' | 'recovery_code_hashes'
type Given = { [Name in Members]: ImportRow[Name] | undefined }

/** Undefined if the row has no factors. @throws AppError `validation_failed` */
export function readFactors(input: Given, encrypt: KeepTotp): BroughtFactors | undefined {
  const { user_id, totp_secret, factors = [], recovery_code_hashes: recoveryCodeHashes = [] } = input
  if (typeof totp_secret === 'string' && factors.length > 0)
    throw fault('totp_secret', 'not_together', 'Both totp_secret and factors are given. Give only one of them.')
  const totp =
    typeof totp_secret === 'string'
      ? [readTotp({ secret: totp_secret }, 'totp_secret', encrypt)]
      : factors.map((factor, n) => readTotp(factor, `factors/${n}`, encrypt))
  if (recoveryCodeHashes.length > 0) {
    if (totp.length === 0)
      throw fault('recovery_code_hashes', 'not_alone', 'Recovery codes stand in for a factor, and the row has none.')
    // The user is part of what is hashed.
    if (user_id === undefined)
      throw fault('recovery_code_hashes', 'not_alone', 'Recovery codes belong to a user_id, and the row has none.')
  }
  return totp.length === 0 ? undefined : { totp, recoveryCodeHashes }
}

type Factor = NonNullable<ImportRow['factors']>[number]

function readTotp(factor: Omit<Factor, 'kind'> & { kind?: string }, member: string, encrypt: KeepTotp): BroughtTotp {
  const { kind = 'totp', secret, name, algorithm, digits, period } = factor
  const detail =
    kind === 'totp'
      ? totpFault({ secret, algorithm, digits, period })
      : 'Only one-time codes (kind totp) can be imported. Passkeys belong to the site where they were made.'
  if (detail !== undefined) throw fault(member, 'factor_not_supported', detail)
  const trimmed = name?.trim().normalize('NFC') ?? ''
  if (hasUnseen(trimmed)) throw fault(member, 'bad_name', `The name of a factor is not valid. ${unseenRefused}`)
  return { ...encrypt(canonicalBase32(secret)), name: trimmed === '' ? usualName : trimmed }
}

function fault(member: string, code: string, detail: string): AppError {
  return new AppError('validation_failed', detail, { errors: [{ pointer: `#/${member}`, code, detail }] })
}
