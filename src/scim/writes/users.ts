/** Changes users through SCIM. Each change reads, changes and stores the user in one transaction. */

import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import { holdDefinitions } from '../../directory/attributes/service.ts'
import * as documents from '../../directory/scim-documents/service.ts'
import { type User, updateUserSchema } from '../../directory/users/schema.ts'
import * as users from '../../directory/users/service.ts'
import { checkUserInput, type UserInput } from '../../directory/users/service.ts'
import { isMatch } from '../../http/request/conditional.ts'
import { emailKey, isEmail } from '../../lib/email-form.ts'
import { endOfDay } from '../../lib/end-of-day.ts'
import { latestInstant, timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import { languageOf, preferredEmail, textIn, type UserMembers, userFromScim, userToScim } from '../mapping/user.ts'
import { applyPatch } from '../patch/apply.ts'
import type { Operation } from '../patch/operations.ts'
import { crossing } from '../protocol/crossing.ts'
import { ScimError } from '../protocol/errors.ts'
import { isArray, isObject, type Json, type JsonObject } from '../protocol/json.ts'
import { type ProfileName, profileHint, profiles } from '../protocol/profiles.ts'
import { rollbookUserUrn } from '../protocol/urns.ts'
import { readUser, type Versioned } from '../resources/users.ts'
import { readDateTime } from '../schemas/date-time.ts'
import { userDefinition } from '../schemas/definition.ts'

/** Larger than a person's entry in any directory: a photo is only a URL here. */
const mostCharacters = 65_536

/** A changed resource, and the names of sent attributes that were ignored. */
export interface Outcome extends Versioned {
  readonly id: string
  readonly isChanged: boolean
  readonly ignored: readonly string[]
}

type Sent = {
  /** The address of the SCIM endpoint. */
  base: string
  /** The hash of the password, if one was sent. */
  password_hash?: string
}

export type Creation = Sent & { resource: JsonObject; ignored: readonly string[]; promisedId?: string }

/** @throws AppError, also one that carries a ScimError */
export function createUser(ctx: ChangeContext, input: Creation): Promise<Outcome> {
  const { resource, ignored, base, promisedId, password_hash } = input
  return crossing(async () => {
    const { members, document } = userFromScim(resource)
    refuseInvalidEmail(ctx, document.emails)
    const chosenId = promisedId === undefined ? {} : { user_id: promisedId }
    const end = endOf(ctx, members, { resource, isWhole: true })
    const input = {
      ...(await inputOf(ctx, members, password_hash, {})),
      ...localeIn(document),
      ...managed(ctx),
      ...end,
      ...belonging(ctx),
    }
    const created = await users.create(ctx, input, chosenId)
    await storeDocument(ctx, created, document)
    return {
      ...(await readUser(ctx.db, scopeOf(ctx.actor), created, base)),
      id: created.user_id,
      isChanged: true,
      ignored,
    }
  })
}

type Target = { user_id: string; ifMatch: string | undefined }

type Replacement = Sent & Target & { resource: JsonObject; ignored: readonly string[] }

/** Replaces everything that clients can set. Missing attributes are cleared, except `active` and the password. */
export function replaceUser(ctx: ChangeContext, input: Replacement): Promise<Outcome> {
  return crossing(async () => {
    return store(ctx, input, await find(ctx, input), input.resource, input.ignored)
  })
}

export type Patch = Sent & Target & { operations: readonly Operation[]; profile: ProfileName }

export function patchUser(ctx: ChangeContext, input: Patch): Promise<Outcome> {
  return crossing(async () => {
    const before = await find(ctx, input)
    const outcome = applyPatch(before.resource, input.operations, userDefinition, profiles[input.profile])
    if (!outcome.isChanged) return { ...before, id: input.user_id, isChanged: false, ignored: outcome.ignored }
    return store(ctx, input, before, outcome.resource, outcome.ignored, { mayRemoveEnd: true })
  })
}

/** A user before the change, with the connection that manages them. */
type Before = Versioned & { readonly managedBy: string | undefined; readonly attributes: User['attributes'] }

async function find(ctx: ChangeContext, { user_id, ifMatch, base }: Target & { base: string }): Promise<Before> {
  const found = await users.holdForChange(ctx, user_id)
  const before = await readUser(ctx.db, scopeOf(ctx.actor), found, base)
  if (!isMatch(ifMatch, before.version)) {
    throw new AppError('precondition_failed', 'The user has changed since you read it. Read it again, then repeat.')
  }
  const { managed_by, attributes } = JSON.parse(found.document) as User
  return { ...before, managedBy: managed_by, attributes }
}

async function store(
  ctx: ChangeContext,
  { user_id, base, password_hash }: Sent & Pick<Target, 'user_id'>,
  before: Before,
  resource: JsonObject,
  ignored: readonly string[],
  { mayRemoveEnd = false } = {},
): Promise<Outcome> {
  const { members, document } = userFromScim(resource)
  const { document: stored, members: former } = userFromScim(before.resource)
  if (!isDeepStrictEqual(stored.emails, document.emails)) refuseInvalidEmail(ctx, document.emails)
  const beside = differences(stored, document)
  // A connection that changes an unmanaged user takes them over.
  const adopted = before.managedBy === undefined ? managed(ctx) : {}
  // A client that sends its value again must not undo the user's own choice.
  const locale = languageOf(stored) === languageOf(document) ? {} : localeIn(document)
  const sent = { resource, isWhole: !mayRemoveEnd, before: { ...former, resource: before.resource } }
  const end = endOf(ctx, members, sent)
  const input = { ...(await inputOf(ctx, members, password_hash, before.attributes)), ...locale, ...adopted, ...end }
  const changed = await users.update(ctx, { user_id, input, expected: undefined, beside })
  await storeDocument(ctx, changed, document)
  const next = await readUser(ctx.db, scopeOf(ctx.actor), changed, base)
  return { ...next, id: user_id, isChanged: next.version !== before.version, ignored }
}

/** With `looseValues`, a text that is no address is only kept in the document: Entra may send one. */
function refuseInvalidEmail({ actor }: ChangeContext, emails: Json | undefined): void {
  const { looseValues } = profiles[(actor.connection?.profile ?? 'strict') as ProfileName]
  const preferred = preferredEmail(emails)
  if (looseValues || preferred === undefined || isEmail(String(preferred.value))) return
  throw new ScimError('invalidValue', `emails has a value that is not a valid email address.${profileHint}`)
}

function localeIn(document: JsonObject): Pick<UserInput, 'locale'> {
  const locale = languageOf(document)
  return locale === undefined ? {} : { locale }
}

function managed({ actor }: ChangeContext): Pick<UserInput, 'managed_by'> {
  return actor.connection === undefined ? {} : { managed_by: actor.connection.id }
}

/** Who is created through a connection of an organization belongs to it. */
function belonging({ actor }: ChangeContext): Pick<UserInput, 'organization_id'> {
  // A limited caller creates there anyway, and may not say so.
  if (actor.limitedTo !== undefined || actor.organization === undefined) return {}
  return { organization_id: actor.organization.organization_id }
}

/** Returns the names of the members that differ. */
function differences(a: JsonObject, b: JsonObject): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].filter((name) => !isDeepStrictEqual(a[name], b[name])).sort()
}

/** Stores the user's SCIM document, and the resource composed of document and user. */
async function storeDocument(ctx: ChangeContext, stored: users.UserDocument, document: JsonObject): Promise<void> {
  const text = JSON.stringify(document)
  if (text.length > mostCharacters) throw new ScimError(413, `A user has at most ${mostCharacters} characters of data.`)
  if (text === '{}') {
    await documents.remove(ctx.db, stored.user_id)
    return
  }
  const user = JSON.parse(stored.document) as User
  const { meta: _, ...resource } = userToScim({ user, document, attributes: user.attributes, groups: [] }, '', '')
  await documents.put(ctx.db, {
    user,
    version: stored.version,
    document: text,
    resource: JSON.stringify(resource).slice(0, -1),
    email_keys: emailKeys(document.emails),
  })
}

function emailKeys(emails: Json | undefined): string[] {
  const values = isArray(emails) ? emails.map((one) => (isObject(one) ? one.value : one)) : []
  return [...new Set(values.filter((value) => typeof value === 'string').map(emailKey))]
}

/** Our members' names in SCIM, for refusals. */
const scimNames = {
  username: 'userName',
  email: 'emails',
  external_id: 'externalId',
  first_name: 'name.givenName',
  last_name: 'name.familyName',
} as const

/** Returns the values of defined attributes. A missing one is cleared unless it is required. */
async function attributesOf(
  { db }: ChangeContext,
  { attributes }: UserMembers,
  before: User['attributes'],
): Promise<Pick<UserInput, 'attributes'>> {
  const definitions = await holdDefinitions(db)
  const values = Object.entries(attributes).filter(([name, value]) => {
    const definition = definitions.get(name)
    return definition !== undefined && (value !== null || (Object.hasOwn(before, name) && !definition.required))
  })
  if (values.length === 0) return {}
  return { attributes: { by: 'provisioning', areTexts: true, values: Object.fromEntries(values) } }
}

type SentEnd = {
  resource: JsonObject
  /** False for a PATCH, whose resource has what it did not name as well. */
  isWhole: boolean
  before?: Pick<UserMembers, 'expires_at'> & { resource: JsonObject }
}

/**
 * Returns the end date by `expiresAt`, or else by the attribute that the connection names. Without either it stays; only a PATCH
 * removes it.
 *
 * @throws ScimError `invalidValue`
 */
function endOf(
  { actor }: ChangeContext,
  { expires_at: own }: UserMembers,
  { resource, isWhole, before }: SentEnd,
): Pick<UserInput, 'expires_at'> {
  const attribute = actor.connection?.end_date_attribute
  const mapped = attribute === undefined ? '' : textIn(resource, attribute)
  const mappedBefore = attribute === undefined || before === undefined ? '' : textIn(before.resource, attribute)
  const isOwnSent = own !== undefined && (isWhole || own !== before?.expires_at)
  if (attribute !== undefined && !isOwnSent) {
    if (mapped !== '' && (isWhole || mapped !== mappedBefore)) return { expires_at: readEnd(mapped, attribute) }
    if (mapped === '' && mappedBefore !== '' && !isWhole) return { expires_at: null }
  }
  if (own !== undefined) return { expires_at: readEnd(own, `${rollbookUserUrn}:expiresAt`) }
  return !isWhole && before?.expires_at !== undefined ? { expires_at: null } : {}
}

/** @throws ScimError `invalidValue` */
function readEnd(text: string, name: string): string {
  const ms = readDateTime(endOfDay(text) ?? text)
  if (ms !== undefined && ms >= 0 && ms <= latestInstant) return timestamp(ms)
  throw new ScimError(
    'invalidValue',
    `${name}, the end date of the user, must be a date and time between 1970 and 9999 in UTC.`,
  )
}

async function inputOf(
  ctx: ChangeContext,
  members: UserMembers,
  password_hash: string | undefined,
  before: User['attributes'],
): Promise<UserInput> {
  const { username, email, external_id, first_name, last_name, active } = members
  const enabled = active === undefined ? {} : { active }
  const input = { username, email, external_id, first_name, last_name, ...enabled }
  for (const [name, scimName] of Object.entries(scimNames) as [keyof typeof scimNames, string][]) {
    const text = input[name]
    if (typeof text !== 'string') continue
    const { minLength, maxLength } = updateUserSchema.properties[name] as { minLength?: number; maxLength: number }
    const length = [...text].length
    if (length > maxLength) throw new ScimError('invalidValue', `${scimName} has more than ${maxLength} characters.`)
    if (length < (minLength ?? 0)) throw new ScimError('invalidValue', `${scimName} is too short.`)
    if (!text.isWellFormed()) throw new ScimError('invalidValue', `${scimName} is not valid Unicode.`)
  }
  return {
    ...checkUserInput(input, ctx.rules.roles),
    ...(await attributesOf(ctx, members, before)),
    ...(password_hash !== undefined && { password_hash }),
  }
}
