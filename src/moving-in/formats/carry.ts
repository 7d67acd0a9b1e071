/** Applies our rules to the source: each of its users becomes a row, and what does not fit is reported. */

import { AppError, OperatorError } from '../../core/errors.ts'
import { passwordFault, readForeignHash } from '../../directory/passwords/service.ts'
import { checkUserInput } from '../../directory/users/service.ts'
import { emailKey } from '../../lib/email-form.ts'
import { mixtureFault } from '../../lib/mixture-fault.ts'
import { PrecisError, usernameKey } from '../../lib/precis.ts'
import { canonicalBase32, factorsPerUser, totpFault } from '../../lib/totp-form.ts'
import { withoutUnseen } from '../../lib/unseen.ts'
import { instantOf } from '../reading/instants.ts'
import { openScratch, type Scratch } from '../reading/scratch.ts'
import type { Converted, ImportRow, LeftOut, SourceOptions } from '../reading/source.ts'
import { homeAmong } from './memberships.ts'
import { type Found, type Person, shortened } from './person.ts'

type Tell = (what: string, why: string) => void

export async function* carryOver(
  found: AsyncIterable<Found>,
  options: SourceOptions,
  title: string,
): AsyncGenerator<Converted> {
  const taken = openScratch()
  let hasUsers = false
  try {
    for await (const entry of found) {
      if ('leftOut' in entry) {
        hasUsers ||= entry.leftOut.what === 'user'
        yield entry
        continue
      }
      hasUsers = true
      const { person, line } = entry
      const of = shortened(person.id)
      const leftOut: LeftOut[] = person.leftBehind.map((left) => ({ ...left, of }))
      const row = rowOf(person, taken, options, (what, why) => leftOut.push({ what, why, of }))
      if (row !== undefined) yield { row, ...(line !== undefined && { line }) }
      for (const left of leftOut) yield { leftOut: left }
    }
    if (!hasUsers) throw new OperatorError(`The input has no users; expected those of ${title}.`)
  } finally {
    taken.close()
  }
}

function rowOf(person: Person, taken: Scratch, options: SourceOptions, report: Tell): ImportRow | undefined {
  const id = idMembers(person, taken, options, report)
  if (id === undefined) return undefined
  const email = emailOf(person, taken, options, report)
  const username = usernameOf(person, email, taken, report)
  if (username === undefined) return undefined
  const { organization, roles } = homeOf(person, options, report)
  const role = person.role ?? roleOf([...person.roles, ...roles], options, report)
  const row: ImportRow = { ...id, username }
  if (email !== undefined) row.email = email
  Object.assign(row, namesOf(person, report))
  if (role !== undefined) row.role = role
  if (organization !== undefined) row.organization = organization
  if (person.attributes !== undefined) row.attributes = person.attributes
  row.active = person.active
  const password = passwordOf(person, report)
  Object.assign(row, password)
  const factors = factorsOf(person, report)
  if (factors.length > 0) row.factors = factors
  if (person.mustChangePassword && Object.keys(password).length > 0) row.must_change_password = true
  for (const [member, value] of [
    ['created_at', person.createdAt],
    ['last_login_at', person.lastLoginAt],
  ] as const) {
    const instant = instantOf(value)
    if (instant !== undefined) row[member] = instant
    else if (value !== undefined && value !== null && value !== '') report(member, 'not a valid date')
  }
  return row
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function idMembers(
  person: Person,
  taken: Scratch,
  { keepIds = false }: SourceOptions,
  report: Tell,
): { user_id?: string; external_id?: string } | undefined {
  if (person.idIsPlace) return {}
  if (!taken.add('id', person.id)) {
    report('user', 'an earlier entry has the same id')
    return undefined
  }
  const keepsId = keepIds && uuid.test(person.id)
  if (keepIds && !keepsId) report('id', 'not a UUID, so it is carried over as external_id')
  if (keepsId) {
    const members: { user_id: string; external_id?: string } = { user_id: person.id.toLowerCase() }
    const externalId = fit('external_id', person.externalId, 255, report)
    if (externalId !== undefined && taken.add('external_id', externalId)) members.external_id = externalId
    else if (externalId !== undefined) report('external_id', 'an earlier user has it')
    return members
  }
  if (person.externalId !== undefined && person.externalId !== person.id)
    report('external_id', 'replaced by the id of the source')
  const externalId = fit('id', person.id, 255, report)
  return externalId === undefined ? {} : { external_id: externalId }
}

function emailOf(person: Person, taken: Scratch, options: SourceOptions, report: Tell): string | undefined {
  const { email } = person
  if (email === undefined) return undefined
  const [fault] = faultsOf({ email })
  if (fault !== undefined || email.length < 3 || isLonger(email, 254)) {
    report('email address', 'not valid in Rollbook')
    return undefined
  }
  if (person.emailVerified === false && options.unverifiedEmails === 'leave-out') {
    report('email address', 'not verified in the source, and left out as you requested')
    return undefined
  }
  if (!taken.add('name', emailKey(email))) {
    report('email address', 'an earlier user has it')
    return undefined
  }
  if (person.emailVerified === false)
    report('that the email address is not verified', 'Rollbook does not distinguish verified and unverified addresses')
  return email
}

/** The first that fits and is free, of: the username, the email address, the phone number, the id. */
function usernameOf(person: Person, email: string | undefined, taken: Scratch, report: Tell): string | undefined {
  const why: string[] = []
  for (const [name, candidate] of [
    ['username', person.username],
    ['email address', email],
    ['phone number', person.phone?.replaceAll(/[\s()]/g, '')],
    ['id', person.idIsPlace ? undefined : person.id.replace(/^\d+$/, 'user-$&')],
  ] as const) {
    if (candidate === undefined || candidate === '') continue
    const fault = usernameFault(candidate) ?? (claim(candidate, email, taken) ? undefined : 'an earlier user has it')
    if (fault !== undefined) {
      if (name === 'username') why.push(fault)
      continue
    }
    const expected = name === 'username' || (person.username === undefined && name === 'email address')
    if (!expected) report('username', `${why[0] ?? 'there is none'}; the ${name} is used instead`)
    return candidate
  }
  report('user', `${why[0] ?? 'there is no username'}; email address, phone number and id cannot be used either`)
  return undefined
}

/** The email address of one user is no username of another: both sign in. */
function claim(username: string, email: string | undefined, taken: Scratch): boolean {
  const keys = new Set([usernameKey(username), emailKey(username)])
  if (email !== undefined) keys.delete(emailKey(email))
  return [...keys].every((key) => taken.add('name', key))
}

function usernameFault(username: string): string | undefined {
  if (isLonger(username, 128)) return 'longer than 128 characters'
  try {
    return mixtureFault(usernameKey(username))?.replace(/^The username (.*), some of which.*$/, '$1')
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error
    return error.message.replace(/^(?:The|A) username (?:must not contain|contains) /, 'contains ').replace(/\.$/, '')
  }
}

/** A full name is cut before its last word: written together again, it reads as before. */
function namesOf(person: Person, report: Tell): { first_name?: string; last_name?: string } {
  let { firstName, lastName } = person
  if (firstName === undefined && lastName === undefined && person.fullName !== undefined) {
    const words = person.fullName.trim().split(/\s+/u)
    lastName = words.length > 1 ? words.pop() : undefined
    firstName = words.join(' ')
  }
  const first = fit('first_name', firstName, 256, report)
  const last = fit('last_name', lastName, 256, report)
  return { ...(first !== undefined && { first_name: first }), ...(last !== undefined && { last_name: last }) }
}

/** The organization of a user, with the user's roles in it. Of other organizations only the report knows. */
function homeOf(
  person: Person,
  { memberships }: SourceOptions,
  report: Tell,
): { organization?: string; roles: readonly string[] } {
  if (memberships === undefined) return { roles: [] }
  const { home, others } = homeAmong(memberships.of(person.memberName ?? person.id))
  for (const { organization } of others) {
    const name = memberships.organizations.get(organization)?.name ?? organization
    report(`membership of ${shortened(name)}`, elsewhere)
  }
  return home === undefined ? { roles: [] } : { organization: home.organization, roles: home.roles }
}

const elsewhere =
  'a user belongs to one organization: the one that manages them, or the first in the export; in others they can be guests of a group'

function roleOf(roles: readonly string[], { roleMap = {} }: SourceOptions, report: Tell): string | undefined {
  const found = Object.keys(roleMap).find((role) => roles.includes(role))
  for (const role of roles) {
    if (!Object.hasOwn(roleMap, role)) report(`role ${shortened(role)}`, 'it is not in the role map')
    else if (roleMap[role] !== roleMap[found ?? ''])
      report(`role ${shortened(role)}`, 'a user has one role; the first match in the role map is used')
  }
  return found === undefined ? undefined : roleMap[found]
}

function passwordOf(person: Person, report: Tell): { password?: string; password_hash?: string } {
  const { password } = person
  if ('clear' in password) {
    const words = [person.username, person.email].filter((word) => word !== undefined)
    const fault = password.ifStrong ? passwordFault(password.clear, { words }) : undefined
    if (fault === undefined) return { password: password.clear }
    report('password', `plain text in the source, and too weak for Rollbook (${fault.code}); set a new one`)
    return {}
  }
  if ('none' in password) {
    report('password', password.none)
    return {}
  }
  const read = readForeignHash(password.hash)
  if ('phc' in read) return { password_hash: password.hash }
  report('password', read.fault)
  return {}
}

function factorsOf({ totp = [] }: Person, report: Tell): NonNullable<ImportRow['factors']> {
  const factors: NonNullable<ImportRow['factors']> = []
  for (const { name, ...form } of totp) {
    const fault = factors.length === factorsPerUser ? `a user can have at most ${factorsPerUser}` : totpFault(form)
    if (fault !== undefined) {
      report('second factor: totp', `${fault.replace(/\.$/, '')}; the user enrolls another one`)
      continue
    }
    const label = name === undefined ? undefined : shortened(name).slice(0, 64)
    factors.push({ kind: 'totp', secret: canonicalBase32(form.secret), ...(label && { name: label }) })
  }
  return factors
}

function fit(member: string, text: string | undefined, most: number, report: Tell): string | undefined {
  if (text === undefined || text === '') return undefined
  if (text.length <= most && /^[!-~]+(?: [!-~]+)*$/.test(text)) return text
  const isId = member === 'id' || member === 'external_id'
  const clean = isId ? text.replaceAll(/\p{Cc}+/gu, ' ').toWellFormed() : withoutUnseen(text)
  const characters = Array.from(clean)
  if (isId) {
    if (clean === text && characters.length <= most) return text
    report(member, `contains control characters, or is longer than ${most} characters`)
    return undefined
  }
  if (clean !== text) report(member, 'control characters were replaced by spaces')
  if (characters.length > most) report(member, `cut off after ${most} characters`)
  return characters.slice(0, most).join('').trim()
}

/** As JSON Schema counts: characters, not halves of them. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && Array.from(text).length > most
}

function faultsOf(members: { email: string }): unknown[] {
  try {
    checkUserInput(members, {})
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [error]
  }
}
