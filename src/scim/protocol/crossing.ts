/**
 * Carries a SCIM refusal from the writing or reading thread to the one that responds: as an AppError, the
 * only error that can cross threads. Its first fault names the keyword.
 */
import { AppError } from '../../core/errors.ts'
import { fromAppError, ScimError, type ScimType, scimTypes } from './errors.ts'

const prefix = 'scim:'

function toAppError(error: ScimError): AppError {
  const code = `${prefix}${error.scimType ?? error.status}`
  return new AppError('validation_failed', error.message, { errors: [{ pointer: '#', code, detail: error.message }] })
}

/** Returns any refusal as a ScimError. */
export function toScimError(error: AppError): ScimError {
  const code = error.errors?.[0]?.code
  if (!code?.startsWith(prefix)) return fromAppError(error)
  const reason = code.slice(prefix.length)
  return new ScimError(Object.hasOwn(scimTypes, reason) ? (reason as ScimType) : Number(reason), error.message)
}

/** Runs a part of the protocol where only an AppError may be thrown. */
export async function crossing<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof ScimError ? toAppError(error) : error
  }
}
