/** Validates a caller's input about a user and normalizes it for the rules and the store. */
import { type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import { emailKey, isEmail } from '../../lib/email-form.ts'
import { latestInstant, timestamp } from '../../lib/instant.ts'
import { mixtureFault } from '../../lib/mixture-fault.ts'
import { PrecisError, usernameKey } from '../../lib/precis.ts'
import { trimEnds } from '../../lib/typed-name.ts'
import { hasLineBreak, hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { AttributesInput, Door } from '../attributes/service.ts'
import { organizationFault } from '../organizations/service.ts'
import { type CreateUser, createUserSchema, type UpdateUser, updateUserSchema } from './schema.ts'

/** The members that a change sets; one that is absent stays as it is. */
export type UserInput = Omit<UpdateUser, 'password' | 'attributes'> & {
  attributes?: AttributesInput
  username_key?: string
  email_key?: string | null
  /** PHC string, hashed before the change is sent. */
  password_hash?: string
  /** With a password: the user must change it first. Never read from a body by mass assignment. */
  must_change_password?: number
  /** The provisioning connection that manages the user from now on. Never read from a body. */
  managed_by?: string | null
  /** Set only by a link that was sent to the address. */
  email_verified?: number
  invited?: number
}

const others = [
  'username',
  'password',
  'email',
  'role',
  'active',
  'expires_at',
  'organization_id',
  'attributes',
] as const
type Text = Exclude<keyof UpdateUser, (typeof others)[number]>

/** The members without a form of their own. */
const texts = Object.keys(updateUserSchema.properties).filter(
  (member): member is Text => !(others as readonly string[]).includes(member),
)

/**
 * Checks what JSON Schema cannot say. Not the password, which `passwords/` checks and hashes, nor attributes, which
 * the change checks by their definitions.
 *
 * @throws AppError `validation_failed` with every fault found
 */
export function checkUserInput(
  body: CreateUser | UpdateUser,
  roles: Readonly<Record<string, unknown>>,
  by: Door = 'admin',
): UserInput {
  const faults: InputFault[] = []
  const { password: _, attributes, ...members } = body
  const input: UserInput = { ...members, ...(attributes !== undefined && { attributes: { by, values: attributes } }) }
  if (input.username !== undefined) {
    input.username = trimEnds(input.username)
    try {
      input.username_key = usernameKey(input.username)
    } catch (error) {
      if (!(error instanceof PrecisError)) throw error
      faults.push(memberFault('username', 'username_invalid', error.message))
    }
  }
  if (typeof input.email === 'string') {
    input.email = trimEnds(input.email)
    if (isEmail(input.email)) input.email_key = emailKey(input.email)
    else faults.push(memberFault('email', 'email_invalid', 'This is not a valid email address.'))
  } else if (input.email === null) {
    input.email_key = null
  }
  if (typeof input.expires_at === 'string') {
    const ms = Date.parse(input.expires_at)
    if (ms >= 0 && ms <= latestInstant) input.expires_at = timestamp(ms)
    else
      faults.push(
        memberFault('expires_at', 'out_of_range', 'expires_at must be between the years 1970 and 9999 in UTC.'),
      )
  }
  if (typeof input.organization_id === 'string') {
    input.organization_id = input.organization_id.toLowerCase()
    if (!isUuid(input.organization_id)) faults.push(organizationFault)
  }
  for (const member of texts) {
    const isBad = member === 'external_id' ? hasLineBreak : hasUnseen
    if (isBad(input[member] ?? '')) {
      faults.push(memberFault(member, 'control_character', unseenRefused))
    }
  }
  if (input.role !== undefined && !Object.hasOwn(roles, input.role)) {
    faults.push(
      memberFault('role', 'role_unknown', 'This role does not exist. GET /roles lists those that you can give.'),
    )
  }
  if (faults.length > 0) throw validationFailed(faults)
  return input
}

/** Returns the email of a new user as the username; undefined without an email, or if it is too long for a username. */
export function nameFromEmail(email: string | null | undefined): string | undefined {
  return typeof email === 'string' && email.length <= createUserSchema.properties.username.maxLength ? email : undefined
}

/**
 * Refuses a name such as `ada` with a Cyrillic а. Not part of `checkUserInput`: users who have such a name keep it.
 *
 * @throws AppError `validation_failed`
 */
export function refuseMixedScripts(usernameKey: string): void {
  const fault = mixtureFault(usernameKey)
  if (fault !== undefined) throw validationFailed([memberFault('username', 'username_invalid', fault)])
}
