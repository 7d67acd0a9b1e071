import type { FromSchema } from 'json-schema-to-ts'
import { memberFault, validationFailed } from '../../../core/errors.ts'
import type { PasskeyAssertion, passkeyAssertionSchema } from '../../credentials/factors/schema.ts'
import type { Given } from './sign-in.ts'

export const createSessionSchema = {
  $id: 'CreateSession',
  type: 'object',
  description:
    'A step of a sign-in. The first one: `username` and `password`. The second one, if the response to the first asks for it: `challenge_id` with `code`, `recovery_code` or `passkey`. With a code by email: `challenge_id` of `POST /sessions/email-code` and `email_code`. With a passkey alone: `passkey`, for the options of `POST /sessions/passkey-options`.',
  additionalProperties: false,
  properties: {
    username: {
      type: 'string',
      minLength: 1,
      maxLength: 254, // The longest email address.
      description: 'The username or the email address.',
    },
    password: { type: 'string', minLength: 1, maxLength: 4096 },
    connection_id: {
      type: 'string',
      format: 'uuid',
      description:
        'The connection that checks the password: a directory, such as Active Directory. Without it, the password is the one that is kept here.',
    },
    challenge_id: { type: 'string', format: 'uuid', description: 'From the response to the first step.' },
    email_code: {
      type: 'string',
      minLength: 6,
      maxLength: 32,
      description: 'The six digits that were sent by email. Spaces in it are ignored.',
    },
    code: { type: 'string', minLength: 6, maxLength: 16, description: 'The one-time code that the app shows now.' },
    trust_browser: {
      type: 'boolean',
      description:
        'With the second step: `true` sets a cookie with which this browser is not asked for the second factor for `ROLLBOOK_TRUST_BROWSER_DAYS` days. No effect while that is 0.',
    },
    recovery_code: { type: 'string', minLength: 25, maxLength: 64, description: 'A recovery code; it works once.' },
    passkey: { $ref: 'PasskeyAssertion#' },
  },
} as const

export type CreateSession = Omit<
  FromSchema<typeof createSessionSchema, { references: [typeof passkeyAssertionSchema] }>,
  'passkey'
> & {
  passkey?: PasskeyAssertion
}

/** A password that a connection checks; undefined if the step is another one. */
export function companyStepOf({ connection_id, ...step }: CreateSession) {
  const stepInput = connection_id === undefined ? undefined : stepOf(step)
  if (stepInput === undefined || connection_id === undefined) return undefined
  if ('password' in stepInput) return { connection_id: connection_id.toLowerCase(), ...stepInput }
  throw validationFailed([
    memberFault('connection_id', 'not_together', 'connection_id is sent with username and password.'),
  ])
}

const secondSteps = ['email_code', 'code', 'recovery_code', 'trust_browser'] as const

/** @throws AppError `validation_failed` if the members are of no step, or of several */
export function stepOf(body: CreateSession): Given {
  const { username, password, challenge_id, email_code, code, recovery_code, passkey, trust_browser = false } = body
  if (passkey !== undefined) {
    const beside = (['username', 'password', ...secondSteps] as const).filter((member) => body[member] !== undefined)
    if (beside.length === 0) return { passkey, ...(challenge_id !== undefined && { challenge_id }) }
    throw validationFailed(
      beside.map((member) => memberFault(member, 'not_together', `${member} is not sent with passkey.`)),
    )
  }
  if (challenge_id === undefined) {
    const early = secondSteps.filter((member) => body[member] !== undefined)
    const missing = [...(username === undefined ? ['username'] : []), ...(password === undefined ? ['password'] : [])]
    if (early.length > 0)
      throw validationFailed(early.map((member) => memberFault(member, 'not_alone', needsChallenge)))
    if (username !== undefined && password !== undefined) return { username, password }
    throw validationFailed(missing.map((member) => memberFault(member, 'missing_member', `${member} is required.`)))
  }
  const beside = (['username', 'password'] as const).filter((member) => body[member] !== undefined)
  if (beside.length > 0) {
    throw validationFailed(
      beside.map((member) => memberFault(member, 'not_together', `${member} is not sent with challenge_id.`)),
    )
  }
  if (email_code !== undefined) {
    const others = secondSteps.filter((member) => member !== 'email_code' && body[member] !== undefined)
    if (others.length === 0) return { challenge_id, email_code }
    throw validationFailed(
      others.map((member) => memberFault(member, 'not_together', `${member} is not sent with email_code.`)),
    )
  }
  if (code !== undefined && recovery_code === undefined) return { challenge_id, code, trust_browser }
  if (recovery_code !== undefined && code === undefined) return { challenge_id, recovery_code, trust_browser }
  throw validationFailed([
    memberFault('code', 'missing_member', 'Send one of email_code, code, recovery_code and passkey with challenge_id.'),
  ])
}

const needsChallenge = 'Send it with the challenge_id of the first step.'

/** What has a name in the OpenAPI document. */
export const schemas = [createSessionSchema] as const
