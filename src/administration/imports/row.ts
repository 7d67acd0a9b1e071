/** The validated content of a row, in the form that the rules use. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { AppError } from '../../core/errors.ts'
import { readForeignHash } from '../../directory/passwords/service.ts'
import {
  type Arrival,
  type Brought,
  checkUserInput,
  type Fault,
  nameFromEmail,
  type OrganizationNamed,
  type Place,
} from '../../directory/users/service.ts'
import { isInstant } from '../../http/request/validate.ts'
import { inputFaults, type SchemaFault } from '../../http/response/faults.ts'
import { groupNameKey } from '../../lib/group-name.ts'
import { PrecisError } from '../../lib/precis.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { type KeepTotp, readFactors } from './factors.ts'
import type { SentRow } from './rows.ts'
import { type ImportRow, ignoredMembers, importRowSchema } from './schema.ts'

/** With the plain password, if the row has one: it still has to be hashed. */
export type ReadRow = Arrival & { clear?: string }

type Rules = {
  roles: Readonly<Record<string, unknown>>
  mode: 'create' | 'update'
  /** The member that identifies existing users. */
  match: string
  now: number
  keepTotp: KeepTotp
}

/** The tolerated clock difference. */
const clockToleranceMs = 300_000

let hasForm: ValidateFunction | undefined

function compileForm(): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    meta: false,
    validateSchema: false,
  })
  ajv.addFormat('date-time', isInstant)
  ajv.addFormat('uuid', (text) => isUuid(text.toLowerCase()))
  return ajv.compile(importRowSchema)
}

export function readRow(sent: SentRow, place: Place, rules: Rules): ReadRow {
  if ('fault' in sent) return { ...place, fault: sent.fault }
  try {
    return { ...place, ...readValue(sent, rules) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...place, fault: faultOf(error) }
  }
}

/** Joins all faults into one text; the code and the pointer are those of the first. */
function faultOf({ code, message, errors = [] }: AppError): Fault {
  const [first] = errors
  return first === undefined ? { code, pointer: null, detail: message } : { ...first, detail: message }
}

function readValue(
  { value, areTexts, decimalComma }: Omit<Extract<SentRow, { value: unknown }>, 'line'>,
  { roles, mode, match, now, keepTotp }: Rules,
): Omit<Exclude<ReadRow, { fault: Fault }>, keyof Place> {
  // Compiled for the first row: most starts are followed by no import.
  hasForm ??= compileForm()
  if (!hasForm(value)) throw malformed((hasForm.errors ?? []) as SchemaFault[])
  const read = Object.entries(value as ImportRow).filter(([name]) => !Object.hasOwn(ignoredMembers, name))
  const { user_id, password, password_hash, must_change_password, created_at, updated_at, last_login_at, ...rest } =
    Object.fromEntries(read) as Omit<ImportRow, keyof typeof ignoredMembers>
  const {
    groups: names,
    organization,
    invite = false,
    totp_secret,
    factors: factorInput,
    recovery_code_hashes,
    ...members
  } = rest
  if (organization !== undefined && members.organization_id !== undefined) {
    const detail = 'Both organization and organization_id are given. Give only one of them.'
    throw rowFault('organization', 'not_together', detail)
  }
  if (organization === null) members.organization_id = null
  // In an update by another member, the username of an existing user stays.
  if (members.username === undefined && (mode === 'create' || match === 'username')) {
    const username = nameFromEmail(members.email)
    if (username !== undefined) members.username = username
    else if (mode === 'create') throw rowFault('username', 'missing_member', 'A username or an email is required.')
  }
  const input = checkUserInput(members, roles, 'provisioning')
  if (areTexts && input.attributes) Object.assign(input.attributes, { areTexts, ...(decimalComma && { decimalComma }) })
  const imported: Brought = {
    ...(user_id !== undefined && { user_id: user_id.toLowerCase() }),
    ...(created_at !== undefined && { created_at: readInstant('created_at', created_at, now) }),
    ...(updated_at !== undefined && { updated_at: readInstant('updated_at', updated_at, now) }),
    ...(typeof last_login_at === 'string' && { last_login_at: readInstant('last_login_at', last_login_at, now) }),
    ...(must_change_password && { must_change_password: 1 }),
  }
  if (password !== undefined && password_hash !== undefined) {
    throw rowFault('password_hash', 'not_together', 'Both password and password_hash are given. Give only one of them.')
  }
  if (invite && (password !== undefined || password_hash !== undefined)) {
    throw rowFault(
      'invite',
      'not_together',
      'A user with a password is not invited. Leave out either invite or password.',
    )
  }
  if (invite && members.active === false) {
    throw rowFault('invite', 'not_together', 'A disabled user is not invited. Leave out invite, or enable the user.')
  }
  const factors = readFactors({ user_id, totp_secret, factors: factorInput, recovery_code_hashes }, keepTotp)
  const more = {
    ...(factors && { factors }),
    ...(names && { groups: names.map(groupKey) }),
    ...(typeof organization === 'string' && { organization: organizationNamed(organization) }),
    ...(invite && { isInvited: true as const }),
  }
  if (password_hash === undefined)
    return { input, imported, ...more, ...(password !== undefined && { clear: password }) }
  const hash = readForeignHash(password_hash)
  if ('fault' in hash) throw rowFault('password_hash', 'hash_not_supported', hash.fault)
  return { input: { ...input, password_hash: hash.phc }, imported, ...more }
}

/** An id may be written instead of a name. */
function organizationNamed(text: string): OrganizationNamed {
  const id = text.trim().toLowerCase()
  return { name_key: groupKey(text), ...(isUuid(id) && { id }) }
}

/** Empty for what cannot be the name of a group: no group has it. */
function groupKey(name: string): string {
  try {
    return groupNameKey(name)
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error
    return ''
  }
}

function malformed(found: SchemaFault[]): AppError {
  const { detail, errors } = inputFaults(found, 'row')
  return new AppError('validation_failed', detail, { errors })
}

function rowFault(member: string, code: string, detail: string): AppError {
  return new AppError('validation_failed', detail, { errors: [{ pointer: `#/${member}`, code, detail }] })
}

/** Returns the stored form. An instant in the future is refused: it has not happened. */
function readInstant(member: string, text: string, now: number): string {
  const ms = Date.parse(text)
  if (ms < 0 || ms > now + clockToleranceMs) {
    throw rowFault(member, 'out_of_range', 'Must be a date and time after 1970 that is not in the future.')
  }
  return new Date(ms).toISOString()
}
